// The AI SDK's model messages, as far as the encoder writes them for what the model has words for.
import type { JsonObject, JsonValue } from "../../model/json.ts";

type Options = { providerOptions?: Record<string, JsonObject> };

export type ModelText = { type: "text"; text: string } & Options;
export type ModelReasoning = { type: "reasoning"; text: string } & Options;
/** Base64 or a URL by itself; a text or a provider's file is tagged. */
export type ModelFileData =
  | string
  | { type: "url"; url: string }
  | { type: "data"; data: string }
  | { type: "text"; text: string }
  | { type: "reference"; reference: Record<string, string> };
export type ModelFile = { type: "file"; data: ModelFileData; mediaType: string; filename?: string } & Options;
export type ModelToolCall = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: JsonValue;
  providerExecuted?: boolean;
} & Options;
export type ModelToolOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: JsonValue }
  | { type: "execution-denied"; reason?: string }
  | { type: "content"; value: (ModelText | ModelContentFile | ModelContentUrl)[] };
export type ModelContentFile = {
  type: "file";
  data: Exclude<ModelFileData, string | { type: "url" }>;
  mediaType: string;
  filename?: string;
} & Options;
/** In a result, a URL goes out under an older name. */
export type ModelContentUrl =
  | ({ type: "file-url"; url: string; mediaType?: string } & Options)
  | ({ type: "image-url"; url: string } & Options);
export type ModelToolResult = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ModelToolOutput;
} & Options;

export type ModelSystemMessage = { role: "system"; content: string } & Options;
export type ModelUserMessage = { role: "user"; content: string | (ModelText | ModelFile)[] } & Options;
export type ModelAssistantMessage = {
  role: "assistant";
  content: string | (ModelText | ModelReasoning | ModelFile | ModelToolCall | ModelToolResult)[];
} & Options;
export type ModelToolMessage = { role: "tool"; content: ModelToolResult[] } & Options;
export type ModelMessage = ModelSystemMessage | ModelUserMessage | ModelAssistantMessage | ModelToolMessage;
