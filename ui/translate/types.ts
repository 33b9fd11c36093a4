// What the views ask of the engine, and what it answers. The engine works in a worker: everything here can be cloned.
import type { DialectId, Loss } from "koine";
import type { JsonDocument } from "../json/document.ts";

/** What a payload may be. "messages": a list of them, or one. */
export const KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type Kind = (typeof KINDS)[number];

/** Whose words a payload is in; "koine" is the canonical value itself. */
export type Speaker = DialectId | "koine";

export interface Source {
  /** Text, or the bytes of a file. */
  content: string | Uint8Array;
  /** Only this field of it: the rest of a reply is about it, not of it. */
  field?: string;
  /** Where the reader knows better. */
  from?: Speaker;
  kind?: Kind;
}

/** What could be read. */
export interface Reading {
  from: Speaker;
  kind: Kind;
  /** It could be of these dialects as well. */
  maybe: readonly Speaker[];
  /** What else is to be known: a stream that broke off, further records that were left aside. */
  remarks: readonly string[];
  /** The model that is asked, or that answered. */
  model: string;
  canonical: JsonDocument;
}

/** Why nothing could be read. */
export interface ReadFailure {
  message: string;
  /** From 1, in the text as it was given. */
  line?: number;
  column?: number;
  /** The wire value where it is JSON of the wrong shape, and the line in it. */
  wire?: JsonDocument;
  wireLine?: number;
}

export interface Target {
  dialect: DialectId;
  /** The model to ask, where it is another one than the payload says. */
  model?: string;
  /** Whose habits, where vendors speak the dialect with some of their own. */
  vendor?: string;
}

/** How sure the place of a loss in a column is: what became of it, what it was a part of, or nothing stands for it. */
export type Standing = "at" | "near" | "head";

export interface PlacedLoss extends Loss {
  /** In the canonical document: its line, or that of the deepest thing on the way to it. */
  canonicalLine: number;
  /** In the column. */
  line: number;
  standing: Standing;
}

export interface Column {
  target: Target;
  title: string;
  document?: JsonDocument;
  losses: readonly PlacedLoss[];
  /** What goes beside the body: a model in the address, a status. */
  beside: readonly string[];
  /** What the dialect does not carry, in words. */
  remarks: readonly string[];
  /** What is copied and downloaded where it is not the document's text: a stream as it goes over the wire. */
  wire?: string | Uint8Array;
  /** Why there is nothing. */
  failure?: string;
}

/** What the code of a request is made for. */
export interface CodeWish {
  origin: string;
  model: string;
  /** The server wants a token. */
  token: boolean;
}

export interface Code {
  id: string;
  title: string;
  /** The packages that it needs, "" for a shell. */
  install: string;
  /** The ending of a file that holds it. */
  ending: "sh" | "mjs";
  text: string;
  /** What the code does not say; paths lead into the request. */
  losses: readonly Loss[];
  /** What else is to be known of it. */
  remarks: readonly string[];
  failure?: string;
}

// ---- Messages ----

export type Asked =
  | { type: "read"; turn: number; source: Source }
  | { type: "encode"; turn: number; target: Target }
  /** Code of what was read, or of another source: the whole of what is looked at in part. */
  | { type: "code"; turn: number; wish: CodeWish; source?: Source };

export type Answered =
  /** The engine has taken up a source: nothing that was asked before is at work any more. */
  | { type: "begun"; turn: number }
  | { type: "read"; turn: number; reading: Reading }
  | { type: "unread"; turn: number; failure: ReadFailure }
  | { type: "column"; turn: number; column: Column }
  | { type: "code"; turn: number; codes: readonly Code[]; failure?: string };

/** Answers what it is asked, elsewhere. */
export interface Engine {
  ask(asked: Asked): void;
  close(): void;
}
