// Tests that data of one token is never visible with another, in any tab.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { onTokenChange } from "../../../ui/data/token-change.ts";
import { BlobUrls } from "../../../ui/data/blob-urls.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { FaultyNetwork } from "../support/faulty-network.ts";
import { listShownTexts, TestTab, waitForState, TestEffects } from "../support/page-data.ts";

const createTokens = (...names: string[]) => ({
  tokens: names.map((name) => ({
    name,
    hash: `sha256:${createHash("sha256").update(`token-of-${name}`).digest("hex")}`,
  })),
});

let koine: KoineServer;
/** Thread of the token "anna". */
let secretThreadId: string;
beforeAll(async () => {
  koine = await startKoine({ tenants: { a: createTokens("anna"), b: createTokens("berta") } });
  const { id } = await koine.ledger.forTenant("a").createThread({ title: "Anna's" }, { messages: [user("Secret.")] });
  secretThreadId = id;
  await koine.ledger.forTenant("b").createThread({ title: "Berta's" });
});
afterAll(() => koine.close());

/** Records the token changes during a test. */
function observeTokenChanges(): Disposable & { notifications: boolean[] } {
  const notifications: boolean[] = [];
  return { notifications, [Symbol.dispose]: onTokenChange((isOther) => notifications.push(isOther)) };
}

/** Opens a tab with anna's token and waits until everything is loaded. */
async function openAnnasTab(network: (url: string, init?: RequestInit) => Promise<Response> = fetch, speed = 20) {
  const tab = new TestTab(koine.url, new TestEffects((url, init) => network(url, init), speed));
  tab.data.api.token.set("token-of-anna");
  const { threads, models } = tab.data;
  const store = tab.conversation(secretThreadId);
  tab.watch(threads);
  tab.watch(models);
  await waitForState(store, (state) => state.connection === "live" && listShownTexts(state).join() === "Secret.");
  await waitForState(threads, ({ threads: [first] }) => first?.title === "Anna's");
  return { tab, store, threads, models, [Symbol.dispose]: () => tab[Symbol.dispose]() };
}

test("without a token everything waits; the token is never in a URL, and another tenant's data is invisible", async () => {
  const network = new FaultyNetwork();
  using tab = new TestTab(koine.url, new TestEffects(network.fetch, 20));
  const { api, threads } = tab.data;
  const refused: number[] = [];
  api.onUnauthorized(({ status }) => refused.push(status));
  const store = tab.conversation(secretThreadId);
  tab.watch(threads);
  await waitForState(
    store,
    ({ status, error }) => status === "failed" && error?.message.startsWith("The token is missing") === true,
  );
  // The server was reached, although it rejects requests without a token.
  const { connection } = await waitForState(threads, ({ status }) => status === "failed");
  expect(connection).toBe("connecting");
  expect(refused).toStrictEqual([401]);
  await api.checkAndStoreToken("token-of-anna");
  await waitForState(store, ({ status, connection: now }) => status === "ready" && now === "live");
  await waitForState(threads, ({ threads: [first] }) => first?.title === "Anna's");
  expect(tab.effects.localStorage.get("koine.token")).toBe("token-of-anna");
  expect(network.requestedUrls.filter((url) => url.includes("token"))).toStrictEqual([]);
  // Changed by another tab.
  tab.effects.setFromOtherTab("koine.token", "token-of-berta");
  await waitForState(store, ({ status }) => status === "missing");
  await waitForState(threads, (state) => state.threads[0]?.title === "Berta's" && state.threads.length === 1);
});

test.each([
  ["the token is forgotten", (tab: TestTab) => tab.data.api.token.clear()],
  ["another one is entered", (tab: TestTab) => tab.data.api.token.set("token-of-berta")],
  ["another tab changes it", (tab: TestTab) => tab.effects.setFromOtherTab("koine.token", "token-of-berta")],
])("when %s, all shown data is removed at once and does not come back", async (_, change) => {
  using anna = await openAnnasTab();
  const { tab, store, threads, models } = anna;
  const sameStore = tab.data.conversation(secretThreadId);
  await waitForState(models, (known) => known.length > 0);
  using changes = observeTokenChanges();
  const { clearCount } = tab.effects;
  const shownTexts: string[] = [];
  const look = (): void => {
    shownTexts.push(
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
  expect([
    changes.notifications,
    tab.effects.clearCount - clearCount,
    tab.data.conversation(secretThreadId) === sameStore,
  ]).toStrictEqual([[true], 1, true]);
  await waitForState(store, ({ status }) => status === "missing" || status === "failed");
  await waitForState(threads, ({ status }) => status !== "loading");
  expect(shownTexts.join()).not.toMatch(/Anna|Secret/);
});

test("replies to requests with the previous token are discarded", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isHeld = false;
  using anna = await openAnnasTab(async (url, init) => {
    const hold = isHeld && !url.includes("/v1/events");
    const reply = await fetch(url, init);
    if (hold) await released;
    return reply;
  });
  const { tab, store, threads } = anna;
  isHeld = true;
  const urls = tab.data.api.thread(secretThreadId);
  const blob = tab.data.api.models();
  threads.setSearch("Anna");
  store.actions.loadBodies(["nothing"]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  isHeld = false;
  tab.data.api.token.set("token-of-berta");
  release();
  // Awaited together: either reply may be discarded first, and its rejection needs a handler by then.
  await Promise.all([
    expect(urls).rejects.toMatchObject({ status: 0, code: "token-changed" }),
    expect(blob).rejects.toMatchObject({ code: "token-changed" }),
  ]);
  const { search, threads: listed } = await waitForState(threads, ({ status }) => status === "ready");
  expect([search, listed.map(({ title }) => title)]).toStrictEqual(["", ["Berta's"]]);
});

test("cached conversations without listeners are removed, too", async () => {
  using anna = await openAnnasTab();
  const { tab, store } = anna;
  using other = new TestTab(koine.url, tab.effects);
  const idle = other.data.conversation(secretThreadId);
  const leave = idle.subscribe(() => undefined);
  await waitForState(idle, ({ bodies }) => bodies.size === 1);
  leave();
  other.data.api.token.set("token-of-berta");
  expect(other.data.conversation(secretThreadId)).not.toBe(idle);
  expect(store.id).toBe(secretThreadId);
});

test("drafts written before the first token was entered are preserved", async () => {
  using tab = new TestTab(koine.url);
  using changes = observeTokenChanges();
  tab.data.api.token.set("token-of-anna");
  expect([changes.notifications, tab.effects.clearCount]).toStrictEqual([[false], 0]);
});

test("a token is requested once, and again only for user actions or after a token change", async () => {
  const urls: string[] = [];
  using tab = new TestTab(koine.url, new TestEffects((url, init) => (urls.push(url), fetch(url, init)), 50));
  const { api, threads, models } = tab.data;
  const unauthorizedCodes: string[] = [];
  api.onUnauthorized(({ code }) => unauthorizedCodes.push(code));
  tab.watch(threads);
  tab.watch(models);
  await waitForState(threads, ({ status }) => status === "failed");
  // Long enough for any automatic retry.
  await new Promise((resolve) => tab.effects.delay(() => resolve(undefined), 12_000));
  expect(unauthorizedCodes).toHaveLength(1);
  expect(urls.filter((url) => url.endsWith("/models"))).toHaveLength(1);
  await expect(api.createThread({ title: "Mine" })).rejects.toMatchObject({ status: 401 });
  expect(unauthorizedCodes).toHaveLength(2);
  await expect(api.thread("any")).rejects.toMatchObject({ status: 401 });
  expect(unauthorizedCodes).toHaveLength(2);
  api.token.set("of-nobody");
  await waitForState(threads, ({ status }) => status === "failed");
  expect(unauthorizedCodes).toHaveLength(3);
});

test("a token is stored only after the server accepts it; an invalid one is rejected", async () => {
  using anna = await openAnnasTab();
  const { tab, threads } = anna;
  const { api } = tab.data;
  const unauthorizedCodes: string[] = [];
  api.onUnauthorized(({ code }) => unauthorizedCodes.push(code));
  for (const token of ["tök€n", "two words", "line\nbreak"]) {
    await expect(api.checkAndStoreToken(token)).rejects.toMatchObject({ code: "invalid-token" });
  }
  await expect(api.checkAndStoreToken("of-nobody")).rejects.toMatchObject({ status: 401 });
  expect([api.token.get(), threads.getSnapshot().threads.length, unauthorizedCodes]).toStrictEqual([
    "token-of-anna",
    1,
    [],
  ]);
  await api.checkAndStoreToken("token-of-berta");
  expect(tab.effects.localStorage.get("koine.token")).toBe("token-of-berta");
});

test("object URLs are revoked when the token changes", async () => {
  let made = 0;
  const making = vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${made++}`);
  const revoked: string[] = [];
  const revoking = vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void revoked.push(url));
  try {
    const urls = new BlobUrls({ blob: async () => new Blob(["x"]) });
    const notifications: (string | undefined)[] = [];
    const leave = urls.use("ref", "image/png", (url) => notifications.push(url));
    await expect.poll(() => notifications).toStrictEqual(["blob:0"]);
    urls.revokeAll();
    await expect.poll(() => revoked).toStrictEqual(["blob:0"]);
    leave();
    expect([notifications, revoked]).toStrictEqual([["blob:0", undefined], ["blob:0"]]);
    urls.use("ref", "image/png", (url) => notifications.push(url));
    await expect.poll(() => notifications.at(-1)).toBe("blob:1");
  } finally {
    making.mockRestore();
    revoking.mockRestore();
  }
});
