// Tests decoding of chunk streams: the start and the end of answers, and vendors' variants.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { assembleAnswers, decodeEvents, findViolations } from "../../../src/testkit/checks/stream-helpers.ts";
import { calls, usageChunk, endChunk, failedStreams, role, deltaChunk } from "./stream-samples.ts";

const dialect = openaiChat();

function decodeAnswers(...events: unknown[]): ModelResponse {
  const deltas = decodeEvents(dialect, events);
  expect(findViolations(deltas)).toStrictEqual([]);
  const [answer] = assembleAnswers(deltas);
  if (answer === undefined) throw new Error("There is no answer.");
  return answer;
}

function summarizePart(part: Part): unknown {
  if (part.type === "tool-call") return [part.toolCallId, part.toolName, part.input];
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal"
    ? `${part.type}: ${part.text}`
    : part.type;
}

describe("answers", () => {
  test("B74: a whole answer instead of a stream is decoded", () => {
    const body = {
      id: "x",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi.", refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
    };
    expect(decodeAnswers(body)).toStrictEqual(dialect.decodeResponse(body));
  });

  test("B77: a final message snapshot only adds new content", () => {
    const message = {
      role: "assistant",
      content: "Hi there.",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      x_new: 1,
    };
    const { parts, extra } = decodeAnswers(
      role,
      deltaChunk({ content: "Hi" }),
      calls({ index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } }),
      deltaChunk({}, { message, finish_reason: "stop" }),
    ).message;
    expect(parts.map(summarizePart)).toStrictEqual(["text: Hi there.", ["a", "f", {}]]);
    expect(extra).toStrictEqual({ "openai-chat": { x_new: 1 } });
  });

  test("B75: a chunk with all fields is decoded in the order of a whole answer", () => {
    const tool_calls = [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }];
    const all = endChunk("tool_calls", { tool_calls, refusal: "No.", content: "Hi.", reasoning: "Hm." });
    expect(decodeAnswers({ ...all, usage: usageChunk.usage })).toMatchObject({
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage: { inputTokens: 9, cacheReadTokens: 2, reasoningTokens: 3 },
    });
    expect(decodeAnswers(all).message.parts.map(summarizePart)).toStrictEqual([
      "reasoning: Hm.",
      "text: Hi.",
      "refusal: No.",
      ["a", "f", {}],
    ]);
  });

  test("B71: chunks without choices emit nothing and start no answer", () => {
    const events = [
      { ...role, choices: null },
      role,
      { id: "x" },
      deltaChunk({ content: "Hi." }),
      endChunk(),
      "[DONE]",
      usageChunk,
      {},
      { type: "ping" },
      "[DONE]",
    ];
    const deltas = decodeEvents(dialect, events);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "done"]);
  });

  test("B73: an empty stream, or one without an end, is truncated", () => {
    for (const events of [[], [usageChunk], [role], [role, deltaChunk({ content: "Hi" })]]) {
      expect(decodeEvents(dialect, events).at(-1)).toMatchObject({
        kind: "error",
        payload: { errorCode: "truncated" },
      });
    }
    expect(decodeAnswers(role, deltaChunk({ content: "Hi" }), "[DONE]").finishReason).toStrictEqual({
      unified: "other",
    });
  });

  test("B67: an interrupted answer has its usage", () => {
    const deltas = decodeEvents(dialect, [role, { ...deltaChunk({ content: "Hi" }), usage: usageChunk.usage }]);
    expect(deltas.find(({ kind }) => kind === "usage")).toMatchObject({ payload: { inputTokens: 9, totalTokens: 14 } });
    const choice = decodeAnswers(deltaChunk({ content: "Hi" }, { usage: usageChunk.usage, finish_reason: "stop" }));
    expect(choice).toMatchObject({ usage: { totalTokens: 14 } });
    expect(choice.extra).toBeUndefined();
  });

  test("B72: an error has its kind, and the content before it stays", () => {
    const failed = decodeAnswers(...(failedStreams[1]?.events ?? []));
    expect(failed).toMatchObject({ error: { kind: "server", status: 502 }, finishReason: { raw: "error" } });
    expect(failed.message.parts.map(summarizePart)).toStrictEqual(["text: Hi th"]);
    expect(decodeAnswers({ object: "error", message: "Too long.", code: 400 }).error).toMatchObject({
      message: "Too long.",
      status: 400,
    });
  });

  test("B31: the last call of an interrupted answer is invalid", () => {
    const { message } = decodeAnswers(
      role,
      calls({ index: 0, id: "c", function: { name: "f", arguments: '{"a":1}' } }),
      endChunk("length"),
    );
    expect(message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 }, invalid: true },
    ]);
  });

  test("reasoning that two fields repeat is emitted once, and the repetition is stored as form", () => {
    const { parts, extra } = decodeAnswers(
      deltaChunk({ reasoning: "Hm. ", reasoning_content: "Hm. " }),
      deltaChunk({ reasoning: "Yes.", reasoning_content: "Yes." }),
      endChunk("stop", { content: "Hi." }),
    ).message;
    expect(parts.map(summarizePart)).toStrictEqual(["reasoning: Hm. Yes.", "text: Hi."]);
    expect(extra).toStrictEqual({ "openai-chat": { $form: { same: ["reasoning"] } } });
  });

  test("details that repeat earlier reasoning text belong to its part", () => {
    const detail = { type: "reasoning.text", text: "Hm.", signature: "c2ln" };
    const [part] = decodeAnswers(
      deltaChunk({ reasoning: "Hm." }),
      deltaChunk({ reasoning_details: [detail] }),
      endChunk(),
    ).message.parts;
    expect(part).toMatchObject({ type: "reasoning", text: "Hm.", seals: [{ kind: "signature", value: "c2ln" }] });
    const several = [
      { type: "reasoning.text", text: "H" },
      { type: "reasoning.text", text: "m." },
    ];
    const { parts, extra } = decodeAnswers(
      deltaChunk({ reasoning: "Hm." }),
      deltaChunk({ reasoning_details: several }),
      endChunk(),
    ).message;
    expect(parts.map(summarizePart)).toStrictEqual(["reasoning: Hm."]);
    expect(extra?.["openai-chat"]).toMatchObject({ reasoning_details: several });
  });

  test("B16, B30: renamed ids and tools are restored", () => {
    const names = { toolCallIds: { c1: "the original" }, toolNames: { f_1: "f.1" } };
    const decoder = dialect.streamDecoder({ names });
    const [, start] = decoder.push(calls({ index: 0, id: "c1", function: { name: "f_1", arguments: "{}" } }));
    expect(start).toMatchObject({ payload: { toolCallId: "the original", toolName: "f.1" } });
  });

  test("B23: numbers keep digits that a double cannot hold", () => {
    const decoder = dialect.streamDecoder();
    const chunk = JSON.stringify(deltaChunk({ content: "Hi." }, {}, { x_big: 0 })).replace(
      '"x_big":0',
      '"x_big":12345678901234567890',
    );
    const deltas: Delta[] = [...decoder.push({ data: chunk }), ...decoder.push(endChunk()), ...decoder.end()];
    const [answer] = assembleAnswers(deltas);
    const encoder = dialect.streamEncoder();
    const text = deltas
      .flatMap((delta) => encoder.push(delta))
      .map((event) => String(dialect.formatEvent(event)))
      .join("");
    expect(text).toContain("12345678901234567890");
    expect(answer?.extra).toBeDefined();
  });

  test("B17: a second answer of the stream has its own call ids", () => {
    const call = calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } });
    const deltas = decodeEvents(dialect, [call, endChunk(), "[DONE]", call, endChunk(), "[DONE]"]);
    expect(findViolations(deltas)).toStrictEqual([]);
    expect(assembleAnswers(deltas).map(({ message }) => message.parts.map(summarizePart))).toStrictEqual([
      [["a", "f", {}]],
      [["a_2", "f", {}]],
    ]);
  });

  test("known fields of an unexpected type become opaque parts", () => {
    const unexpected = [
      deltaChunk({ content: 5 }),
      deltaChunk({ tool_calls: ["x"] }),
      { ...role, choices: [7] },
      deltaChunk({ audio: 1 }),
      { ...role, choices: {} },
    ];
    const { parts } = decodeAnswers(role, ...unexpected, endChunk()).message;
    expect(parts.map((part) => part.type === "opaque" && part.value)).toStrictEqual([
      { content: 5 },
      { tool_calls: ["x"] },
      { choices: [7] },
      { audio: 1 },
      { choices: {} },
    ]);
  });
});

describe("vendors", () => {
  test("Azure's filter result after the finish reason belongs to the same answer", () => {
    const filter = { content_filter_results: { hate: { filtered: false } }, content_filter_offsets: { start: 0 } };
    const late = { id: "", object: "", created: 0, model: "", choices: [{ index: 0, finish_reason: null, ...filter }] };
    const deltas = decodeEvents(dialect, [role, deltaChunk({ content: "Hi" }), endChunk(), late, "[DONE]"]);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "done"]);
    expect(assembleAnswers(deltas)[0]?.extra?.["openai-chat"]?.["choices"]).toMatchObject(filter);
  });

  test.each([["one id"], ["an id for each chunk"]])("B73: an empty finish_reason does not end a choice (%s)", (ids) => {
    const events = ["He", "llo"].map((content, at) =>
      deltaChunk({ content }, { finish_reason: "" }, ids === "one id" ? {} : { id: `chatcmpl-${at}` }),
    );
    expect(decodeAnswers(...events)).toMatchObject({
      error: { kind: "truncated" },
      message: { parts: [{ text: "Hello" }] },
    });
    expect(decodeEvents(dialect, events).filter(({ kind }) => kind === "start")).toHaveLength(1);
  });

  test("B73: complete audio does not end a stream", () => {
    const audioChunk = deltaChunk({ audio: { id: "a", data: "UklG", transcript: "Hi", expires_at: 1 } });
    expect(decodeAnswers(audioChunk).error).toMatchObject({ kind: "truncated" });
    expect(decodeAnswers(audioChunk, "[DONE]").finishReason).toMatchObject({ unified: "stop" });
  });

  test("a transcript is emitted before the data", () => {
    const decoder = dialect.streamDecoder();
    decoder.push(deltaChunk({ role: "assistant", audio: { id: "audio_1" } }));
    const [media] = decoder.push(deltaChunk({ audio: { transcript: "Good " } }));
    expect(media).toMatchObject({ kind: "media", payload: { transcriptDelta: "Good " } });
  });

  test("equal entries of a list are all stored", () => {
    const token = { token: "ha", logprob: -1, bytes: null, top_logprobs: [] };
    const laugh = deltaChunk(
      { content: "ha", x_blocks: [{ y: 1 }] },
      { logprobs: { content: [token], refusal: null } },
    );
    const { message } = decodeAnswers(laugh, laugh, laugh, endChunk());
    expect(message.parts).toMatchObject([{ text: "hahaha", logprobs: [{}, {}, {}] }]);
    expect(message.extra).toMatchObject({ "openai-chat": { x_blocks: [{ y: 1 }, { y: 1 }, { y: 1 }] } });
  });

  test.each([
    [{ detail: "Not Found" }, "Not Found"],
    [{ message: "Unauthorized", code: 401 }, "Unauthorized"],
  ])("B72: a foreign body as the only reply is an error: %o", (body, message) => {
    const { kind } = dialect.decodeError(body);
    expect(decodeAnswers(body).error).toMatchObject({ kind, message });
  });

  test("a stream without dates, or with the date 0, is encoded without one", () => {
    const bare = (created: object): object[] => [deltaChunk({ content: "Hi" }, {}, created), endChunk("stop", {}, {})];
    expect(decodeAnswers(...bare({ created: undefined }))).toMatchObject({
      extra: { "openai-chat": { $form: { absent: ["created"] } } },
    });
    const unknown = decodeAnswers(...bare({ created: 0 }));
    expect(unknown.createdAt).toBeUndefined();
    expect(unknown.extra).toMatchObject({ "openai-chat": { created: 0 } });
  });

  test("an order of parts that only a stream can express is restored without a loss", () => {
    const deltas = decodeEvents(dialect, [
      deltaChunk({ refusal: "No." }),
      deltaChunk({ content: "Yes." }),
      endChunk(),
      "[DONE]",
    ]);
    const encoder = dialect.streamEncoder();
    const encodedAgain = deltas.flatMap((delta) => encoder.push(delta));
    expect(encoder.losses).toStrictEqual([]);
    expect(decodeAnswers(...encodedAgain).message.parts.map(summarizePart)).toStrictEqual([
      "refusal: No.",
      "text: Yes.",
    ]);
  });
});
