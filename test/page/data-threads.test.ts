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
  await until(threads, (state) => state.threads.length === 101);
  threads.loadMore();
  const all = await until(threads, (state) => !state.more);
  expect(titles(all.threads)).toStrictEqual(Array.from({ length: 121 }, (_, at) => `Thread ${120 - at}`));
  await koine.ledger.purge({ what: "thread", threadId: id });
  await until(threads, (state) => state.threads.length === 120);
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
