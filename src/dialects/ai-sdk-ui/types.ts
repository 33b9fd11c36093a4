// Declares the wire types of the AI SDK UI messages that the encoder writes.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

type UiProviderMetadata = { providerMetadata?: Record<string, JsonObject> };

/** A text part. */
export type UiText = {
  type: "text";
  text: string;
  state?: "streaming" | "done";
  citations?: UiCitation[];
} & UiProviderMetadata;
/** A reasoning part. */
export type UiReasoning = { type: "reasoning"; text: string; state?: "streaming" | "done" } & UiProviderMetadata;
/** A file part; inline data is a data URL in `url`. */
export type UiFile = {
  type: "file";
  url: string;
  mediaType: string;
  filename?: string;
  providerReference?: Record<string, string>;
} & UiProviderMetadata;
/** A source with a URL. */
export type UiSourceUrl = { type: "source-url"; sourceId: string; url: string; title?: string } & UiProviderMetadata;
/** A source that is a document. */
export type UiSourceDocument = {
  type: "source-document";
  sourceId: string;
  mediaType: string;
  title: string;
} & UiProviderMetadata;
/** A citation of a source in a text. */
export type UiCitation = {
  source:
    | { type: "source"; sourceType: "url"; id: string; url: string; title?: string }
    | { type: "source"; sourceType: "document"; id: string; mediaType: string; title: string };
  startIndex?: number;
  endIndex?: number;
  citedText?: string;
};
/** A part that marks the beginning of a step in an assistant message. */
export type UiStepStart = { type: "step-start" };

type UiToolCallFields = {
  type: `tool-${string}`;
  toolCallId: string;
  providerExecuted?: boolean;
  callProviderMetadata?: Record<string, JsonObject>;
};
type UiToolResultFields = { input: JsonValue; resultProviderMetadata?: Record<string, JsonObject> };
/** A tool part: a call and, once there is one, its result. */
export type UiTool =
  | (UiToolCallFields & { state: "input-streaming"; input?: JsonObject; rawInput?: string })
  | (UiToolCallFields & { state: "input-available"; input: JsonValue })
  | (UiToolCallFields & UiToolResultFields & { state: "output-available"; output: JsonValue })
  | (UiToolCallFields & UiToolResultFields & { state: "output-error"; errorText: string });

/** Any part of a UI message. */
export type UiPart = UiText | UiReasoning | UiFile | UiSourceUrl | UiSourceDocument | UiStepStart | UiTool;
/** A UI message. */
export type UiMessage = {
  id: string;
  role: "system" | "user" | "assistant";
  metadata?: JsonObject;
  parts: UiPart[];
};
