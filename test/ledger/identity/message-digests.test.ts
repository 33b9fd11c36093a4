// Tests the stored digests of messages: equal for any division of a conversation into appends.
import { describe, expect, test } from "vitest";
import {
  assistant,
  developer,
  reasoning,
  system,
  toolCall,
  toolResult,
  user,
  type Message,
} from "../../../src/index.ts";
import { computeDigestsFromHeader } from "../../../src/ledger/identity/message-digests.ts";
import { toHistory } from "../../../src/ledger/identity/history-turns.ts";
import { isDigest } from "../../../src/ledger/identity/digest-markers.ts";
import { isBlank } from "../../../src/ledger/identity/normal-form.ts";
import type { MessageHeader } from "../../../src/ledger/store/index.ts";
import { seededRandom } from "../../../src/testkit/index.ts";
import { STORES } from "../support/stores.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

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
    if (pick(4) === 0) messages.push(system(`Note ${turn}.`), developer("And another."), system("And a third."));
    // Blank messages may be anywhere.
    const silent = [assistant([reasoning("Hm.")]), assistant(" \n")];
    for (let n = pick(3); n > 0; n--) messages.splice(pick(messages.length + 1), 0, ...silent.slice(pick(2)));
  }
  messages.push(assistant("Good bye."));
  return messages;
}

/** The digest of the conversation up to and including each message. */
function expected(messages: readonly Message[]): string[] {
  return messages.map((_, index) => toHistory(messages.slice(0, index + 1)).turns.at(-1)?.digest ?? "");
}

const READ = [
  ["a user message after a user message", { role: "user", digest: "" }, user("b"), ""],
  ["an instruction after one within the conversation", { role: "system", digest: "+" }, developer("b"), "+"],
  ["a user message after a blank message in a user turn", { role: "assistant", digest: "~user" }, user("b"), ""],
  ["a blank message after a user message", { role: "user", digest: "" }, assistant([]), "~user"],
  ["a blank message after a blank message", { role: "assistant", digest: "~tool" }, assistant([]), "~tool"],
] as const;
test.each(READ)("%s is written without reading its ancestors", (_, parent, message, mark) => {
  expect(computeDigestsFromHeader(parent, [message])).toStrictEqual([mark]);
});

describe.each(STORES)("$name", (storage) => {
  const seeds = [1, 2, 3, 4, 5, 6].slice(0, scaleRunCount(12)).map((seed) => ({ seed }));
  test.each(seeds)(
    "B11: a conversation has one identity, in any division into appends (seed $seed)",
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
      const expectedDigests = expected(messages);
      const wrong = headers.filter(({ digest }, index) => isDigest(digest) && digest !== expectedDigests[index]);
      expect(wrong).toStrictEqual([]);
      // Conversations are looked up by assistant messages.
      const isMissing = ({ role, digest }: MessageHeader, index: number): boolean => {
        const message = messages[index];
        return role === "assistant" && !isDigest(digest) && message !== undefined && !isBlank(message);
      };
      expect(headers.filter(isMissing)).toStrictEqual([]);
      expect(headers).toHaveLength(messages.length);
      await opened.close();
    },
  );

  test("B11: digests of instructions within a conversation are deferred until another turn, like those of all long turns", async () => {
    const opened = await storage.open();
    const { ledger, store } = opened;
    const { id: threadId } = await ledger.createThread();
    const notes = Array.from({ length: 20 }, (_, at) => (at % 3 === 0 ? developer(`${at}`) : system(`${at}`)));
    const messages = [user("a"), ...notes, assistant("b")];
    for (const message of messages) await ledger.append(threadId, [message]);
    const headers = await store.reads.headers({ tenant: ledger.tenant, threadId }, { limit: 100 });
    // No digest of these was computed: it would need all previous messages for each append.
    expect(new Set(headers.slice(2, -1).map(({ digest }) => isDigest(digest)))).toStrictEqual(new Set([false]));
    expect(headers.at(-1)?.digest).toBe(expected(messages).at(-1));
    await opened.close();
  });

  test("B11: a branch in the middle of a turn has the digest of its own path", async () => {
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
