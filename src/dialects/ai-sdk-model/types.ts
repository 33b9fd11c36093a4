// Declares the wire types of the AI SDK model messages that the encoder writes.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

type ModelProviderOptions = { providerOptions?: Record<string, JsonObject> };

/** A text part. */
export type ModelText = { type: "text"; text: string } & ModelProviderOptions;
/** A reasoning part. */
export type ModelReasoning = { type: "reasoning"; text: string } & ModelProviderOptions;
/** File data: base64 and URLs are bare strings or tagged; text and provider files are always tagged. */
export type ModelFileData =
  | string
  | { type: "url"; url: string }
  | { type: "data"; data: string }
  | { type: "text"; text: string }
  | { type: "reference"; reference: Record<string, string> };
/** A file part. */
export type ModelFile = {
  type: "file";
  data: ModelFileData;
  mediaType: string;
  filename?: string;
} & ModelProviderOptions;
/** A tool call part. */
export type ModelToolCall = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: JsonValue;
  providerExecuted?: boolean;
} & ModelProviderOptions;
/** The output of a tool result. */
export type ModelToolOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: JsonValue }
  | { type: "execution-denied"; reason?: string }
  | { type: "content"; value: (ModelText | ModelContentFile | ModelContentUrl)[] };
/** A file inside the content of a tool result. */
export type ModelContentFile = {
  type: "file";
  data: Exclude<ModelFileData, string | { type: "url" }>;
  mediaType: string;
  filename?: string;
} & ModelProviderOptions;
/** A URL inside the content of a tool result, which the AI SDK accepts as JSON only in the older part types. */
export type ModelContentUrl =
  | ({ type: "file-url"; url: string; mediaType?: string } & ModelProviderOptions)
  | ({ type: "image-url"; url: string } & ModelProviderOptions);
/** A tool result part. */
export type ModelToolResult = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ModelToolOutput;
} & ModelProviderOptions;

/** A system message. */
export type ModelSystemMessage = { role: "system"; content: string } & ModelProviderOptions;
/** A user message. */
export type ModelUserMessage = { role: "user"; content: string | (ModelText | ModelFile)[] } & ModelProviderOptions;
/** An assistant message. */
export type ModelAssistantMessage = {
  role: "assistant";
  content: string | (ModelText | ModelReasoning | ModelFile | ModelToolCall | ModelToolResult)[];
} & ModelProviderOptions;
/** A tool message with results. */
export type ModelToolMessage = { role: "tool"; content: ModelToolResult[] } & ModelProviderOptions;
/** Any model message. */
export type ModelMessage = ModelSystemMessage | ModelUserMessage | ModelAssistantMessage | ModelToolMessage;
