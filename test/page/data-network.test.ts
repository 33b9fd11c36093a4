// What a bad network, a server that restarts and a tab that is hidden make of what the page shows: nothing is missed, nothing
// comes twice, and nothing is said twice.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { textOf, user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import type { ConversationStore } from "../../ui/data/conversation/store.ts";
import { startKoine } from "../server/support/koine.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { tries } from "../support/tries.ts";
import { FaultyNetwork } from "./support/faulty-network.ts";
import { shown, Tab, until, World } from "./support/page-data.ts";

const ASK = { model: "test/held" };
const file = join(tmpdir(), `koine-page-network-${process.pid}.db`);
const open: KoineServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => ["", "-wal", "-shm"].forEach((end) => rmSync(`${file}${end}`, { force: true })));

async function start(model: HeldModel, more: Parameters<typeof startKoine> = []): Promise<KoineServer> {
  const [config, options] = more;
  const koine = await startKoine({ providers: { test: model.provider }, drainMs: 20, ...config }, options);
  open.push(koine);
  return koine;
}

/** Watches a new thread. */
async function watched(tab: Tab): Promise<ConversationStore> {
  const { id } = await tab.data.api.createThread({ id: tab.data.api.newId() });
  const store = tab.conversation(id);
  await until(store, ({ status }) => status === "ready");
  return store;
}

test("B96: through a network that breaks anywhere, all that happens is seen once and in order, and what is said is said once", async () => {
  const model = new HeldModel();
  const koine = await start(model);
  const words = fc.array(fc.stringMatching(/^[a-zäλ😀 ]{1,12}$/u), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.nat(400)),
      async (turns, faults) => {
        using tab = new Tab(koine.url, new World(new FaultyNetwork(faults).fetch, 20));
        const store = await watched(tab);
        let most = 0;
        const asked = model.count;
        for (const [turn, pieces] of turns.entries()) {
          const said = store.actions.say(user(`Question ${turn}`), ASK);
          const answer = await model.asked();
          const whole = pieces.join("");
          const undo = store.subscribe(() => {
            const text = store
              .getSnapshot()
              .live.map(({ messages }) => messages.map(textOf).join(""))
              .join("");
            // It never goes back, but for a reload that begins anew; and it is never anything else.
            expect(whole.startsWith(text)).toBe(true);
            most = Math.max(most, text.length);
          });
          for (const piece of pieces.slice(0, -1)) {
            answer.begin(piece);
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          answer.say(pieces.at(-1) ?? "");
          await said;
          await until(store, ({ path, live }) => path.length === 2 * turn + 2 && live.length === 0);
          undo();
        }
        expect(shown(store.getSnapshot())).toStrictEqual(
          turns.flatMap((pieces, turn) => [`Question ${turn}`, pieces.join("")]),
        );
        expect(model.count - asked).toBe(turns.length);
        using fresh = new Tab(koine.url);
        const clean = await until(fresh.conversation(store.id), ({ bodies }) => bodies.size === 2 * turns.length);
        const { nodes, path, bodies } = store.getSnapshot();
        expect({ nodes, path, bodies }).toStrictEqual({ nodes: clean.nodes, path: clean.path, bodies: clean.bodies });
      },
    ),
    { numRuns: tries(9) },
  );
});

test("a server that restarts is taken up again where it was", async () => {
  const model = new HeldModel();
  const ledger = { url: `sqlite:${file}`, sync: "normal" } as const;
  const first = await start(model, [{ ledger }]);
  using tab = new Tab(first.url, new World(undefined, 20));
  const store = await watched(tab);
  const said = store.actions.say(user("Before."), ASK);
  (await model.asked()).say("Yes.");
  await said;
  await until(store, ({ path }) => path.length === 2);
  await first.close();
  await until(store, ({ connection }) => connection === "offline");
  await expect(store.actions.rename("Nobody hears this")).rejects.toMatchObject({ code: "network", status: 0 });
  const second = await start(model, [{ ledger, port: Number(new URL(first.url).port) }]);
  await second.ledger.append(store.id, [user("After.")]);
  tab.world.online();
  const state = await until(store, ({ connection, path }) => connection === "live" && path.length === 3);
  expect(shown(state)).toStrictEqual(["Before.", "Yes.", "After."]);
});

test("a hidden tab lets go of its connections, and sees what it missed when it is shown, also where the place is gone", async () => {
  const model = new HeldModel();
  const ledger = await openLedger("memory:", { deltaRetentionMs: 0 });
  const koine = await start(model, [{}, { ledger }]);
  const network = new FaultyNetwork();
  using tab = new Tab(koine.url, new World(network.fetch, 40));
  const store = await watched(tab);
  const said = store.actions.say(user("Slowly."), ASK);
  const asked = await model.asked();
  asked.begin("One ");
  await said;
  await until(store, (state) => shown(state).at(-1) === "~One ");
  await network.until(({ streams }) => streams.size === 1);
  tab.world.show(false);
  await network.until(({ streams }) => streams.size === 0);
  asked.say("two.");
  // Its deltas are dropped with its end: the place that the tab has is none any more.
  while ((await ledger.runs(store.id, { live: true })).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  expect(shown(store.getSnapshot()).at(-1)).toBe("~One ");
  tab.world.show(true);
  await until(store, (state) => shown(state).at(-1) === "One two.");
  // The place was refused within the stream, and the thread read anew.
  expect(network.refused).toStrictEqual([]);
  expect(network.asked.filter((url) => url.endsWith("/outline"))).toHaveLength(2);
});
