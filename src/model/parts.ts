// Defines the types of parts. The order of parts in a message is significant and is preserved. All values are plain
// JSON, so that messages can be cloned, compared and stored.
import type { JsonObject } from "./json/index.ts";

/** Residue: wire data for which the canonical model has no field, by dialect. */
export type Extra = Record<string, JsonObject>;

/** Any canonical value that can have residue. */
export interface WithExtra {
  extra?: Extra;
}

/** The provider that issued a seal or a file id, which only this provider can read. */
export interface Issuer {
  dialect: string;
  provider?: string;
  model?: string;
}

/** The known kinds of seals. A dialect may use further kinds. */
export type SealKind = "signature" | "encrypted" | "redacted" | "id" | (string & {});

/**
 * An opaque artifact (a thinking signature, encrypted reasoning, an item id) that is sent back only to its issuer (B5).
 */
export interface Seal extends Issuer {
  kind: SealKind;
  value: string;
}

/** Any canonical value that can have seals. */
export interface WithSeals {
  seals?: Seal[];
}

/** A prompt-cache breakpoint: the provider may cache the request up to the end of the part or tool with this value. */
export interface CacheBreakpoint {
  ttl?: "5m" | "1h";
}

/** The fields of every part. */
export interface PartBase {
  extra?: Extra;
  cache?: CacheBreakpoint;
  seals?: Seal[];
}

/** A range of the annotated text, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A citation or another annotation of a text. */
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

/** A token with its log probability; `top` lists the most likely alternatives for its position. */
export interface Logprob {
  token: string;
  logprob: number;
  bytes?: number[];
  tokenId?: number;
  top?: Logprob[];
  extra?: Extra;
}

/** Text of a user or of the model. */
export interface TextPart extends PartBase {
  type: "text";
  text: string;
  annotations?: Annotation[];
  logprobs?: Logprob[];
}

/** The model's reasoning. Each wire block or item is one part. Redacted reasoning has a seal and an empty text. */
export interface ReasoningPart extends PartBase {
  type: "reasoning";
  text: string;
  summary?: string[];
}

/** The text with which a model refuses to answer. */
export interface RefusalPart extends PartBase {
  type: "refusal";
  text: string;
  logprobs?: Logprob[];
}

/** The party that runs a tool: the client's code or the provider. */
export type Executor = "client" | "provider";
/** The format of a tool's input or output: JSON, or free text (custom tools). */
export type ToolFormat = "json" | "text";

/** The model's request to run a tool. */
export interface ToolCallPart extends PartBase {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  /** The parsed arguments. Encoders use `inputText` only if it parses to exactly this value. */
  input: unknown;
  /** The exact text of the arguments, if serializing `input` would give a different text (B23). */
  inputText?: string;
  /** True if the arguments are not JSON or were cut off. Such a call must never be executed (B22, B31). */
  invalid?: boolean;
  executor?: Executor;
  format?: ToolFormat;
  /** The wire type of the call, if it is not the call of a plain function. */
  tool?: string;
}

/** The output of a tool. */
export interface ToolResultPart extends PartBase {
  type: "tool-result";
  toolCallId: string;
  /** The tool name of the matching call; "" if no call matches. */
  toolName: string;
  isError: boolean;
  /** The output. A string is text; any other value is JSON. */
  output?: unknown;
  /** Parts that belong to the output: images, documents, text blocks. */
  content?: Part[];
  executor?: Executor;
  format?: ToolFormat;
  tool?: string;
}

/** The seven possible sources of media. A media part has exactly one of them; `validate` checks this. */
export interface MediaSources {
  url?: string;
  /** The bytes as base64. */
  data?: string;
  /** The text of a plain-text document. */
  text?: string;
  content?: Part[];
  /** A provider's file id; `issuer` names the provider. */
  fileId?: string;
  /** The path of a file on the caller's machine. */
  path?: string;
  /** A reference to a blob of the ledger. */
  blob?: string;
}

interface MediaFields extends PartBase, MediaSources {
  mimeType?: string;
  name?: string;
  size?: number;
  issuer?: Issuer;
}

/** An image. */
export interface ImagePart extends MediaFields {
  type: "image";
}
/** Audio data. */
export interface AudioPart extends MediaFields {
  type: "audio";
  transcript?: string;
}
/** A video. */
export interface VideoPart extends MediaFields {
  type: "video";
}
/** A document or any other file. */
export interface FilePart extends MediaFields {
  type: "file";
}

/** A wire block without a canonical equivalent, stored verbatim (B43). Messages of every role can contain it. */
export interface OpaquePart extends PartBase {
  type: "opaque";
  dialect: string;
  issuer?: Issuer;
  value: unknown;
}

/** A part with media. */
export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;
/** Any part of a message. */
export type Part = TextPart | ReasoningPart | RefusalPart | ToolCallPart | ToolResultPart | MediaPart | OpaquePart;
/** The value of a part's `type` field. */
export type PartType = Part["type"];
