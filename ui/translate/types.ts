// Messages between the views and the translation engine in its worker; all values can be cloned.
import type { DialectId, Loss } from "koine";
import type { JsonDocument } from "../json/json-document.ts";

/** Kinds of payloads. "messages": a list of messages, or one. */
export const PAYLOAD_KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type SourceKind = (typeof PAYLOAD_KINDS)[number];

/** Dialect of a payload; "koine" is the canonical model itself. */
export type SourceDialect = DialectId | "koine";

export interface TranslationSource {
  /** Text, or the bytes of a file. */
  content: string | Uint8Array;
  /** Reads only this field of the JSON: the other fields describe the payload. */
  field?: string;
  /** Overrides the detection. */
  from?: SourceDialect;
  kind?: SourceKind;
}

/** Description of a decoded source. */
export interface ReadResult {
  from: SourceDialect;
  kind: SourceKind;
  /** Other dialects that fit as well. */
  alternatives: readonly SourceDialect[];
  /** Remarks on the payload, such as a truncated stream or skipped records. */
  remarks: readonly string[];
  /** The model of the request or response. */
  model: string;
  canonical: JsonDocument;
}

/** Reason why a source could not be read. */
export interface ReadFailure {
  message: string;
  /** Starting at 1, in the original text. */
  line?: number;
  column?: number;
  /** JSON of the wrong shape, with the line of the error. */
  wire?: JsonDocument;
  wireLine?: number;
}

export interface ColumnTarget {
  dialect: DialectId;
  /** Replaces the model of the payload. */
  model?: string;
  /** Vendor whose deviations from the dialect apply. */
  vendor?: string;
}

/**
 * Precision of a loss's position in a column: at the result of the value, near it (its container), or at the head
 * because nothing represents it.
 */
export type LossPrecision = "at" | "near" | "head";

export interface PlacedLoss extends Loss {
  /** Line in the canonical document: of the value, or of its deepest existing ancestor. */
  canonicalLine: number;
  /** Line in the column. */
  line: number;
  precision: LossPrecision;
}

export interface TranslatedColumn {
  target: ColumnTarget;
  title: string;
  document?: JsonDocument;
  losses: readonly PlacedLoss[];
  /** Sentences about data outside the body, such as the model in the URL or the HTTP status. */
  envelope: readonly string[];
  /** Sentences about data that the dialect does not support. */
  remarks: readonly string[];
  /** Data to copy and download if it is not the document's text: a stream as sent on the wire. */
  wire?: string | Uint8Array;
  /** Reason why there is no document. */
  failure?: string;
}

/** Parameters of generated code. */
export interface CodeOptions {
  origin: string;
  model: string;
  /** The server requires a token. */
  token: boolean;
}

export interface CodeSample {
  id: string;
  title: string;
  /** Shell command that installs the packages; "" for none. */
  install: string;
  /** File extension. */
  extension: "sh" | "mjs";
  text: string;
  /** Losses of the code; paths are JSON pointers into the request. */
  losses: readonly Loss[];
  remarks: readonly string[];
  failure?: string;
}

// ---- Messages ----

export type EngineRequest =
  | { type: "read"; turn: number; source: TranslationSource }
  | { type: "encode"; turn: number; target: ColumnTarget }
  /** Generates code for the source that was read, or for another one: the whole that is shown in part. */
  | { type: "code"; turn: number; options: CodeOptions; source?: TranslationSource };

export type EngineResponse =
  /** The engine has started with a source; earlier requests are dropped. */
  | { type: "begun"; turn: number }
  | { type: "read"; turn: number; reading: ReadResult }
  | { type: "unread"; turn: number; failure: ReadFailure }
  | { type: "column"; turn: number; column: TranslatedColumn }
  | { type: "code"; turn: number; codes: readonly CodeSample[]; failure?: string };

/** Connection to the engine in its worker. */
export interface EngineClient {
  send(request: EngineRequest): void;
  close(): void;
}
