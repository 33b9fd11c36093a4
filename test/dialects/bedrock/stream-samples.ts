// Made-up Bedrock streams, with every event and every kind of delta at least once.
import type { StreamSample } from "../../../src/testkit/index.ts";

export const start = { messageStart: { role: "assistant" } };
export const stop = (stopReason: string, more: object = {}): object => ({ messageStop: { stopReason, ...more } });
const usage = { inputTokens: 10, outputTokens: 20, totalTokens: 30 };
export const metadata = { metadata: { usage, metrics: { latencyMs: 812 } } };
export const delta = (contentBlockIndex: number, fields: object): object => ({
  contentBlockDelta: { delta: fields, contentBlockIndex },
});
export const open = (contentBlockIndex: number, block: object): object => ({
  contentBlockStart: { start: block, contentBlockIndex },
});
export const close = (contentBlockIndex: number): object => ({ contentBlockStop: { contentBlockIndex } });
const inputDelta = (index: number, text: string): object => delta(index, { toolUse: { input: text } });
const reasoningDelta = (index: number, fields: object): object => delta(index, { reasoningContent: fields });

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
      reasoningDelta(0, { text: "Where " }),
      reasoningDelta(0, { text: "is it?" }),
      reasoningDelta(0, { signature: "c2lnbmVk" }),
      close(0),
      reasoningDelta(1, { redactedContent: "cmVkYWN0ZWQ=" }),
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
      inputDelta(3, ""),
      inputDelta(3, '{"at": "ag'),
      inputDelta(3, 'ora", "n": 9007199254740993}'),
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
    name: "a provider tool and an image",
    events: [
      start,
      open(0, { toolUse: { toolUseId: "tooluse_s", name: "nova_grounding", type: "server_tool_use" } }),
      inputDelta(0, "{}"),
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
    name: "padded events, an empty start and an unknown stop reason",
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
      inputDelta(0, '{"at":"ago'),
      close(0),
      stop("max_tokens"),
      metadata,
    ],
  },
  {
    name: "unknown blocks",
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
    name: "an exception within an answer",
    events: [
      start,
      delta(0, { text: "I will" }),
      { modelStreamErrorException: { message: "It broke.", originalStatusCode: 500 } },
    ],
    ends: "error",
  },
  { name: "a lone exception", events: [{ throttlingException: { message: "Slow down." } }], ends: "error" },
  { name: "a truncated stream", events: [start, delta(0, { text: "I wi" })], ends: "truncated" },
  {
    name: "a whole response",
    events: [
      { output: { message: { role: "assistant", content: [{ text: "Whole." }] } }, stopReason: "end_turn", usage },
    ],
  },
];
