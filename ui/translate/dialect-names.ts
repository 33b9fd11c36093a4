// Defines the display names of dialects and payload kinds. This file does not import the dialects, because only the
// worker loads them.
import type { DialectId } from "koine";
import type { SourceKind, SourceDialect } from "./types.ts";

export const DIALECT_NAMES: Record<SourceDialect, { title: string; short: string }> = {
  "openai-chat": { title: "OpenAI Chat Completions", short: "Chat" },
  "openai-responses": { title: "OpenAI Responses", short: "Responses" },
  anthropic: { title: "Anthropic Messages", short: "Anthropic" },
  gemini: { title: "Gemini generateContent", short: "Gemini" },
  bedrock: { title: "Amazon Bedrock Converse", short: "Bedrock" },
  "ai-sdk-ui": { title: "AI SDK UI messages", short: "AI SDK UI" },
  "ai-sdk-model": { title: "AI SDK model messages", short: "AI SDK model" },
  flat: { title: "Flat messages", short: "Flat" },
  tagged: { title: "Tagged messages", short: "Tagged" },
  run: { title: "The run shape", short: "Run" },
  canonical: { title: "The canonical shape", short: "Stored" },
  koine: { title: "Koine’s canonical model", short: "Canonical" },
};

/** Ids of all dialects, in the order of the columns. */
export const DIALECTS = Object.keys(DIALECT_NAMES).filter((id): id is DialectId => id !== "koine");

/** Columns that are shown until the user chooses other columns. */
export const DEFAULT_COLUMNS: readonly DialectId[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

export const KIND_NAMES: Record<SourceKind, string> = {
  request: "a request",
  response: "an answer",
  messages: "messages",
  stream: "a stream",
  error: "an error",
};

/** Vendors whose wire format deviates from OpenAI's Chat Completions in ways that Koine knows. */
export const VENDORS = [
  "openai",
  "azure",
  "xai",
  "deepseek",
  "groq",
  "mistral",
  "openrouter",
  "together",
  "fireworks",
  "ollama",
  "vllm",
  "lmstudio",
  "cerebras",
  "perplexity",
  "moonshot",
  "qwen",
] as const;
