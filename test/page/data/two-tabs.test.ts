// Tests two tabs on one thread: after any actions in any order, both agree with the server.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import type { ConversationStore } from "../../../ui/data/conversation/conversation-store.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { TestTab, waitForState, TestEffects } from "../support/page-data.ts";

/** A model that answers with a counter; some answers fail. */
class CountingModel {
  #count = 0;
  readonly provider: LocalProvider = {
    models: ["count"],
    // Answers in several deltas, as any model does.
    answer: async function* (this: void) {
      const number = ++model.#count;
      yield { kind: "start", payload: { modelId: "count", requestId: `answer-${number}`, contractVersion: 1 } };
      yield { kind: "text", payload: { textDelta: `Answer ${number}` } };
      await new Promise((resolve) => setTimeout(resolve, number % 3));
      if (number % 5 === 4) yield { kind: "error", payload: { errorCode: "invalid-request", message: "No." } };
      else yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
}

const model = new CountingModel();
const ANSWER_SETTINGS = { model: "test/count" };
let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ providers: { test: model.provider } });
});
afterAll(() => koine.close());

type TabStep = { tab: 0 | 1; what: "say" | "select" | "edit" | "regenerate"; pick: number; waits: boolean };

const steps = fc.array(
  fc.record<TabStep>({
    tab: fc.constantFrom(0, 1),
    what: fc.constantFrom("say", "select", "edit", "regenerate"),
    pick: fc.nat(50),
    waits: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);

async function act(store: ConversationStore, { what, pick }: TabStep): Promise<void> {
  const { actions } = store;
  const { nodes, path } = store.getSnapshot();
  const ids = [...nodes.keys()];
  const id = ids[pick % Math.max(1, ids.length)] ?? "";
  const own = path.filter((each) => nodes.get(each)?.role === "user");
  if (what === "say" || ids.length === 0) return actions.sendMessage(user(`Said ${pick}`), ANSWER_SETTINGS);
  if (what === "select") return actions.select(id);
  const chosen = own[pick % Math.max(1, own.length)] ?? id;
  return what === "edit" && nodes.get(chosen)?.role === "user"
    ? actions.edit(chosen, user(`Edited ${pick}`), ANSWER_SETTINGS)
    : actions.regenerate(chosen, ANSWER_SETTINGS);
}

/** Executes the steps in a new thread, and compares both tabs with the server. */
async function assertTabsAgree(done: readonly TabStep[]): Promise<void> {
  using one = new TestTab(koine.url, new TestEffects(undefined, 20));
  using two = new TestTab(koine.url, new TestEffects(undefined, 20));
  const { id } = await koine.ledger.createThread();
  const stores = [one.conversation(id), two.conversation(id)] as const;
  for (const store of stores) await waitForState(store, ({ connection }) => connection === "live");
  const under: Promise<unknown>[] = [];
  for (const step of done) {
    // Failing answers and conflicts reject some of the actions.
    const acting = act(stores[step.tab], step).catch(() => undefined);
    under.push(acting);
    if (step.waits) await acting;
  }
  await Promise.all(under);
  while ((await koine.ledger.runs(id, { live: true })).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const { activeLeafId, messages } = await koine.ledger.tree(id);
  const path = (await koine.ledger.transcript(id)).map((message) => message.id);
  for (const store of stores) {
    const state = await waitForState(store, ({ nodes, path: shown, liveRuns }) => {
      return nodes.size === messages.length && (shown.at(-1) ?? null) === activeLeafId && liveRuns.length === 0;
    });
    expect([...state.nodes.keys()]).toStrictEqual(messages.map((message) => message.id));
    expect(state.path).toStrictEqual(path);
  }
  // A run that failed without a message leaves no node; each tab receives its event independently.
  const failed = (): Set<string> =>
    new Set(stores.map((store) => [...store.getSnapshot().failures.keys()].sort().join()));
  await expect.poll(() => failed().size).toBe(1);
  using fresh = new TestTab(koine.url);
  const reread = await waitForState(fresh.conversation(id), ({ status }) => status === "ready");
  // Events that mark answers as superseded may arrive after the answers.
  for (const store of stores) await expect.poll(() => store.getSnapshot().nodes).toStrictEqual(reread.nodes);
}

test("B93: two tabs agree with each other and with the server after any sequence of actions", async () => {
  // Several runs in parallel: most of the time is waiting.
  const several = fc.array(steps, { minLength: 5, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(several, async (each) => void (await Promise.all(each.map(assertTabsAgree)))),
    { numRuns: scaleRunCount(3) },
  );
});
