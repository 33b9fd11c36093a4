// Wire data of Chat Completions, invented: messages and requests, plain ones and such as other vendors write.
import type { ChatMessage, ChatRequest } from "../../src/dialects/openai-chat/index.ts";
import type { WireSample } from "../../src/testkit/index.ts";

const weatherCall = (id: string, city: string): object => ({
  id,
  type: "function",
  function: { name: "weather", arguments: JSON.stringify({ city }) },
});

const plainMessages: ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "developer", content: "Metric units." },
  {
    role: "user",
    name: "ada",
    content: [
      { type: "text", text: "Is it warm where this was taken?" },
      { type: "image_url", image_url: { url: "https://example.com/harbour.png" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGFyYm91cg==" } },
      { type: "input_audio", input_audio: { data: "d2F2ZXM=", format: "wav" } },
      { type: "input_audio", input_audio: { data: "Z3VsbHM=", format: "mp3" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,dGlkZXM=", filename: "tides.pdf" } },
      { type: "file", file: { file_id: "file-invented-1" } },
    ],
  },
  {
    role: "assistant",
    content: "Let me look.",
    tool_calls: [
      {
        id: "call_one",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Corinth","days":2}' },
      },
      { id: "call_two", type: "custom", custom: { name: "shell", input: "date -u\n" } },
    ],
  },
  { role: "tool", tool_call_id: "call_one", content: "31 °C" },
  {
    role: "tool",
    tool_call_id: "call_two",
    content: [
      { type: "text", text: "Mon" },
      { type: "text", text: "12:00" },
    ],
  },
  { role: "assistant", content: "Quite warm." },
  { role: "user", content: "How do I break in there?" },
  { role: "assistant", content: null, refusal: "I will not help with that." },
  { role: "user", content: "" },
  { role: "assistant", content: null, audio: { id: "audio_invented_1" } },
  { role: "user", content: "And tomorrow?" },
];

/** Messages in the form that has no residue. */
export const plainSamples: WireSample[] = [
  { name: "a conversation with media, calls and a refusal", wire: plainMessages },
  {
    name: "calls without content",
    wire: [
      { role: "user", content: "Corinth and Thebes?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [weatherCall("call_a", "Corinth"), weatherCall("call_b", "Thebes")],
      },
      { role: "tool", tool_call_id: "call_a", content: "sun" },
      { role: "tool", tool_call_id: "call_b", content: "" },
      { role: "user", content: "Thanks." },
    ],
  },
];

/** The same things spelled in other ways, and what only other vendors say. */
export const spelledSamples: WireSample[] = [
  {
    name: "content in every way to say it",
    wire: {
      messages: [
        { role: "system", content: [{ type: "text", text: "One text in a list." }] },
        { role: "user", content: [] },
        { role: "user", content: null },
        { role: "user" },
        { role: "user", content: [{ type: "text", text: "" }] },
        { role: "assistant", content: "" },
        { role: "assistant", content: [] },
        { role: "assistant" },
        { role: "assistant", content: [{ type: "text", text: "Listed." }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
        { role: "critic", content: "Bravo!", seat: 5 },
      ],
    },
  },
  {
    name: "an answer as clients repeat it",
    wire: [
      { role: "user", content: "Hello 👋" },
      { role: "assistant", content: "Hi.", refusal: null, annotations: [], audio: null, tool_calls: [] },
      {
        role: "assistant",
        content: "🏛️ Corinth is old.",
        annotations: [
          {
            type: "url_citation",
            url_citation: {
              url: "https://example.com/c",
              title: "Corinth",
              start_index: 3,
              end_index: 10,
              content: "…",
            },
          },
          { type: "url_citation", url_citation: { url: "https://example.com/d" }, rank: 1 },
          { type: "file_stamp", file_stamp: { page: 3 } },
        ],
      },
      {
        role: "assistant",
        content: null,
        audio: { id: "audio_2", data: "aGk=", transcript: "Hi.", expires_at: 1900000000 },
        function_call: null,
      },
      { role: "assistant", content: "Two texts?", annotations: "none", refusal: "", name: "oracle" },
      { role: "user", content: "Bye." },
    ],
  },
  {
    name: "blocks with more in them than expected",
    wire: [
      {
        role: "user",
        content: [
          { type: "text", text: "Cached.", cache_control: { type: "ephemeral" } },
          { type: "text", text: "For long.", cache_control: { type: "ephemeral", ttl: "1h", scope: "all" } },
          { type: "text", text: "Marked.", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
          {
            type: "text",
            text: "Twice.",
            cache_control: { type: "ephemeral", ttl: "5m" },
            prompt_cache_breakpoint: { mode: "explicit" },
          },
          {
            type: "text",
            text: "Both.",
            cache_control: { type: "ephemeral" },
            prompt_cache_breakpoint: { mode: "explicit" },
          },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" }, alt: "a" },
          { type: "image_url", image_url: "https://example.com/bare.png" },
          { type: "image_url", image_url: { url: "DATA:image/png;base64,aGk=" } },
          { type: "video_url", video_url: { url: "https://example.com/v.mp4", fps: 2 } },
          { type: "audio_url", audio_url: { url: "data:audio/ogg;base64,aGk=" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "flac" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "mpeg" } },
          { type: "input_audio", input_audio: { data: "aGk=" } },
          { type: "file", file: { file_data: "aGk=", filename: "bare.bin" } },
          { type: "file", file: { file_data: "https://example.com/a.pdf", file_id: "both", filename: null } },
          { type: "file", file: { filename: "nothing.txt" } },
          { type: "hologram", hologram: { depth: 3 } },
          { type: "text" },
          { kind: "typeless" },
        ],
      },
    ],
  },
  {
    name: "calls in the manner of old",
    wire: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, function_call: { name: "weather", arguments: '{"city": "Corinth"}' } },
      { role: "function", name: "weather", content: "sun" },
      { role: "assistant", content: "Sun.", function_call: { name: "sea", arguments: "" } },
      { role: "function", name: "sea", content: null },
      { role: "user", content: "Thanks." },
    ],
  },
  {
    name: "calls that vendors write differently",
    wire: [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        tool_calls: [
          { id: "gSIMJiOkT", function: { name: "typeless", arguments: "{}" }, index: 0 },
          { id: "", type: "function", function: { name: "idless", arguments: '{"n": 12345678901234567890}' } },
          { type: "function", function: { name: "nameless id", arguments: { nested: { n: 1 } }, parsed: null } },
          { id: "call_4", type: "function", function: { name: "silent" } },
          { id: "call_5", type: "function", function: { name: "broken", arguments: '{"cut": ' } },
          { id: "call_6", type: "function", function: { name: "blank", arguments: " " } },
          { id: "call_6", type: "function", function: { name: "again", arguments: "[1]" } },
          { id: "call_8", type: "function", function: { name: "none", arguments: null } },
          { id: "call_9", type: "teleport", teleport: { to: "Delphi" } },
          { id: "call_10", type: "function", function: { arguments: "{}" } },
          {
            id: "call_11",
            type: "function",
            function: { name: "signed", arguments: "{}" },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
        ],
      },
      { role: "tool", tool_call_id: "gSIMJiOkT", name: "typeless", content: "1" },
      { role: "tool", tool_call_id: "", content: "2" },
      { role: "tool", tool_call_id: null, name: "nameless id", content: "3" },
      { role: "tool", tool_call_id: "call_4", content: null },
      { role: "tool", tool_call_id: "call_5" },
      { role: "tool", tool_call_id: "call_6", content: [], is_error: true },
      { role: "tool", tool_call_id: "call_6", content: [{ type: "text", text: "7" }] },
      {
        role: "tool",
        tool_call_id: "call_8",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "hologram", depth: 1 },
        ],
      },
      { role: "tool", content: "nobody asked" },
    ],
  },
  {
    name: "reasoning in every place that vendors have for it",
    wire: [
      { role: "user", content: "Think." },
      { role: "assistant", reasoning_content: "Let me see.", content: "Seen." },
      { role: "assistant", content: "Thought.", reasoning: "Hm." },
      { role: "assistant", content: "Both.", reasoning: "Same.", reasoning_content: "Same." },
      { role: "assistant", content: "Two.", reasoning: "One thing.", reasoning_content: "Another." },
      { role: "assistant", content: "None.", reasoning: null, reasoning_content: "", reasoning_details: [] },
      {
        role: "assistant",
        content: "Detailed.",
        reasoning: "First. In short.",
        reasoning_details: [
          { type: "reasoning.text", text: "First. ", signature: "c2ln", format: "anthropic-claude-v1", index: 0 },
          { type: "reasoning.summary", summary: "In short.", id: null },
          { type: "reasoning.encrypted", data: "ZW5j", id: "rs_1" },
          { type: "reasoning.smoke", colour: "blue" },
          { type: "reasoning.text", signature: "b25seQ==" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Two and two." }], closed: true },
          { type: "text", text: "Four." },
          {
            type: "thinking",
            thinking: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
          { type: "thinking", thinking: "bare" },
        ],
      },
      {
        role: "assistant",
        content: "Painted.",
        images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" }, index: 0 }],
      },
      {
        role: "assistant",
        content: [{ type: "image_url", image_url: { url: "https://example.com/i.png" } }],
        images: [],
      },
      {
        role: "user",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "A user's." }] },
          { type: "refusal", refusal: "Mine." },
        ],
      },
    ],
  },
];

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

export const spelledRequests: WireSample[] = [
  {
    name: "everything that stays as it is",
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
