// Tests the stores with a failing network, a restarting server and a hidden tab: no event is missed or duplicated, and
// no message is stored twice.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { getText, user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import type { ConversationStore } from "../../../ui/data/conversation/conversation-store.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { FaultyNetwork } from "../support/faulty-network.ts";
import { listShownTexts, TestTab, waitForState, TestEffects } from "../support/page-data.ts";

const ANSWER_SETTINGS = { model: "test/manual" };
const file = join(tmpdir(), `koine-page-network-${process.pid}.db`);
const open: KoineServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => ["", "-wal", "-shm"].forEach((end) => rmSync(`${file}${end}`, { force: true })));

async function start(model: ManualModel, more: Parameters<typeof startKoine> = []): Promise<KoineServer> {
  const [config, options] = more;
  const koine = await startKoine({ providers: { test: model.provider }, drainMs: 20, ...config }, options);
  open.push(koine);
  return koine;
}

/** Creates and watches a thread. */
async function watchNewThread(tab: TestTab): Promise<ConversationStore> {
  const { id } = await tab.data.api.createThread({ id: tab.data.api.newId() });
  const store = tab.conversation(id);
  await waitForState(store, ({ status }) => status === "ready");
  return store;
}

test("B96: through a failing network every event is shown once and in order, and every message is stored once", async () => {
  const model = new ManualModel();
  const koine = await start(model);
  const texts = fc.array(fc.stringMatching(/^[a-zäλ😀 ]{1,12}$/u), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(texts, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.nat(400)),
      async (turns, faults) => {
        using tab = new TestTab(koine.url, new TestEffects(new FaultyNetwork(faults).fetch, 20));
        const store = await watchNewThread(tab);
        let most = 0;
        const request = model.count;
        for (const [turn, pieces] of turns.entries()) {
          const sending = store.actions.sendMessage(user(`Question ${turn}`), ANSWER_SETTINGS);
          const answer = await model.nextCall();
          const whole = pieces.join("");
          const undo = store.subscribe(() => {
            const text = store
              .getSnapshot()
              .liveRuns.map(({ messages }) => messages.map(getText).join(""))
              .join("");
            // The streamed text is always a prefix of the answer.
            expect(whole.startsWith(text)).toBe(true);
            most = Math.max(most, text.length);
          });
          for (const piece of pieces.slice(0, -1)) {
            answer.begin(piece);
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          answer.complete(pieces.at(-1) ?? "");
          await sending;
          await waitForState(store, ({ path, liveRuns }) => path.length === 2 * turn + 2 && liveRuns.length === 0);
          undo();
        }
        const settled = await waitForState(store, ({ bodies: loaded }) => loaded.size === 2 * turns.length);
        expect(listShownTexts(settled)).toStrictEqual(
          turns.flatMap((pieces, turn) => [`Question ${turn}`, pieces.join("")]),
        );
        expect(model.count - request).toBe(turns.length);
        using fresh = new TestTab(koine.url);
        const clean = await waitForState(
          fresh.conversation(store.id),
          ({ bodies }) => bodies.size === 2 * turns.length,
        );
        const { nodes, path, bodies } = store.getSnapshot();
        expect({ nodes, path, bodies }).toStrictEqual({ nodes: clean.nodes, path: clean.path, bodies: clean.bodies });
      },
    ),
    { numRuns: scaleRunCount(9) },
  );
});

test("after a server restart the page continues at its position", async () => {
  const model = new ManualModel();
  const ledger = { url: `sqlite:${file}`, sync: "normal" } as const;
  const first = await start(model, [{ ledger }]);
  using tab = new TestTab(first.url, new TestEffects(undefined, 20));
  const store = await watchNewThread(tab);
  const sending = store.actions.sendMessage(user("Before."), ANSWER_SETTINGS);
  (await model.nextCall()).complete("Yes.");
  await sending;
  await waitForState(store, ({ path }) => path.length === 2);
  await first.close();
  await waitForState(store, ({ connection }) => connection === "offline");
  await expect(store.actions.rename("Nobody hears this")).rejects.toMatchObject({ code: "network", status: 0 });
  const second = await start(model, [{ ledger, port: Number(new URL(first.url).port) }]);
  await second.ledger.append(store.id, [user("After.")]);
  tab.effects.goOnline();
  const state = await waitForState(store, ({ connection, path }) => connection === "live" && path.length === 3);
  expect(listShownTexts(state)).toStrictEqual(["Before.", "Yes.", "After."]);
});

test("a hidden tab closes its connections, and catches up when shown, even if its cursor has expired", async () => {
  const model = new ManualModel();
  const ledger = await openLedger("memory:", { deltaRetentionMs: 0 });
  const koine = await start(model, [{}, { ledger }]);
  const network = new FaultyNetwork();
  using tab = new TestTab(koine.url, new TestEffects(network.fetch, 40));
  const store = await watchNewThread(tab);
  const sending = store.actions.sendMessage(user("Slowly."), ANSWER_SETTINGS);
  const request = await model.nextCall();
  request.begin("One ");
  await sending;
  await waitForState(store, (state) => listShownTexts(state).at(-1) === "~One ");
  await network.until(({ openStreams }) => openStreams.size === 1);
  tab.effects.setVisible(false);
  await network.until(({ openStreams }) => openStreams.size === 0);
  request.complete("two.");
  // The deltas are dropped at the end of the run, so the tab's cursor has expired.
  while ((await ledger.runs(store.id, { live: true })).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  expect(listShownTexts(store.getSnapshot()).at(-1)).toBe("~One ");
  tab.effects.setVisible(true);
  await waitForState(store, (state) => listShownTexts(state).at(-1) === "One two.");
  // The server rejected the cursor within the stream, and the outline was read again.
  expect(network.errorStatuses).toStrictEqual([]);
  expect(network.requestedUrls.filter((url) => url.endsWith("/outline"))).toHaveLength(2);
});
