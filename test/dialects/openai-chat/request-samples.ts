// Invented Chat requests: plain ones, and variants of other vendors.
import type { ChatRequest } from "../../../src/dialects/openai-chat/index.ts";
import type { WireSample } from "../../../src/testkit/index.ts";
import { plainMessages } from "./message-samples.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
};

const plainRequest: ChatRequest = {
  model: "gpt-invented",
  messages: [
    { role: "developer", content: "Use tools." },
    { role: "user", content: "How warm is Corinth?" },
  ],
  tools: [
    { type: "function", function: { name: "weather", description: "Tells it.", parameters: schema, strict: true } },
    { type: "function", function: { name: "noon" } },
    { type: "custom", custom: { name: "shell", description: "Runs it." } },
    {
      type: "custom",
      custom: { name: "sum", format: { type: "grammar", grammar: { syntax: "regex", definition: "\\d+" } } },
    },
  ],
  tool_choice: { type: "function", function: { name: "weather" } },
  parallel_tool_calls: false,
  response_format: { type: "json_schema", json_schema: { name: "report", description: "One.", schema, strict: true } },
  reasoning_effort: "low",
  metadata: { run: "7" },
  stream: true,
  temperature: 0.5,
  top_p: 0.9,
  seed: 11,
  presence_penalty: 0.1,
  frequency_penalty: -0.1,
  stop: ["END", "STOP"],
  max_completion_tokens: 500,
  logprobs: true,
  top_logprobs: 2,
  n: 2,
};

const hello = [{ role: "user", content: "Hello." }];

export const plainRequests: WireSample[] = [
  { name: "every setting", wire: plainRequest },
  { name: "the smallest request", wire: { model: "gpt-invented", messages: hello } },
  {
    name: "a custom tool chosen",
    wire: {
      model: "gpt-invented",
      messages: hello,
      tools: [{ type: "custom", custom: { name: "shell" } }],
      tool_choice: { type: "custom", custom: { name: "shell" } },
      response_format: { type: "text" },
    },
  },
  {
    name: "some tools allowed",
    wire: {
      model: "gpt-invented",
      messages: hello,
      tools: [
        { type: "function", function: { name: "weather", parameters: schema } },
        { type: "custom", custom: { name: "shell" } },
      ],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: {
          mode: "required",
          tools: [
            { type: "function", function: { name: "weather" } },
            { type: "custom", custom: { name: "shell" } },
          ],
        },
      },
      response_format: { type: "json_object" },
    },
  },
];

export const variantRequests: WireSample[] = [
  {
    name: "fields that stay residue",
    wire: {
      model: "gpt-invented",
      messages: [...plainMessages],
      audio: { voice: "alloy", format: "wav" },
      modalities: ["text", "audio"],
      logit_bias: { "50256": -100 },
      moderation: { model: "omni", policy: { input: { mode: "block" } } },
      prediction: { type: "content", content: "As before." },
      prompt_cache_key: "k",
      prompt_cache_options: { mode: "explicit", ttl: "30m" },
      prompt_cache_retention: "24h",
      safety_identifier: "s",
      service_tier: "flex",
      store: false,
      stream: true,
      stream_options: { include_usage: true },
      user: "u",
      verbosity: "low",
      web_search_options: { search_context_size: "low", user_location: null },
      temperature: null,
      metadata: null,
      response_format: { type: "grammar", grammar: "g" },
      stop: null,
    },
  },
  {
    name: "the manner of old",
    wire: {
      model: "gpt-invented",
      messages: hello,
      functions: [{ name: "weather", description: "Tells it.", parameters: schema, cached: true }],
      function_call: { name: "weather" },
      max_tokens: 20,
      stop: "END",
    },
  },
  {
    name: "settings of other vendors",
    wire: {
      model: "vendor-model",
      messages: hello,
      random_seed: 3,
      top_k: 40,
      max_tokens: 5,
      max_completion_tokens: 6,
      reasoning: { effort: "high", max_tokens: 100 },
      response_format: { type: "json_schema", json_schema: { schema, strict: null, extra: 1 }, more: true },
      tools: [
        {
          type: "function",
          function: { name: "weather", parameters: null, strict: null, x: 1 },
          cache_control: { type: "ephemeral" },
        },
        { type: "custom", custom: { name: "free", format: { type: "text" } } },
        {
          type: "custom",
          custom: {
            name: "odd",
            format: { type: "grammar", grammar: { syntax: "lark", definition: "x", flags: 1 } },
            y: 2,
          },
        },
        { type: "browser_search" },
        { type: "builtin_function", function: { name: "$web_search" } },
        { name: "typeless" },
      ],
      tool_choice: "any",
    },
  },
  {
    name: "tools of both manners",
    wire: {
      model: "m",
      messages: hello,
      tools: [{ type: "function", function: { name: "a" } }],
      functions: [{ name: "b" }, { nameless: true }],
      tool_choice: { type: "function", function: { name: "a" }, why: "because" },
      function_call: "auto",
    },
  },
  {
    name: "a model in the URL",
    wire: { messages: hello },
    address: { model: "deployment-1", stream: true },
  },
];
