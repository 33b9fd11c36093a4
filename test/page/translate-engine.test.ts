// The engine and who asks it: every question has an answer, and nobody waits for a job that nobody wants.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Desk } from "../../ui/translate/engine/desk.ts";
import { Translator } from "../../ui/translate/translator.ts";
import type { Answered, Asked, Engine, Reading } from "../../ui/translate/types.ts";

const wish = { origin: "http://127.0.0.1:4141", model: "demo/koine", token: false };
const asking = (text: string): string => `{"model":"gpt-5","messages":[{"role":"user","content":"${text}"}]}`;

describe("the desk", () => {
  test("answers a fault with a failure, whatever was asked", () => {
    const desk = new Desk();
    // Nothing that the page would send: reading it throws something that is no error of Koine's.
    const broken = { content: { length: 3 } as unknown as string };
    expect(desk.answer({ type: "read", turn: 1, source: broken })).toMatchObject({ type: "unread", turn: 1 });
    desk.answer({ type: "read", turn: 2, source: { content: asking("Hi") } });
    expect(desk.answer({ type: "code", turn: 2, wish, source: broken })).toMatchObject({
      type: "code",
      turn: 2,
      codes: [],
      failure: expect.any(String) as string,
    });
    const unknown = { dialect: "klingon" as "flat" };
    expect(desk.answer({ type: "encode", turn: 2, target: unknown })).toMatchObject({
      column: { target: unknown, failure: expect.any(String) as string },
    });
  });

  test("writes code of the whole where a part is shown", () => {
    const desk = new Desk();
    const shown = '[{"role":"user","parts":[{"type":"text","text":"the end"}]}]';
    const whole = `[{"role":"user","parts":[{"type":"text","text":"the beginning"}]},${shown.slice(1)}`;
    const own = { from: "koine", kind: "messages" } as const;
    desk.answer({ type: "read", turn: 1, source: { content: shown, ...own } });
    const answered = desk.answer({ type: "code", turn: 1, wish, source: { content: whole, ...own } });
    if (answered?.type !== "code") throw new Error("Code was asked for.");
    expect(answered.codes).toHaveLength(6);
    for (const { text } of answered.codes) expect(text).toMatch(/the beginning[^]*the end/);
  });

  test("says nothing to who asks about an earlier source", () => {
    const desk = new Desk();
    desk.answer({ type: "read", turn: 2, source: { content: asking("Hi") } });
    expect(desk.answer({ type: "encode", turn: 1, target: { dialect: "flat" } })).toBeUndefined();
  });
});

/** Engines that answer when the test says so. */
class Engines {
  readonly started: { asked: Asked[]; closed: boolean; say: (answered: Answered) => void }[] = [];

  readonly start = (say: (answered: Answered) => void): Engine => {
    const engine = { asked: [] as Asked[], closed: false, say };
    this.started.push(engine);
    return { ask: (asked) => void engine.asked.push(asked), close: () => void (engine.closed = true) };
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
  // Its document is nothing to the translator.
  const reading = { from: "openai-chat", kind: "request", maybe: [], remarks: [], model: "m" } as unknown as Reading;

  test("ends a long job when something else is to be read, and begins anew", () => {
    const engines = new Engines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "1");
    engines.last.say({ type: "begun", turn: 1 });
    translator.setSource({ content: "two" }, "2");
    expect(engines.started).toHaveLength(1);
    vi.runAllTimers();
    expect(engines.started.map(({ closed }) => closed)).toStrictEqual([true, false]);
    expect(engines.last.asked).toStrictEqual([{ type: "read", turn: 2, source: { content: "two" } }]);
  });

  test("leaves an engine alone that takes up the new source in time", () => {
    const engines = new Engines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "1");
    engines.last.say({ type: "begun", turn: 1 });
    translator.setSource({ content: "two" }, "2");
    engines.last.say({ type: "begun", turn: 2 });
    vi.runAllTimers();
    expect(engines.started).toHaveLength(1);
    // Nor is anything owed once everything was answered.
    engines.last.say({ type: "read", turn: 2, reading });
    translator.setSource({ content: "three" }, "3");
    vi.runAllTimers();
    expect(engines.started).toHaveLength(1);
  });

  test("shows nothing under another name, and keeps what has the same", () => {
    const engines = new Engines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" }, "thread");
    engines.last.say({ type: "read", turn: 1, reading });
    translator.setSource({ content: "one, and more" }, "thread");
    expect(translator.getSnapshot()).toMatchObject({ status: "reading", reading });
    translator.setSource({ content: "two" }, "another");
    expect(translator.getSnapshot()).toMatchObject({ status: "reading", reading: undefined });
  });

  test("tells why there is no code", () => {
    const engines = new Engines();
    const translator = new Translator(engines.start);
    translator.setSource({ content: "one" });
    translator.askForCode(wish);
    expect(translator.getSnapshot().codes).toBeUndefined();
    engines.last.say({ type: "code", turn: 1, codes: [], failure: "It is too deep." });
    expect(translator.getSnapshot()).toMatchObject({ codes: [], codeFailure: "It is too deep." });
  });
});
