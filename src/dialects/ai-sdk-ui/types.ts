// The AI SDK's UI messages, as far as the encoder writes them for what the model has words for.
import type { JsonObject, JsonValue } from "../../model/json.ts";

type Metadata = { providerMetadata?: Record<string, JsonObject> };

export type UiText = { type: "text"; text: string; state?: "streaming" | "done"; citations?: UiCitation[] } & Metadata;
export type UiReasoning = { type: "reasoning"; text: string; state?: "streaming" | "done" } & Metadata;
/** `url` is a data URL for inline data. */
export type UiFile = {
  type: "file";
  url: string;
  mediaType: string;
  filename?: string;
  providerReference?: Record<string, string>;
} & Metadata;
export type UiSourceUrl = { type: "source-url"; sourceId: string; url: string; title?: string } & Metadata;
export type UiSourceDocument = {
  type: "source-document";
  sourceId: string;
  mediaType: string;
  title: string;
} & Metadata;
export type UiCitation = {
  source:
    | { type: "source"; sourceType: "url"; id: string; url: string; title?: string }
    | { type: "source"; sourceType: "document"; id: string; mediaType: string; title: string };
  startIndex?: number;
  endIndex?: number;
  citedText?: string;
};
export type UiStepStart = { type: "step-start" };

type Call = {
  type: `tool-${string}`;
  toolCallId: string;
  providerExecuted?: boolean;
  callProviderMetadata?: Record<string, JsonObject>;
};
type Result = { input: JsonValue; resultProviderMetadata?: Record<string, JsonObject> };
export type UiTool =
  | (Call & { state: "input-streaming"; input?: JsonObject; rawInput?: string })
  | (Call & { state: "input-available"; input: JsonValue })
  | (Call & Result & { state: "output-available"; output: JsonValue })
  | (Call & Result & { state: "output-error"; errorText: string });

export type UiPart = UiText | UiReasoning | UiFile | UiSourceUrl | UiSourceDocument | UiStepStart | UiTool;
export type UiMessage = {
  id: string;
  role: "system" | "user" | "assistant";
  metadata?: JsonObject;
  parts: UiPart[];
};
