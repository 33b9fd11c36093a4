// Settings: output formats, sampling, reasoning, metadata, caches, in Koine's format and in those of the SDKs.
import { ThinkingLevel } from "@google/genai";
import type { ModelRequest } from "../../../src/index.ts";
import { system, text, user } from "../../../src/index.ts";
import type { Row } from "./calls.ts";
import { anthropicAsked, chatAsked, geminiAsked, MAX, question, responsesAsked, sampling, SCHEMA } from "./calls.ts";

function request(more: Partial<ModelRequest>): Row["request"] {
  return { messages: [question], sampling, ...more };
}

/** Models that accept settings which reasoning models reject. */
const plain = { "openai-responses": "gpt-4.1" } as const;
const reasoners = { "openai-chat": "gpt-5.2" } as const;

export const SETTING_ROWS: Readonly<Record<string, Row>> = {
  "an answer that fits a schema": {
    request: request({ output: { type: "json-schema", name: "trip", schema: SCHEMA, strict: true } }),
    "openai-chat": chatAsked({
      response_format: { type: "json_schema", json_schema: { name: "trip", schema: { ...SCHEMA }, strict: true } },
    }),
    "openai-responses": responsesAsked({
      text: { format: { type: "json_schema", name: "trip", schema: { ...SCHEMA }, strict: true } },
    }),
    anthropic: anthropicAsked({ output_config: { format: { type: "json_schema", schema: { ...SCHEMA } } } }),
    gemini: geminiAsked({ responseMimeType: "application/json", responseJsonSchema: SCHEMA }),
  },
  "an answer that is JSON": {
    request: request({ messages: [user("Rain, as JSON?")], output: { type: "json" } }),
    "openai-chat": chatAsked({
      messages: [{ role: "user", content: "Rain, as JSON?" }],
      response_format: { type: "json_object" },
    }),
    "openai-responses": responsesAsked({
      input: [{ role: "user", content: "Rain, as JSON?" }],
      text: { format: { type: "json_object" } },
    }),
    gemini: {
      contents: [{ role: "user", parts: [{ text: "Rain, as JSON?" }] }],
      config: { maxOutputTokens: MAX, responseMimeType: "application/json" },
    },
  },
  "a temperature": {
    request: request({ sampling: { ...sampling, temperature: 0.25, topP: 0.9 } }),
    models: plain,
    "openai-chat": chatAsked({ temperature: 0.25, top_p: 0.9 }),
    "openai-responses": responsesAsked({ temperature: 0.25, top_p: 0.9 }),
    gemini: geminiAsked({ temperature: 0.25, topP: 0.9 }),
  },
  "stop sequences": {
    request: request({ sampling: { ...sampling, stop: ["END", "\n\n#"] } }),
    "openai-chat": chatAsked({ stop: ["END", "\n\n#"] }),
    anthropic: anthropicAsked({ stop_sequences: ["END", "\n\n#"] }),
    gemini: geminiAsked({ stopSequences: ["END", "\n\n#"] }),
  },
  "a seed, penalties and several answers": {
    request: request({
      sampling: { ...sampling, seed: 7, presencePenalty: 0.5, frequencyPenalty: -0.5, n: 2 },
    }),
    "openai-chat": chatAsked({ seed: 7, presence_penalty: 0.5, frequency_penalty: -0.5, n: 2 }),
    gemini: geminiAsked({ seed: 7, presencePenalty: 0.5, frequencyPenalty: -0.5, candidateCount: 2 }),
  },
  "log probabilities": {
    request: request({ sampling: { ...sampling, logprobs: true, topLogprobs: 3 } }),
    models: plain,
    "openai-chat": chatAsked({ logprobs: true, top_logprobs: 3 }),
    "openai-responses": responsesAsked({ top_logprobs: 3, include: ["message.output_text.logprobs"] }),
    gemini: geminiAsked({ responseLogprobs: true, logprobs: 3 }),
  },
  "top-k": {
    request: request({ sampling: { ...sampling, topK: 40 } }),
    gemini: geminiAsked({ topK: 40 }),
  },
  "an effort": {
    request: request({ reasoning: { effort: "high" } }),
    models: reasoners,
    "openai-chat": chatAsked({ reasoning_effort: "high" }),
    "openai-responses": responsesAsked({ reasoning: { effort: "high" } }),
    anthropic: anthropicAsked({ thinking: { type: "adaptive" }, output_config: { effort: "high" } }),
    gemini: geminiAsked({ thinkingConfig: { thinkingLevel: ThinkingLevel.HIGH } }),
  },
  "reasoning that is shown": {
    request: request({ reasoning: { effort: "low", summary: "auto" } }),
    "openai-responses": responsesAsked({ reasoning: { effort: "low", summary: "auto" } }),
    anthropic: anthropicAsked({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "low" },
    }),
    gemini: geminiAsked({ thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true } }),
  },
  "a budget for reasoning": {
    request: request({ reasoning: { budget: 1500 } }),
    models: { anthropic: "claude-haiku-4-5", gemini: "gemini-2.5-flash" },
    anthropic: anthropicAsked({ thinking: { type: "enabled", budget_tokens: 1500 } }),
    gemini: geminiAsked({ thinkingConfig: { thinkingBudget: 1500 } }),
  },
  "nothing stored, reasoning to be sent back": {
    request: request({ reasoning: { effort: "low" } }),
    config: { store: false },
    "openai-responses": responsesAsked({
      reasoning: { effort: "low" },
      store: false,
      include: ["reasoning.encrypted_content"],
    }),
  },
  metadata: {
    request: request({ metadata: { user_id: "u-1" }, extra: { "openai-chat": { store: true } } }),
    "openai-chat": chatAsked({ metadata: { user_id: "u-1" }, store: true }),
    "openai-responses": responsesAsked({ metadata: { user_id: "u-1" }, store: true }),
    anthropic: anthropicAsked({ metadata: { user_id: "u-1" } }),
  },
  "places where the cache may end": {
    request: request({
      messages: [system([text("Be brief.", { cache: {} })]), user([text("Rain?", { cache: { ttl: "1h" } })])],
    }),
    anthropic: {
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Rain?", cache_control: { type: "ephemeral", ttl: "1h" } }],
        },
      ],
      max_tokens: MAX,
    },
  },
  "what only one dialect knows": {
    request: request({
      extra: {
        "openai-chat": { service_tier: "flex" },
        "openai-responses": { service_tier: "flex", truncation: "auto" },
        anthropic: { service_tier: "standard_only" },
      },
    }),
    "openai-chat": chatAsked({ service_tier: "flex" }),
    "openai-responses": responsesAsked({ service_tier: "flex", truncation: "auto" }),
    anthropic: anthropicAsked({ service_tier: "standard_only" }),
  },
};
