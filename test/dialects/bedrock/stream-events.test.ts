// Decoding and encoding of Bedrock streams, event by event.
import { describe, expect, test } from "vitest";
import { assemble } from "../../../src/assembly/assemble.ts";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import { transcode } from "../../../src/dialects/transcode.ts";
import type { Delta } from "../../../src/model/delta.ts";
import { cutRandomly, seededRandom } from "../../../src/testkit/index.ts";
import { formatStream, decodeEvents } from "../../../src/testkit/checks/stream-helpers.ts";
import { close, delta, metadata, open, start, stop, streamSamples } from "./stream-samples.ts";

const dialect = bedrock();

/** Decodes events and returns the kind and payload of each delta. */
function decodeKinds(events: readonly unknown[]): unknown[] {
  return decodeEvents(dialect, events).map(({ kind, payload }) => [kind, payload]);
}

describe("decoding", () => {
  test("an answer ends with the metadata event after messageStop", () => {
    const decoder = dialect.streamDecoder();
    const kinds = (event: unknown): string[] => decoder.push(event).map(({ kind }) => kind);
    expect([start, delta(0, { text: "Hi." }), close(0), stop("end_turn")].flatMap(kinds)).toStrictEqual([
      "start",
      "text",
    ]);
    expect(kinds(metadata)).toStrictEqual(["usage", "done"]);
    expect(decoder.end()).toStrictEqual([]);
  });

  test("an answer without metadata ends with the stream", () => {
    const deltas = decodeEvents(dialect, [start, stop("end_turn")]);
    expect(deltas.at(-1)).toMatchObject({ kind: "done", payload: { finishReason: "stop", raw: "end_turn" } });
  });

  test("B4: reasoning and its signature", () => {
    const events = [start, delta(0, { reasoningContent: { text: "Hm.", signature: "c2ln" } }), close(0)];
    expect(decodeKinds(events).slice(1, 3)).toStrictEqual([
      ["thinking", { textDelta: "Hm.", partKey: 0 }],
      ["seal", { seal: { dialect: "bedrock", kind: "signature", value: "c2ln" }, partKey: 0 }],
    ]);
  });

  test("B76: blocks of two kinds with one index do not merge", () => {
    const events = [start, delta(0, { text: "a" }), delta(0, { reasoningContent: { text: "b" } }), stop("end_turn")];
    expect(assemble(decodeEvents(dialect, events)).message.parts).toMatchObject([
      { type: "text", text: "a" },
      { type: "reasoning", text: "b" },
    ]);
  });

  test("B17, B18: two calls with one id get different ids", () => {
    const toolUse = { toolUseId: "t", name: "look" };
    const events = [start, open(0, { toolUse }), open(1, { toolUse }), close(0), close(1), stop("tool_use")];
    const ids = assemble(decodeEvents(dialect, events)).message.parts.map(
      (part) => "toolCallId" in part && part.toolCallId,
    );
    expect(ids).toStrictEqual(["t", "call_2"]);
  });

  test("B20: a call without arguments has an empty object", () => {
    const events = [start, open(0, { toolUse: { toolUseId: "t", name: "look" } }), close(0), stop("tool_use")];
    expect(assemble(decodeEvents(dialect, events)).message.parts[0]).toMatchObject({ input: {} });
  });

  test("B31: a call that was cut off is marked as invalid", () => {
    const piece = delta(0, { toolUse: { input: '{"at":1}' } });
    const call = [start, open(0, { toolUse: { toolUseId: "t", name: "look" } }), piece, close(0)];
    const cutOff = assemble(decodeEvents(dialect, [...call, stop("max_tokens")])).message.parts[0];
    expect(cutOff).toMatchObject({ input: { at: 1 }, invalid: true });
    expect(assemble(decodeEvents(dialect, [...call, stop("tool_use")])).message.parts[0]).not.toHaveProperty("invalid");
  });

  test("B72: an exception within an answer is an error", () => {
    const events = [start, { throttlingException: { message: "Slow down." } }];
    expect(decodeEvents(dialect, events).at(-1)).toMatchObject({
      kind: "error",
      payload: { errorCode: "rate-limit", message: "Slow down.", retryable: true },
    });
  });

  test("B74: an error body instead of a stream", () => {
    const body = new TextEncoder().encode('{"message":"No access.","__type":"AccessDeniedException"}');
    expect(decodeEvents(dialect, cutRandomly(body, seededRandom(1), 9)).at(-1)).toMatchObject({
      payload: { errorCode: "permission", message: "No access." },
    });
  });

  test("the event name may be given beside the data", () => {
    const [first, second] = streamSamples[0]?.events ?? [];
    const beside = [
      { event: "messageStart", data: { role: "assistant" } },
      { event: "contentBlockDelta", data: { delta: { text: "The agora " }, contentBlockIndex: 0 } },
    ];
    expect(decodeEvents(dialect, beside)).toStrictEqual(decodeEvents(dialect, [first, second]));
  });
});

describe("encoding", () => {
  function encodeAnswer(...deltas: Delta[]): unknown[] {
    const encoder = dialect.streamEncoder();
    const begin: Delta = { kind: "start", payload: { modelId: "m", requestId: "r" } };
    const done: Delta = { kind: "done", payload: { finishReason: "tool-calls" } };
    return [begin, ...deltas, done].flatMap((each) => encoder.push(each).map(({ data }) => data));
  }
  const zero = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

  test("text is written as it arrives, without a start event", () => {
    const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 0 } });
    expect(encodeAnswer(text("a"), text("b"))).toStrictEqual([
      start,
      delta(0, { text: "a" }),
      delta(0, { text: "b" }),
      close(0),
      stop("tool_use"),
      { metadata: { usage: zero } },
    ]);
  });

  test("B19: parallel calls are written one after the other, with consecutive indexes", () => {
    const begin = (id: string): Delta => ({ kind: "tool_call_start", payload: { toolCallId: id, toolName: "look" } });
    const args = (id: string, text: string): Delta => ({
      kind: "tool_call_args",
      payload: { toolCallId: id, argsTextDelta: text },
    });
    const end = (id: string): Delta => ({ kind: "tool_call_end", payload: { toolCallId: id } });
    const events = encodeAnswer(
      begin("a"),
      begin("b"),
      args("b", "{}"),
      args("a", '{"x":'),
      args("a", "1}"),
      end("b"),
      end("a"),
    );
    expect(events.slice(1, -2)).toStrictEqual([
      open(0, { toolUse: { toolUseId: "a", name: "look" } }),
      delta(0, { toolUse: { input: '{"x":' } }),
      delta(0, { toolUse: { input: "1}" } }),
      close(0),
      open(1, { toolUse: { toolUseId: "b", name: "look" } }),
      delta(1, { toolUse: { input: "{}" } }),
      close(1),
    ]);
  });

  test("B50: a surrogate pair that is split between two deltas is written whole", () => {
    const [high, low] = ["\ud83c", "\udf89"];
    const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 0 } });
    expect(encodeAnswer(text(`a${high}`), text(low ?? "")).slice(1, 3)).toStrictEqual([
      delta(0, { text: "a" }),
      delta(0, { text: "🎉" }),
    ]);
  });

  test("B50: free text that starts with a lone surrogate is wrapped once", () => {
    const events = encodeAnswer(
      { kind: "tool_call_start", payload: { toolCallId: "a", toolName: "paint", format: "text" } },
      { kind: "tool_call_args", payload: { toolCallId: "a", argsTextDelta: "\ud83c" } },
      { kind: "tool_call_args", payload: { toolCallId: "a", argsTextDelta: "\udf89!" } },
      { kind: "tool_call_end", payload: { toolCallId: "a" } },
    );
    expect(events.slice(2, 4)).toStrictEqual([
      delta(0, { toolUse: { input: '{"value":"🎉!' } }),
      delta(0, { toolUse: { input: '"}' } }),
    ]);
  });

  test("residue of text for a closed part is reported", () => {
    const encoder = dialect.streamEncoder();
    const text = (partKey: number, residue: object = {}): Delta => ({
      kind: "text",
      payload: { textDelta: "x", partKey, ...residue },
    });
    encoder.push({ kind: "start", payload: { modelId: "", requestId: "" } });
    for (const each of [text(0), text(1), text(0, { extra: { bedrock: { tone: "warm" } } })]) encoder.push(each);
    encoder.push({ kind: "done", payload: { finishReason: "stop" } });
    expect(encoder.losses.map(({ code, path }) => `${code} ${path}`)).toContain(
      "late-dropped /message/parts/0/extra/bedrock",
    );
  });

  test("B86: an unfinished stream ends with an exception", () => {
    const encoder = dialect.streamEncoder();
    encoder.push({ kind: "start", payload: { modelId: "", requestId: "" } });
    expect(encoder.end().map(({ event }) => event)).toStrictEqual(["messageStart", "internalServerException"]);
  });
});

test("the bytes of a stream are transcoded to another dialect and back", () => {
  const bytes = formatStream(dialect, streamSamples[1]?.events ?? []);
  const there = transcode("bedrock", "anthropic");
  const back = transcode("anthropic", "bedrock");
  const chunks = cutRandomly(bytes, seededRandom(3), 40).map((piece) => back.push(there.push(piece)));
  const deltas = decodeEvents(dialect, [
    ...chunks.filter((chunk) => chunk.length > 0),
    back.push(there.end()),
    back.end(),
  ]);
  const { message } = assemble(deltas);
  expect(message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toStrictEqual(["In the middle."]);
  expect(message.parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []))).toStrictEqual([
    "look",
    "rest",
  ]);
});
