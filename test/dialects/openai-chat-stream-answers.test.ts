// Streams of chunks, read: where an answer begins and ends, and what it says then.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { answersOf, decodeEvents, illegalities } from "../../src/testkit/stream-reading.ts";
import { calls, counted, ended, failedStreams, role, said } from "./openai-chat-stream-samples.ts";

const dialect = openaiChat();

function read(...events: unknown[]): ModelResponse {
  const deltas = decodeEvents(dialect, events);
  expect(illegalities(deltas)).toStrictEqual([]);
  const [answer] = answersOf(deltas);
  if (answer === undefined) throw new Error("There is no answer.");
  return answer;
}

function brief(part: Part): unknown {
  if (part.type === "tool-call") return [part.toolCallId, part.toolName, part.input];
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal"
    ? `${part.type}: ${part.text}`
    : part.type;
}

describe("answers", () => {
  test("B74: a whole body is read as one", () => {
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
    expect(read(body)).toStrictEqual(dialect.decodeResponse(body));
  });

  test("B77: a snapshot at the end repeats nothing, and adds what is new", () => {
    const message = {
      role: "assistant",
      content: "Hi there.",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      x_new: 1,
    };
    const { parts, extra } = read(
      role,
      said({ content: "Hi" }),
      calls({ index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } }),
      said({}, { message, finish_reason: "stop" }),
    ).message;
    expect(parts.map(brief)).toStrictEqual(["text: Hi there.", ["a", "f", {}]]);
    expect(extra).toStrictEqual({ "openai-chat": { x_new: 1 } });
  });

  test("B75: a chunk that says everything at once is split in the order of a whole answer", () => {
    const tool_calls = [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }];
    const all = ended("tool_calls", { tool_calls, refusal: "No.", content: "Hi.", reasoning: "Hm." });
    expect(read({ ...all, usage: counted.usage })).toMatchObject({
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage: { inputTokens: 9, cacheReadTokens: 2, reasoningTokens: 3 },
    });
    expect(read(all).message.parts.map(brief)).toStrictEqual([
      "reasoning: Hm.",
      "text: Hi.",
      "refusal: No.",
      ["a", "f", {}],
    ]);
  });

  test("B71: chunks without choices say nothing, and no answer is made of what trails one", () => {
    const events = [
      { ...role, choices: null },
      role,
      { id: "x" },
      said({ content: "Hi." }),
      ended(),
      "[DONE]",
      counted,
      {},
      { type: "ping" },
      "[DONE]",
    ];
    const deltas = decodeEvents(dialect, events);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "done"]);
  });

  test("B73: nothing at all, or no word of an end, is truncation", () => {
    for (const events of [[], [counted], [role], [role, said({ content: "Hi" })]]) {
      expect(decodeEvents(dialect, events).at(-1)).toMatchObject({
        kind: "error",
        payload: { errorCode: "truncated" },
      });
    }
    expect(read(role, said({ content: "Hi" }), "[DONE]").finishReason).toStrictEqual({ unified: "other" });
  });

  test("B67: the counts of an answer that breaks off are known", () => {
    const deltas = decodeEvents(dialect, [role, { ...said({ content: "Hi" }), usage: counted.usage }]);
    expect(deltas.find(({ kind }) => kind === "usage")).toMatchObject({ payload: { inputTokens: 9, totalTokens: 14 } });
    const choice = read(said({ content: "Hi" }, { usage: counted.usage, finish_reason: "stop" }));
    expect(choice).toMatchObject({ usage: { totalTokens: 14 } });
    expect(choice.extra).toBeUndefined();
  });

  test("B72: an error is told with its kind, and keeps what came before", () => {
    const failed = read(...(failedStreams[1]?.events ?? []));
    expect(failed).toMatchObject({ error: { kind: "server", status: 502 }, finishReason: { raw: "error" } });
    expect(failed.message.parts.map(brief)).toStrictEqual(["text: Hi th"]);
    expect(read({ object: "error", message: "Too long.", code: 400 }).error).toMatchObject({
      message: "Too long.",
      status: 400,
    });
  });

  test("B31: a call in which the answer broke off is not to be run", () => {
    const { message } = read(
      role,
      calls({ index: 0, id: "c", function: { name: "f", arguments: '{"a":1}' } }),
      ended("length"),
    );
    expect(message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 }, invalid: true },
    ]);
  });

  test("reasoning that two fields tell is told once, and that they agreed is kept", () => {
    const { parts, extra } = read(
      said({ reasoning: "Hm. ", reasoning_content: "Hm. " }),
      said({ reasoning: "Yes.", reasoning_content: "Yes." }),
      ended("stop", { content: "Hi." }),
    ).message;
    expect(parts.map(brief)).toStrictEqual(["reasoning: Hm. Yes.", "text: Hi."]);
    expect(extra).toStrictEqual({ "openai-chat": { $form: { same: ["reasoning"] } } });
  });

  test("details that come after their text belong to it", () => {
    const detail = { type: "reasoning.text", text: "Hm.", signature: "c2ln" };
    const [part] = read(said({ reasoning: "Hm." }), said({ reasoning_details: [detail] }), ended()).message.parts;
    expect(part).toMatchObject({ type: "reasoning", text: "Hm.", seals: [{ kind: "signature", value: "c2ln" }] });
    const several = [
      { type: "reasoning.text", text: "H" },
      { type: "reasoning.text", text: "m." },
    ];
    const { parts, extra } = read(said({ reasoning: "Hm." }), said({ reasoning_details: several }), ended()).message;
    expect(parts.map(brief)).toStrictEqual(["reasoning: Hm."]);
    expect(extra?.["openai-chat"]).toMatchObject({ reasoning_details: several });
  });

  test("B16, B30: ids and names of the request are restored", () => {
    const names = { toolCallIds: { c1: "the original" }, toolNames: { f_1: "f.1" } };
    const decoder = dialect.streamDecoder({ names });
    const [, start] = decoder.push(calls({ index: 0, id: "c1", function: { name: "f_1", arguments: "{}" } }));
    expect(start).toMatchObject({ payload: { toolCallId: "the original", toolName: "f.1" } });
  });

  test("B23: digits that a double does not hold stay exact", () => {
    const decoder = dialect.streamDecoder();
    const chunk = JSON.stringify(said({ content: "Hi." }, {}, { x_big: 0 })).replace(
      '"x_big":0',
      '"x_big":12345678901234567890',
    );
    const deltas: Delta[] = [...decoder.push({ data: chunk }), ...decoder.push(ended()), ...decoder.end()];
    const [answer] = answersOf(deltas);
    const encoder = dialect.streamEncoder();
    const text = deltas
      .flatMap((delta) => encoder.push(delta))
      .map((event) => String(dialect.formatEvent(event)))
      .join("");
    expect(text).toContain("12345678901234567890");
    expect(answer?.extra).toBeDefined();
  });

  test("B17: the ids of a second answer in the stream are its own", () => {
    const call = calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } });
    const deltas = decodeEvents(dialect, [call, ended(), "[DONE]", call, ended(), "[DONE]"]);
    expect(illegalities(deltas)).toStrictEqual([]);
    expect(answersOf(deltas).map(({ message }) => message.parts.map(brief))).toStrictEqual([
      [["a", "f", {}]],
      [["a_2", "f", {}]],
    ]);
  });

  test("what is known and of another type stays as it is", () => {
    const odd = [
      said({ content: 5 }),
      said({ tool_calls: ["x"] }),
      { ...role, choices: [7] },
      said({ audio: 1 }),
      { ...role, choices: {} },
    ];
    const { parts } = read(role, ...odd, ended()).message;
    expect(parts.map((part) => part.type === "opaque" && part.value)).toStrictEqual([
      { content: 5 },
      { tool_calls: ["x"] },
      { choices: [7] },
      { audio: 1 },
      { choices: {} },
    ]);
  });
});

describe("what vendors do", () => {
  test("Azure's filter result after the end is about the same answer", () => {
    const filter = { content_filter_results: { hate: { filtered: false } }, content_filter_offsets: { start: 0 } };
    const late = { id: "", object: "", created: 0, model: "", choices: [{ index: 0, finish_reason: null, ...filter }] };
    const deltas = decodeEvents(dialect, [role, said({ content: "Hi" }), ended(), late, "[DONE]"]);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "done"]);
    expect(answersOf(deltas)[0]?.extra?.["openai-chat"]?.["choices"]).toMatchObject(filter);
  });

  test.each([["one id"], ["an id for each chunk"]])("B73: an empty finish_reason ends nothing (%s)", (ids) => {
    const events = ["He", "llo"].map((content, at) =>
      said({ content }, { finish_reason: "" }, ids === "one id" ? {} : { id: `chatcmpl-${at}` }),
    );
    expect(read(...events)).toMatchObject({ error: { kind: "truncated" }, message: { parts: [{ text: "Hello" }] } });
    expect(decodeEvents(dialect, events).filter(({ kind }) => kind === "start")).toHaveLength(1);
  });

  test("B73: audio that has come whole is no end", () => {
    const spoken = said({ audio: { id: "a", data: "UklG", transcript: "Hi", expires_at: 1 } });
    expect(read(spoken).error).toMatchObject({ kind: "truncated" });
    expect(read(spoken, "[DONE]").finishReason).toMatchObject({ unified: "stop" });
  });

  test("a transcript does not wait for its data", () => {
    const decoder = dialect.streamDecoder();
    decoder.push(said({ role: "assistant", audio: { id: "audio_1" } }));
    const [media] = decoder.push(said({ audio: { transcript: "Good " } }));
    expect(media).toMatchObject({ kind: "media", payload: { transcriptDelta: "Good " } });
  });

  test("equal pieces of a list are all kept", () => {
    const token = { token: "ha", logprob: -1, bytes: null, top_logprobs: [] };
    const laugh = said({ content: "ha", x_blocks: [{ y: 1 }] }, { logprobs: { content: [token], refusal: null } });
    const { message } = read(laugh, laugh, laugh, ended());
    expect(message.parts).toMatchObject([{ text: "hahaha", logprobs: [{}, {}, {}] }]);
    expect(message.extra).toMatchObject({ "openai-chat": { x_blocks: [{ y: 1 }, { y: 1 }, { y: 1 }] } });
  });

  test.each([
    [{ detail: "Not Found" }, "Not Found"],
    [{ message: "Unauthorized", code: 401 }, "Unauthorized"],
  ])("B72: a body that is no chunk, as the only reply, is a failure: %o", (body, message) => {
    const { kind } = dialect.decodeError(body);
    expect(read(body).error).toMatchObject({ kind, message });
  });

  test("a stream without dates comes back without one; a date of nothing is none", () => {
    const bare = (created: object): object[] => [said({ content: "Hi" }, {}, created), ended("stop", {}, {})];
    expect(read(...bare({ created: undefined }))).toMatchObject({
      extra: { "openai-chat": { $form: { absent: ["created"] } } },
    });
    const unknown = read(...bare({ created: 0 }));
    expect(unknown.createdAt).toBeUndefined();
    expect(unknown.extra).toMatchObject({ "openai-chat": { created: 0 } });
  });

  test("an order that only a stream can say comes back, and is not reported", () => {
    const deltas = decodeEvents(dialect, [said({ refusal: "No." }), said({ content: "Yes." }), ended(), "[DONE]"]);
    const encoder = dialect.streamEncoder();
    const again = deltas.flatMap((delta) => encoder.push(delta));
    expect(encoder.losses).toStrictEqual([]);
    expect(read(...again).message.parts.map(brief)).toStrictEqual(["refusal: No.", "text: Yes."]);
  });
});
