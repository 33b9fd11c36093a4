// Tests the thread list store: paging, search, filters and refreshes.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { FaultyNetwork } from "../support/faulty-network.ts";
import { TestTab, waitForState, TestEffects } from "../support/page-data.ts";

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

test("activity moves a thread to the top with its new summary; other threads keep their identity", async () => {
  const old = await koine.ledger.createThread({ title: "Old" }, { messages: [user("The first words")] });
  await koine.ledger.createThread({ title: "New" }, { messages: [user("Other words")] });
  using tab = new TestTab(koine.url, new TestEffects(undefined, 20));
  const { threads } = tab.data;
  tab.watch(threads);
  const first = await waitForState(threads, (state) => state.threads.length === 2 && state.connection === "live");
  expect(titles(first.threads)).toStrictEqual(["New", "Old"]);
  expect(first.threads[1]?.summary).toMatchObject({ messages: 1, live: 0, preview: "The first words" });
  const request = { model: "demo/koine", messages: [{ role: "user", content: "say Hello" }] };
  const headers = { "content-type": "application/json", "x-koine-thread": old.id };
  await fetch(`${koine.url}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(request) });
  const second = await waitForState(threads, ({ threads: [top] }) => top?.summary?.models.length === 1);
  expect(titles(second.threads)).toStrictEqual(["Old", "New"]);
  expect(second.threads[0]?.summary).toMatchObject({ messages: 3, live: 0, models: ["koine"] });
  expect(second.threads[1]).toBe(first.threads[0]);
  await koine.ledger.updateThread(old.id, { title: "Older" });
  await waitForState(threads, (state) => titles(state.threads).join() === "Older,New");
  await koine.ledger.purge({ what: "thread", threadId: old.id });
  await waitForState(threads, (state) => titles(state.threads).join() === "New");
});

test("the list is read page by page, and stays complete while its start is refreshed", async () => {
  for (let at = 0; at < 120; at++) await koine.ledger.createThread({ title: `Thread ${at}` });
  const network = new FaultyNetwork();
  using tab = new TestTab(koine.url, new TestEffects(network.fetch, 20));
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, (state) => state.threads.length === 50 && state.more && state.connection === "live");
  threads.loadMore();
  threads.loadMore();
  await waitForState(threads, (state) => state.threads.length === 100);
  const { id } = await koine.ledger.createThread({ title: "Thread 120" });
  const longer = await waitForState(threads, ({ threads: [top] }) => top?.title === "Thread 120");
  expect(longer.threads.length).toBeGreaterThanOrEqual(100);
  await loadAllPages(tab.data);
  expect(titles(threads.getSnapshot().threads)).toStrictEqual(
    Array.from({ length: 121 }, (_, at) => `Thread ${120 - at}`),
  );
  await koine.ledger.purge({ what: "thread", threadId: id });
  await waitForState(threads, (state) => state.threads.length === 120);
});

/** Loads all pages. */
async function loadAllPages({ threads }: TestTab["data"]): Promise<string[]> {
  for (;;) {
    const { length } = threads.getSnapshot().threads;
    if (!threads.getSnapshot().more) return titles(threads.getSnapshot().threads).map(String).sort();
    threads.loadMore();
    await waitForState(threads, (state) => state.threads.length > length || state.more === false);
  }
}

const makeThreads = async (name: string, count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await koine.ledger.createThread({ title: `${name} ${at}` });
};
const listNames = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name} ${at}`);

test("more new threads than a page holds are all listed, together with the older ones", async () => {
  await makeThreads("Old", 60);
  using tab = new TestTab(koine.url, new TestEffects(undefined, 20));
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, (state) => state.more === true && state.connection === "live");
  expect(await loadAllPages(tab.data)).toHaveLength(60);
  const [known] = threads.getSnapshot().threads;
  await makeThreads("New", 120);
  // A known thread is among them, at another position.
  await koine.ledger.append(known?.id ?? "", [user("Moved up")]);
  await waitForState(threads, ({ threads: [top, second] }) => top?.id === known?.id && second?.title === "New 119");
  expect(await loadAllPages(tab.data)).toStrictEqual([...listNames("Old", 60), ...listNames("New", 120)].sort());
});

test("threads created and deleted while the feed was closed are reconciled", async () => {
  await makeThreads("Old", 60);
  using tab = new TestTab(koine.url, new TestEffects(undefined, 20));
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, (state) => state.more === true && state.connection === "live");
  await loadAllPages(tab.data);
  const doomed = threads.getSnapshot().threads.find(({ title }) => title === "Old 3")?.id ?? "";
  tab.effects.setVisible(false);
  await new Promise((resolve) => tab.effects.delay(() => resolve(undefined), 8000));
  await koine.ledger.purge({ what: "thread", threadId: doomed });
  await makeThreads("New", 70);
  tab.effects.setVisible(true);
  await waitForState(threads, ({ threads: [top] }) => top?.title === "New 69");
  expect(await loadAllPages(tab.data)).toStrictEqual(
    [...listNames("Old", 60).filter((title) => title !== "Old 3"), ...listNames("New", 70)].sort(),
  );
});

test("the server separates chats and tasks, also in a search", async () => {
  await koine.ledger.createThread({ title: "The only task", kind: "task" });
  await makeThreads("Chat", 60);
  using tab = new TestTab(koine.url, new TestEffects(undefined, 20));
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, ({ status }) => status === "ready");
  threads.setFilter("tasks");
  expect(threads.getSnapshot()).toMatchObject({ status: "loading", filter: "tasks", threads: [], more: false });
  const tasks = await waitForState(threads, ({ status }) => status === "ready");
  expect([titles(tasks.threads), tasks.more]).toStrictEqual([["The only task"], false]);
  threads.setSearch("Chat 58");
  await waitForState(threads, (state) => state.status === "ready" && state.threads.length === 0);
  threads.setFilter("chats");
  const chats = await waitForState(threads, (state) => state.status === "ready" && state.threads.length === 1);
  expect(titles(chats.threads)).toStrictEqual(["Chat 58"]);
  threads.setSearch("");
  await waitForState(threads, (state) => state.status === "ready" && state.threads.length === 50);
  expect(await loadAllPages(tab.data)).toStrictEqual(listNames("Chat", 60).sort());
});

test("a failed page is reported, and read again on retry", async () => {
  await makeThreads("Thread", 60);
  let isBroken = true;
  const world: TestEffects = new TestEffects((url, init) =>
    isBroken && url.includes("/v1/threads") ? Promise.reject(new TypeError("No network.")) : fetch(url, init),
  );
  using tab = new TestTab(koine.url, world);
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, ({ status, error }) => status === "failed" && error !== undefined);
  isBroken = false;
  threads.retry();
  expect(threads.getSnapshot().status).toBe("loading");
  await waitForState(threads, (state) => state.threads.length === 50 && state.error === undefined);
  isBroken = true;
  threads.loadMore();
  await waitForState(threads, ({ more }) => more === "failed");
  isBroken = false;
  threads.retry();
  const all = await waitForState(threads, ({ more }) => more === false);
  expect([all.threads.length, all.error]).toStrictEqual([60, undefined]);
});

test("a search shows matching threads and messages for the latest query only", async () => {
  const { id } = await koine.ledger.createThread({ title: "Travels" }, { messages: [user("From Corinth to Argos")] });
  await koine.ledger.createThread({ title: "Corinthian columns" });
  await koine.ledger.createThread({ title: "Nothing of it" });
  using tab = new TestTab(koine.url);
  const { threads } = tab.data;
  tab.watch(threads);
  await waitForState(threads, ({ threads: listed }) => listed.length === 3);
  for (const typed of ["A", "Ar", "Arg", "Corin"]) threads.setSearch(typed);
  expect(threads.getSnapshot()).toMatchObject({ status: "loading", search: "Corin" });
  const found = await waitForState(threads, ({ status }) => status === "ready");
  expect(titles(found.threads)).toStrictEqual(["Corinthian columns", "Travels"]);
  expect(found.hits).toMatchObject([{ threadId: id, snippet: expect.stringContaining("Corinth") }]);
  threads.setSearch("");
  const all = await waitForState(threads, ({ status, threads: listed }) => status === "ready" && listed.length === 3);
  expect(all.hits).toStrictEqual([]);
});

test("the models of the server are listed", async () => {
  using tab = new TestTab(koine.url);
  tab.watch(tab.data.models);
  const models = await waitForState(tab.data.models, (known) => known.length > 0);
  expect(models).toContainEqual({ id: "demo/koine", provider: "demo" });
});
