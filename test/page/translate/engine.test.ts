// Tests the translation engine and its translator: every request gets a response, and obsolete jobs are cancelled.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TranslationEngine } from "../../../ui/translate/engine/translation-engine.ts";
import { Translator } from "../../../ui/translate/translator.ts";
import type { EngineResponse, EngineRequest, EngineClient, ReadResult } from "../../../ui/translate/types.ts";

const options = { origin: "http://127.0.0.1:4141", model: "demo/koine", token: false };
const createRequest = (text: string): string => `{"model":"gpt-5","messages":[{"role":"user","content":"${text}"}]}`;

describe("the translation engine", () => {
  test("responds to a fault with a failure, for any request", () => {
    const desk = new TranslationEngine();
    // A source that throws a foreign error when it is read.
    const broken = { content: { length: 3 } as unknown as string };
    expect(desk.handle({ type: "read", turn: 1, source: broken })).toMatchObject({ type: "unread", turn: 1 });
    desk.handle({ type: "read", turn: 2, source: { content: createRequest("Hi") } });
    expect(desk.handle({ type: "code", turn: 2, options, source: broken })).toMatchObject({
      type: "code",
      turn: 2,
      codes: [],
      failure: expect.any(String) as string,
    });
    const unknown = { dialect: "klingon" as "flat" };
    expect(desk.handle({ type: "encode", turn: 2, target: unknown })).toMatchObject({
      column: { target: unknown, failure: expect.any(String) as string },
    });
  });

  test("generates code for the whole conversation if a part is shown", () => {
    const desk = new TranslationEngine();
    const shown = '[{"role":"user","parts":[{"type":"text","text":"the end"}]}]';
    const whole = `[{"role":"user","parts":[{"type":"text","text":"the beginning"}]},${shown.slice(1)}`;
    const own = { from: "koine", kind: "messages" } as const;
    desk.handle({ type: "read", turn: 1, source: { content: shown, ...own } });
    const answered = desk.handle({ type: "code", turn: 1, options, source: { content: whole, ...own } });
    if (answered?.type !== "code") throw new Error("Expected a code answer.");
    expect(answered.codes).toHaveLength(6);
    for (const { text } of answered.codes) expect(text).toMatch(/the beginning[^]*the end/);
  });

  test("ignores requests for an earlier source", () => {
    const desk = new TranslationEngine();
    desk.handle({ type: "read", turn: 2, source: { content: createRequest("Hi") } });
    expect(desk.handle({ type: "encode", turn: 1, target: { dialect: "flat" } })).toBeUndefined();
  });
});

/** Engines whose responses the test sends. */
class TestEngines {
  readonly started: { requests: EngineRequest[]; closed: boolean; respond: (response: EngineResponse) => void }[] = [];

  readonly start = (respond: (response: EngineResponse) => void): EngineClient => {
    const engine = { requests: [] as EngineRequest[], closed: false, respond };
    this.started.push(engine);
    return { send: (request) => void engine.requests.push(request), close: () => void (engine.closed = true) };
  };

  get last() {
    const engine = this.started.at(-1);
    if (engine === undefined) throw new Error("An engine was started.");
    return engine;
  }
}

describe("the translator", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  // The translator does not use the document.
  const reading = {
    from: "openai-chat",
    kind: "request",
    alternatives: [],
    remarks: [],
    model: "m",
  } as unknown as ReadResult;

  test("replaces the worker if a long job delays a new source", () => {
    const engines = new TestEngines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "1");
    engines.last.respond({ type: "begun", turn: 1 });
    translator.setSource({ content: "two" }, "2");
    expect(engines.started).toHaveLength(1);
    vi.runAllTimers();
    expect(engines.started.map(({ closed }) => closed)).toStrictEqual([true, false]);
    expect(engines.last.requests).toStrictEqual([{ type: "read", turn: 2, source: { content: "two" } }]);
  });

  test("keeps a worker that starts with the new source in time", () => {
    const engines = new TestEngines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "1");
    engines.last.respond({ type: "begun", turn: 1 });
    translator.setSource({ content: "two" }, "2");
    engines.last.respond({ type: "begun", turn: 2 });
    vi.runAllTimers();
    expect(engines.started).toHaveLength(1);
    // No response is pending after all have arrived.
    engines.last.respond({ type: "read", turn: 2, reading });
    translator.setSource({ content: "three" }, "3");
    vi.runAllTimers();
    expect(engines.started).toHaveLength(1);
  });

  test("removes results of another source, and keeps those of the same name", () => {
    const engines = new TestEngines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "thread");
    engines.last.respond({ type: "read", turn: 1, reading });
    translator.setSource({ content: "one, and more" }, "thread");
    expect(translator.getSnapshot()).toMatchObject({ status: "reading", reading });
    translator.setSource({ content: "two" }, "another");
    expect(translator.getSnapshot()).toMatchObject({ status: "reading", reading: undefined });
  });

  test("reports why no code could be generated", () => {
    const engines = new TestEngines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" });
    translator.requestCode(options);
    expect(translator.getSnapshot().codes).toBeUndefined();
    engines.last.respond({ type: "code", turn: 1, codes: [], failure: "It is too deep." });
    expect(translator.getSnapshot()).toMatchObject({ codes: [], codeFailure: "It is too deep." });
  });
});
