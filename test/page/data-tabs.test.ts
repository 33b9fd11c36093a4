// Two tabs on one thread: whatever is done in either, and in whatever order, both come to show the same, which is what the
// server has.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import type { ConversationStore } from "../../ui/data/conversation/store.ts";
import { startKoine } from "../server/support/koine.ts";
import { tries } from "../support/tries.ts";
import { Tab, until, World } from "./support/page-data.ts";

/** Says the number of its answers so far; some of them fail. */
class CountingModel {
  #count = 0;
  readonly provider: LocalProvider = {
    models: ["count"],
    // Its answers come piece by piece, as those of any model.
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
const ASK = { model: "test/count" };
let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ providers: { test: model.provider } });
});
afterAll(() => koine.close());

type Step = { tab: 0 | 1; what: "say" | "select" | "edit" | "regenerate"; pick: number; waits: boolean };

const steps = fc.array(
  fc.record<Step>({
    tab: fc.constantFrom(0, 1),
    what: fc.constantFrom("say", "select", "edit", "regenerate"),
    pick: fc.nat(50),
    waits: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);

async function act(store: ConversationStore, { what, pick }: Step): Promise<void> {
  const { actions } = store;
  const { nodes, path } = store.getSnapshot();
  const ids = [...nodes.keys()];
  const id = ids[pick % Math.max(1, ids.length)] ?? "";
  const own = path.filter((each) => nodes.get(each)?.role === "user");
  if (what === "say" || ids.length === 0) return actions.say(user(`Said ${pick}`), ASK);
  if (what === "select") return actions.select(id);
  const chosen = own[pick % Math.max(1, own.length)] ?? id;
  return what === "edit" && nodes.get(chosen)?.role === "user"
    ? actions.edit(chosen, user(`Edited ${pick}`), ASK)
    : actions.regenerate(chosen, ASK);
}

/** Does all of it in a thread of its own, and looks at what both tabs show then. */
async function agreeAfter(done: readonly Step[]): Promise<void> {
  using one = new Tab(koine.url, new World(undefined, 20));
  using two = new Tab(koine.url, new World(undefined, 20));
  const { id } = await koine.ledger.createThread();
  const stores = [one.conversation(id), two.conversation(id)] as const;
  for (const store of stores) await until(store, ({ connection }) => connection === "live");
  const under: Promise<unknown>[] = [];
  for (const step of done) {
    // Models that fail, and threads that went on elsewhere, refuse some of it.
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
    const state = await until(store, ({ nodes, path: shown, live }) => {
      return nodes.size === messages.length && (shown.at(-1) ?? null) === activeLeafId && live.length === 0;
    });
    expect([...state.nodes.keys()]).toStrictEqual(messages.map((message) => message.id));
    expect(state.path).toStrictEqual(path);
  }
  const [first, second] = stores.map((store) => store.getSnapshot());
  expect(first?.nodes).toStrictEqual(second?.nodes);
  expect([...(first?.failures.keys() ?? [])].sort()).toStrictEqual([...(second?.failures.keys() ?? [])].sort());
  using fresh = new Tab(koine.url);
  const reread = await until(fresh.conversation(id), ({ status }) => status === "ready");
  expect(reread.nodes).toStrictEqual(first?.nodes);
}

test("B93: two tabs agree with each other and with the server after anything that is done in them", async () => {
  // Several at once: most of it is waiting.
  const several = fc.array(steps, { minLength: 5, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(several, async (each) => void (await Promise.all(each.map(agreeAfter)))),
    { numRuns: tries(3) },
  );
});
