// Properties of the flat shape on generated messages.
import fc from "fast-check";
import { expect, test } from "vitest";
import { flat } from "../../../src/dialects/flat/index.ts";
import { sameJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { user } from "../../../src/model/message.ts";
import { validate } from "../../../src/model/validation/validate.ts";
import { deepFreeze } from "../../../src/testkit/json/json-nodes.ts";
import { response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { flatWire } from "./generated-messages.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = flat();
/** The only losses of decoded flat data: signatures that fit no part. */
const STALE = new Set(["thinking-blocks-stale", "thought-signatures-stale"]);

test("any conversation round-trips to equal JSON, unless signatures were already stale", () => {
  fc.assert(
    fc.property(flatWire, (wire) => {
      const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(deepFreeze(wire)));
      expect(losses.filter(({ code }) => !STALE.has(code))).toStrictEqual([]);
      if (losses.length === 0) expectSameJson(again, wire);
    }),
    { numRuns: scaleRunCount(1000) },
  );
});

test("decoding and encoding the encoded messages again is stable", () => {
  fc.assert(
    fc.property(flatWire, (wire) => {
      const once = dialect.encodeMessages(dialect.decodeMessages(wire)).wire;
      const { wire: twice, losses } = dialect.encodeMessages(dialect.decodeMessages(once));
      expectSameJson(twice, once);
      expect(losses).toStrictEqual([]);
    }),
    { numRuns: scaleRunCount(500) },
  );
});

test("decoded messages have the model's shape", () => {
  fc.assert(
    fc.property(flatWire, (wire) => {
      const issues = dialect.decodeMessages(wire).flatMap((message) => validate(message));
      expect(issues.filter(({ code }) => ["wrong-type", "missing-field", "not-json"].includes(code))).toStrictEqual([]);
    }),
    { numRuns: scaleRunCount(500) },
  );
});

test("B44: appending a message changes nothing before it", () => {
  fc.assert(
    fc.property(flatWire, (wire) => {
      const messages = dialect.decodeMessages(wire);
      const before = dialect.encodeMessages(messages).wire as unknown[];
      const after = dialect.encodeMessages([...messages, user("And then?")]).wire as unknown[];
      expect(JSON.stringify(after.slice(0, -1))).toBe(JSON.stringify(before));
    }),
    { numRuns: scaleRunCount(300) },
  );
});

test("edited messages are encoded without an error and decode to the same messages", () => {
  const edit = fc.record({
    message: fc.nat(),
    part: fc.nat(),
    kind: fc.constantFrom("role", "join", "reverse", "unseal", "text", "drop"),
  });
  fc.assert(
    fc.property(flatWire, fc.array(edit, { maxLength: 4 }), (wire, edits) => {
      const messages = edits.reduce(applyEdit, dialect.decodeMessages(wire));
      const once = dialect.encodeMessages(messages).wire;
      expect(sameJson(dialect.encodeMessages(dialect.decodeMessages(once)).wire, once)).toBe(true);
    }),
    { numRuns: scaleRunCount(500) },
  );
});

function applyEdit(messages: Message[], edit: { message: number; part: number; kind: string }): Message[] {
  const target = messages[edit.message % Math.max(1, messages.length)];
  if (target === undefined) return messages;
  const { parts } = target;
  const at = edit.part % Math.max(1, parts.length);
  const changes: Record<string, () => Partial<Message>> = {
    role: () => ({ role: (["tool", "user", "assistant"] as const)[edit.part % 3] ?? "user" }),
    join: () => ({ parts: messages.flatMap((each) => each.parts) }),
    reverse: () => ({ parts: parts.toReversed() }),
    unseal: () => ({ parts: parts.map((part) => ({ ...part, seals: [] })) }),
    text: () => ({
      parts: parts.map((part, index) => (index === at && "text" in part ? { ...part, text: "edited" } : part)),
    }),
    drop: () => ({ parts: parts.filter((_, index) => index !== at) }),
  };
  return messages.map((each) => (each === target ? { ...each, ...changes[edit.kind]?.() } : each));
}

test("any canonical answer is encoded without an error, deterministically", () => {
  fc.assert(
    fc.property(response, ({ message }) => {
      const first = dialect.encodeMessages([message]);
      expectSameJson(dialect.encodeMessages(structuredClone([message])), first);
      const again = dialect.encodeMessages(dialect.decodeMessages(first.wire));
      expectSameJson(again.wire, first.wire);
    }),
    { numRuns: scaleRunCount(500) },
  );
});
