// The ledger against an oracle: whatever happens in whatever order, through two ledgers on one database, the tree, the
// active leaf, transcripts, states of runs and refusals are those of the rules. KOINE_MODEL_RUNS sets how many orders
// are tried on each store.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareBranches, compareThread, type Home, LEASE_MS, Real } from "./support/model.ts";
import { COMMANDS } from "./support/model-commands.ts";
import { Oracle } from "./support/oracle.ts";
import { STORES } from "./support/stores.ts";

const RUNS: Record<string, number> = { memory: 80, sqlite: 15, postgres: 4 };
/** So many orders reach all of these; fewer need not. */
const MANY = 60;
const REACHED = Object.entries({
  append: "done conflict unknown-message",
  select: "done unknown-message",
  beginRun: "done conflict unknown-message",
  stream: "done invalid-input illegal-transition fenced",
  commit: "done conflict fenced",
  failed: "done with-texts without-texts",
  cancelled: "done",
  committed: "with-texts",
  superseded: "with-texts",
  recover: "some none",
  resume: "done conflict illegal-transition",
}).flatMap(([step, results]) => results.split(" ").map((result) => `${step}: ${result}`));

const raised = process.env["KOINE_MODEL_RUNS"];
const timeout = raised === undefined ? 60_000 : 3_600_000;

describe.each(STORES)("$name", (tested) => {
  let home: Home;
  beforeAll(async () => {
    const place = await tested.place();
    home = { place, stores: [await place.openStore(), await place.openStore()], tally: new Map() };
  });
  afterAll(async () => {
    for (const store of home.stores) await store.close();
    await home.place.remove();
  });

  test("any order of steps comes to what the rules say", { timeout }, async () => {
    let tenants = 0;
    const numRuns = Number(raised ?? RUNS[tested.name]);
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 100, size: "max" }), async (commands) => {
        const real = new Real(home, `tenant-${++tenants}`);
        const oracle = new Oracle(LEASE_MS);
        oracle.now = real.clock.ms;
        try {
          real.threadIds.push((await real.ledger(0).createThread()).id);
          oracle.createThread();
          await fc.asyncModelRun(() => ({ model: oracle, real }), commands);
          for (const { state, texts } of oracle.runs) {
            real.count(`${state}: ${texts.length > 0 ? "with" : "without"}-texts`);
          }
          for (const thread of oracle.threads.keys()) {
            await compareThread(oracle, real, thread, 1);
            await compareBranches(oracle, real, thread);
          }
        } finally {
          await real.close();
        }
      }),
      { numRuns, interruptAfterTimeLimit: timeout - 10_000 },
    );
    if (tenants >= MANY) expect(REACHED.filter((what) => !home.tally.has(what))).toStrictEqual([]);
  });
});
