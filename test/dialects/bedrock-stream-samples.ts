// Streams in Bedrock's words, made up: every event and every kind of delta at least once.
import type { StreamSample } from "../../src/testkit/index.ts";

export const start = { messageStart: { role: "assistant" } };
export const stop = (stopReason: string, more: object = {}): object => ({ messageStop: { stopReason, ...more } });
const usage = { inputTokens: 10, outputTokens: 20, totalTokens: 30 };
export const metadata = { metadata: { usage, metrics: { latencyMs: 812 } } };
export const delta = (contentBlockIndex: number, said: object): object => ({
  contentBlockDelta: { delta: said, contentBlockIndex },
});
export const open = (contentBlockIndex: number, begun: object): object => ({
  contentBlockStart: { start: begun, contentBlockIndex },
});
export const close = (contentBlockIndex: number): object => ({ contentBlockStop: { contentBlockIndex } });
const input = (index: number, text: string): object => delta(index, { toolUse: { input: text } });
const thought = (index: number, said: object): object => delta(index, { reasoningContent: said });

export const streamSamples: readonly StreamSample[] = [
  {
    name: "a plain answer",
    events: [
      start,
      delta(0, { text: "The agora " }),
      delta(0, { text: "is near." }),
      close(0),
      stop("end_turn"),
      metadata,
    ],
  },
  {
    name: "everything",
    events: [
      start,
      thought(0, { text: "Where " }),
      thought(0, { text: "is it?" }),
      thought(0, { signature: "c2lnbmVk" }),
      close(0),
      thought(1, { redactedContent: "cmVkYWN0ZWQ=" }),
      close(1),
      delta(2, { text: "In the middle." }),
      delta(2, {
        citation: { title: "The agora", sourceContent: [{ text: "middle" }], location: { documentPage: { start: 1 } } },
      }),
      delta(2, {
        citation: { title: "Page", location: { web: { url: "https://example.com/p", domain: "example.com" } } },
      }),
      close(2),
      open(3, { toolUse: { toolUseId: "tooluse_1", name: "look", type: "tool_use" } }),
      input(3, ""),
      input(3, '{"at": "ag'),
      input(3, 'ora", "n": 9007199254740993}'),
      close(3),
      open(4, { toolUse: { toolUseId: "tooluse_2", name: "rest" } }),
      close(4),
      stop("tool_use", { additionalModelResponseFields: { stop_sequence: null } }),
      {
        metadata: {
          usage: { ...usage, cacheReadInputTokens: 5, cacheWriteInputTokens: 7, serverToolUsage: {} },
          metrics: { latencyMs: 9 },
          trace: { promptRouter: { invokedModelId: "arn:aws:bedrock:m" } },
          performanceConfig: { latency: "standard" },
          serviceTier: { type: "default" },
        },
      },
    ],
  },
  {
    name: "what the provider ran, and an image",
    events: [
      start,
      open(0, { toolUse: { toolUseId: "tooluse_s", name: "nova_grounding", type: "server_tool_use" } }),
      input(0, "{}"),
      close(0),
      open(1, { toolResult: { toolUseId: "tooluse_s", type: "nova_grounding_result", status: "success" } }),
      delta(1, { toolResult: [{ text: "Fou" }] }),
      delta(1, { toolResult: [{ text: "nd." }, { json: { n: 1 } }] }),
      close(1),
      open(2, { image: { format: "png" } }),
      delta(2, { image: { source: { bytes: "iVBORw0KGgo=" } } }),
      close(2),
      stop("end_turn"),
      metadata,
    ],
  },
  {
    name: "padded events, an empty start and a reason that nobody knows",
    events: [
      { messageStart: { role: "assistant", p: "abc" } },
      { contentBlockStart: { start: {}, contentBlockIndex: 0, p: "ab" } },
      { contentBlockDelta: { delta: { text: "Well" }, contentBlockIndex: 0, p: "abcdef" } },
      { contentBlockDelta: { delta: { text: "." }, contentBlockIndex: 0, p: "" } },
      { contentBlockStop: { contentBlockIndex: 0, p: "a" } },
      { messageStop: { stopReason: "moonrise", p: "abcd" } },
      { metadata: { usage, metrics: { latencyMs: 3 }, p: "abcde" } },
    ],
  },
  {
    name: "no metadata",
    events: [start, delta(0, { text: "That was all." }), close(0), stop("max_tokens")],
  },
  {
    name: "a call that is cut off",
    events: [
      start,
      open(0, { toolUse: { toolUseId: "tooluse_1", name: "look" } }),
      input(0, '{"at":"ago'),
      close(0),
      stop("max_tokens"),
      metadata,
    ],
  },
  {
    name: "blocks that nobody knows",
    events: [
      start,
      open(0, { hologram: { format: "h1" } }),
      delta(0, { hologram: { rays: [1] } }),
      delta(0, { hologram: { rays: [2], name: "He" } }),
      delta(0, { hologram: { name: "lios" } }),
      close(0),
      delta(1, { scent: { of: "thyme" } }),
      close(1),
      delta(2, { text: "Look.", mood: "calm" }),
      close(2),
      stop("end_turn"),
      metadata,
    ],
  },
  {
    name: "two answers",
    events: [
      start,
      open(0, { toolUse: { toolUseId: "tooluse_1", name: "look" } }),
      close(0),
      stop("tool_use"),
      metadata,
      start,
      open(0, { toolUse: { toolUseId: "tooluse_1", name: "look" } }),
      close(0),
      stop("tool_use"),
      metadata,
    ],
  },
  {
    name: "an exception in the midst",
    events: [
      start,
      delta(0, { text: "I will" }),
      { modelStreamErrorException: { message: "It broke.", originalStatusCode: 500 } },
    ],
    ends: "error",
  },
  { name: "an exception alone", events: [{ throttlingException: { message: "Slow down." } }], ends: "error" },
  { name: "a stream that breaks off", events: [start, delta(0, { text: "I wi" })], ends: "truncated" },
  {
    name: "an answer in one piece",
    events: [
      { output: { message: { role: "assistant", content: [{ text: "Whole." }] } }, stopReason: "end_turn", usage },
    ],
  },
];
