// Streams in Anthropic's words, made up: every event, every kind of block and delta, and the habits of hosts and vendors.

export type Event = Record<string, unknown>;

export interface StreamSample {
  name: string;
  events: Event[];
  /** The official SDK refuses it, or does not know what it says. */
  isOdd?: true;
}

const usage = { input_tokens: 12, output_tokens: 1 };

export function messageStart(message: object = {}): Event {
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
export const blockStart = (index: number, content_block: object): Event => ({
  type: "content_block_start",
  index,
  content_block,
});
export const blockDelta = (index: number, delta: object): Event => ({ type: "content_block_delta", index, delta });
export const blockStop = (index: number): Event => ({ type: "content_block_stop", index });
export const said = (index: number, text: string): Event => blockDelta(index, { type: "text_delta", text });
export const thought = (index: number, thinking: string): Event =>
  blockDelta(index, { type: "thinking_delta", thinking });
export const signed = (index: number, signature: string): Event =>
  blockDelta(index, { type: "signature_delta", signature });
export const json = (index: number, partial_json: string): Event =>
  blockDelta(index, { type: "input_json_delta", partial_json });
export function messageDelta(stop_reason: string | null = "end_turn", beside: object = {}): Event {
  return {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 20 },
    ...beside,
  };
}
export const STOP: Event = { type: "message_stop" };
export const PING: Event = { type: "ping" };

/** A message around some blocks. */
export function stream(blocks: readonly Event[], end: Event = messageDelta(), start: Event = messageStart()): Event[] {
  return [start, ...blocks, end, STOP];
}
export const text = (index: number, ...pieces: string[]): Event[] => [
  blockStart(index, { type: "text", text: "" }),
  ...pieces.map((piece) => said(index, piece)),
  blockStop(index),
];
export const call = (index: number, id: string, pieces: readonly string[], beside: object = {}): Event[] => [
  blockStart(index, { type: "tool_use", id, name: "look", input: {}, ...beside }),
  ...pieces.map((piece) => json(index, piece)),
  blockStop(index),
];
const whole = (index: number, block: object): Event[] => [blockStart(index, block), blockStop(index)];

const web = {
  type: "web_search_result_location",
  url: "https://example.com/agora",
  title: "The agora",
  cited_text: "the middle",
  encrypted_index: "aW5kZXg=",
};
const place = { type: "char_location", cited_text: "x", document_index: 0, start_char_index: 1, end_char_index: 2 };

const everything = [
  blockStart(0, { type: "thinking", thinking: "", signature: "" }),
  thought(0, "Where "),
  PING,
  thought(0, "is it?"),
  signed(0, "c2lnbmVk"),
  blockStop(0),
  ...whole(1, { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" }),
  ...text(2, "In the ", "middle 🏛️", "."),
  blockStart(3, { type: "text", text: "", citations: [] }),
  blockDelta(3, { type: "citations_delta", citation: web }),
  said(3, "Cited."),
  blockDelta(3, { type: "citations_delta", citation: place }),
  blockStop(3),
  ...call(4, "toolu_1", ["", '{"at": "ag', 'ora"}'], { caller: { type: "direct" } }),
  ...call(5, "toolu_2", ['{"at":"stoa"}']),
];

const serverTools = [
  blockStart(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
  json(0, '{"query":'),
  json(0, '"agora"}'),
  blockStop(0),
  ...whole(1, {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", url: "https://example.com", title: "A", encrypted_content: "ZQ==" }],
  }),
  blockStart(2, { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echoes", input: {} }),
  json(2, '{"message":"hello"}'),
  blockStop(2),
  ...whole(3, { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] }),
  ...whole(4, { type: "container_upload", file_id: "file_1" }),
  ...text(5, "Found."),
];

const container = { id: "container_1", expires_at: "2026-01-01T00:00:00Z" };

export const streamSamples: readonly StreamSample[] = [
  { name: "a plain answer", events: stream(text(0, "Hel", "lo", ".")) },
  { name: "nothing said", events: stream([]) },
  { name: "an empty text", events: stream(text(0)) },
  { name: "everything", events: stream(everything, messageDelta("tool_use")) },
  { name: "tools that the provider runs", events: stream(serverTools) },
  {
    name: "counts that grow",
    events: stream(
      text(0, "x"),
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
    name: "facts that are known at the end",
    events: stream(
      text(0, "x"),
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
  { name: "a call without arguments", events: stream(call(0, "toolu_1", []), messageDelta("tool_use")) },
  {
    name: "a call that begins with its arguments",
    events: stream(call(0, "toolu_1", [], { input: { at: "agora" } }), messageDelta("tool_use")),
  },
  {
    name: "a call in which it broke off",
    events: stream(call(0, "toolu_1", ['{"at":1}']), messageDelta("max_tokens")),
  },
  {
    name: "thinking that is not shown",
    events: stream([
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      signed(0, "b25seQ=="),
      blockStop(0),
      ...text(1, "Done."),
    ]),
  },
  {
    name: "thinking that nobody signed",
    events: stream([
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      thought(0, "Hm."),
      blockStop(0),
      ...text(1, "Done."),
    ]),
  },
  {
    name: "a text that begins with words",
    events: stream([blockStart(0, { type: "text", text: "He" }), said(0, "y")]),
  },
  {
    name: "a whole message at the start",
    events: [
      messageStart({
        content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { at: "agora" } }],
        stop_reason: "tool_use",
      }),
      { type: "message_stop" },
    ],
  },
  {
    name: "the measurements of a host",
    events: [
      ...stream(text(0, "x")).slice(0, -1),
      { ...STOP, "amazon-bedrock-invocationMetrics": { inputTokenCount: 12, outputTokenCount: 20 } },
    ],
  },
  {
    name: "fields, deltas, blocks and events that nobody knows",
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
      json(1, '{"size":3}'),
      blockStop(1),
      blockStart(2, { type: "thinking", thinking: "", signature: "" }),
      blockDelta(2, { type: "thinking_delta", thinking: "Hm.", estimated_tokens: 50 }),
      signed(2, "c2ln"),
      blockStop(2),
      messageDelta("moonrise", { tides: [1] }),
      STOP,
    ],
  },
];
