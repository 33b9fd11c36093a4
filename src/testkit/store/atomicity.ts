// Work takes effect as a whole or not at all, and sees what it has written itself.
import { got, runLater } from "../../ledger/steps.ts";
import { demand } from "../demand.ts";
import { changes, everything, everythingNow, household, Stop } from "./fixture.ts";
import { idOf, logRow, messageRow, runRow, threadRow } from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandSame, during, inOrder, thrownBy, writeTo } from "./stage.ts";

async function givesResults(stage: Stage): Promise<void> {
  const { key, store } = stage;
  const value = { any: "value" };
  // oxlint-disable-next-line require-yield -- work need not wait for anything
  const same = await store.write(function* () {
    return value;
  });
  demand(same === value, "write gives what the work returns.");
  const row = messageRow(key, 1);
  const read = await store.write(function* (tx) {
    yield* got(tx.insertMessages([row]));
    return yield* got(tx.message(key, row.id));
  });
  await demandSame(read, row, "write gives what the work has read.");
  await demandSame(store.reads.message(key, row.id), row, "What was written can be read once write has resolved.");
}

/** Stops the work after each of its steps in turn. */
async function undoesAnyBeginning(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  await stage.write(...household(tenant));
  const before = await everythingNow(store, tenant);
  const steps = Object.values(changes(tenant));
  for (let count = 0; count <= steps.length; count++) {
    const stop = new Stop();
    const stopping: Step = () => {
      throw stop;
    };
    const thrown = await thrownBy(() => stage.write(...steps.slice(0, count), stopping));
    demand(
      thrown?.error === stop,
      `Stopped after ${count} steps, the work's error is not the caller's.`,
      String(thrown?.error),
    );
    await demandSame(everythingNow(store, tenant), before, `Stopped after ${count} steps, something stays.`);
  }
  await stage.write(...steps);
  demand(JSON.stringify(await everythingNow(store, tenant)) !== JSON.stringify(before), "The whole work shows.");
}

/** Looks from inside after each kind of step, then from outside. */
async function showsToItsWork(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  await stage.write(...household(tenant));
  let before = await everythingNow(store, tenant);
  for (const [method, step] of Object.entries(changes(tenant))) {
    const inside = await store.write(function* (tx) {
      yield* got(step(tx));
      return yield* everything(tx, tenant);
    });
    demand(JSON.stringify(inside) !== JSON.stringify(before), `The work does not see its own ${method}.`);
    before = await everythingNow(store, tenant);
    await demandSame(before, inside, `After ${method}, the work saw something else than readers.`);
  }
}

async function refusesAtOnce(stage: Stage): Promise<void> {
  const { store } = stage;
  const stop = new Stop();
  const thrown = await thrownBy(() =>
    store.write(() => {
      throw stop;
    }),
  );
  demand(thrown?.error === stop, "Work that throws before its first step rejects with its error.");
  await stage.write((tx) => tx.insertThread(threadRow(stage.key)));
  demand((await store.reads.thread(stage.key)) !== undefined, "The store goes on after work that threw.");
}

/** Work that catches a conflict: either it goes on and all else is written, or none of it is and the caller hears. */
async function neverHalves(stage: Stage): Promise<void> {
  const { key, store } = stage;
  await stage.write((tx) => tx.insertMessages([messageRow(key, 2)]));
  const before = await everythingNow(store, stage.tenant);
  const thrown = await thrownBy(() =>
    store.write(function* (tx) {
      yield* got(tx.insertMessages([messageRow(key, 1)]));
      try {
        yield* got(tx.insertMessages([messageRow(key, 3), messageRow(key, 2), messageRow(key, 4)]));
      } catch {
        // The work goes on without them.
      }
      yield* got(tx.insertMessages([messageRow(key, 5)]));
    }),
  );
  if (thrown !== undefined) {
    await demandSame(everythingNow(store, stage.tenant), before, "The write failed, yet something shows.");
    return;
  }
  const ids = (await store.reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await demandSame(ids, [idOf(1), idOf(2), idOf(5)], "The write resolved, yet something is missing or half there.");
}

/** Readers look while work of many steps is under way. */
async function hidesWhatIsUnderWay(stage: Stage): Promise<void> {
  const { key } = stage;
  const [store, reader] = [stage.store, await stage.another()];
  const count = 40;
  const steps = Array.from(
    { length: count },
    (_, at): Step =>
      (tx) =>
        tx.insertMessages([messageRow(key, at + 1)]),
  );
  const written = store.write((tx) => inOrder(tx, steps));
  await during(written, async () => {
    for (const reads of [store.reads, reader.reads]) {
      const seen = (await reads.messages(key, { limit: 99 })).length;
      demand(seen === 0 || seen === count, `A reader saw ${seen} of ${count} messages of one work.`);
    }
  });
  await demandSame((await reader.reads.messages(key, { limit: 99 })).length, count, "All of it shows at the end.");
}

async function showsAtOnce(stage: Stage): Promise<void> {
  const { key } = stage;
  const stores = [stage.store, await stage.another()];
  await stage.write(
    (tx) => tx.insertThread(threadRow(key)),
    (tx) => tx.insertRun(runRow(key, "run")),
  );
  for (let number = 1; number <= 20; number++) {
    const [writer, reader] = number % 2 === 0 ? stores : stores.toReversed();
    if (writer === undefined || reader === undefined) return;
    const step: Step = number % 3 === 0 ? (tx) => tx.insertLog([logRow(key, number)]) : addMessage(stage, number);
    await writeTo(writer, step);
    await demandSame((await reader.reads.thread(key))?.lastId, idOf(number), "A reader sees what was acknowledged.");
    await writeTo(writer, (tx) => tx.updateRun(key, "run", 1, { lastSeq: number }));
    await demandSame(
      (await reader.reads.run(key.tenant, "run"))?.lastSeq,
      number,
      "A reader sees the change of a run.",
    );
  }
  await demandSame(
    await runLater(everything(stores[0]?.reads ?? stage.reads, stage.tenant)),
    await runLater(everything(stores[1]?.reads ?? stage.reads, stage.tenant)),
    "Both see the same at the end.",
  );
}

function addMessage({ key }: Stage, number: number): Step {
  return (tx) => tx.insertMessages([messageRow(key, number)]);
}

export const ATOMICITY_CLAIMS: readonly Claim[] = [
  ["write gives what the work returns, and what it wrote can then be read", givesResults],
  ["work that throws after any of its steps leaves nothing, and its error is the caller's", undoesAnyBeginning],
  ["work sees what it has written itself, and readers then see the same", showsToItsWork],
  ["work that throws before its first step is refused, and the store goes on", refusesAtOnce],
  ["work that catches a conflict is written as a whole or refused as a whole", neverHalves],
  ["readers see work as a whole or not at all", hidesWhatIsUnderWay],
  ["readers see everything that was acknowledged before they asked", showsAtOnce],
];
