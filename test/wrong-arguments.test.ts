// Callers without type checks can pass any value to the functions of the root import. Each call returns a value or throws
// a KoineError with a code; a raw TypeError of the engine never reaches the caller.
import { describe, expect, test } from "vitest";
import * as koine from "koine";

const WRONG_VALUES: unknown[] = [
  undefined,
  null,
  0,
  Number.NaN,
  "text",
  "",
  true,
  [],
  [null],
  {},
  () => 1,
  Symbol("s"),
  10n,
];

/** Values that are partly right: the outer type fits, an inner one does not. */
const PARTLY_RIGHT: unknown[] = [
  { messages: null },
  { messages: [null] },
  { messages: [{ role: "user", parts: [null] }] },
  { message: { role: "assistant" } },
  { message: { role: "assistant", parts: null } },
  { kind: "text" },
  { kind: "text", payload: null },
  { kind: "start", payload: {} },
  { type: "text" },
  { parts: null },
  { data: 10n },
  { messages: [], tools: [null] },
  { messages: [], tools: 1, sampling: null, output: null, toolChoice: null, reasoning: null, extra: null },
  { messages: [{ role: "alien", parts: [{ type: "text" }, { type: "tool-call" }, { type: "image" }] }] },
  { messages: [{ role: "user", parts: [{ type: "text", text: "" }], extra: null, metadata: null }] },
  { message: { role: "assistant", parts: [] } },
  { message: { role: "assistant", parts: [] }, finishReason: null, alternatives: [null], usage: null, extra: 1 },
];

type AnyFunction = (...args: unknown[]) => unknown;
const untyped = (fn: unknown): AnyFunction => fn as AnyFunction;

/** Functions that callers give their own functions or generators to, tested below with fitting ones. */
const CLASSES = Object.entries(koine).filter(([name]) => /^[A-Z][a-z]/.test(name));
const FUNCTIONS = Object.entries(koine).filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name));

function expectNoRawError(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    expect(error, error instanceof Error ? error.stack : String(error)).toBeInstanceOf(koine.KoineError);
  }
}

test("the root import has functions to call", () => {
  expect(FUNCTIONS.length).toBeGreaterThan(40);
  expect(CLASSES.length).toBeGreaterThan(0);
});

describe("a function of the root import", () => {
  test.each(FUNCTIONS)("%s", (_, fn) => {
    for (const first of [...WRONG_VALUES, ...PARTLY_RIGHT]) {
      for (const second of [undefined, null, 0, "anthropic", {}]) expectNoRawError(() => untyped(fn)(first, second));
    }
  });
});

describe.each(koine.dialects)("a method of %s", (id) => {
  const dialect = koine.dialect(id);
  const methods = Object.entries(dialect).filter(([, value]) => typeof value === "function");

  test.each(methods)("%s", (name, fn) => {
    for (const first of [...WRONG_VALUES, ...PARTLY_RIGHT]) expectNoRawError(() => untyped(fn)(first));
    if (name !== "streamEncoder" && name !== "streamDecoder") return;
    for (const pushed of [...WRONG_VALUES, ...PARTLY_RIGHT]) {
      expectNoRawError(() => {
        const coder = untyped(fn)() as { push: AnyFunction; end: AnyFunction };
        coder.push(pushed);
        coder.end();
      });
    }
  });
});

describe("an object of the root import", () => {
  const objects: [string, () => Record<string, AnyFunction>][] = [
    ["Assembler", () => new koine.Assembler() as never],
    ["RunAssembler", () => new koine.RunAssembler() as never],
    ["SseParser", () => new koine.SseParser() as never],
    ["a transcoder", () => koine.transcode("anthropic", "openai-chat") as never],
  ];
  test.each(objects)("%s.push", (_, create) => {
    for (const pushed of [...WRONG_VALUES, ...PARTLY_RIGHT]) expectNoRawError(() => create()["push"]?.(pushed));
  });
});
