// The page's one connection: whatever is looked at comes over it, nothing is missed or comes twice when that changes, and
// nothing is held open for what nobody looks at.
import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { startKoine } from "../server/support/koine.ts";
import { tries } from "../support/tries.ts";
import { FaultyNetwork } from "./support/faulty-network.ts";
import { shown, Tab, until, World } from "./support/page-data.ts";

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine();
});
afterAll(() => koine.close());

const newThread = async (words: string): Promise<string> =>
  (await koine.ledger.createThread({}, { messages: [user(words)] })).id;

/** The threads that a connection follows. */
const threadsOf = (url: string): string[] =>
  new URL(url).searchParams.getAll("thread").map((place) => place.split("@")[0] ?? "");

test("several conversations and the list are followed over one connection, and none that nobody looks at any more", async () => {
  const ids = [await newThread("One"), await newThread("Two"), await newThread("Three")] as const;
  const network = new FaultyNetwork();
  using tab = new Tab(koine.url, new World(network.fetch, 20));
  tab.read(tab.data.threads);
  const stores = ids.map((id) => tab.data.conversation(id));
  const leave = stores.map((store) => store.subscribe(() => undefined));
  for (const store of stores) await until(store, ({ connection }) => connection === "live");
  await network.until(({ streams }) => streams.size === 1 && threadsOf([...streams][0] ?? "").length === 3);
  const outlines = (): number => network.asked.filter((url) => url.endsWith("/outline")).length;
  expect(outlines()).toBe(3);
  leave[0]?.();
  leave[1]?.();
  await network.until(({ streams }) => streams.size === 1 && threadsOf([...streams][0] ?? "").length === 1);
  await koine.ledger.append(ids[0], [user("Meanwhile")]);
  // What is looked at again is known already, and goes on where it was.
  const [first] = stores;
  if (first === undefined) throw new Error("There is none.");
  leave[0] = first.subscribe(() => undefined);
  expect(shown(first.getSnapshot())).toStrictEqual(["One"]);
  await until(first, (state) => shown(state).join() === "One,Meanwhile");
  expect(outlines()).toBe(3);
  for (const each of leave) each();
});

test("what happens while another thread is turned to is told of: the former connection stays until the next one stands", async () => {
  const [a, b] = [await newThread("A"), await newThread("B")];
  const network = new FaultyNetwork();
  let hold: Promise<void> | undefined;
  const world = new World(async (url, init) => {
    if (url.includes("/v1/events")) await hold;
    return network.fetch(url, init);
  }, 1);
  using tab = new Tab(koine.url, world);
  const { threads } = tab.data;
  tab.read(threads);
  const store = tab.conversation(a);
  await until(store, ({ connection }) => connection === "live");
  const lists = (): number => network.asked.filter((url) => url.includes("/v1/threads?")).length;
  const { promise, resolve } = Promise.withResolvers<void>();
  hold = promise;
  const other = tab.conversation(b);
  await until(other, ({ status }) => status === "ready");
  const before = lists();
  // The next connection is on its way, and does not stand.
  await koine.ledger.append(a, [user("Between")]);
  await until(store, (state) => shown(state).join() === "A,Between");
  expect([store.getSnapshot().connection, other.getSnapshot().connection]).toStrictEqual(["live", "connecting"]);
  await until(threads, ({ threads: [top] }) => top?.id === a);
  resolve();
  await until(other, ({ connection }) => connection === "live");
  await koine.ledger.append(b, [user("After")]);
  await until(other, (state) => shown(state).join() === "B,After");
  expect(shown(store.getSnapshot())).toStrictEqual(["A", "Between"]);
  expect(store.getSnapshot().nodes.size).toBe(2);
  await network.until(({ streams }) => streams.size === 1);
  // The list was read for what happened, not because a connection was made.
  expect(lists() - before).toBeLessThanOrEqual(2);
});

test("a browser without another connection to give gets the former one back", async () => {
  const [a, b] = [await newThread("A"), await newThread("B")];
  const open = new Set<string>();
  // One connection at a time for events, as if others had taken the rest.
  const world = new World(async (url, init) => {
    if (!url.includes("/v1/events")) return fetch(url, init);
    while (open.size > 0) {
      init?.signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    open.add(url);
    init?.signal?.addEventListener("abort", () => open.delete(url));
    return fetch(url, init);
  }, 40);
  using tab = new Tab(koine.url, world);
  tab.read(tab.data.threads);
  await until(tab.conversation(a), ({ connection }) => connection === "live");
  await until(tab.conversation(b), ({ connection }) => connection === "live");
});

test("a server that takes a request and never answers is not waited for", async () => {
  const world = new World(
    (url, init) =>
      new Promise((resolve, reject) => {
        if (url.includes("/v1/models")) return resolve(fetch(url, init));
        init?.signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
      }),
    1000,
  );
  using tab = new Tab(koine.url, world);
  await expect(tab.data.api.thread("any")).rejects.toMatchObject({ status: 0, code: "timeout" });
  await expect(tab.data.api.updateThread("any", {})).rejects.toMatchObject({ code: "timeout" });
  tab.read(tab.data.threads);
  await until(tab.data.threads, ({ connection }) => connection === "offline");
});

test("B96: whichever threads are looked at in whichever order, through a network that breaks, each shows all that happened in it, once", async () => {
  const step = fc.record({ thread: fc.nat(3), what: fc.constantFrom("open", "close", "append") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.infiniteStream(fc.nat(400)),
      async (steps, faults) => {
        const ids = await Promise.all([0, 1, 2, 3].map((at) => newThread(`Thread ${at}`)));
        const words = ids.map((_, at) => [`Thread ${at}`]);
        using tab = new Tab(koine.url, new World(new FaultyNetwork(faults).fetch, 50));
        tab.read(tab.data.threads);
        const leave = new Map<number, () => void>();
        for (const [at, { thread, what }] of steps.entries()) {
          const id = ids[thread] ?? "";
          if (what === "append") {
            await koine.ledger.append(id, [user(`Said ${at}`)]);
            words[thread]?.push(`Said ${at}`);
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
          await until(store, ({ path }) => path.length === words[at]?.length);
          // As a view does of what it shows.
          store.actions.need(store.getSnapshot().path);
          await until(store, ({ path, bodies }) => bodies.size === path.length);
          expect(shown(store.getSnapshot())).toStrictEqual(words[at]);
        }
        for (const each of leave.values()) each();
      },
    ),
    { numRuns: tries(8) },
  );
});
