// A campaign in which the database server itself is stopped in the middle of writes, as if the power went, and started
// again. Its writers live on: they hear that it is unavailable, and go on when it is back.
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../support/postgres.ts";
import { freshSchema } from "./databases.ts";
import { Findings } from "./invariants.ts";
import { Report } from "./report.ts";
import { Seeded } from "./seeded.ts";
import { type Layout, Site } from "./site.ts";

export interface OutageOptions {
  /** The writers' program. */
  program: string;
  seed: number;
  stops: number;
  progress?: (line: string) => void;
}

const LAYOUT: Layout = { writers: 2, lanes: 2, threads: "many" };
/** Stops that one database lives through. */
const PER_DATABASE = 5;

export async function serverCampaign({ program, seed, stops, progress }: OutageOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new Seeded(seed);
  const server = await startPostgres({ fsync: true });
  let site: Site | undefined;
  const stopAndStart = async (ready: Promise<unknown>): Promise<void> => {
    await ready;
    await pause(random.below(400));
    await server.stop("immediate");
    await pause(random.below(60));
    await server.start();
    await pause(100 + random.below(250));
  };
  try {
    while (report.stops < stops && report.findings.violations.length === 0) {
      if (site === undefined || report.stops % PER_DATABASE === 0) {
        const { target } = await freshSchema(server.url);
        site = new Site({ program, target, layout: LAYOUT, findings: report.findings, random, outage: true });
        report.databases++;
      }
      const before = site.history.attempts.length;
      await site.round([{ by: "order" }, { by: "order" }], stopAndStart);
      report.stops++;
      report.kills += 2;
      report.rounds++;
      report.attempts += site.history.attempts.length - before;
      progress?.(report.line);
    }
  } finally {
    await server.end();
  }
  return report;
}
