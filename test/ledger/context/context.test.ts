// Tests the context of the next call: instructions stay, pairs stay together, interrupted turns are removed.
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
  type ToolCallPart,
} from "../../../src/index.ts";
import type { AppendOptions, ContextOptions, Ledger } from "../../../src/ledger/index.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import type { LedgerReads } from "../../../src/ledger/store/contract.ts";
import { type OpenLedger, STORES, createView } from "../support/stores.ts";

/** Messages by short names: s, d, u, a for the roles; c1 is a call, r1 its result, a! is interrupted, c1! is both. */
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

/** Messages by names separated by spaces; "(u a)*9" repeats the names in parentheses nine times. */
function messagesOf(path: string): Message[] {
  const long = path.replace(/\((.*?)\)\*(\d+)/g, (_, names: string, times: string) =>
    Array.from({ length: Number(times) }, () => names).join(" "),
  );
  return long.split(" ").map(message);
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
  // A system message in the middle is not a leading instruction.
  ["u a s u a", 4, "u s u a"],
  ["u a s u a", 3, "u a"],
  ["u a s u a", 2, "u a"],
  // An end that begins with another message keeps the question above it, and whole rounds between them are removed.
  ["s u1 c1 r1 c2 r2 c3 r3", 7, "s u1 c2 r2 c3 r3"],
  ["s u1 c1 r1 c2 r2 c3 r3", 6, "s u1 c2 r2 c3 r3"],
  ["s u1 c1 r1 c2 r2 c3 r3", 5, "s u1 c3 r3"],
  ["s u1 c1 r1 c2 r2 c3 r3", 4, "s u1 c3 r3"],
  ["s u1 c1 r1 c2 r2 a", 3, "s u1 a"],
  ["u1 a u2 c1 r1 c2 r2", 5, "u2 c1 r1 c2 r2"],
  ["u1 a u2 c1 r1 c2 r2", 4, "u2 c2 r2"],
  ["u1 c1 r1 c2 r2 c3 r3 u2", 6, "u1 c2 r2 c3 r3 u2"],
  ["u1 c1 r1 c2 r2 c3 r3 u2", 3, "u2"],
  // Not enough room for both.
  ["u c1 r1", 2, ""],
  ["s u c1 r1 a", 2, "s"],
  // No question above.
  ["c1 r1 c2 r2", 3, "c2 r2"],
  ["s a c1 r1", 3, "s c1 r1"],
  // A user message between a call and its result is no position to cut, but it is a question.
  ["u1 c1 u2 r1 a", 3, "u2 a"],
  ["u1 c1 u2 r1 a u3 a", 4, "u2 a u3 a"],
  ["u1 c1 u2 r1 a u3 a", 3, "u3 a"],
  // No end that fits is complete: only the instructions are returned.
  ["s u c1 r1", 2, "s"],
  ["u c1 r1", 1, ""],
  ["s d u a", 2, "s d"],
  ["s d u a", 1, "s d"],
  ["s d s", 2, "s d s"],
  // The same id called twice: each result belongs to the call before it.
  ["u c1 r1 u c1 r1", 3, "u c1 r1"],
  ["u c1 r1 c1 r1", 4, "u c1 r1"],
  // A result without any call is never complete.
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
  // A removed question does not count.
  ["u1 u2! c1 r1 c2 r2", { maxMessages: 3 }, "u1 c2 r2"],
  ["s u1 u2! (c1 r1)*40 c2 r2", { maxMessages: 4 }, "s u1 c2 r2"],
  ["s u1 u2! (c1 r1)*40 c2 r2", { maxMessages: 4, interrupted: true }, "s u2! c2 r2"],
  ["s u (c1! r1)*40 u a", { maxMessages: 4 }, "s u u a"],
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

  const append = (path: string, options?: AppendOptions): Promise<StoredMessage[]> =>
    ledger.append(threadId, messagesOf(path), options);
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

  test("B90: only the results of removed calls are removed from a tool message", async () => {
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

  test("B90: a call whose result was removed is removed too, unless it has another result or is pending", async () => {
    const calls = ["c1", "c2", "c3", "c4"].map((id) => toolCall(id, "t", {}));
    const [first, second, third, fourth] = calls as [ToolCallPart, ToolCallPart, ToolCallPart, ToolCallPart];
    const broken = (made: Message): Message => ({ ...made, metadata: { interrupted: true } });
    const [question, , , answeredAgain, , onlyCall, alsoThought, , , waits] = await ledger.append(threadId, [
      assistant([text("a"), first, second]),
      broken(toolResult(first, "half")),
      broken(toolResult(second, "half")),
      toolResult(second, "whole"),
      user("u"),
      assistant([third]),
      assistant([{ type: "reasoning", text: "hm" }, fourth]),
      broken(toolResult(third, "half")),
      broken(toolResult(fourth, "half")),
      assistant([toolCall("c5", "t", {})]),
    ]);
    expect([onlyCall?.parts.length, alsoThought?.parts.length]).toStrictEqual([1, 2]);
    const seen = await ledger.context(threadId);
    expect(seen[0]).toStrictEqual({ ...question, parts: [text("a"), second] });
    expect(seen.map(({ id }) => id).slice(1)).toStrictEqual([answeredAgain?.id, seen[2]?.id, waits?.id]);
    expect(seen[2]?.role).toBe("user");
    expect(seen[3]).toStrictEqual(waits);
  });

  test("B99: a user message with a result is not a question", async () => {
    const call = toolCall("c", "t", {});
    const userMessage: Message = { role: "user", parts: [...toolResult(call, "out").parts] };
    await ledger.append(threadId, [user("u1"), assistant([call]), userMessage]);
    await append("a (c1 r1)*40 c2 r2");
    expect(await context({ maxMessages: 3 })).toBe("u1 c2 r2");
  });

  test("B99: the question of a long round of tools is found", async () => {
    await append("s u1 a u2 (c1 r1)*300 c2 r2");
    expect(await context({ maxMessages: 5 })).toBe("s u2 c2 r2");
    await append("c3 r3 a");
    expect(await context({ maxMessages: 5 })).toBe("s u2 c3 r3 a");
  });

  test("B99: each of several roots has its own instructions, however often the contexts are read", async () => {
    const contexts = {
      s1: "s1 a c2 r2",
      "d1 s2": "d1 s2 c2 r2",
      "u1 s3": "u1 a c2 r2",
      "s4 u2": "s4 u2 c2 r2",
      "a1 u3": "u3 a c2 r2",
    };
    const leaves = new Map<string, string | null>(Object.keys(contexts).map((root) => [root, null]));
    for (let round = 0; round < 4; round++) {
      for (const [root, expected] of Object.entries(contexts)) {
        const chain = `${round === 0 ? root : "a"} (c1 r1 a)*${50 - round * 10} c2 r2`;
        const stored = await append(chain, { parentMessageId: leaves.get(root) ?? null });
        const branch = stored.at(-1)?.id ?? "";
        leaves.set(root, branch);
        expect(await context({ branch, maxMessages: 4 })).toBe(expected);
      }
    }
  });

  test("B99: a context reads the path above its end once, not on every call", async () => {
    let headers = 0;
    const reads = new Proxy(opened.store.reads, {
      get(target, name: keyof LedgerReads) {
        if (name !== "headers") return target[name].bind(target);
        return async (...call: Parameters<LedgerReads["headers"]>) => {
          const rows = await target.headers(...call);
          headers += rows.length;
          return rows;
        };
      },
    });
    const counting = createLedger({ ...createView(opened.store), reads });
    await append("s (u a)*1500 u");
    for (let call = 0; call < 40; call++) {
      expect((await counting.context(threadId, { maxMessages: 5 })).map(nameOf).join(" ")).toBe("s u a u");
      await append("a u");
    }
    // The path once, and for each call the way to the cached message of an earlier one.
    expect(headers).toBeLessThan(3000 + 40 * 200);
  });

  test("B99: instructions that lie far above the end are found", async () => {
    await append("s d (u a)*300");
    expect(await context({ maxMessages: 6 })).toBe("s d u a u a");
  });

  test("a branch, an empty thread and an unknown thread have a context or an error", async () => {
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
