// Defines small invented example payloads of every dialect, each with data that other dialects cannot represent.

export interface PayloadExample {
  /** Name of the dialect, followed by a colon and a description. */
  title: string;
  text: string;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const events = (list: readonly { event?: string; data: unknown }[]): string =>
  list
    .map(
      ({ event, data }) =>
        `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    )
    .join("");

/** Digits of an integer that JavaScript would round, because it is greater than 2^53. */
const LONG_NUMBER = "9007199254740993";

const chat = pretty({
  model: "gpt-5",
  messages: [
    { role: "system", content: "You are the desk of a lighthouse museum. Be brief." },
    { role: "user", content: "When was the Syros light first lit?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_7",
          type: "function",
          function: { name: "archive", arguments: `{"place":"Syros","entry":${LONG_NUMBER}}` },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_7", content: "1834" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "archive",
        description: "Looks up an entry of the archive.",
        parameters: { type: "object", properties: { place: { type: "string" }, entry: { type: "integer" } } },
      },
    },
  ],
  logit_bias: { "50256": -100 },
  seed: 7,
});

const responses = pretty({
  model: "gpt-5",
  instructions: "Answer with one word.",
  input: [
    { role: "user", content: [{ type: "input_text", text: "Which colour is the buoy?" }] },
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "A lateral mark." }],
      encrypted_content: "c2VhbGVk",
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "chart", arguments: '{"mark":12}' },
    { type: "function_call_output", call_id: "call_1", output: "red" },
  ],
  reasoning: { effort: "medium" },
  max_output_tokens: 200,
  truncation: "auto",
});

const anthropic = pretty({
  model: "claude-opus-4-8",
  max_tokens: 2048,
  thinking: { type: "enabled", budget_tokens: 1024 },
  system: [{ type: "text", text: "You pilot ships into Corinth.", cache_control: { type: "ephemeral" } }],
  messages: [
    { role: "user", content: "May the *Argo* enter? Her draught is 6.9 m." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The canal has 7.3 m; the tide tells the rest.", signature: "c2lnbmF0dXJl" },
        { type: "tool_use", id: "toolu_3", name: "tide", input: { port: "Corinth" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_3", is_error: true, content: "The gauge does not answer." },
        { type: "text", text: "Then decide without it." },
      ],
    },
  ],
  tools: [
    {
      name: "tide",
      description: "The tide now.",
      input_schema: { type: "object", properties: { port: { type: "string" } } },
    },
  ],
  stop_sequences: ["OVER"],
  service_tier: "standard_only",
});

const gemini = pretty({
  systemInstruction: { parts: [{ text: "Describe what you see, nothing else." }] },
  contents: [
    {
      role: "user",
      parts: [
        { text: "What is on it?" },
        {
          inlineData: {
            mimeType: "image/png",
            data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
          },
        },
      ],
    },
    {
      role: "model",
      parts: [{ functionCall: { name: "zoom", args: { factor: 4 } }, thoughtSignature: "dGhvdWdodA==" }],
    },
    { role: "user", parts: [{ functionResponse: { name: "zoom", response: { output: "sharper" } } }] },
  ],
  safetySettings: [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "BLOCK_ONLY_HIGH" }],
  generationConfig: { temperature: 0.2, candidateCount: 1 },
});

const bedrock = pretty({
  modelId: "anthropic.claude-haiku",
  system: [{ text: "You are a deckhand." }],
  messages: [{ role: "user", content: [{ text: "Cast off!" }, { cachePoint: { type: "default" } }] }],
  inferenceConfig: { maxTokens: 100, temperature: 0.5 },
});

const aiSdkUi = pretty([
  { id: "m1", role: "user", parts: [{ type: "text", text: "Is the museum open?" }] },
  {
    id: "m2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      {
        type: "tool-hours",
        toolCallId: "c1",
        state: "output-available",
        input: { day: "Sunday" },
        output: { opens: "10:00" },
      },
      { type: "text", text: "Yes, from ten.", state: "done" },
    ],
  },
]);

const aiSdkModel = pretty([
  { role: "user", content: [{ type: "text", text: "Count the gulls." }] },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "count", input: { what: "gulls" } }],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "count", output: { type: "json", value: { gulls: 12 } } },
    ],
  },
]);

const flat = pretty([
  { role: "user", content: "Which way is the wind?" },
  {
    role: "assistant",
    content: "West.",
    reasoning: "The flag.",
    extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "The flag.", signature: "c2ln" }] } },
  },
]);

const tagged = pretty([
  { role: "USER", content: [{ kind: "TEXT", text: "Weigh anchor." }] },
  {
    role: "ASSISTANT",
    content: [
      { kind: "THINKING", thinking: { text: "First the chain.", signature: "c2ln" } },
      { kind: "TEXT", text: "Aye." },
    ],
  },
]);

const run = pretty([
  {
    runId: "run-1",
    role: "user",
    parts: [{ kind: "text", payload: { text: "Report." } }],
    timestamp: "2026-01-02T03:04:05.000Z",
  },
  {
    runId: "run-1",
    role: "assistant",
    parts: [{ kind: "text", payload: { text: "All is well." } }],
    timestamp: "2026-01-02T03:04:06.000Z",
  },
]);

const stored = pretty([
  {
    id: "01JZ0000000000000000000001",
    parentMessageId: null,
    createdAt: "2026-01-02T03:04:05.000Z",
    role: "assistant",
    parts: [
      {
        type: "text",
        text: "Land!",
        annotations: [{ kind: "url", url: "https://example.com/chart", title: "Chart 12" }],
      },
    ],
    metadata: { schemaVersion: 2, model: "demo/koine" },
  },
]);

const anthropicStream = events([
  {
    event: "message_start",
    data: {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-opus-4-8",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 21, output_tokens: 1 },
      },
    },
  },
  {
    event: "content_block_start",
    data: { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  },
  {
    event: "content_block_delta",
    data: { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "The wind first." } },
  },
  {
    event: "content_block_delta",
    data: { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmF0dXJl" } },
  },
  { event: "content_block_stop", data: { type: "content_block_stop", index: 0 } },
  {
    event: "content_block_start",
    data: { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  },
  {
    event: "content_block_delta",
    data: { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Wait for " } },
  },
  {
    event: "content_block_delta",
    data: { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "the evening." } },
  },
  { event: "content_block_stop", data: { type: "content_block_stop", index: 1 } },
  {
    event: "message_delta",
    data: {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 19 },
    },
  },
  { event: "message_stop", data: { type: "message_stop" } },
]);

const chatStream = events([
  {
    data: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1767000000,
      model: "gpt-5",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    },
  },
  {
    data: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1767000000,
      model: "gpt-5",
      choices: [{ index: 0, delta: { content: "Fair winds." }, finish_reason: null }],
    },
  },
  {
    data: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1767000000,
      model: "gpt-5",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
  },
  { data: "[DONE]" },
]);

const error = pretty({
  type: "error",
  error: { type: "overloaded_error", message: "Overloaded" },
  request_id: "req_1",
});

export const EXAMPLES: readonly PayloadExample[] = [
  { title: "Anthropic: tools, thinking, a cache", text: anthropic },
  { title: "OpenAI Chat: a call with a long number", text: chat },
  { title: "OpenAI Responses: reasoning items", text: responses },
  { title: "Gemini: an image and a thought signature", text: gemini },
  { title: "Bedrock: a cache point", text: bedrock },
  { title: "Anthropic stream: thinking, then words", text: anthropicStream },
  { title: "OpenAI Chat stream: words, piece by piece", text: chatStream },
  { title: "Anthropic error: overloaded", text: error },
  { title: "AI SDK UI: a tool and its output", text: aiSdkUi },
  { title: "AI SDK model: a call and its result", text: aiSdkModel },
  { title: "Flat messages: reasoning beside the words", text: flat },
  { title: "Tagged messages: a sealed thought", text: tagged },
  { title: "Run shape: a question and a report", text: run },
  { title: "Stored messages: an answer with its source", text: stored },
];
