// The parts a message is made of. A part says one thing; the order of parts is meaning and is never changed.
// Values are plain JSON, so that messages clone, compare and store.
import type { JsonObject } from "./json.ts";

/** What one dialect said that the model has no word for, kept where it stood: `extra[dialect]`. */
export type Extra = Record<string, JsonObject>;

/** Who issued an artefact that means something only there. */
export interface Issuer {
  dialect: string;
  provider?: string;
  model?: string;
}

/** Known kinds of seal; a dialect may add its own word. */
export type SealKind = "signature" | "encrypted" | "redacted" | "id" | (string & {});

/** An opaque artefact (a thinking signature, encrypted reasoning, an item id) that goes back only to its issuer (B5). */
export interface Seal extends Issuer {
  kind: SealKind;
  value: string;
}

/** A prompt-cache breakpoint after this part. */
export interface CacheBreakpoint {
  ttl?: "5m" | "1h";
}

/** What every part may carry. */
export interface PartBase {
  extra?: Extra;
  cache?: CacheBreakpoint;
  seals?: Seal[];
}

/** A range in UTF-16 units of the text it belongs to; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A citation or another remark about a text. */
export interface Annotation {
  kind: "url" | "file" | "document" | "other";
  url?: string;
  title?: string;
  fileId?: string;
  citedText?: string;
  span?: Span;
  source?: string;
  seals?: Seal[];
  extra?: Extra;
}

/** One token with its log probability, and the likeliest tokens that could have stood there. */
export interface Logprob {
  token: string;
  logprob: number;
  bytes?: number[];
  tokenId?: number;
  top?: Logprob[];
  extra?: Extra;
}

export interface TextPart extends PartBase {
  type: "text";
  text: string;
  annotations?: Annotation[];
  logprobs?: Logprob[];
}

/** The model's reasoning, one part per wire block or item; redacted reasoning is a seal with an empty text. */
export interface ReasoningPart extends PartBase {
  type: "reasoning";
  text: string;
  summary?: string[];
}

export interface RefusalPart extends PartBase {
  type: "refusal";
  text: string;
  logprobs?: Logprob[];
}

/** What runs a tool: the caller's own code, or the provider. */
export type Executor = "client" | "provider";
/** How a tool's input or output is written: JSON, or free text (custom tools). */
export type ToolFormat = "json" | "text";

/** What the model asks of a tool. */
export interface ToolCallPart extends PartBase {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  /** The parsed arguments. It wins over `inputText` unless that text parses to exactly this value. */
  input: unknown;
  /** The exact text of the arguments, where its spelling matters (B23). */
  inputText?: string;
  /** The arguments are unreadable or cut off: never execute this call (B22, B31). */
  invalid?: boolean;
  executor?: Executor;
  format?: ToolFormat;
  /** The wire's own word for the tool, where it is no plain function. */
  tool?: string;
}

/** What came back from a tool. */
export interface ToolResultPart extends PartBase {
  type: "tool-result";
  toolCallId: string;
  /** The name on the matching call, "" where no call is known. */
  toolName: string;
  isError: boolean;
  /** A string is text; any other JSON value is JSON. */
  output?: unknown;
  /** Parts that go with the output: images, documents, text blocks. */
  content?: Part[];
  executor?: Executor;
  format?: ToolFormat;
  tool?: string;
}

/** The seven places media can be. A media part has exactly one of them; `validate` says so. */
export interface MediaSources {
  url?: string;
  /** Base64. */
  data?: string;
  /** A plain-text document. */
  text?: string;
  content?: Part[];
  /** A provider's file id; `issuer` says whose. */
  fileId?: string;
  /** A file on the caller's machine. */
  path?: string;
  /** A reference into the ledger's blob store. */
  blob?: string;
}

interface MediaFields extends PartBase, MediaSources {
  mimeType?: string;
  name?: string;
  size?: number;
  issuer?: Issuer;
}

export interface ImagePart extends MediaFields {
  type: "image";
}
export interface AudioPart extends MediaFields {
  type: "audio";
  transcript?: string;
}
export interface VideoPart extends MediaFields {
  type: "video";
}
export interface FilePart extends MediaFields {
  type: "file";
}

/** A wire block that Koine has no word for, kept verbatim (B43). Legal in every role. */
export interface OpaquePart extends PartBase {
  type: "opaque";
  dialect: string;
  issuer?: Issuer;
  value: unknown;
}

export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;
export type Part = TextPart | ReasoningPart | RefusalPart | ToolCallPart | ToolResultPart | MediaPart | OpaquePart;
export type PartType = Part["type"];
