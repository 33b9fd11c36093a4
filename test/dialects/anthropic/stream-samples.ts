// Made-up Anthropic streams: every event, every kind of block and delta, and deviations of hosts and vendors.

export type AnthropicStreamEvent = Record<string, unknown>;

export interface AnthropicStreamSample {
  name: string;
  events: AnthropicStreamEvent[];
  /** True if the official SDK rejects the stream or ignores some of its content. */
  isOdd?: true;
}

const usage = { input_tokens: 12, output_tokens: 1 };

export function messageStart(message: object = {}): AnthropicStreamEvent {
  return {
    type: "message_start",
    message: {
      id: "msg_0001",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5-20250929",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
      ...message,
    },
  };
}
export const blockStart = (index: number, content_block: object): AnthropicStreamEvent => ({
  type: "content_block_start",
  index,
  content_block,
});
export const blockDelta = (index: number, delta: object): AnthropicStreamEvent => ({
  type: "content_block_delta",
  index,
  delta,
});
export const blockStop = (index: number): AnthropicStreamEvent => ({ type: "content_block_stop", index });
export const textDeltaEvent = (index: number, text: string): AnthropicStreamEvent =>
  blockDelta(index, { type: "text_delta", text });
export const thinkingDeltaEvent = (index: number, thinking: string): AnthropicStreamEvent =>
  blockDelta(index, { type: "thinking_delta", thinking });
export const signatureDeltaEvent = (index: number, signature: string): AnthropicStreamEvent =>
  blockDelta(index, { type: "signature_delta", signature });
export const inputDeltaEvent = (index: number, partial_json: string): AnthropicStreamEvent =>
  blockDelta(index, { type: "input_json_delta", partial_json });
export function messageDelta(stop_reason: string | null = "end_turn", fields: object = {}): AnthropicStreamEvent {
  return {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 20 },
    ...fields,
  };
}
export const STOP: AnthropicStreamEvent = { type: "message_stop" };
export const PING: AnthropicStreamEvent = { type: "ping" };

/** Returns the events of a message with the given block events. */
export function stream(
  blocks: readonly AnthropicStreamEvent[],
  end: AnthropicStreamEvent = messageDelta(),
  start: AnthropicStreamEvent = messageStart(),
): AnthropicStreamEvent[] {
  return [start, ...blocks, end, STOP];
}
export const textBlock = (index: number, ...pieces: string[]): AnthropicStreamEvent[] => [
  blockStart(index, { type: "text", text: "" }),
  ...pieces.map((piece) => textDeltaEvent(index, piece)),
  blockStop(index),
];
export const callBlock = (
  index: number,
  id: string,
  pieces: readonly string[],
  fields: object = {},
): AnthropicStreamEvent[] => [
  blockStart(index, { type: "tool_use", id, name: "look", input: {}, ...fields }),
  ...pieces.map((piece) => inputDeltaEvent(index, piece)),
  blockStop(index),
];
const wholeBlock = (index: number, block: object): AnthropicStreamEvent[] => [
  blockStart(index, block),
  blockStop(index),
];

const webCitation = {
  type: "web_search_result_location",
  url: "https://example.com/agora",
  title: "The agora",
  cited_text: "the middle",
  encrypted_index: "aW5kZXg=",
};
const documentCitation = {
  type: "char_location",
  cited_text: "x",
  document_index: 0,
  start_char_index: 1,
  end_char_index: 2,
};

const allBlocks = [
  blockStart(0, { type: "thinking", thinking: "", signature: "" }),
  thinkingDeltaEvent(0, "Where "),
  PING,
  thinkingDeltaEvent(0, "is it?"),
  signatureDeltaEvent(0, "c2lnbmVk"),
  blockStop(0),
  ...wholeBlock(1, { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" }),
  ...textBlock(2, "In the ", "middle 🏛️", "."),
  blockStart(3, { type: "text", text: "", citations: [] }),
  blockDelta(3, { type: "citations_delta", citation: webCitation }),
  textDeltaEvent(3, "Cited."),
  blockDelta(3, { type: "citations_delta", citation: documentCitation }),
  blockStop(3),
  ...callBlock(4, "toolu_1", ["", '{"at": "ag', 'ora"}'], { caller: { type: "direct" } }),
  ...callBlock(5, "toolu_2", ['{"at":"stoa"}']),
];

const serverTools = [
  blockStart(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
  inputDeltaEvent(0, '{"query":'),
  inputDeltaEvent(0, '"agora"}'),
  blockStop(0),
  ...wholeBlock(1, {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", url: "https://example.com", title: "A", encrypted_content: "ZQ==" }],
  }),
  blockStart(2, { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echoes", input: {} }),
  inputDeltaEvent(2, '{"message":"hello"}'),
  blockStop(2),
  ...wholeBlock(3, { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] }),
  ...wholeBlock(4, { type: "container_upload", file_id: "file_1" }),
  ...textBlock(5, "Found."),
];

const container = { id: "container_1", expires_at: "2026-01-01T00:00:00Z" };

export const streamSamples: readonly AnthropicStreamSample[] = [
  { name: "a plain answer", events: stream(textBlock(0, "Hel", "lo", ".")) },
  { name: "no content", events: stream([]) },
  { name: "an empty text", events: stream(textBlock(0)) },
  { name: "everything", events: stream(allBlocks, messageDelta("tool_use")) },
  { name: "provider tools", events: stream(serverTools) },
  {
    name: "cumulative token counts",
    events: stream(
      textBlock(0, "x"),
      messageDelta("end_turn", {
        usage: {
          input_tokens: 15,
          output_tokens: 40,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: null,
          output_tokens_details: { thinking_tokens: 7 },
          server_tool_use: { web_search_requests: 2 },
          iterations: [{ type: "message", input_tokens: 15, output_tokens: 40 }],
        },
      }),
      messageStart({
        usage: {
          ...usage,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 30,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          service_tier: "standard",
        },
      }),
    ),
  },
  {
    name: "fields that arrive at the end",
    events: stream(
      textBlock(0, "x"),
      messageDelta("stop_sequence", {
        delta: { stop_reason: "stop_sequence", stop_sequence: "END", stop_details: null, container },
        context_management: { applied_edits: [] },
      }),
      messageStart({ stop_details: null, container: null }),
    ),
  },
  {
    name: "a refusal",
    events: stream(
      [],
      messageDelta("refusal", {
        delta: { stop_reason: "refusal", stop_sequence: null, stop_details: { type: "refusal", category: "bio" } },
      }),
    ),
  },
  {
    name: "a compaction",
    events: stream(
      [
        blockStart(0, { type: "compaction", content: null }),
        blockDelta(0, { type: "compaction_delta", content: "So far: nothing.", encrypted_content: "ZQ==" }),
        blockStop(0),
      ],
      messageDelta("compaction"),
    ),
  },
  { name: "a call without arguments", events: stream(callBlock(0, "toolu_1", []), messageDelta("tool_use")) },
  {
    name: "a call with arguments in its start event",
    events: stream(callBlock(0, "toolu_1", [], { input: { at: "agora" } }), messageDelta("tool_use")),
  },
  {
    name: "a call that is cut off",
    events: stream(callBlock(0, "toolu_1", ['{"at":1}']), messageDelta("max_tokens")),
  },
  {
    name: "thinking without text",
    events: stream([
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      signatureDeltaEvent(0, "b25seQ=="),
      blockStop(0),
      ...textBlock(1, "Done."),
    ]),
  },
  {
    name: "unsigned thinking",
    events: stream([
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      thinkingDeltaEvent(0, "Hm."),
      blockStop(0),
      ...textBlock(1, "Done."),
    ]),
  },
  {
    name: "a text block with text in its start event",
    events: stream([blockStart(0, { type: "text", text: "He" }), textDeltaEvent(0, "y")]),
  },
  {
    name: "content in message_start",
    events: [
      messageStart({
        content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { at: "agora" } }],
        stop_reason: "tool_use",
      }),
      { type: "message_stop" },
    ],
  },
  {
    name: "metrics of a host",
    events: [
      ...stream(textBlock(0, "x")).slice(0, -1),
      { ...STOP, "amazon-bedrock-invocationMetrics": { inputTokenCount: 12, outputTokenCount: 20 } },
    ],
  },
  {
    name: "unknown fields, deltas, blocks and events",
    isOdd: true,
    events: [
      messageStart({ mood: "calm" }),
      { type: "weather", sky: "clear" },
      blockStart(0, { type: "text", text: "", tone: "warm" }),
      blockDelta(0, { type: "text_delta", text: "Hey", weight: 3 }),
      blockDelta(0, { type: "tint_delta", tint: "blue" }),
      blockStop(0),
      blockStart(1, { type: "fresco", wall: "north" }),
      blockDelta(1, { type: "fresco_delta", layer: 1 }),
      inputDeltaEvent(1, '{"size":3}'),
      blockStop(1),
      blockStart(2, { type: "thinking", thinking: "", signature: "" }),
      blockDelta(2, { type: "thinking_delta", thinking: "Hm.", estimated_tokens: 50 }),
      signatureDeltaEvent(2, "c2ln"),
      blockStop(2),
      messageDelta("moonrise", { tides: [1] }),
      STOP,
    ],
  },
];
