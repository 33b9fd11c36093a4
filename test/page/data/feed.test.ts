// Tests the page's single event connection: no event is missed or duplicated when the followed threads change.
import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { FaultyNetwork } from "../support/faulty-network.ts";
import { listShownTexts, TestTab, waitForState, TestEffects } from "../support/page-data.ts";

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine();
});
afterAll(() => koine.close());

const createThread = async (content: string): Promise<string> =>
  (await koine.ledger.createThread({}, { messages: [user(content)] })).id;

/** Returns the threads that a connection follows. */
const listFollowedThreads = (url: string): string[] =>
  new URL(url).searchParams.getAll("thread").map((place) => place.split("@")[0] ?? "");

test("several conversations and the list share one connection, which drops threads without listeners", async () => {
  const ids = [await createThread("One"), await createThread("Two"), await createThread("Three")] as const;
  const network = new FaultyNetwork();
  using tab = new TestTab(koine.url, new TestEffects(network.fetch, 20));
  tab.watch(tab.data.threads);
  const stores = ids.map((id) => tab.data.conversation(id));
  const leave = stores.map((store) => store.subscribe(() => undefined));
  for (const store of stores) await waitForState(store, ({ connection }) => connection === "live");
  await network.until(
    ({ openStreams }) => openStreams.size === 1 && listFollowedThreads([...openStreams][0] ?? "").length === 3,
  );
  const outlines = (): number => network.requestedUrls.filter((url) => url.endsWith("/outline")).length;
  expect(outlines()).toBe(3);
  leave[0]?.();
  leave[1]?.();
  await network.until(
    ({ openStreams }) => openStreams.size === 1 && listFollowedThreads([...openStreams][0] ?? "").length === 1,
  );
  await koine.ledger.append(ids[0], [user("Meanwhile")]);
  // A cached conversation resumes from its cursor.
  const [first] = stores;
  if (first === undefined) throw new Error("There is none.");
  leave[0] = first.subscribe(() => undefined);
  expect(listShownTexts(first.getSnapshot())).toStrictEqual(["One"]);
  await waitForState(first, (state) => listShownTexts(state).join() === "One,Meanwhile");
  expect(outlines()).toBe(3);
  for (const each of leave) each();
});

test("no event is missed while another thread is opened: the previous connection stays until the next is established", async () => {
  const [a, b] = [await createThread("A"), await createThread("B")];
  const network = new FaultyNetwork();
  let hold: Promise<void> | undefined;
  const world = new TestEffects(async (url, init) => {
    if (url.includes("/v1/events")) await hold;
    return network.fetch(url, init);
    // Slower, so that a busy machine does not reach the time after which the previous connection is closed.
  }, 0.2);
  using tab = new TestTab(koine.url, world);
  const { threads } = tab.data;
  tab.watch(threads);
  const store = tab.conversation(a);
  await waitForState(store, ({ connection }) => connection === "live");
  const lists = (): number => network.requestedUrls.filter((url) => url.includes("/v1/threads?")).length;
  const { promise, resolve } = Promise.withResolvers<void>();
  hold = promise;
  const other = tab.conversation(b);
  await waitForState(other, ({ status }) => status === "ready");
  const before = lists();
  // The next connection is requested, but not open yet.
  await koine.ledger.append(a, [user("Between")]);
  await waitForState(store, (state) => listShownTexts(state).join() === "A,Between");
  expect([store.getSnapshot().connection, other.getSnapshot().connection]).toStrictEqual(["live", "connecting"]);
  await waitForState(threads, ({ threads: [top] }) => top?.id === a);
  resolve();
  await waitForState(other, ({ connection }) => connection === "live");
  await koine.ledger.append(b, [user("After")]);
  await waitForState(other, (state) => listShownTexts(state).join() === "B,After");
  expect(listShownTexts(store.getSnapshot())).toStrictEqual(["A", "Between"]);
  expect(store.getSnapshot().nodes.size).toBe(2);
  await network.until(({ openStreams }) => openStreams.size === 1);
  // The list was refreshed for the change, not for the new connection.
  expect(lists() - before).toBeLessThanOrEqual(2);
});

test("without a free connection, the previous one is closed first", async () => {
  const [a, b] = [await createThread("A"), await createThread("B")];
  const open = new Set<string>();
  // Allows one event connection at a time, as if other tabs used the rest.
  const world = new TestEffects(async (url, init) => {
    if (!url.includes("/v1/events")) return fetch(url, init);
    while (open.size > 0) {
      init?.signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    open.add(url);
    init?.signal?.addEventListener("abort", () => open.delete(url));
    return fetch(url, init);
  }, 40);
  using tab = new TestTab(koine.url, world);
  tab.watch(tab.data.threads);
  await waitForState(tab.conversation(a), ({ connection }) => connection === "live");
  await waitForState(tab.conversation(b), ({ connection }) => connection === "live");
});

test("a request to a server that never answers times out", async () => {
  const world = new TestEffects(
    (url, init) =>
      new Promise((resolve, reject) => {
        if (url.includes("/v1/models")) return resolve(fetch(url, init));
        init?.signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
      }),
    1000,
    1000,
  );
  using tab = new TestTab(koine.url, world);
  await expect(tab.data.api.thread("any")).rejects.toMatchObject({ status: 0, code: "timeout" });
  await expect(tab.data.api.updateThread("any", {})).rejects.toMatchObject({ code: "timeout" });
  tab.watch(tab.data.threads);
  await waitForState(tab.data.threads, ({ connection }) => connection === "offline");
});

test("B96: for any order of opened threads and through a failing network, each thread shows every event once", async () => {
  const step = fc.record({ thread: fc.nat(3), what: fc.constantFrom("open", "close", "append") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.infiniteStream(fc.nat(400)),
      async (steps, faults) => {
        const ids = await Promise.all([0, 1, 2, 3].map((at) => createThread(`Thread ${at}`)));
        const expectedTexts = ids.map((_, at) => [`Thread ${at}`]);
        using tab = new TestTab(koine.url, new TestEffects(new FaultyNetwork(faults).fetch, 50));
        tab.watch(tab.data.threads);
        const leave = new Map<number, () => void>();
        for (const [at, { thread, what }] of steps.entries()) {
          const id = ids[thread] ?? "";
          if (what === "append") {
            await koine.ledger.append(id, [user(`Said ${at}`)]);
            expectedTexts[thread]?.push(`Said ${at}`);
          } else if (what === "open" && !leave.has(thread)) {
            leave.set(
              thread,
              tab.data.conversation(id).subscribe(() => undefined),
            );
          } else if (what === "close") {
            leave.get(thread)?.();
            leave.delete(thread);
          }
          if (at % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 3));
        }
        for (const [at, id] of ids.entries()) {
          const store = tab.conversation(id);
          await waitForState(store, ({ path }) => path.length === expectedTexts[at]?.length);
          // As a view does.
          store.actions.loadBodies(store.getSnapshot().path);
          await waitForState(store, ({ path, bodies }) => bodies.size === path.length);
          expect(listShownTexts(store.getSnapshot())).toStrictEqual(expectedTexts[at]);
        }
        for (const each of leave.values()) each();
      },
    ),
    { numRuns: scaleRunCount(8) },
  );
});
