// Sample records for the tests of the commands.

export const chatRequest = {
  model: "gpt-5",
  messages: [
    { role: "system", content: "Answer briefly." },
    { role: "user", content: "How is the weather in Corinth?" },
  ],
  logit_bias: { "50256": -100 },
};

export const anthropicRequest = {
  model: "claude-opus-4-8",
  max_tokens: 1024,
  system: "Answer briefly.",
  messages: [{ role: "user", content: "How is the weather in Corinth?" }],
};

export const geminiRequest = {
  contents: [{ role: "user", parts: [{ text: "How is the weather in Corinth?" }] }],
};

/** The conversion of chatRequest to gemini. */
export const convertedGeminiRequest = {
  systemInstruction: { parts: [{ text: "Answer briefly." }] },
  contents: [{ role: "user", parts: [{ text: "How is the weather in Corinth?" }] }],
};

export const chatResponse = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_750_000_000,
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "Clear." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 },
};

export const anthropicError = { type: "error", error: { type: "overloaded_error", message: "Try again." } };

/** A request with reasoning, two tool calls, their results, an image and an answer. */
export const agentRequest = {
  model: "claude-opus-4-8",
  max_tokens: 1024,
  temperature: 0.5,
  system: "Answer briefly.",
  tools: [{ name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "How is the weather in Corinth and in Argos, and what is in this picture of mine?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAANSUhEUg==" } },
      ],
    },
    {
      role: "assistant",
      content: [
        {
          type: "thinking",
          thinking: "Two places.\nTwo calls.\nThen the picture.\nIt is small.\nVery.",
          signature: "c2ln",
        },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Corinth" } },
        { type: "tool_use", id: "toolu_2", name: "weather", input: { city: "Argos" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "Clear, 24 °C" },
        { type: "tool_result", tool_use_id: "toolu_2", content: "timeout", is_error: true },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Clear in Corinth; Argos does not answer." }] },
    { role: "user", content: "Thanks, 日本語で。👍" },
  ],
};

const createDeltaFields = (seq: number): object => ({ runId: "run_1", seq, timestamp: "2026-01-01T00:00:00.000Z" });

/** A stream in the dialect `run`. */
export const runEvents = [
  { kind: "start", payload: { modelId: "demo", requestId: "req_1" }, ...createDeltaFields(0) },
  { kind: "text", payload: { textDelta: "Hel" }, ...createDeltaFields(1) },
  { kind: "text", payload: { textDelta: "lo" }, ...createDeltaFields(2) },
  { kind: "done", payload: { finishReason: "stop" }, ...createDeltaFields(3) },
];

/** Stored messages: a question, a tool call and its result. */
export const storedMessages = [
  {
    id: "01JZ0000000000000000000001",
    parentMessageId: null,
    role: "user",
    parts: [{ type: "text", text: "Look it up." }],
    createdAt: "2026-01-01T00:00:00.000Z",
    metadata: { schemaVersion: 2 },
  },
  {
    id: "01JZ0000000000000000000002",
    parentMessageId: "01JZ0000000000000000000001",
    role: "assistant",
    parts: [{ type: "tool-call", toolCallId: "call_1", toolName: "search", input: { q: "it" } }],
    createdAt: "2026-01-01T00:00:01.000Z",
    metadata: { schemaVersion: 2 },
  },
  {
    id: "01JZ0000000000000000000003",
    parentMessageId: "01JZ0000000000000000000002",
    role: "tool",
    parts: [{ type: "tool-result", toolCallId: "call_1", toolName: "search", isError: false, output: { found: 1 } }],
    createdAt: "2026-01-01T00:00:02.000Z",
    metadata: { schemaVersion: 2 },
  },
];
