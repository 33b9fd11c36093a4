// Tests the ledger against an oracle: after any sequence of commands through two ledgers on one database, the tree, the
// active leaf, transcripts, run states and errors equal those of the rules. KOINE_MODEL_RUNS sets the number of
// sequences per store.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareBranches, compareThread, type ModelStores, LEASE_MS, LedgerUnderTest } from "./ledger-and-oracle.ts";
import { COMMANDS } from "./commands.ts";
import { Oracle } from "./oracle.ts";
import { STORES } from "../support/stores.ts";

const RUNS: Record<string, number> = { memory: 80, sqlite: 15, postgres: 4 };
/** This many sequences reach all of these outcomes; fewer need not. */
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
  let home: ModelStores;
  beforeAll(async () => {
    const database = await tested.place();
    home = { place: database, stores: [await database.openStore(), await database.openStore()], tally: new Map() };
  });
  afterAll(async () => {
    for (const store of home.stores) await store.close();
    await home.place.remove();
  });

  test("any sequence of commands has the results of the rules", { timeout }, async () => {
    let tenants = 0;
    const numRuns = Number(raised ?? RUNS[tested.name]);
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 100, size: "max" }), async (commands) => {
        const real = new LedgerUnderTest(home, `tenant-${++tenants}`);
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
