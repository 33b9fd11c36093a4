// Streams of the run shape: canonical deltas with a stamp.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "../../../src/assembly/assemble.ts";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import { run } from "../../../src/dialects/run/index.ts";
import { formatSse, SseParser } from "../../../src/sse/index.ts";
import type { RunDelta } from "../../../src/dialects/run/index.ts";
import { parseJson, sameJson } from "../../../src/model/json/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Extra, Part } from "../../../src/model/parts.ts";
import { json, legalAnswer, response } from "../../support/arbitrary.ts";
import { answer, call, delta, DONE, START } from "../../support/deltas.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { KoineError } from "../../../src/model/errors.ts";
import { requireError } from "../../support/require-error.ts";

const dialect = run();
const STAMP = { runId: "run-1", timestamp: "2026-03-01T10:00:00.000Z" };

function decodeAll(events: readonly unknown[]): Delta[] {
  const decoder = dialect.streamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

function encodeAll(deltas: readonly Delta[], options = {}): { events: object[]; losses: string[] } {
  const encoder = dialect.streamEncoder(options);
  const events = [...deltas.flatMap((each) => encoder.push(each)), ...encoder.end()];
  return {
    events: events.map(({ data }) => data as object),
    losses: encoder.losses.map(({ code, path }) => `${code} ${path}`),
  };
}

/** Returns the deltas without their stamps. */
function withoutStamps(deltas: readonly Delta[]): Delta[] {
  return deltas.map(
    ({ kind, payload, providerRaw }) => ({ kind, payload, ...(providerRaw !== undefined && { providerRaw }) }) as Delta,
  );
}

describe("streams", () => {
  const stamp = (seq: number) => ({ runId: "run-1", seq, timestamp: STAMP.timestamp });

  test("decoding preserves the stamp, and encoding writes it", () => {
    const wire: RunDelta[] = [
      { ...stamp(0), kind: "start", payload: { modelId: "m", requestId: "r" }, providerRaw: { id: 1 } },
      { ...stamp(7), kind: "done", payload: { finishReason: "stop" } },
    ];
    const read = decodeAll(["[DONE]", { data: "[DONE]" }, { event: "delta", data: wire[0] }, wire[1]]);
    expect(read).toStrictEqual(wire);
    expect(encodeAll(read)).toStrictEqual({ events: wire, losses: [] });
  });

  test("events of the SSE parser are decoded", () => {
    const wire = answer(delta("text", { textDelta: "Hi" })).map((each, seq) => ({ ...stamp(seq), ...each }));
    const bytes = wire.map((data) => formatSse({ data })).join("");
    expect(decodeAll(new SseParser().push(bytes))).toStrictEqual(wire);
    expect(requireError(KoineError, () => decodeAll([{ data: "{oops" }]))).toMatchObject({
      name: "DialectError",
      path: "/data",
    });
  });

  test("the order of a stream can be checked after decoding", () => {
    const events = [
      { ...stamp(5), ...START },
      { ...stamp(3), ...DONE },
    ];
    expect(() => assemble(decodeAll(events))).toThrow(expect.objectContaining({ code: "seq-increasing" }));
    const otherRun = [
      { ...stamp(0), ...START },
      { ...stamp(1), ...DONE, runId: "run-2" },
    ];
    expect(() => assemble(decodeAll(otherRun))).toThrow(expect.objectContaining({ code: "same-run" }));
  });

  test("B73: a stream without an end is truncated; one that ended, failed or never began is not", () => {
    const truncated = {
      kind: "error",
      payload: { errorCode: "truncated", message: expect.any(String), retryable: true },
    };
    expect(decodeAll([START])).toStrictEqual([START, truncated]);
    const failed = [START, delta("error", { errorCode: "server" })];
    for (const whole of [[], answer(), failed]) expect(decodeAll(whole)).toStrictEqual(whole);
  });

  test("B43: an event of an unknown kind becomes an opaque part and is encoded unchanged", () => {
    const event = { ...stamp(1), kind: "heartbeat", payload: [1], note: "x", providerRaw: null };
    const deltas = decodeAll([{ ...stamp(0), ...START }, event, { ...stamp(2), ...DONE }]);
    const value = { kind: "heartbeat", payload: [1], note: "x" };
    expect(deltas[1]).toStrictEqual({
      ...stamp(1),
      kind: "part",
      payload: { value: { type: "opaque", dialect: "run", value } },
      providerRaw: null,
    });
    expect(assemble(deltas).message.parts).toStrictEqual([{ type: "opaque", dialect: "run", value }]);
    expect(encodeAll(deltas, { runId: "run-1", clock: () => STAMP.timestamp }).events[1]).toStrictEqual(event);
  });

  test("unknown fields are on the assembled part and are restored in their position", () => {
    const event = { ...stamp(1), kind: "text", payload: { textDelta: "Hi", mood: "glad", logprobs: null }, beside: 1 };
    const deltas = decodeAll([{ ...stamp(0), ...START }, event, { ...stamp(2), ...DONE }]);
    const { message } = assemble(deltas);
    expect(message.parts).toStrictEqual([
      { type: "text", text: "Hi", extra: { run: { beside: 1, payload: { mood: "glad", logprobs: null } } } },
    ]);
    expect(dialect.encodeMessages([message]).wire).toMatchObject([
      { parts: [{ kind: "text", payload: { text: "Hi", mood: "glad", logprobs: null }, beside: 1 }] },
    ]);
    expect(encodeAll(deltas, { runId: "run-1", clock: () => STAMP.timestamp }).events[1]).toStrictEqual(event);
  });

  const spellings: [sentence: string, fields: string][] = [
    ["null instead of a field", '"payload":{"textDelta":"Hi","partKey":null,"extra":null}'],
    ["a field called $form", '"payload":{"textDelta":"Hi","$form":1},"$form":2'],
    ["a field called __proto__", '"payload":{"textDelta":"Hi","__proto__":1},"__proto__":{}'],
    ["residue of another dialect beside it", '"payload":{"textDelta":"Hi","mood":1,"extra":{"other":{"a":1}}}'],
    ["residue whose key is used", '"payload":{"textDelta":"Hi","extra":{"run":{"kind":1,"a":2}}}'],
    ["a number beyond the precision of a double", '"payload":{"textDelta":"Hi","n":1234567890123456789},"m":1e999'],
    ["an event of an unknown kind with such a number", '"n":1234567890123456789,"kind":"beat"'],
  ];
  test.each(spellings)("%s is restored unchanged", (_, fields) => {
    const event = parseJson(`{"runId":"run-1","seq":0,"timestamp":"${STAMP.timestamp}","kind":"text",${fields}}`);
    const deltas = decodeAll([event]);
    const { events } = encodeAll(deltas, { runId: "run-1", clock: () => STAMP.timestamp });
    expect(sameJson(events, [event])).toBe(true);
    expect(sameJson(decodeAll(events), deltas)).toBe(true);
  });

  test("residue that a proxy adds is merged with existing residue", () => {
    const payload = { textDelta: "Hi", added: 1, extra: { run: { a: 1, payload: { b: 2 } } } };
    const event = { kind: "text", payload, trace: 3 };
    const frozen = structuredClone(event);
    const [read] = decodeAll([event]);
    const residue = { a: 1, trace: 3, payload: { b: 2, added: 1 } };
    expect(read).toStrictEqual({ kind: "text", payload: { textDelta: "Hi", extra: { run: residue } } });
    expect(event).toStrictEqual(frozen);
  });

  test("encoding an opaque event does not change the delta", () => {
    const opaque = delta("part", { value: { type: "opaque", dialect: "run", value: { kind: "heartbeat" } } });
    const before = structuredClone(opaque);
    encodeAll([opaque]);
    expect(opaque).toStrictEqual(before);
  });

  const errors: [sentence: string, event: unknown, path: string, code: string][] = [
    ["a number", 7, "", "wrong-type"],
    ["data that is a text", { data: "Hi" }, "/data", "wrong-type"],
    ["a delta without a kind", {}, "/kind", "missing-field"],
    ["a kind that is a number", { kind: 1 }, "/kind", "wrong-type"],
    ["a seq that is a text", { kind: "text", seq: "1", payload: { textDelta: "" } }, "/seq", "wrong-type"],
    ["a delta without a payload", { data: { kind: "text" } }, "/data/payload", "missing-field"],
    ["a text delta without its text", { kind: "text", payload: {} }, "/payload/textDelta", "missing-field"],
    ["a count that is a text", { kind: "usage", payload: { inputTokens: "1" } }, "/payload/inputTokens", "wrong-type"],
    [
      "residue that is no object",
      { kind: "text", payload: { textDelta: "", extra: { x: 1 } } },
      "/payload/extra/x",
      "wrong-type",
    ],
    ["residue that is a list", { kind: "text", payload: { textDelta: "", extra: [] } }, "/payload/extra", "wrong-type"],
    ["a payload that is null", { kind: "text", payload: null }, "/payload", "wrong-type"],
    ["a wild choice", { kind: "text", payload: { textDelta: "", choice: 1e9 } }, "/payload/choice", "wrong-type"],
  ];
  test.each(errors)("%s is an error with its path, and the decoder continues", (_, event, path, code) => {
    const decoder = dialect.streamDecoder();
    expect(requireError(KoineError, () => decoder.push(event))).toMatchObject({
      name: "DialectError",
      dialect: "run",
      path,
      code,
    });
    expect(requireError(KoineError, () => decoder.push(event))).toMatchObject({ path });
    expect(decoder.push(START)).toStrictEqual([START]);
  });

  test("encoding stamps deltas with the run, a sequence number and the time", () => {
    let now = 0;
    const { events, losses } = encodeAll(answer(), { runId: "mine", clock: () => now++ });
    expect(events).toStrictEqual([
      { runId: "mine", seq: 0, ...START, timestamp: "1970-01-01T00:00:00.000Z" },
      { runId: "mine", seq: 1, ...DONE, timestamp: "1970-01-01T00:00:00.001Z" },
    ]);
    expect(losses).toStrictEqual([]);
  });

  test("without options the stamp has the request id and the time of the answer", () => {
    const start = delta("start", { modelId: "m", requestId: "req", createdAt: STAMP.timestamp });
    const { events, losses } = encodeAll([start, DONE]);
    expect(events).toMatchObject([
      { runId: "req", timestamp: STAMP.timestamp },
      { runId: "req", timestamp: STAMP.timestamp },
    ]);
    expect(losses).toStrictEqual([]);
  });

  test("an unknown run id or time is filled in and reported once", () => {
    const { events, losses } = encodeAll([delta("start", { modelId: "m", requestId: "" }), ...call("c", "{}"), DONE]);
    expect(events[4]).toMatchObject({ runId: "", seq: 4, timestamp: "1970-01-01T00:00:00.000Z" });
    expect(losses).toStrictEqual(["run-id-synthesized /id", "timestamp-synthesized /createdAt"]);
  });

  test("any valid answer round-trips", () => {
    fc.assert(
      fc.property(legalAnswer, (deltas) => {
        expectSameJson(withoutStamps(decodeAll(encodeAll(deltas).events)), deltas);
      }),
    );
  });

  test("any response streams and assembles to the same one, residue of this dialect included (B80)", () => {
    fc.assert(
      fc.property(response, json, json, (whole, a, b) => {
        // The generated values are JSON.
        const extra = { run: { a, payload: { b, textDelta: a, partKey: null }, $form: { c: b }, kind: a } } as Extra;
        const parts = whole.message.parts.map((part): Part => ({ ...part, extra: { ...part.extra, ...extra } }));
        const deltas = disassemble({ ...whole, message: { ...whole.message, parts } });
        const read = decodeAll(encodeAll(deltas).events);
        expectSameJson(withoutStamps(read), deltas);
        expectSameJson(assemble(read), assemble(deltas));
      }),
    );
  });
});
