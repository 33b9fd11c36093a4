// The list of threads as the page knows it: read in pages, searched while somebody types, and up to date with what others do.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { demo } from "../../src/client/index.ts";
import { user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { startKoine } from "../server/support/koine.ts";
import { FaultyNetwork } from "./support/faulty-network.ts";
import { Tab, until, World } from "./support/page-data.ts";

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ providers: { demo: demo() } });
});
afterAll(() => koine.close());
beforeEach(async () => {
  for (const { id } of await koine.ledger.threads({ limit: 200 }))
    await koine.ledger.purge({ what: "thread", threadId: id });
});

const titles = (threads: readonly { title: string | null }[]): (string | null)[] => threads.map(({ title }) => title);

test("what happens anywhere moves a thread to the top, with what it came to; the others stay the same objects", async () => {
  const old = await koine.ledger.createThread({ title: "Old" }, { messages: [user("The first words")] });
  await koine.ledger.createThread({ title: "New" }, { messages: [user("Other words")] });
  using tab = new Tab(koine.url, new World(undefined, 20));
  const { threads } = tab.data;
  tab.read(threads);
  const first = await until(threads, (state) => state.threads.length === 2 && state.connection === "live");
  expect(titles(first.threads)).toStrictEqual(["New", "Old"]);
  expect(first.threads[1]?.summary).toMatchObject({ messages: 1, live: 0, preview: "The first words" });
  const said = { model: "demo/koine", messages: [{ role: "user", content: "say Hello" }] };
  const headers = { "content-type": "application/json", "x-koine-thread": old.id };
  await fetch(`${koine.url}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(said) });
  const second = await until(threads, ({ threads: [top] }) => top?.summary?.models.length === 1);
  expect(titles(second.threads)).toStrictEqual(["Old", "New"]);
  expect(second.threads[0]?.summary).toMatchObject({ messages: 3, live: 0, models: ["koine"] });
  expect(second.threads[1]).toBe(first.threads[0]);
  await koine.ledger.updateThread(old.id, { title: "Older" });
  await until(threads, (state) => titles(state.threads).join() === "Older,New");
  await koine.ledger.purge({ what: "thread", threadId: old.id });
  await until(threads, (state) => titles(state.threads).join() === "New");
});

test("it is read page by page, and stays whole while its beginning is read anew", async () => {
  for (let at = 0; at < 120; at++) await koine.ledger.createThread({ title: `Thread ${at}` });
  const network = new FaultyNetwork();
  using tab = new Tab(koine.url, new World(network.fetch, 20));
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, (state) => state.threads.length === 50 && state.more && state.connection === "live");
  threads.loadMore();
  threads.loadMore();
  await until(threads, (state) => state.threads.length === 100);
  const { id } = await koine.ledger.createThread({ title: "Thread 120" });
  const longer = await until(threads, ({ threads: [top] }) => top?.title === "Thread 120");
  expect(longer.threads.length).toBeGreaterThanOrEqual(100);
  await readAll(tab.data);
  expect(titles(threads.getSnapshot().threads)).toStrictEqual(
    Array.from({ length: 121 }, (_, at) => `Thread ${120 - at}`),
  );
  await koine.ledger.purge({ what: "thread", threadId: id });
  await until(threads, (state) => state.threads.length === 120);
});

/** Reads on until there is nothing more. */
async function readAll({ threads }: Tab["data"]): Promise<string[]> {
  for (;;) {
    const { length } = threads.getSnapshot().threads;
    if (!threads.getSnapshot().more) return titles(threads.getSnapshot().threads).map(String).sort();
    threads.loadMore();
    await until(threads, (state) => state.threads.length > length || state.more === false);
  }
}

const makeThreads = async (name: string, count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await koine.ledger.createThread({ title: `${name} ${at}` });
};
const named = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name} ${at}`);

test("threads that are made at once, more than a page holds, are all listed, beside those that were there", async () => {
  await makeThreads("Old", 60);
  using tab = new Tab(koine.url, new World(undefined, 20));
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, (state) => state.more === true && state.connection === "live");
  expect(await readAll(tab.data)).toHaveLength(60);
  const [known] = threads.getSnapshot().threads;
  await makeThreads("New", 120);
  // One that is known is among them, but not where it was.
  await koine.ledger.append(known?.id ?? "", [user("Moved up")]);
  await until(threads, ({ threads: [top, second] }) => top?.id === known?.id && second?.title === "New 119");
  expect(await readAll(tab.data)).toStrictEqual([...named("Old", 60), ...named("New", 120)].sort());
});

test("what was made and deleted while nobody told of it is made up for", async () => {
  await makeThreads("Old", 60);
  using tab = new Tab(koine.url, new World(undefined, 20));
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, (state) => state.more === true && state.connection === "live");
  await readAll(tab.data);
  const doomed = threads.getSnapshot().threads.find(({ title }) => title === "Old 3")?.id ?? "";
  tab.world.show(false);
  await new Promise((resolve) => tab.world.delay(() => resolve(undefined), 8000));
  await koine.ledger.purge({ what: "thread", threadId: doomed });
  await makeThreads("New", 70);
  tab.world.show(true);
  await until(threads, ({ threads: [top] }) => top?.title === "New 69");
  expect(await readAll(tab.data)).toStrictEqual(
    [...named("Old", 60).filter((title) => title !== "Old 3"), ...named("New", 70)].sort(),
  );
});

test("chats and tasks are told apart by the server, however many of the others there are, and in a search", async () => {
  await koine.ledger.createThread({ title: "The only task", kind: "task" });
  await makeThreads("Chat", 60);
  using tab = new Tab(koine.url, new World(undefined, 20));
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, ({ status }) => status === "ready");
  threads.setFilter("tasks");
  expect(threads.getSnapshot()).toMatchObject({ status: "loading", filter: "tasks", threads: [], more: false });
  const tasks = await until(threads, ({ status }) => status === "ready");
  expect([titles(tasks.threads), tasks.more]).toStrictEqual([["The only task"], false]);
  threads.setSearch("Chat 58");
  await until(threads, (state) => state.status === "ready" && state.threads.length === 0);
  threads.setFilter("chats");
  const chats = await until(threads, (state) => state.status === "ready" && state.threads.length === 1);
  expect(titles(chats.threads)).toStrictEqual(["Chat 58"]);
  threads.setSearch("");
  await until(threads, (state) => state.status === "ready" && state.threads.length === 50);
  expect(await readAll(tab.data)).toStrictEqual(named("Chat", 60).sort());
});

test("a page that cannot be read says so, and is read when it is asked for again", async () => {
  await makeThreads("Thread", 60);
  let isBroken = true;
  const world: World = new World((url, init) =>
    isBroken && url.includes("/v1/threads") ? Promise.reject(new TypeError("No network.")) : fetch(url, init),
  );
  using tab = new Tab(koine.url, world);
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, ({ status, error }) => status === "failed" && error !== undefined);
  isBroken = false;
  threads.retry();
  expect(threads.getSnapshot().status).toBe("loading");
  await until(threads, (state) => state.threads.length === 50 && state.error === undefined);
  isBroken = true;
  threads.loadMore();
  await until(threads, ({ more }) => more === "failed");
  isBroken = false;
  threads.retry();
  const all = await until(threads, ({ more }) => more === false);
  expect([all.threads.length, all.error]).toStrictEqual([60, undefined]);
});

test("a search shows what holds the words so far, and where; nothing but the last one counts", async () => {
  const { id } = await koine.ledger.createThread({ title: "Travels" }, { messages: [user("From Corinth to Argos")] });
  await koine.ledger.createThread({ title: "Corinthian columns" });
  await koine.ledger.createThread({ title: "Nothing of it" });
  using tab = new Tab(koine.url);
  const { threads } = tab.data;
  tab.read(threads);
  await until(threads, ({ threads: listed }) => listed.length === 3);
  for (const typed of ["A", "Ar", "Arg", "Corin"]) threads.setSearch(typed);
  expect(threads.getSnapshot()).toMatchObject({ status: "loading", search: "Corin" });
  const found = await until(threads, ({ status }) => status === "ready");
  expect(titles(found.threads)).toStrictEqual(["Corinthian columns", "Travels"]);
  expect(found.hits).toMatchObject([{ threadId: id, snippet: expect.stringContaining("Corinth") }]);
  threads.setSearch("");
  const all = await until(threads, ({ status, threads: listed }) => status === "ready" && listed.length === 3);
  expect(all.hits).toStrictEqual([]);
});

test("the models that can be asked are known", async () => {
  using tab = new Tab(koine.url);
  tab.read(tab.data.models);
  const models = await until(tab.data.models, (known) => known.length > 0);
  expect(models).toContainEqual({ id: "demo/koine", provider: "demo" });
});
