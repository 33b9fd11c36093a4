// The rows of the comparison with the official SDKs, and the calls that most rows start with.
import type Anthropic from "@anthropic-ai/sdk";
import type { GenerateContentParameters, Tool as GeminiTool } from "@google/genai";
import type OpenAI from "openai";
import type { HttpProvider } from "../../../src/calls/types.ts";
import type { ModelRequest } from "../../../src/index.ts";
import { user } from "../../../src/index.ts";
import type { UpstreamDialect } from "../../support/upstreams/index.ts";

type Given<T> = Omit<T, "model" | "stream">;

export interface SdkCalls {
  "openai-chat": Given<OpenAI.ChatCompletionCreateParamsNonStreaming>;
  "openai-responses": Given<OpenAI.Responses.ResponseCreateParamsNonStreaming>;
  anthropic: Given<Anthropic.MessageCreateParamsNonStreaming>;
  gemini: Given<GenerateContentParameters>;
}

/** A JSON pointer into { method, path, query, headers, body } at which two requests differ, and the reason. */
export type Differences = Readonly<Record<string, string>>;

export interface Row extends Partial<SdkCalls> {
  request: Given<ModelRequest>;
  /** Replaces the usual model of the upstream. */
  models?: Partial<Record<UpstreamDialect, string>>;
  isStream?: true;
  /** Settings of the provider besides its URL. */
  config?: Partial<HttpProvider>;
  differences?: Partial<Record<UpstreamDialect, Differences>>;
}

export const MAX = 2000;
export const sampling = { maxOutputTokens: MAX };

export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", description: "Its name" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
} as const;
const TOOL = { name: "forecast", description: "What the weather will be" } as const;

/** The tool in every dialect. */
export const tools = {
  koine: [{ type: "function", ...TOOL, inputSchema: SCHEMA }] satisfies ModelRequest["tools"],
  chat: [{ type: "function", function: { ...TOOL, parameters: { ...SCHEMA } } }] satisfies OpenAI.ChatCompletionTool[],
  responses: [
    { type: "function", ...TOOL, parameters: { ...SCHEMA }, strict: false },
  ] satisfies OpenAI.Responses.Tool[],
  anthropic: [{ ...TOOL, input_schema: { ...SCHEMA, required: [...SCHEMA.required] } }] satisfies Anthropic.Tool[],
  gemini: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }] satisfies GeminiTool[],
};

/** The plain question in every dialect, with further fields. */
export function chatParams(more: Partial<SdkCalls["openai-chat"]> = {}): SdkCalls["openai-chat"] {
  return { messages: [{ role: "user", content: "Rain?" }], max_completion_tokens: MAX, ...more };
}
export function responsesParams(more: Partial<SdkCalls["openai-responses"]> = {}): SdkCalls["openai-responses"] {
  return { input: [{ role: "user", content: "Rain?" }], max_output_tokens: MAX, ...more };
}
export function anthropicParams(more: Partial<SdkCalls["anthropic"]> = {}): SdkCalls["anthropic"] {
  return { messages: [{ role: "user", content: "Rain?" }], max_tokens: MAX, ...more };
}
export function geminiParams(config: SdkCalls["gemini"]["config"] = {}): SdkCalls["gemini"] {
  return { contents: [{ role: "user", parts: [{ text: "Rain?" }] }], config: { maxOutputTokens: MAX, ...config } };
}

export const question = user("Rain?");
