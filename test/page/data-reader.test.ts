// Whose the page's data are: nothing of what one token may see is there for the next, whoever changes it, and wherever.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { onReader } from "../../ui/data/reader.ts";
import { BlobUrls } from "../../ui/data/blobs.ts";
import { startKoine } from "../server/support/koine.ts";
import { FaultyNetwork } from "./support/faulty-network.ts";
import { shown, Tab, until, World } from "./support/page-data.ts";

const tokens = (...names: string[]) => ({
  tokens: names.map((name) => ({ name, hash: createHash("sha256").update(`token-of-${name}`).digest("hex") })),
});

let koine: KoineServer;
/** Of anna's. */
let secret: string;
beforeAll(async () => {
  koine = await startKoine({
    tenants: new Map([
      ["a", tokens("anna")],
      ["b", tokens("berta")],
    ]),
  });
  const { id } = await koine.ledger.forTenant("a").createThread({ title: "Anna's" }, { messages: [user("Secret.")] });
  secret = id;
  await koine.ledger.forTenant("b").createThread({ title: "Berta's" });
});
afterAll(() => koine.close());

/** What is told of other readers for as long as a test lasts. */
function listening(): Disposable & { told: boolean[] } {
  const told: boolean[] = [];
  return { told, [Symbol.dispose]: onReader((isOther) => told.push(isOther)) };
}

/** Everything that a tab of anna's shows. */
async function annas(network: (url: string, init?: RequestInit) => Promise<Response> = fetch, speed = 20) {
  const tab = new Tab(koine.url, new World((url, init) => network(url, init), speed));
  tab.data.api.token.set("token-of-anna");
  const { threads, models } = tab.data;
  const store = tab.conversation(secret);
  tab.read(threads);
  tab.read(models);
  await until(store, (state) => state.connection === "live" && shown(state).join() === "Secret.");
  await until(threads, ({ threads: [first] }) => first?.title === "Anna's");
  return { tab, store, threads, models, [Symbol.dispose]: () => tab[Symbol.dispose]() };
}

test("without a token everything waits for one, which is sent in no address, and of another tenant there is nothing to see", async () => {
  const network = new FaultyNetwork();
  using tab = new Tab(koine.url, new World(network.fetch, 20));
  const { api, threads } = tab.data;
  const refused: number[] = [];
  api.onUnauthorized(({ status }) => refused.push(status));
  const store = tab.conversation(secret);
  tab.read(threads);
  await until(
    store,
    ({ status, error }) => status === "failed" && error?.message.startsWith("A token is missing") === true,
  );
  // A server that wants a token has been reached.
  const { connection } = await until(threads, ({ status }) => status === "failed");
  expect(connection).toBe("connecting");
  expect(refused).toStrictEqual([401]);
  await api.useToken("token-of-anna");
  await until(store, ({ status, connection: now }) => status === "ready" && now === "live");
  await until(threads, ({ threads: [first] }) => first?.title === "Anna's");
  expect(tab.world.kept.get("koine.token")).toBe("token-of-anna");
  expect(network.asked.filter((url) => url.includes("token"))).toStrictEqual([]);
  // In another tab.
  tab.world.keep("koine.token", "token-of-berta");
  await until(store, ({ status }) => status === "missing");
  await until(threads, (state) => state.threads[0]?.title === "Berta's" && state.threads.length === 1);
});

test.each([
  ["the token is forgotten", (tab: Tab) => tab.data.api.token.clear()],
  ["another one is entered", (tab: Tab) => tab.data.api.token.set("token-of-berta")],
  ["another tab changes it", (tab: Tab) => tab.world.keep("koine.token", "token-of-berta")],
])("when %s, nothing of what was shown is left at that moment, or comes later", async (_, change) => {
  using anna = await annas();
  const { tab, store, threads, models } = anna;
  const kept = tab.data.conversation(secret);
  await until(models, (known) => known.length > 0);
  using heard = listening();
  const { cleared } = tab.world;
  const words: string[] = [];
  const look = (): void => {
    words.push(
      JSON.stringify([threads.getSnapshot().threads, [...store.getSnapshot().bodies], store.getSnapshot().thread]),
    );
  };
  store.subscribe(look);
  threads.subscribe(look);
  change(tab);
  look();
  expect(store.getSnapshot()).toMatchObject({ status: "loading", path: [], thread: undefined });
  expect([store.getSnapshot().bodies.size, threads.getSnapshot().threads, models.getSnapshot()]).toStrictEqual([
    0,
    [],
    [],
  ]);
  expect([heard.told, tab.world.cleared - cleared, tab.data.conversation(secret) === kept]).toStrictEqual([
    [true],
    1,
    true,
  ]);
  await until(store, ({ status }) => status === "missing" || status === "failed");
  await until(threads, ({ status }) => status !== "loading");
  expect(words.join()).not.toMatch(/Anna|Secret/);
});

test("a reply to what was asked with another token is dropped, and so is a page that was on its way", async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let isHeld = false;
  using anna = await annas(async (url, init) => {
    const hold = isHeld && !url.includes("/v1/events");
    const reply = await fetch(url, init);
    if (hold) await held;
    return reply;
  });
  const { tab, store, threads } = anna;
  isHeld = true;
  const asked = tab.data.api.thread(secret);
  const blob = tab.data.api.models();
  threads.setSearch("Anna");
  store.actions.need(["nothing"]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  isHeld = false;
  tab.data.api.token.set("token-of-berta");
  letGo();
  await expect(asked).rejects.toMatchObject({ status: 0, code: "token-changed" });
  await expect(blob).rejects.toMatchObject({ code: "token-changed" });
  const { search, threads: listed } = await until(threads, ({ status }) => status === "ready");
  expect([search, listed.map(({ title }) => title)]).toStrictEqual(["", ["Berta's"]]);
});

test("conversations that nobody looks at any more are forgotten, too", async () => {
  using anna = await annas();
  const { tab, store } = anna;
  using other = new Tab(koine.url, tab.world);
  const idle = other.data.conversation(secret);
  const leave = idle.subscribe(() => undefined);
  await until(idle, ({ bodies }) => bodies.size === 1);
  leave();
  other.data.api.token.set("token-of-berta");
  expect(other.data.conversation(secret)).not.toBe(idle);
  expect(store.id).toBe(secret);
});

test("the words of somebody who had no token yet stay theirs", async () => {
  using tab = new Tab(koine.url);
  using heard = listening();
  tab.data.api.token.set("token-of-anna");
  expect([heard.told, tab.world.cleared]).toStrictEqual([[false], 0]);
});

test("a token is asked for once, and again only for what a reader wants done, or after another was used", async () => {
  const asked: string[] = [];
  using tab = new Tab(koine.url, new World((url, init) => (asked.push(url), fetch(url, init)), 50));
  const { api, threads, models } = tab.data;
  const wanted: string[] = [];
  api.onUnauthorized(({ code }) => wanted.push(code));
  tab.read(threads);
  tab.read(models);
  await until(threads, ({ status }) => status === "failed");
  // Long enough for whatever tries again by itself.
  await new Promise((resolve) => tab.world.delay(() => resolve(undefined), 12_000));
  expect(wanted).toHaveLength(1);
  expect(asked.filter((url) => url.endsWith("/models"))).toHaveLength(1);
  await expect(api.createThread({ title: "Mine" })).rejects.toMatchObject({ status: 401 });
  expect(wanted).toHaveLength(2);
  await expect(api.thread("any")).rejects.toMatchObject({ status: 401 });
  expect(wanted).toHaveLength(2);
  api.token.set("of-nobody");
  await until(threads, ({ status }) => status === "failed");
  expect(wanted).toHaveLength(3);
});

test("a token is kept once the server takes it, and the former one until then; one that cannot be sent is told so", async () => {
  using anna = await annas();
  const { tab, threads } = anna;
  const { api } = tab.data;
  const wanted: string[] = [];
  api.onUnauthorized(({ code }) => wanted.push(code));
  for (const token of ["tök€n", "two words", "line\nbreak"]) {
    await expect(api.useToken(token)).rejects.toMatchObject({ code: "invalid-token" });
  }
  await expect(api.useToken("of-nobody")).rejects.toMatchObject({ status: 401 });
  expect([api.token.get(), threads.getSnapshot().threads.length, wanted]).toStrictEqual(["token-of-anna", 1, []]);
  await api.useToken("token-of-berta");
  expect(tab.world.kept.get("koine.token")).toBe("token-of-berta");
});

test("a picture of one reader is no address any more for the next", async () => {
  let made = 0;
  const making = vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${made++}`);
  const revoked: string[] = [];
  const revoking = vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void revoked.push(url));
  try {
    const urls = new BlobUrls({ blob: async () => new Blob(["x"]) });
    const told: (string | undefined)[] = [];
    const leave = urls.use("ref", "image/png", (url) => told.push(url));
    await expect.poll(() => told).toStrictEqual(["blob:0"]);
    urls.forget();
    await expect.poll(() => revoked).toStrictEqual(["blob:0"]);
    leave();
    expect([told, revoked]).toStrictEqual([["blob:0", undefined], ["blob:0"]]);
    urls.use("ref", "image/png", (url) => told.push(url));
    await expect.poll(() => told.at(-1)).toBe("blob:1");
  } finally {
    making.mockRestore();
    revoking.mockRestore();
  }
});
