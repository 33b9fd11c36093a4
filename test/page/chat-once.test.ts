// What is said in a chat is said once and answered once, whatever the network does: against a real server, whose replies the
// test loses.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf, user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { keyOf } from "../../ui/data/conversation/actions.ts";
import type { ConversationStore } from "../../ui/data/conversation/store.ts";
import { startKoine } from "../server/support/koine.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { Tab, until, World } from "./support/page-data.ts";

const model = new HeldModel();
let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ providers: { test: model.provider } });
});
afterAll(() => koine.close());

/** A tab that loses the replies to requests of this kind, or all but the first so many bytes of nothing. */
function faultyTab(loses: (what: string) => boolean): Tab {
  const network = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const reply = await fetch(url, init);
    if (!loses(`${init.method ?? "GET"} ${new URL(url).pathname.split("/").at(-1)}`)) return reply;
    await reply.body?.cancel();
    throw new TypeError("The connection broke.");
  };
  return new Tab(koine.url, new World(network, 50));
}

async function talk(tab: Tab): Promise<ConversationStore> {
  const thread = await koine.ledger.createThread({ title: "Talk" });
  await koine.ledger.append(thread.id, [user("A"), { role: "assistant", parts: [{ type: "text", text: "B" }] }]);
  const store = tab.conversation(thread.id);
  await until(store, ({ status }) => status === "ready");
  return store;
}

async function transcript({ id }: ConversationStore): Promise<string[]> {
  return (await koine.ledger.transcript(id)).map(textOf);
}

const ASK = { model: "test/held" };

describe("a message", () => {
  test.each([
    ["whose reply is lost", "POST messages"],
    ["whose answer is asked for in a request whose reply is lost", "POST regenerate"],
  ])("%s is recorded and answered once, at however many tries", async (_, lost) => {
    let isDown = true;
    using tab = faultyTab((what) => isDown && what === lost);
    const store = await talk(tab);
    const before = model.count;
    const said: string[] = [];
    const how = { ...ASK, key: `key-${lost}`, onSaid: () => said.push("said") };
    const first = store.actions.say(user("Once."), how).catch((error: unknown) => error);
    if (lost === "POST messages") {
      expect(await first).toMatchObject({ code: "network" });
      expect(said).toStrictEqual([]);
    } else expect(await first).toBeUndefined();
    isDown = false;
    await store.actions.say(user("Once."), how);
    (await model.asked()).say("Answered.");
    await until(store, ({ path }) => path.length === 4);
    // Also when all is over, and the thread has gone on.
    await store.actions.say(user("Once."), how);
    expect(await transcript(store)).toStrictEqual(["A", "B", "Once.", "Answered."]);
    expect(model.count - before).toBe(1);
    const { path, bodies } = store.getSnapshot();
    expect(keyOf(bodies.get(path[2] ?? "") ?? {})).toBe(how.key);
  });

  test("that is said in two tabs with one key is one", async () => {
    using tab = new Tab(koine.url);
    using copy = new Tab(koine.url);
    const store = await talk(tab);
    const other = copy.conversation(store.id);
    await until(other, ({ status }) => status === "ready");
    const before = model.count;
    const how = { ...ASK, key: "follow-up" };
    const both = Promise.all([store, other].map(({ actions }) => actions.say(user("Followed."), how)));
    (await model.asked()).say("Answered.");
    await both;
    await until(store, ({ path }) => path.length === 4);
    expect(await transcript(store)).toStrictEqual(["A", "B", "Followed.", "Answered."]);
    expect(model.count - before).toBe(1);
  });

  test("that another question came before is not asked beside it, and follows its answer", async () => {
    using tab = new Tab(koine.url);
    const store = await talk(tab);
    // Of another tab, in the same moment; nothing is heard of it yet.
    const [question] = await koine.ledger.append(store.id, [user("From two.")]);
    const how = { ...ASK, key: "overtaken" };
    await expect(store.actions.say(user("From one."), how)).rejects.toMatchObject({ code: "overtaken" });
    expect(await transcript(store)).toStrictEqual(["A", "B", "From two."]);
    await koine.ledger.append(store.id, [{ role: "assistant", parts: [{ type: "text", text: "To two." }] }], {
      parentMessageId: question?.id,
    });
    const asking = store.actions.say(user("From one."), how);
    (await model.asked()).say("To one.");
    await asking;
    await until(store, ({ path }) => path.length === 6);
    expect(await transcript(store)).toStrictEqual(["A", "B", "From two.", "To two.", "From one.", "To one."]);
  });
});
