// Tests that a message is stored and answered once, against a real server whose replies the test drops.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getText, user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { readMessageKey } from "../../../ui/data/conversation/conversation-actions.ts";
import type { ConversationStore } from "../../../ui/data/conversation/conversation-store.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { TestTab, waitForState, TestEffects } from "../support/page-data.ts";

const model = new ManualModel();
let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ providers: { test: model.provider } });
});
afterAll(() => koine.close());

/** Creates a tab that loses the replies to matching requests. */
function createFaultyTab(loses: (what: string) => boolean): TestTab {
  const network = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const reply = await fetch(url, init);
    if (!loses(`${init.method ?? "GET"} ${new URL(url).pathname.split("/").at(-1)}`)) return reply;
    await reply.body?.cancel();
    throw new TypeError("The connection broke.");
  };
  return new TestTab(koine.url, new TestEffects(network, 50));
}

async function openConversation(tab: TestTab): Promise<ConversationStore> {
  const thread = await koine.ledger.createThread({ title: "Talk" });
  await koine.ledger.append(thread.id, [user("A"), { role: "assistant", parts: [{ type: "text", text: "B" }] }]);
  const store = tab.conversation(thread.id);
  await waitForState(store, ({ status }) => status === "ready");
  return store;
}

async function readTranscript({ id }: ConversationStore): Promise<string[]> {
  return (await koine.ledger.transcript(id)).map(getText);
}

const ANSWER_SETTINGS = { model: "test/manual" };

describe("a message", () => {
  test.each([
    ["whose reply is lost", "POST messages"],
    ["whose answer request has a lost reply", "POST regenerate"],
  ])("%s is stored and answered once, for any number of retries", async (_, lost) => {
    let isDown = true;
    using tab = createFaultyTab((what) => isDown && what === lost);
    const store = await openConversation(tab);
    const before = model.count;
    const storedEvents: string[] = [];
    const options = { ...ANSWER_SETTINGS, key: `key-${lost}`, onStored: () => storedEvents.push("stored") };
    const first = store.actions.sendMessage(user("Once."), options).catch((error: unknown) => error);
    if (lost === "POST messages") {
      expect(await first).toMatchObject({ code: "network" });
      expect(storedEvents).toStrictEqual([]);
    } else expect(await first).toBeUndefined();
    isDown = false;
    await store.actions.sendMessage(user("Once."), options);
    (await model.nextCall()).complete("Answered.");
    await waitForState(store, ({ path }) => path.length === 4);
    // Also after the answer, when the thread has grown.
    await store.actions.sendMessage(user("Once."), options);
    expect(await readTranscript(store)).toStrictEqual(["A", "B", "Once.", "Answered."]);
    expect(model.count - before).toBe(1);
    const { path, bodies } = await waitForState(store, (state) => state.bodies.size === 4);
    expect(readMessageKey(bodies.get(path[2] ?? "") ?? {})).toBe(options.key);
  });

  test("that two tabs send with one key is stored once", async () => {
    using tab = new TestTab(koine.url);
    using copy = new TestTab(koine.url);
    const store = await openConversation(tab);
    const other = copy.conversation(store.id);
    await waitForState(other, ({ status }) => status === "ready");
    const before = model.count;
    const options = { ...ANSWER_SETTINGS, key: "follow-up" };
    const both = Promise.all([store, other].map(({ actions }) => actions.sendMessage(user("Followed."), options)));
    (await model.nextCall()).complete("Answered.");
    await both;
    await waitForState(store, ({ path }) => path.length === 4);
    expect(await readTranscript(store)).toStrictEqual(["A", "B", "Followed.", "Answered."]);
    expect(model.count - before).toBe(1);
  });

  test("that another user message precedes is rejected, and can be sent after that one's answer", async () => {
    using tab = new TestTab(koine.url);
    const store = await openConversation(tab);
    // Sent by another tab at the same moment; this tab has not received the event.
    const [question] = await koine.ledger.append(store.id, [user("From two.")]);
    const options = { ...ANSWER_SETTINGS, key: "overtaken" };
    await expect(store.actions.sendMessage(user("From one."), options)).rejects.toMatchObject({ code: "overtaken" });
    expect(await readTranscript(store)).toStrictEqual(["A", "B", "From two."]);
    await koine.ledger.append(store.id, [{ role: "assistant", parts: [{ type: "text", text: "To two." }] }], {
      parentMessageId: question?.id,
    });
    const asking = store.actions.sendMessage(user("From one."), options);
    (await model.nextCall()).complete("To one.");
    await asking;
    await waitForState(store, ({ path }) => path.length === 6);
    expect(await readTranscript(store)).toStrictEqual(["A", "B", "From two.", "To two.", "From one.", "To one."]);
  });
});
