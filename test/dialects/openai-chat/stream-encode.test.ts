// Tests encoding of chunk streams: the chunks, the answer that OpenAI's SDK assembles, and the losses.
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { describe, expect, test } from "vitest";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import type { WireEvent } from "../../../src/dialects/dialect.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { CONTRACT_VERSION } from "../../../src/model/delta.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { canonicalResponses } from "../../../src/testkit/index.ts";
import {
  assembleAnswers,
  toComparableResponse,
  decodeEvents,
  encodeDeltas,
} from "../../../src/testkit/checks/stream-helpers.ts";
import { dialect as speak } from "../../../src/dialects/registry.ts";
import { plainResponses, variantResponses } from "./response-samples.ts";
import { RARE } from "../all/rare-samples.rows.ts";
import { endChunk, deltaChunk, wholeStreams } from "./stream-samples.ts";

const dialect = openaiChat();
const createdAt = "2023-11-14T22:13:20.000Z";
const head = { id: "x", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
const START: Delta = {
  kind: "start",
  payload: { requestId: "x", modelId: "m", createdAt, contractVersion: CONTRACT_VERSION },
};
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
const USAGE: Delta = { kind: "usage", payload: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } };

function encodeStream(deltas: Delta[], options: object = {}): { events: WireEvent["data"][]; losses: string[] } {
  const encoder = dialect.streamEncoder(options);
  const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()].map(({ data }) => data);
  return { events, losses: encoder.losses.map(({ code, path }) => `${code} ${path}`) };
}
const chunk = (delta: object, finish_reason: string | null = null, index = 0): object => ({
  ...head,
  choices: [{ index, delta, logprobs: null, finish_reason }],
});
const role = chunk({ role: "assistant", content: "", refusal: null });

/** Returns the answer that OpenAI's SDK assembles. */
async function accumulateWithSdk(events: readonly WireEvent[]): Promise<unknown> {
  const lines = events.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.stringify(data));
  const stream = ChatCompletionStream.fromReadableStream(new Blob([`${lines.join("\n")}\n`]).stream());
  return JSON.parse(JSON.stringify(await stream.finalChatCompletion())) as unknown;
}

/** Part types in the order of their fields: chunks have an order of parts, whole answers do not. */
const PART_ORDER = ["reasoning", "text", "refusal", "audio", "image", "tool-call"];
const rank = (part: Part): number =>
  part.type === "opaque"
    ? 1
    : part.type === "image" && part.extra?.["openai-chat"] === undefined
      ? 1
      : PART_ORDER.indexOf(part.type);
function sortParts(response: ModelResponse): ModelResponse {
  const sorted = (message: Message): Message => ({
    ...message,
    parts: message.parts.toSorted((a, b) => rank(a) - rank(b)),
  });
  const { message, alternatives } = toComparableResponse(response);
  return {
    ...toComparableResponse(response),
    message: sorted(message),
    ...(alternatives && {
      alternatives: alternatives.map((each) => Object.assign({ ...each }, { message: sorted(each.message) })),
    }),
  };
}

/**
 * Removes the form of a whole answer: a stream has one form, its own indexes, a null for every empty field, and an
 * order of parts.
 */
const NO_FORM = { absent: undefined, content: undefined, choices: undefined, logprobs: undefined, order: undefined };
const NULLS: ReadonlySet<string> = new Set(["finish_reason", "message", "model", "usage"]);
function withoutForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutForm);
  if (typeof value !== "object" || value === null) return value;
  const residue = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (key === "index" || (each === null && NULLS.has(key))) return [];
    const inner = withoutForm(key === "$form" ? { ...(each as object), ...NO_FORM } : each);
    const isEmpty =
      typeof inner === "object" && inner !== null && Object.values(inner).every((one) => (one ?? null) === null);
    return inner === undefined ||
      (isEmpty && ["$form", "extra", "openai-chat", "choices", "delta", "logprobs"].includes(key))
      ? []
      : [[key, inner]];
  });
  return Object.fromEntries(residue);
}

describe("chunks", () => {
  test("B84: the role comes first, usage only on request, and [DONE] last", () => {
    const deltas: Delta[] = [START, { kind: "text", payload: { textDelta: "Hi." } }, USAGE, DONE];
    const textDeltas = [role, chunk({ content: "Hi." }), chunk({}, "stop")];
    expect(encodeStream(deltas)).toStrictEqual({ events: [...textDeltas, "[DONE]"], losses: [] });
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const withUsage = encodeStream(deltas, { includeUsage: true }).events;
    expect(withUsage).toStrictEqual([...textDeltas, { ...head, choices: [], usage }, "[DONE]"]);
  });

  test("B19: call indexes have no gaps, and the first fragment has id, type and name", () => {
    const call = (toolCallId: string, format?: "text"): Delta => ({
      kind: "tool_call_start",
      payload: { toolCallId, toolName: `tool_${toolCallId}`, partKey: toolCallId, ...(format && { format }) },
    });
    const args = (toolCallId: string, argsTextDelta: string): Delta => ({
      kind: "tool_call_args",
      payload: { toolCallId, argsTextDelta },
    });
    const end = (toolCallId: string): Delta => ({ kind: "tool_call_end", payload: { toolCallId } });
    const deltas = [START, call("a"), call("b", "text"), args("b", "ls"), args("a", "{}"), end("a"), end("b"), DONE];
    expect(encodeStream(deltas).events).toStrictEqual([
      role,
      chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "tool_a", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 1, id: "b", type: "custom", custom: { name: "tool_b", input: "" } }] }),
      chunk({ tool_calls: [{ custom: { input: "ls" }, index: 1 }] }),
      chunk({ tool_calls: [{ function: { arguments: "{}" }, index: 0 }] }),
      chunk({}, "stop"),
      "[DONE]",
    ]);
  });

  test("B86: a failed stream ends with an error, and no [DONE]", () => {
    const error: Delta = { kind: "error", payload: { errorCode: "rate-limit", message: "Too fast." } };
    const wire = {
      error: { message: "Too fast.", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" },
    };
    expect(encodeStream([START, error]).events).toStrictEqual([role, wire]);
    const text: Delta = { kind: "text", payload: { textDelta: "Hi" } };
    expect(encodeStream([START, text, error]).events).toStrictEqual([role, chunk({ content: "Hi" }), wire]);
    expect(encodeStream([START, text]).events.at(-1)).toMatchObject({ error: { type: "server_error" } });
  });

  test("an answer without an id gets one, so that clients read its usage", async () => {
    const start: Delta = { kind: "start", payload: { requestId: "", modelId: "m", createdAt } };
    const { events } = encodeDeltas(dialect, [start, { kind: "text", payload: { textDelta: "Hi" } }, USAGE, DONE]);
    expect(await accumulateWithSdk(events)).toMatchObject({ id: "chatcmpl-koine", usage: { total_tokens: 3 } });
  });

  test("a text after Mistral's thinking is sent as a string", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Why?" }] };
    const deltas = decodeEvents(dialect, [
      deltaChunk({ content: [thinking] }),
      deltaChunk({ content: "So." }),
      endChunk(),
      "[DONE]",
    ]);
    expect(encodeStream(deltas).events.slice(1, 3)).toMatchObject([
      { choices: [{ delta: { content: [thinking] } }] },
      { choices: [{ delta: { content: "So." } }] },
    ]);
  });

  test("B50: a surrogate pair that two deltas share is sent with the second", () => {
    const halves = ["A\uD83C", "\uDFDB", "\uD83C"].map((textDelta): Delta => ({
      kind: "text",
      payload: { textDelta },
    }));
    const contents = encodeStream([START, ...halves, DONE]).events.flatMap(
      (data) => (data as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? [],
    );
    expect(contents).toStrictEqual(["", "A", "\uD83C\uDFDB", "\uD83C"]);
  });

  test("B59: every chunk has one choice", () => {
    const deltas: Delta[] = [
      START,
      { kind: "text", payload: { textDelta: "One", choice: 0 } },
      { kind: "text", payload: { textDelta: "Two", choice: 1 } },
      { kind: "done", payload: { finishReason: "stop", alternatives: [{ finishReason: "length" }] } },
    ];
    expect(encodeStream(deltas).events.slice(-5)).toStrictEqual([
      chunk({ role: "assistant", content: "", refusal: null }, null, 1),
      chunk({ content: "Two" }, null, 1),
      chunk({}, "stop"),
      chunk({}, "length", 1),
      "[DONE]",
    ]);
  });

  test("a second reasoning or refusal in a field is separated as in a whole answer", () => {
    const extra = { "openai-chat": { $form: { in: "reasoning_content" } } };
    const think = (part: number, textDelta: string): Delta => ({
      kind: "thinking",
      payload: { textDelta, partKey: part, extra },
    });
    const { events } = encodeStream([START, think(0, "One"), think(1, "Two"), DONE]);
    expect(events.slice(1, 3)).toStrictEqual([
      chunk({ reasoning_content: "One" }),
      chunk({ reasoning_content: "\n\nTwo" }),
    ]);
  });
});

describe("losses of streams", () => {
  const extra = { "openai-chat": { $form: { in: "reasoning_details" } } };
  const think = (part: number, textDelta: string): Delta => ({
    kind: "thinking",
    payload: { textDelta, partKey: part, extra },
  });
  const signed: Delta = {
    kind: "seal",
    payload: { seal: { dialect: "openai-chat", kind: "signature", value: "s" }, partKey: 0 },
  };
  const rows: [code: string, deltas: Delta[]][] = [
    [
      "part-split /message/parts/0/text",
      [
        { kind: "text", payload: { textDelta: "a", partKey: 0 } },
        { kind: "text", payload: { textDelta: "b", partKey: 1 } },
        { kind: "text", payload: { textDelta: "c", partKey: 0 } },
      ],
    ],
    ["part-split /message/parts/0", [think(0, "a"), think(1, "b"), think(0, "c")]],
    ["late-dropped /message/parts/0", [think(0, "a"), think(1, "b"), signed]],
  ];
  test.each(rows)("%s", (loss, deltas) => {
    expect(encodeStream([START, ...deltas, DONE]).losses).toContain(loss);
  });

  test("reasoning details are sent at once, and a late signature as well", () => {
    const text: Delta = { kind: "text", payload: { textDelta: "Hi", partKey: 1 } };
    const { events, losses } = encodeStream([START, think(0, "a"), think(0, "b"), text, signed, DONE]);
    const detail = (fields: object): object => chunk({ reasoning_details: [{ type: "reasoning.text", ...fields }] });
    expect(events.slice(1, 5)).toStrictEqual([
      detail({ text: "a" }),
      detail({ text: "b" }),
      chunk({ content: "Hi" }),
      detail({ signature: "s" }),
    ]);
    expect(losses).not.toContain("late-dropped /message/parts/0");
  });

  test("stream-result-dropped: a result between two answers is dropped", () => {
    const result: Delta = {
      kind: "part",
      payload: {
        role: "tool",
        value: { type: "tool-result", toolCallId: "a", toolName: "f", isError: false, output: "x" },
      },
    };
    const call: Delta = {
      kind: "part",
      payload: { value: { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } },
    };
    const { events, losses } = encodeStream([
      START,
      call,
      { kind: "done", payload: { finishReason: "tool-calls" } },
      result,
      START,
      DONE,
    ]);
    expect(losses).toStrictEqual(["stream-result-dropped "]);
    expect(events.filter((data) => data === "[DONE]")).toHaveLength(2);
  });
});

describe("B80: a streamed answer equals the whole answer", () => {
  const answers: [name: string, response: ModelResponse][] = [
    ...canonicalResponses().map(({ name, value }): [string, ModelResponse] => [name, value]),
    ...[...plainResponses, ...variantResponses].map(({ name, wire }): [string, ModelResponse] => [
      name,
      dialect.decodeResponse(wire),
    ]),
    ...Object.entries(RARE).flatMap(([id, { responses }]) =>
      responses.map(({ name, wire }): [string, ModelResponse] => [`${id}: ${name}`, speak(id).decodeResponse(wire)]),
    ),
    [
      "text after a call",
      {
        id: "x",
        model: "m",
        createdAt,
        message: assistant([
          { type: "text", text: "A" },
          { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
          { type: "text", text: "B" },
          { type: "refusal", text: "C" },
        ]),
        finishReason: { unified: "tool-calls" },
      },
    ],
  ];
  test.each(answers.filter(([, { error }]) => error === undefined))("%s", async (_, response) => {
    const { events, losses } = encodeDeltas(dialect, disassemble(response));
    const whole = dialect.encodeResponse(response);
    const [streamed] = assembleAnswers(decodeEvents(dialect, events));
    if (streamed === undefined) throw new Error("There is no answer.");
    expect(withoutForm(sortParts(streamed))).toStrictEqual(withoutForm(sortParts(dialect.decodeResponse(whole.wire))));
    expect(losses).toStrictEqual(whole.losses);
  });

  test.each(answers.filter(([, { error }]) => error === undefined))(
    "OpenAI's SDK accepts it: %s",
    async (_, response) => {
      const { events } = encodeDeltas(dialect, disassemble(response));
      const wire = dialect.encodeResponse(response).wire as { choices?: { finish_reason?: unknown }[] | null };
      const isWhole =
        wire.choices?.every(({ finish_reason: wireReason }) => typeof wireReason === "string" && wireReason !== "") ===
        true;
      const accumulated = accumulateWithSdk(events);
      if (!isWhole || wire.choices?.length === 0) return void (await accumulated.catch(() => undefined));
      expect(await accumulated).toMatchObject({ object: "chat.completion" });
    },
  );

  // The SDK overwrites unknown fields (reasoning, content blocks) instead of appending, and needs an index and a type.
  const known = wholeStreams.filter(({ name }) =>
    /^(a text|no \[DONE\]|fields|Azure|a refusal|parallel|a call|audio|Perplexity)/.test(name),
  );
  test.each(known)("OpenAI's SDK and Koine assemble the same answer: $name", async ({ events }) => {
    const [streamed] = assembleAnswers(decodeEvents(dialect, events));
    const sdk = dialect.decodeResponse(await accumulateWithSdk(events.map((data) => ({ data: data as object }))));
    if (streamed === undefined) throw new Error("There is no answer.");
    const bare = ({ message, finishReason, id, model }: ModelResponse): unknown => ({
      id,
      model,
      finishReason,
      parts: message.parts.map((part) => Object.assign({ ...part }, { extra: undefined, annotations: undefined })),
    });
    expect(bare(streamed)).toStrictEqual(bare(sdk));
    expect(known.length).toBeGreaterThan(8);
  });
});
