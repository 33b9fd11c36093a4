// A campaign in which the database server is stopped during writes, like a power failure, and restarted. Its writers
// live on: they receive "unavailable" and continue when it is back.
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../../support/postgres.ts";
import { freshSchema } from "./databases.ts";
import { writeEvidence } from "./evidence.ts";
import { type WriterHistory, readOutcome } from "../checker/writer-history.ts";
import { Findings } from "../checker/invariants.ts";
import { Report } from "./report.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type Layout, AttackedDatabase } from "./attacked-database.ts";

export interface OutageOptions {
  /** The path of the writer program. */
  program: string;
  seed: number;
  stops: number;
  /** A folder for the writers' logs of a database with a violation. */
  evidence?: string;
  progress?: (line: string) => void;
}

const LAYOUT: Layout = { writers: 2, lanes: 2, threads: "many" };
/** The number of stops per database. */
const PER_DATABASE = 5;

export async function serverCampaign({ program, seed, stops, evidence, progress }: OutageOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new SeededRandom(seed);
  const server = await startPostgres({ fsync: true });
  let site: AttackedDatabase | undefined;
  const stopAndStart = async (history: WriterHistory, ready: Promise<unknown>): Promise<void> => {
    await ready;
    await pause(random.below(400));
    await server.stop("immediate");
    await pause(random.below(60));
    await server.start();
    await waitForProgress(history, LAYOUT.writers, report.findings);
    await pause(random.below(200));
  };
  try {
    while (report.stops < stops && report.findings.violations.length === 0) {
      if (site === undefined || report.stops % PER_DATABASE === 0) {
        const { target } = await freshSchema(server.url);
        site = new AttackedDatabase({
          program,
          target,
          layout: LAYOUT,
          findings: report.findings,
          random,
          outage: true,
        });
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
      if (report.findings.violations.length > 0 && evidence !== undefined) writeEvidence(evidence, site);
    }
  } finally {
    await server.end();
  }
  return report;
}

const TRIES = 2000;

/** Waits until every writer has completed an operation that it started after this moment. */
async function waitForProgress(history: WriterHistory, writers: number, findings: Findings): Promise<void> {
  const from = history.attempts.length;
  let going = new Set<number>();
  for (let attempt = 0; attempt < TRIES && going.size < writers; attempt++) {
    await pause(10);
    const done = history.attempts.slice(from).filter((it) => readOutcome(it) === "done");
    going = new Set(done.map(({ worker }) => worker));
  }
  findings.expect(
    "errors",
    going.size === writers,
    "server",
    () => `${going.size} of ${writers} writers went on with it`,
  );
}
