// The flat shape: conformance, samples, provider data and invalid data.
import { describe, expect, test } from "vitest";
import type { DialectError } from "../../../src/dialects/errors.ts";
import { flat } from "../../../src/dialects/flat/index.ts";
import { messageConformance } from "../../../src/testkit/index.ts";
import { sameJson } from "../../../src/model/json/index.ts";
import { user } from "../../../src/model/message.ts";
import type { Message } from "../../../src/model/message.ts";
import { oddSamples, plainSamples, samples } from "./samples.rows.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = flat();

for (const { title, run } of messageConformance(dialect, { samples, mutants: scaleRunCount(400) })) test(title, run);

const decode = (...wire: unknown[]): Message[] => dialect.decodeMessages(wire);

test.each(plainSamples)("$name decodes without residue", ({ wire }) => {
  expect(JSON.stringify(dialect.decodeMessages(wire))).not.toContain('"extra"');
});

test.each([...plainSamples, ...oddSamples])("$name round-trips without a loss", ({ wire }) => {
  expect(dialect.encodeMessages(dialect.decodeMessages(wire)).losses).toStrictEqual([]);
});

test("a fragment with the list under `messages` is decoded, too", () => {
  expect(dialect.decodeMessages({ messages: [{ role: "user", content: "x" }] })).toStrictEqual([user("x")]);
});

describe("provider data", () => {
  test("`claude` becomes the dialect anthropic, other keys keep their names", () => {
    const [message] = decode({
      role: "user",
      content: "x",
      extra: { claude: { a: 1 }, gemini: { b: 2 }, openai: { c: 3 } },
    });
    expect(message?.extra).toStrictEqual({ anthropic: { a: 1 }, gemini: { b: 2 }, openai: { c: 3 } });
  });

  test("residue of another dialect on a message is encoded", () => {
    const message: Message = { ...user("x"), extra: { anthropic: { stop_details: { a: 1 } }, gemini: { index: 0 } } };
    expect(dialect.encodeMessages([message])).toStrictEqual({
      wire: [{ role: "user", content: "x", extra: { claude: { stop_details: { a: 1 } }, gemini: { index: 0 } } }],
      losses: [],
    });
  });

  test("a key `anthropic` is not decoded as Claude's, and round-trips unchanged", () => {
    const wire = [{ role: "user", content: "x", extra: { claude: { a: 1 }, anthropic: { b: 2 } } }];
    const messages = dialect.decodeMessages(wire);
    expect(messages[0]?.extra).toStrictEqual({ anthropic: { a: 1 }, claude: { b: 2 } });
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("B79: a key named __proto__ is data", () => {
    const wire = JSON.parse('[{"role":"user","content":"x","extra":{"__proto__":{"a":1}}}]') as unknown[];
    expect(JSON.stringify(dialect.encodeMessages(dialect.decodeMessages(wire)).wire)).toBe(JSON.stringify(wire));
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

test.each<[string, unknown, string]>([
  ["a message that is a text", ["x"], "/0"],
  ["no role", [{ content: "x" }], "/0/role"],
  ["a role that is a number", [{ role: 1, content: "x" }], "/0/role"],
  ["content that is a number", [{ role: "user", content: 1 }], "/0/content"],
  ["a part that is a text", { messages: [{ role: "user", content: ["x"] }] }, "/messages/0/content/0"],
  ["reasoning that is an object", [{ role: "assistant", content: "", reasoning: {} }], "/0/reasoning"],
  ["calls that are an object", [{ role: "assistant", content: "", tool_calls: {} }], "/0/tool_calls"],
  ["a call that is a text", [{ role: "assistant", content: "", tool_calls: ["x"] }], "/0/tool_calls/0"],
  ["an id that is a number", [{ role: "user", content: "", id: 1 }], "/0/id"],
  ["a result's part that is a text", [{ role: "tool", content: ["x"] }], "/0/content/0"],
  ["a result that is a number", [{ role: "tool", content: 1 }], "/0/content"],
])("%s is rejected with its path", (_, wire, path) => {
  expect(() => dialect.decodeMessages(wire)).toThrow(
    expect.objectContaining({ path, dialect: "flat" }) as DialectError,
  );
});

test("many calls without ids are paired in linear time", () => {
  // With a quadratic cost, this would take minutes and exceed the time limit.
  const many = Array.from({ length: 40_000 }, (_, index) => `f${index}`);
  const calls = many.map((name) => ({ name, arguments: "{}" }));
  const results = many.toReversed().map((name) => ({ role: "tool", name, content: "x" }));
  const wire = [{ role: "assistant", content: "", tool_calls: calls }, ...results];
  const { wire: again } = dialect.encodeMessages(dialect.decodeMessages(wire));
  expect(sameJson(again, wire)).toBe(true);
});
