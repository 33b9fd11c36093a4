// Types of the messages between the views and the translation engine in its worker. All values can be cloned.
import type { DialectId, Loss } from "koine";
import type { JsonDocument } from "../json/json-document.ts";

/** Kinds of payloads; "messages" is a list of messages or a single message. */
export const PAYLOAD_KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type SourceKind = (typeof PAYLOAD_KINDS)[number];

/** Dialect of a payload; "koine" is the canonical model itself. */
export type SourceDialect = DialectId | "koine";

export interface TranslationSource {
  /** Text, or the bytes of a file. */
  content: string | Uint8Array;
  /** Name of the JSON field that contains the payload; absent if the whole content is the payload. */
  field?: string;
  /** Dialect of the payload; absent to detect it. */
  from?: SourceDialect;
  /** Kind of the payload; absent to detect it. */
  kind?: SourceKind;
}

/** Description of a decoded source. */
export interface ReadResult {
  from: SourceDialect;
  kind: SourceKind;
  /** Dialects other than `from` that fit the payload as well or almost as well. */
  alternatives: readonly SourceDialect[];
  /** Remarks on the payload, such as a truncated stream or skipped records. */
  remarks: readonly string[];
  /** Model of the request or response; "" if the payload has none. */
  model: string;
  canonical: JsonDocument;
}

/** Reason why a source could not be read. */
export interface ReadFailure {
  message: string;
  /** Line of the error in the original text, starting at 1. */
  line?: number;
  /** Column of the error in its line, starting at 1. */
  column?: number;
  /** The parsed payload, if it is JSON that the dialect cannot decode. */
  wire?: JsonDocument;
  /** Line in `wire` at which the dialect's decoder found the error. */
  wireLine?: number;
}

export interface ColumnTarget {
  dialect: DialectId;
  /** Model that replaces the model of the payload. */
  model?: string;
  /** Vendor whose deviations from the dialect apply. */
  vendor?: string;
}

/**
 * Precision of a loss's position in a column: "at" the encoded value, "near" it (at its container), or at the "head" of
 * the document, because nothing in the document represents the value.
 */
export type LossPrecision = "at" | "near" | "head";

export interface PlacedLoss extends Loss {
  /**
   * Line of the lost value in the canonical document; if the value does not exist there, the line of its deepest
   * existing ancestor.
   */
  canonicalLine: number;
  /** Line of the loss in the document of the dialect's column. */
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
  /**
   * Stream as it is sent on the wire, for the copy and download buttons; absent if the text of the document is what is
   * sent.
   */
  wire?: string | Uint8Array;
  /** Reason why the payload could not be encoded in this dialect; absent if there is a document. */
  failure?: string;
}

/** Parameters of generated code. */
export interface CodeOptions {
  origin: string;
  model: string;
  /** True if the server requires a token. */
  token: boolean;
}

export interface CodeSample {
  id: string;
  title: string;
  /** Shell command that installs the packages; "" if none are needed. */
  install: string;
  /** Extension of a file with this code: "sh" for a shell script, "mjs" for a JavaScript module. */
  extension: "sh" | "mjs";
  text: string;
  /** Data of the request that the code does not contain unchanged; paths are JSON pointers into the request. */
  losses: readonly Loss[];
  remarks: readonly string[];
  failure?: string;
}

// ---- Messages between the page and the worker ----

export type EngineRequest =
  | { type: "read"; turn: number; source: TranslationSource }
  | { type: "encode"; turn: number; target: ColumnTarget }
  /**
   * Generates code for the source that was read. If the view shows only a part of a conversation, `source` is the whole
   * conversation, and the code is generated for it.
   */
  | { type: "code"; turn: number; options: CodeOptions; source?: TranslationSource };

export type EngineResponse =
  /**
   * The engine has started to read the source with the number `turn`; it has dropped all requests for earlier sources.
   */
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
