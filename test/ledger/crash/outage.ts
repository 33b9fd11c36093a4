// A campaign in which the database server itself is stopped in the middle of writes, as if the power went, and started
// again. Its writers live on: they hear that it is unavailable, and go on when it is back.
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../support/postgres.ts";
import { freshSchema } from "./databases.ts";
import { keepEvidence } from "./evidence.ts";
import { type History, outcomeOf } from "./history.ts";
import { Findings } from "./invariants.ts";
import { Report } from "./report.ts";
import { Seeded } from "./seeded.ts";
import { type Layout, Site } from "./site.ts";

export interface OutageOptions {
  /** The writers' program. */
  program: string;
  seed: number;
  stops: number;
  /** A folder for what the writers of a database said, should it show a violation. */
  evidence?: string;
  progress?: (line: string) => void;
}

const LAYOUT: Layout = { writers: 2, lanes: 2, threads: "many" };
/** Stops that one database lives through. */
const PER_DATABASE = 5;

export async function serverCampaign({ program, seed, stops, evidence, progress }: OutageOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new Seeded(seed);
  const server = await startPostgres({ fsync: true });
  let site: Site | undefined;
  const stopAndStart = async (history: History, ready: Promise<unknown>): Promise<void> => {
    await ready;
    await pause(random.below(400));
    await server.stop("immediate");
    await pause(random.below(60));
    await server.start();
    await goOn(history, LAYOUT.writers, report.findings);
    await pause(random.below(200));
  };
  try {
    while (report.stops < stops && report.findings.violations.length === 0) {
      if (site === undefined || report.stops % PER_DATABASE === 0) {
        const { target } = await freshSchema(server.url);
        site = new Site({ program, target, layout: LAYOUT, findings: report.findings, random, outage: true });
        report.databases++;
      }
      const { history } = site;
      const before = history.attempts.length;
      await site.round([{ by: "order" }, { by: "order" }], (ready) => stopAndStart(history, ready));
      report.stops++;
      report.kills += 2;
      report.rounds++;
      report.attempts += history.attempts.length - before;
      progress?.(report.line);
      if (report.findings.violations.length > 0 && evidence !== undefined) keepEvidence(evidence, site);
    }
  } finally {
    await server.end();
  }
  return report;
}

const TRIES = 2000;

/** Waits until every writer has done something again that it began after this moment. */
async function goOn(history: History, writers: number, findings: Findings): Promise<void> {
  const from = history.attempts.length;
  let going = new Set<number>();
  for (let attempt = 0; attempt < TRIES && going.size < writers; attempt++) {
    await pause(10);
    const done = history.attempts.slice(from).filter((it) => outcomeOf(it) === "done");
    going = new Set(done.map(({ worker }) => worker));
  }
  findings.expect(
    "errors",
    going.size === writers,
    "server",
    () => `${going.size} of ${writers} writers went on with it`,
  );
}
