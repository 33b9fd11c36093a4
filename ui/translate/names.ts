// What dialects and kinds are called here. The dialects know their titles, but are loaded in the worker only.
import type { DialectId } from "koine";
import type { Kind, Speaker } from "./types.ts";

export const SPEAKER_NAMES: Record<Speaker, { title: string; short: string }> = {
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
  koine: { title: "Koine’s own words", short: "Canonical" },
};

/** Every dialect, in the order of the columns. */
export const DIALECTS = Object.keys(SPEAKER_NAMES).filter((id): id is DialectId => id !== "koine");

/** Shown until somebody chooses otherwise. */
export const FIRST_COLUMNS: readonly DialectId[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

export const KIND_WORDS: Record<Kind, string> = {
  request: "a request",
  response: "an answer",
  messages: "messages",
  stream: "a stream",
  error: "an error",
};

/** Who speaks Chat Completions with habits of their own. */
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
