// The digests that messages are stored with: the same, however a conversation was cut into appends.
import { describe, expect, test } from "vitest";
import { assistant, developer, system, toolCall, toolResult, user, type Message } from "../../src/index.ts";
import { historyOf } from "../../src/ledger/identity/history.ts";
import type { MessageHeader } from "../../src/ledger/index.ts";
import { seededRandom } from "../../src/testkit/index.ts";
import { STORES } from "./support/stores.ts";

/** A conversation with turns of several messages, results in another order than their calls, and long texts. */
function conversation(random: () => number): Message[] {
  const pick = (most: number): number => Math.floor(random() * most);
  const messages: Message[] = [system("Be brief."), developer("Be kind.")].slice(0, pick(3));
  const long = "long ".repeat(20);
  for (let turn = 0; turn < 12; turn++) {
    for (let n = 0; n <= pick(3); n++) messages.push(user(`${turn}.${n} ${pick(2) === 0 ? long : ""}`));
    const calls = Array.from({ length: pick(4) }, (_, n) => toolCall(`call-${n}`, `tool-${n}`, { turn, n }));
    messages.push(assistant(`Answer ${turn}`), ...calls.map((call) => assistant([call])));
    messages.push(...calls.map((call) => toolResult(call, `${call.toolName} ${long}`)).reverse());
    if (pick(4) === 0) messages.push(system(`Note ${turn}.`), system("And another."));
  }
  messages.push(assistant("Good bye."));
  return messages;
}

/** The digest of the conversation up to and including each message. */
function expected(messages: readonly Message[]): string[] {
  return messages.map((_, index) => historyOf(messages.slice(0, index + 1)).turns.at(-1)?.digest ?? "");
}

describe.each(STORES)("$name", (storage) => {
  const seeds = [1, 2, 3, 4, 5, 6].map((seed) => ({ seed }));
  test.each(seeds)(
    "B11: a conversation has one identity, however it was cut into appends (seed $seed)",
    async ({ seed }) => {
      const random = seededRandom(seed);
      const messages = conversation(random);
      const opened = await storage.open({ blobThreshold: 50 });
      const { ledger, store } = opened;
      const { id: threadId } = await ledger.createThread();
      const ledgers = [ledger, await opened.another({ blobThreshold: 50 })];
      for (let at = 0; at < messages.length;) {
        const size = 1 + Math.floor(random() * 4);
        await ledgers[at % 2]?.append(threadId, messages.slice(at, at + size));
        at += size;
      }
      const headers = await store.reads.headers({ tenant: ledger.tenant, threadId }, { limit: 1000 });
      const wanted = expected(messages);
      const wrong = headers.filter(({ digest }, index) => digest !== "" && digest !== wanted[index]);
      expect(wrong).toStrictEqual([]);
      // They are looked up by what the assistant said.
      const missing = (each: MessageHeader): boolean => each.role === "assistant" && each.digest === "";
      expect(headers.filter(missing)).toStrictEqual([]);
      expect(headers).toHaveLength(messages.length);
      await opened.close();
    },
  );

  test("B11: a branch in the middle of a turn has the identity of its own path", async () => {
    const opened = await storage.open();
    const { ledger, store } = opened;
    const { id: threadId } = await ledger.createThread();
    const messages = [user("a"), user("b"), user("c")];
    const stored = await ledger.append(threadId, messages);
    const [branch] = await ledger.append(threadId, [assistant("d")], { parentMessageId: stored[1]?.id ?? "" });
    const row = await store.reads.message({ tenant: ledger.tenant, threadId }, branch?.id ?? "");
    expect(row?.digest).toBe(expected([user("a"), user("b"), assistant("d")]).at(-1));
    await opened.close();
  });
});
