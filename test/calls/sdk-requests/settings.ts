// Settings: output formats, sampling, reasoning, metadata, caches, in Koine's format and in those of the SDKs.
import { ThinkingLevel } from "@google/genai";
import type { ModelRequest } from "../../../src/index.ts";
import { system, text, user } from "../../../src/index.ts";
import type { Row } from "./calls.ts";
import {
  anthropicParams,
  chatParams,
  geminiParams,
  MAX,
  question,
  responsesParams,
  sampling,
  SCHEMA,
} from "./calls.ts";

function request(more: Partial<ModelRequest>): Row["request"] {
  return { messages: [question], sampling, ...more };
}

/** Models that accept settings which reasoning models reject. */
const plain = { "openai-responses": "gpt-4.1" } as const;
const reasoners = { "openai-chat": "gpt-5.2" } as const;

export const SETTING_ROWS: Readonly<Record<string, Row>> = {
  "an answer with a schema": {
    request: request({ output: { type: "json-schema", name: "trip", schema: SCHEMA, strict: true } }),
    "openai-chat": chatParams({
      response_format: { type: "json_schema", json_schema: { name: "trip", schema: { ...SCHEMA }, strict: true } },
    }),
    "openai-responses": responsesParams({
      text: { format: { type: "json_schema", name: "trip", schema: { ...SCHEMA }, strict: true } },
    }),
    anthropic: anthropicParams({ output_config: { format: { type: "json_schema", schema: { ...SCHEMA } } } }),
    gemini: geminiParams({ responseMimeType: "application/json", responseJsonSchema: SCHEMA }),
  },
  "an answer in JSON": {
    request: request({ messages: [user("Rain, as JSON?")], output: { type: "json" } }),
    "openai-chat": chatParams({
      messages: [{ role: "user", content: "Rain, as JSON?" }],
      response_format: { type: "json_object" },
    }),
    "openai-responses": responsesParams({
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
    "openai-chat": chatParams({ temperature: 0.25, top_p: 0.9 }),
    "openai-responses": responsesParams({ temperature: 0.25, top_p: 0.9 }),
    gemini: geminiParams({ temperature: 0.25, topP: 0.9 }),
  },
  "stop sequences": {
    request: request({ sampling: { ...sampling, stop: ["END", "\n\n#"] } }),
    "openai-chat": chatParams({ stop: ["END", "\n\n#"] }),
    anthropic: anthropicParams({ stop_sequences: ["END", "\n\n#"] }),
    gemini: geminiParams({ stopSequences: ["END", "\n\n#"] }),
  },
  "a seed, penalties and several answers": {
    request: request({
      sampling: { ...sampling, seed: 7, presencePenalty: 0.5, frequencyPenalty: -0.5, n: 2 },
    }),
    "openai-chat": chatParams({ seed: 7, presence_penalty: 0.5, frequency_penalty: -0.5, n: 2 }),
    gemini: geminiParams({ seed: 7, presencePenalty: 0.5, frequencyPenalty: -0.5, candidateCount: 2 }),
  },
  "log probabilities": {
    request: request({ sampling: { ...sampling, logprobs: true, topLogprobs: 3 } }),
    models: plain,
    "openai-chat": chatParams({ logprobs: true, top_logprobs: 3 }),
    "openai-responses": responsesParams({ top_logprobs: 3, include: ["message.output_text.logprobs"] }),
    gemini: geminiParams({ responseLogprobs: true, logprobs: 3 }),
  },
  "top-k": {
    request: request({ sampling: { ...sampling, topK: 40 } }),
    gemini: geminiParams({ topK: 40 }),
  },
  "an effort": {
    request: request({ reasoning: { effort: "high" } }),
    models: reasoners,
    "openai-chat": chatParams({ reasoning_effort: "high" }),
    "openai-responses": responsesParams({ reasoning: { effort: "high" } }),
    anthropic: anthropicParams({ thinking: { type: "adaptive" }, output_config: { effort: "high" } }),
    gemini: geminiParams({ thinkingConfig: { thinkingLevel: ThinkingLevel.HIGH } }),
  },
  "visible reasoning": {
    request: request({ reasoning: { effort: "low", summary: "auto" } }),
    "openai-responses": responsesParams({ reasoning: { effort: "low", summary: "auto" } }),
    anthropic: anthropicParams({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "low" },
    }),
    gemini: geminiParams({ thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true } }),
  },
  "a budget for reasoning": {
    request: request({ reasoning: { budget: 1500 } }),
    models: { anthropic: "claude-haiku-4-5", gemini: "gemini-2.5-flash" },
    anthropic: anthropicParams({ thinking: { type: "enabled", budget_tokens: 1500 } }),
    gemini: geminiParams({ thinkingConfig: { thinkingBudget: 1500 } }),
  },
  "no storage and encrypted reasoning": {
    request: request({ reasoning: { effort: "low" } }),
    config: { store: false },
    "openai-responses": responsesParams({
      reasoning: { effort: "low" },
      store: false,
      include: ["reasoning.encrypted_content"],
    }),
  },
  metadata: {
    request: request({ metadata: { user_id: "u-1" }, extra: { "openai-chat": { store: true } } }),
    "openai-chat": chatParams({ metadata: { user_id: "u-1" }, store: true }),
    "openai-responses": responsesParams({ metadata: { user_id: "u-1" }, store: true }),
    anthropic: anthropicParams({ metadata: { user_id: "u-1" } }),
  },
  "cache breakpoints": {
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
  "settings of one dialect only": {
    request: request({
      extra: {
        "openai-chat": { service_tier: "flex" },
        "openai-responses": { service_tier: "flex", truncation: "auto" },
        anthropic: { service_tier: "standard_only" },
      },
    }),
    "openai-chat": chatParams({ service_tier: "flex" }),
    "openai-responses": responsesParams({ service_tier: "flex", truncation: "auto" }),
    anthropic: anthropicParams({ service_tier: "standard_only" }),
  },
};
