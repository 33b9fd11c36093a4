// What the next call sees: instructions stay, pairs stay together, interrupted turns are left out.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  assistant,
  developer,
  system,
  text,
  toolCall,
  toolResult,
  user,
  type Message,
  type StoredMessage,
} from "../../src/index.ts";
import type { ContextOptions, Ledger } from "../../src/ledger/index.ts";
import { type OpenLedger, STORES } from "./support/stores.ts";

/** Messages by short names: s, d, u, a as they are; c1 calls, r1 answers that call, a! is interrupted, c1! is both. */
function message(name: string): Message {
  const [, kind = "", id = "", mark] = /^([sduacr])(\d*)(!?)$/.exec(name) ?? [];
  const call = toolCall(`call-${id}`, "tool", {});
  const makers: Record<string, () => Message> = {
    s: () => system(name),
    d: () => developer(name),
    u: () => user(name),
    a: () => assistant(name),
    c: () => assistant([text(name), call]),
    r: () => toolResult(call, name),
  };
  const made = makers[kind]?.();
  if (made === undefined) throw new Error(`There is no message called ${name}.`);
  return mark === "!" ? { ...made, metadata: { interrupted: true } } : made;
}

function nameOf({ parts }: Message): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : part.type === "tool-result" ? part.output : ""))
    .join("");
}

const cuts: [path: string, maxMessages: number | undefined, context: string][] = [
  ["s u a u a", undefined, "s u a u a"],
  ["s u a u a", 5, "s u a u a"],
  ["s u a u a", 4, "s u a"],
  ["s u a u a", 3, "s u a"],
  ["s d u a u a", 4, "s d u a"],
  ["u a u a", 3, "u a"],
  ["u a u a u", 3, "u a u"],
  ["u a u a u", 1, "u"],
  // A user message in the middle is no instruction, and one that comes later does not lead.
  ["u a s u a", 3, "u a"],
  ["u a s u a", 2, "u a"],
  // Where no user message fits, the cut is made where no result loses its call.
  ["s u c1 r1 c2 r2 c3 r3", 5, "s c2 r2 c3 r3"],
  ["s u c1 r1 c2 r2 c3 r3", 6, "s c2 r2 c3 r3"],
  ["s u c1 r1 c2 r2 c3 r3", 4, "s c3 r3"],
  ["s u c1 r1 c2 r2 a", 3, "s a"],
  ["u c1 r1", 2, "c1 r1"],
  // A user message between a call and its result is no place to cut.
  ["u c1 u r1 a", 3, "a"],
  ["u c1 u r1 a u a", 4, "u a"],
  // A question after a long round of tools is not worth the round.
  ["u c1 r1 c2 r2 c3 r3 u", 6, "c2 r2 c3 r3 u"],
  // Nothing that fits is whole: the instructions are all there is.
  ["s u c1 r1", 2, "s"],
  ["u c1 r1", 1, ""],
  ["s d u a", 2, "s d"],
  ["s d u a", 1, "s d"],
  ["s d s", 2, "s d s"],
  // The same id called twice: each result belongs to the call before it.
  ["u c1 r1 u c1 r1", 3, "u c1 r1"],
  ["u c1 r1 c1 r1", 3, "c1 r1"],
  // A result whose call is nowhere cannot be kept whole.
  ["u a r9 u a", 4, "u a"],
];

const interruptions: [path: string, options: ContextOptions, context: string][] = [
  ["u a! u a", {}, "u u a"],
  ["u a! u a", { interrupted: true }, "u a! u a"],
  ["u c1! r1 a u", {}, "u a u"],
  ["u c1! r1 a u", { interrupted: true }, "u c1! r1 a u"],
  ["u c1! r1 c1 r1", {}, "u c1 r1"],
  ["s u a u a! u", { maxMessages: 4 }, "s u u"],
  ["s u a u a! u", { maxMessages: 5 }, "s u a u u"],
  ["s u a! a! a! a! u", { maxMessages: 3 }, "s u u"],
];

describe.each(STORES)("$name", (storage) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await storage.open();
    ledger = opened.ledger;
  });
  beforeEach(async () => {
    threadId = (await ledger.createThread()).id;
  });
  afterAll(() => opened.close());

  const append = (path: string): Promise<StoredMessage[]> => ledger.append(threadId, path.split(" ").map(message));
  const context = async (options?: ContextOptions): Promise<string> =>
    (await ledger.context(threadId, options)).map(nameOf).join(" ");

  test.each(cuts)("B99: %s, at most %s: %s", async (path, maxMessages, expected) => {
    const stored = await append(path);
    expect(await context(maxMessages === undefined ? {} : { maxMessages })).toBe(expected);
    expect(await ledger.transcript(threadId)).toStrictEqual(stored);
  });

  test.each(interruptions)("B90: %s with %o: %s", async (path, options, expected) => {
    const stored = await append(path);
    expect(await context(options)).toBe(expected);
    expect(await ledger.transcript(threadId)).toStrictEqual(stored);
  });

  test("B90: of a tool message, only the results of calls that were left out go", async () => {
    const [first, second] = [toolCall("c1", "t", {}), toolCall("c2", "t", {})];
    const results = {
      role: "tool",
      parts: [...toolResult(first, "1").parts, ...toolResult(second, "2").parts],
    } as const;
    const broken = { ...assistant([first]), metadata: { interrupted: true } };
    const stored = await ledger.append(threadId, [
      user("u"),
      broken,
      assistant([second]),
      { ...results, parts: [...results.parts] },
    ]);
    const seen = await ledger.context(threadId);
    expect(seen).toStrictEqual([stored[0], stored[2], { ...stored[3], parts: toolResult(second, "2").parts }]);
  });

  test("B99: instructions that lie far above the end are found", async () => {
    await append(`s d ${Array.from({ length: 300 }, () => "u a").join(" ")}`);
    expect(await context({ maxMessages: 6 })).toBe("s d u a u a");
  });

  test("the context of a branch, of an empty thread and of none", async () => {
    expect(await context()).toBe("");
    const [, u] = await append("s u a u a");
    expect(await context({ branch: u?.id ?? "" })).toBe("s u");
    await expect(ledger.context(threadId, { branch: "nonsense" })).rejects.toMatchObject({ code: "unknown-message" });
    await expect(ledger.context("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(ledger.context(threadId, { maxMessages: 0 })).rejects.toMatchObject({
      code: "invalid-input",
      path: "maxMessages",
    });
  });
});
