// Invented Chat answers and errors: plain ones, and variants of other vendors.
import type { ChatResponse } from "../../../src/dialects/openai-chat/index.ts";
import type { WireSample } from "../../../src/testkit/index.ts";

const envelope = {
  id: "chatcmpl-invented",
  object: "chat.completion",
  created: 1700000000,
  model: "gpt-invented",
} as const;

const plainResponse: ChatResponse = {
  ...envelope,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Corinth is old.",
        refusal: null,
        annotations: [
          {
            type: "url_citation",
            url_citation: { url: "https://example.com/c", title: "Corinth", start_index: 0, end_index: 7 },
          },
        ],
      },
      finish_reason: "stop",
      logprobs: {
        content: [
          {
            token: "Corinth",
            logprob: -0.25,
            bytes: [67, 111],
            top_logprobs: [
              { token: "Corinth", logprob: -0.25, bytes: [67, 111] },
              { token: "Thebes", logprob: -1.5, bytes: null },
            ],
          },
          { token: " is", logprob: -0.0625, bytes: null, top_logprobs: [] },
        ],
        refusal: null,
      },
    },
    {
      index: 1,
      message: {
        role: "assistant",
        content: null,
        refusal: null,
        annotations: [],
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Corinth"}' } },
        ],
      },
      finish_reason: "tool_calls",
      logprobs: null,
    },
    {
      index: 2,
      message: { role: "assistant", content: null, refusal: "I will not.", annotations: [] },
      finish_reason: "content_filter",
      logprobs: { content: null, refusal: [{ token: "I", logprob: -2, bytes: [73], top_logprobs: [] }] },
    },
  ],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 30,
    total_tokens: 50,
    prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 10 },
  },
};

/** Answers in the plain form, without residue. */
export const plainResponses: WireSample[] = [
  { name: "text, a call and a refusal", wire: plainResponse },
  {
    name: "cut off, without usage",
    wire: {
      ...envelope,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Once upon", refusal: null, annotations: [] },
          finish_reason: "length",
          logprobs: null,
        },
      ],
    },
  },
];

const textMessage = { role: "assistant", content: "Hi." };
const choice = { index: 0, message: textMessage, finish_reason: "stop" };

export const variantResponses: WireSample[] = [
  {
    name: "audio, with everything else an answer may have",
    wire: {
      ...envelope,
      choices: [
        {
          index: 0,
          message: {
            ...textMessage,
            content: null,
            refusal: null,
            audio: { id: "audio_1", data: "aGk=", transcript: "Hi.", expires_at: 1900000000 },
          },
          finish_reason: "stop",
          logprobs: null,
          content_filter_results: { hate: { filtered: false } },
        },
        { index: 3, message: { ...textMessage, audio: { id: "audio_2", transcript: "Ho." } }, finish_reason: "stop" },
      ],
      service_tier: "default",
      system_fingerprint: null,
      moderation: { input: { type: "error", code: "x", message: "y" }, output: null },
      metadata: {},
      usage: {
        prompt_tokens: 1,
        completion_tokens: 2,
        total_tokens: 3,
        prompt_tokens_details: { audio_tokens: 1, cached_tokens: 0 },
        completion_tokens_details: {
          accepted_prediction_tokens: 1,
          rejected_prediction_tokens: 0,
          audio_tokens: 2,
          reasoning_tokens: 0,
        },
      },
    },
  },
  {
    name: "reasoning counted beside the completion",
    wire: {
      ...envelope,
      choices: [{ ...choice, message: { ...textMessage, reasoning_content: "Hm.", refusal: null } }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 241,
        prompt_tokens_details: { text_tokens: 12 },
        completion_tokens_details: { reasoning_tokens: 228 },
        num_sources_used: 0,
        cost_in_usd_ticks: 1176500,
      },
      citations: ["https://example.com"],
    },
  },
  {
    name: "usage of other vendors",
    wire: {
      ...envelope,
      provider: "somebody",
      choices: [{ ...choice, native_finish_reason: "STOP", logprobs: { content: [{ token: "Hi", logprob: -1 }] } }],
      usage: {
        prompt_tokens: 4,
        prompt_cache_hit_tokens: 3,
        completion_tokens: 5,
        cost: 0.00012345678901234567,
        queue_time: 0.1,
        prompt_tokens_details: null,
      },
      x_groq: { id: "req_1" },
    },
  },
  {
    name: "usage with cached tokens at its root",
    wire: {
      ...envelope,
      choices: [choice],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 5,
        total_tokens: 9,
        cached_tokens: 3,
        completion_tokens_details: {},
      },
    },
  },
  {
    name: "usage with repeated and empty fields",
    wire: {
      ...envelope,
      choices: [choice],
      usage: {
        prompt_tokens: null,
        total_tokens: 2.5,
        prompt_cache_hit_tokens: 1,
        cached_tokens: 1,
        prompt_tokens_details: { cached_tokens: 1 },
      },
    },
  },
  {
    name: "thinking in the content, and finish reasons of vendors",
    wire: {
      ...envelope,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "2 + 2" }] },
              { type: "text", text: "Four." },
              { type: "text", text: " Really." },
            ],
            annotations: [{ type: "url_citation", url_citation: { url: "https://example.com" } }],
          },
          finish_reason: "model_length",
          logprobs: { content: null, refusal: null },
        },
        { index: 1, message: { ...textMessage, tool_calls: null }, finish_reason: "brand_new" },
        { index: 2, message: { ...textMessage, content: [{ type: "text", text: "Listed." }] }, finish_reason: null },
        { index: 3, message: null },
        {
          index: 4,
          delta: {},
          message: { content: "", role: "model" },
          finish_reason: "error",
          error: { code: 502, message: "m" },
        },
        {
          message: {
            content: "roleless",
            images: [{ type: "image_url", image_url: { url: "https://example.com/i.png" } }],
          },
          finish_reason: "insufficient_system_resource",
        },
      ],
      usage: null,
    },
  },
  { name: "no choices", wire: { ...envelope, choices: [] } },
  {
    name: "choices that are null",
    wire: { id: "x", choices: null, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  },
  {
    name: "an answer that is an error",
    wire: {
      id: null,
      error: { message: "Overloaded, later.", code: 503, metadata: { provider_name: "p" } },
      user_id: "u",
    },
  },
  { name: "no fields", wire: {} },
  {
    name: "another object",
    wire: {
      ...envelope,
      object: "chat.completion.more",
      created: 1.5,
      model: null,
      choices: [{ ...choice, index: "0" }],
    },
  },
];

export const errorSamples: WireSample[] = [
  {
    name: "a wrong parameter",
    wire: {
      error: {
        message: "Unsupported parameter: 'max_tokens'.",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "unsupported_parameter",
      },
    },
    status: 400,
  },
  {
    name: "a wrong key",
    wire: {
      error: {
        message: "Incorrect API key provided.",
        type: "invalid_request_error",
        param: null,
        code: "invalid_api_key",
      },
    },
    status: 401,
  },
  {
    name: "a rate limit",
    wire: {
      error: {
        message: "Rate limit reached. Please try again in 6.5s.",
        type: "tokens",
        param: null,
        code: "rate_limit_exceeded",
      },
    },
    status: 429,
  },
  {
    name: "no money",
    wire: {
      error: { message: "You exceeded your current quota.", type: "insufficient_quota", code: "insufficient_quota" },
    },
    status: 429,
  },
  {
    name: "an overlong prompt",
    wire: {
      error: {
        message: "This model's maximum context length is 10 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
    status: 400,
  },
  {
    name: "a number for a code",
    wire: { error: { code: 402, message: "Not enough credits here.", metadata: { raw: "{}" } } },
    status: 402,
  },
  { name: "a bare text", wire: { error: "Error: 404 model 'x' not found" }, status: 404 },
  {
    name: "a message at the root",
    wire: { object: "error", message: "Service is unavailable now", type: "internal_server_error", code: "3700" },
    status: 503,
  },
  {
    name: "a list of details",
    wire: { detail: [{ loc: ["body", "model"], msg: "field is required here", type: "value_error" }] },
    status: 422,
  },
];
