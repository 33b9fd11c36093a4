// Properties of assembly with generated delta sequences and responses.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble, AssemblyError, checkDeltas, disassemble } from "../../src/assembly/index.ts";
import type { Rule } from "../../src/assembly/index.ts";
import type { Delta, MessageDelta } from "../../src/model/delta.ts";
import type { Message } from "../../src/model/message.ts";
import { legalAnswer, response } from "../support/arbitrary.ts";
import { stampAll } from "../support/deltas.ts";
import { expectSameJson } from "../support/expect-same-json.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

type Mutation = [sentence: string, rule: Rule, mutate: (deltas: MessageDelta[], pick: number) => unknown[] | undefined];

const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)];
const without = <T>(list: readonly T[], index: number): T[] => list.filter((_, each) => each !== index);
/** Inserts behind a place and counts `seq` anew, so that only the inserted delta is wrong. */
const insert = (list: readonly MessageDelta[], index: number, extra: Delta): unknown[] =>
  [...list.slice(0, index), extra, ...list.slice(index)].map((each, seq) => ({
    runId: "run-1",
    timestamp: "",
    ...each,
    seq,
  }));
/** A place strictly within the answer. */
const within = (list: readonly unknown[], pick: number): number => 1 + (pick % (list.length - 1));
const places = (list: readonly MessageDelta[], kind: string): number[] =>
  list.flatMap((each, i) => (each.kind === kind ? [i] : []));

/** The call that a delta belongs to. */
function callIdAt(list: readonly MessageDelta[], index: number): string {
  const payload = list[index]?.payload;
  return payload !== undefined && "toolCallId" in payload ? payload.toolCallId : "";
}

const MUTATIONS: Mutation[] = [
  ["the start is missing", "start-first", (deltas) => deltas.slice(1)],
  ["the end is missing", "terminal-missing", (deltas) => deltas.slice(0, -1)],
  [
    "a delta follows the end",
    "terminal-last",
    (deltas) => insert(deltas, deltas.length, { kind: "text", payload: { textDelta: "" } }),
  ],
  [
    "the end comes early",
    "terminal-last",
    (deltas, pick) => insert(deltas, within(deltas, pick), { kind: "done", payload: { finishReason: "stop" } }),
  ],
  [
    "a second start",
    "start-once",
    (deltas, pick) => insert(deltas, within(deltas, pick), { kind: "start", payload: { modelId: "", requestId: "" } }),
  ],
  [
    "a repeated seq",
    "seq-increasing",
    (deltas, pick) => deltas.map((each, i) => (i === within(deltas, pick) ? { ...each, seq: i - 1 } : each)),
  ],
  [
    "a delta of another run",
    "same-run",
    (deltas, pick) => deltas.map((each, i) => (i === within(deltas, pick) ? { ...each, runId: "other" } : each)),
  ],
  [
    "an unknown kind",
    "known-kind",
    (deltas, pick) => deltas.map((each, i) => (i === within(deltas, pick) ? { ...each, kind: "x" } : each)),
  ],
  [
    "a payload that is no object",
    "payload",
    (deltas, pick) => deltas.map((each, i) => (i === within(deltas, pick) ? { ...each, payload: null } : each)),
  ],
  [
    "a result within the answer",
    "result-between",
    (deltas, pick) =>
      insert(deltas, within(deltas, pick), {
        kind: "part",
        payload: { role: "tool", value: { type: "tool-result", toolCallId: "c0", toolName: "", isError: false } },
      }),
  ],
  [
    "a result without a call",
    "result-traced",
    (deltas, pick) =>
      insert(deltas, within(deltas, pick), {
        kind: "part",
        payload: { value: { type: "tool-result", toolCallId: "unknown", toolName: "", isError: false } },
      }),
  ],
  [
    "arguments without a call",
    "call-started",
    (deltas, pick) =>
      insert(deltas, within(deltas, pick), {
        kind: "tool_call_args",
        payload: { toolCallId: "unknown", argsTextDelta: "" },
      }),
  ],
  [
    "a call that was never started",
    "call-started",
    (deltas, pick) => {
      const end = at(places(deltas, "tool_call_end"), pick);
      const id = end === undefined ? undefined : callIdAt(deltas, end);
      const start = deltas.findIndex(({ kind, payload }) => kind === "tool_call_start" && payload.toolCallId === id);
      return id === undefined ? undefined : without(deltas, start).filter(({ kind }) => kind !== "seal");
    },
  ],
  [
    "a call started twice",
    "call-unique",
    (deltas, pick) => {
      const start = at(places(deltas, "tool_call_start"), pick);
      const again = start === undefined ? undefined : deltas[start];
      return again === undefined || start === undefined
        ? undefined
        : insert(deltas, start + 1, { kind: again.kind, payload: again.payload } as Delta);
    },
  ],
  [
    "arguments after the end of their call",
    "call-open",
    (deltas, pick) => {
      const end = at(places(deltas, "tool_call_end"), pick);
      if (end === undefined) return undefined;
      const toolCallId = callIdAt(deltas, end);
      return insert(deltas, end + 1, { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: "" } });
    },
  ],
  [
    "a seal on a missing part",
    "part-exists",
    (deltas, pick) =>
      insert(deltas, within(deltas, pick), {
        kind: "seal",
        payload: { partKey: "nowhere", seal: { dialect: "x", kind: "id", value: "" } },
      }),
  ],
];

describe("generated delta sequences", () => {
  test("any valid sequence assembles without violations", () => {
    fc.assert(
      fc.property(legalAnswer, (deltas) => {
        expect(checkDeltas(deltas)).toEqual([]);
        expect(assemble(stampAll(deltas))).toStrictEqual(assemble(deltas));
      }),
    );
  });

  test.each(MUTATIONS)("any valid sequence with one mutation, %s, is rejected with %s", (_, rule, mutate) => {
    let tried = 0;
    fc.assert(
      fc.property(legalAnswer, fc.nat(), (deltas, pick) => {
        const mutant = mutate(stampAll(deltas), pick) as Delta[] | undefined;
        if (mutant === undefined) return;
        tried++;
        let code: string | undefined;
        try {
          assemble(mutant);
        } catch (error) {
          if (error instanceof AssemblyError) ({ code } = error);
        }
        expect(code).toBe(rule);
        expect(checkDeltas(mutant).map((violation) => violation.rule)).toContain(rule);
      }),
    );
    expect(tried).toBeGreaterThan(10);
  });

  test("the text of every kind of part is complete and in order", () => {
    fc.assert(
      fc.property(legalAnswer, (deltas) => {
        const sent = deltas.map(({ kind, payload }) => (kind === "text" ? payload.textDelta : "")).join("");
        const assembled = assemble(deltas)
          .message.parts.map((part) => (part.type === "text" ? part.text : ""))
          .join("");
        expect(assembled).toBe(sent);
      }),
    );
  });
});

describe("generated responses", () => {
  test("assemble(disassemble(r)) equals r", () => {
    fc.assert(
      fc.property(response, (each) => {
        const deltas = disassemble(each);
        expect(checkDeltas(deltas)).toEqual([]);
        expectSameJson(assemble(deltas), each);
      }),
      { numRuns: scaleRunCount(500) },
    );
  });

  test("disassembling does not change the response", () => {
    fc.assert(
      fc.property(response, (each) => {
        const copy = structuredClone(each);
        assemble(disassemble(each));
        expectSameJson(each, copy);
      }),
    );
  });

  test("a failed response disassembles to an error, with the partial answer", () => {
    fc.assert(
      fc.property(response, (each) => {
        const error = { kind: "overloaded", message: "busy", status: 529, retryAfterMs: 5, raw: { a: 1 } } as const;
        const failed = { ...each, finishReason: { unified: "error" as const, raw: "failed" }, error };
        let thrown: unknown;
        try {
          assemble(disassemble(failed));
        } catch (problem) {
          thrown = problem;
        }
        expect(thrown).toBeInstanceOf(AssemblyError);
        const { partial, response: rest } = thrown as AssemblyError;
        expectSameJson(partial?.parts, each.message.parts);
        // Every message of it is marked; otherwise nothing is missing.
        const mark = (message: Message): Message => ({
          ...message,
          metadata: { ...message.metadata, interrupted: true },
        });
        const alternatives = each.alternatives?.map((other) => ({ ...other, message: mark(other.message) }));
        expectSameJson(rest, { ...failed, message: mark(each.message), ...(alternatives && { alternatives }) });
      }),
    );
  });
});
