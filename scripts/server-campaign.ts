// The long form of the server kill tests: ends server instances, which share one database and are under load, in every
// supported way.
// npm run crash:server -- --postgres 60 --sqlite 20 --seed 7 --clients 4
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SeededRandom } from "../test/ledger/crash/campaign/seeded-random.ts";
import { campaign, type Report } from "../test/server/kills/campaign.ts";
import { freshDatabase, freshFile } from "../test/server/kills/databases.ts";
import { planOf } from "../test/server/kills/killer.ts";
import { buildProgram } from "../test/server/kills/build-program.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { progress, wholeNumber } from "./campaign-options.ts";

const { values } = parseArgs({
  options: {
    postgres: { type: "string", default: "60" },
    sqlite: { type: "string", default: "20" },
    seed: { type: "string" },
    clients: { type: "string", default: "4" },
    lease: { type: "string", default: "1500" },
    episode: { type: "string", default: "10" },
  },
});
const count = (name: keyof typeof values): number => wholeNumber(name, values[name]);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : count("seed");
const folder = mkdtempSync(join(tmpdir(), "koine-servers-"));

/** Prints the report; sets the exit code 1 if there are violations or unchecked properties. */
function conclude(title: string, { findings, text }: Report): void {
  console.log(`\n${title}\n${text}`);
  for (const name of findings.unchecked) console.log(`"${name}" was not checked.`);
  if (findings.violations.length === 0 && findings.unchecked.length === 0) return;
  console.log(`Failed with seed ${seed}. Remaining files: ${folder}`);
  process.exitCode = 1;
}

console.log(`seed ${seed}`);
const common = {
  program: await buildProgram(folder),
  folder,
  seed,
  clients: count("clients"),
  leaseMs: count("lease"),
  pauseMs: [1000, 2000],
  endsPerEpisode: count("episode"),
  progress,
} as const;
if (count("postgres") > 0) {
  const postgresServer = await startPostgres({ fsync: false });
  try {
    const fresh = (): ReturnType<typeof freshDatabase> => freshDatabase(postgresServer.url);
    const plan = planOf(new SeededRandom(seed), count("postgres"), 2);
    const report = await campaign({ ...common, instances: 2, plan, fresh });
    conclude("PostgreSQL, two instances", report);
  } finally {
    await postgresServer.end();
  }
}
if (count("sqlite") > 0 && process.exitCode === undefined) {
  const plan = planOf(new SeededRandom(seed), count("sqlite"), 1);
  const report = await campaign({ ...common, instances: 1, plan, fresh: () => freshFile(folder) });
  conclude("SQLite, one instance", report);
}
if (process.exitCode === undefined) rmSync(folder, { recursive: true, force: true });
