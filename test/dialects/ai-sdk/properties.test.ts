// Property tests of AI SDK messages: the parts of all samples in any order, with unknown fields; and generated
// canonical messages.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Dialect, Message } from "../../../src/index.ts";
import { user, validate } from "../../../src/index.ts";
import { sampledLosses } from "../../../src/testkit/index.ts";
import { deepFreeze } from "../../../src/testkit/json/json-nodes.ts";
import { json, response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { samples as modelSamples } from "./model-message-samples.ts";
import { samples as uiSamples } from "./ui-message-samples.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

interface DialectCase {
  name: string;
  dialect: Dialect;
  wire: fc.Arbitrary<object[]>;
}

/** Generates messages with the parts of the samples. */
function generateMessages(samples: readonly { wire: unknown }[], field: "content" | "parts"): fc.Arbitrary<object[]> {
  const messages = samples.flatMap(({ wire }) => wire as Record<string, unknown>[]);
  const parts = messages.flatMap((message) => (Array.isArray(message[field]) ? (message[field] as object[]) : []));
  const key = fc.constantFrom("providerOptions", "providerMetadata", "state", "toolCallId", "input", "output", "extra");
  const odd = fc.record({ part: fc.constantFrom(...parts), key, value: json });
  const part = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...parts) },
    { weight: 1, arbitrary: odd.map((row) => ({ ...row.part, [row.key]: row.value })) },
  );
  const message = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    role: fc.constantFrom("system", "user", "assistant", "assistant", "assistant", "tool"),
    [field]: fc.array(part, { maxLength: 6 }),
  });
  return fc.array(message, { maxLength: 5 });
}

const DIALECT_CASES: DialectCase[] = [
  { name: "UI messages", dialect: aiSdkUi(), wire: generateMessages(uiSamples, "parts") },
  { name: "model messages", dialect: aiSdkModel(), wire: generateMessages(modelSamples, "content") },
];

describe.each(DIALECT_CASES)("$name", ({ dialect, wire: anyWire }) => {
  test("any conversation round-trips to equal JSON, without a loss of content", () => {
    fc.assert(
      fc.property(anyWire, (wire) => {
        const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(deepFreeze(wire)));
        expectSameJson(again, wire);
        expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
      }),
      { numRuns: scaleRunCount(1000) },
    );
  });

  test("decoded messages are valid canonical messages", () => {
    fc.assert(
      fc.property(anyWire, (wire) => {
        const issues = dialect.decodeMessages(wire).flatMap((message) => validate(message));
        const wrong = issues.filter(({ code }) => ["wrong-type", "missing-field", "not-json"].includes(code));
        expect(wrong).toStrictEqual([]);
      }),
      { numRuns: scaleRunCount(300) },
    );
  });

  test("B44: appending a message changes nothing before it", () => {
    fc.assert(
      fc.property(anyWire, (wire) => {
        const messages = dialect.decodeMessages(wire);
        const before = dialect.encodeMessages(messages).wire as unknown[];
        const after = dialect.encodeMessages([...messages, user("And then?")]).wire as unknown[];
        expect(JSON.stringify(after.slice(0, -1))).toBe(JSON.stringify(before));
      }),
      { numRuns: scaleRunCount(300) },
    );
  });

  test("B58: every loss of a canonical message is reported", () => {
    fc.assert(
      fc.property(response, ({ message }) => {
        const messages: Message[] = [message, user("Go on.")];
        expect(sampledLosses(messages, (list) => dialect.encodeMessages(list))).toStrictEqual([]);
      }),
      { numRuns: scaleRunCount(150) },
    );
  });

  test("encoding is stable: decoding and encoding again changes nothing", () => {
    fc.assert(
      fc.property(response, ({ message }) => {
        const once = dialect.encodeMessages([message]).wire;
        expectSameJson(dialect.encodeMessages(dialect.decodeMessages(once)).wire, once);
      }),
      { numRuns: scaleRunCount(300) },
    );
  });
});
