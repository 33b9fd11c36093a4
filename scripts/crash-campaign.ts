// The long form of the crash tests: kills writer processes many times and stops the PostgreSQL server.
// npm run crash -- --sqlite 1000 --postgres 200 --server 20 --seed 7
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { campaign } from "../test/ledger/crash/campaign/campaign.ts";
import { freshFile, freshSchema } from "../test/ledger/crash/campaign/databases.ts";
import { serverCampaign } from "../test/ledger/crash/campaign/server-outage.ts";
import { buildPrograms } from "../test/ledger/crash/programs.ts";
import type { Report } from "../test/ledger/crash/campaign/report.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { progress, wholeNumber } from "./campaign-options.ts";

const { values } = parseArgs({
  options: {
    sqlite: { type: "string", default: "1000" },
    postgres: { type: "string", default: "200" },
    server: { type: "string", default: "20" },
    seed: { type: "string" },
    parallel: { type: "string", default: "3" },
  },
});
const count = (name: keyof typeof values): number => wholeNumber(name, values[name]);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : count("seed");
const [sqlite, postgres, server, parallel] = [
  count("sqlite"),
  count("postgres"),
  count("server"),
  Math.max(count("parallel"), 1),
];
const folder = mkdtempSync(join(tmpdir(), "koine-crash-"));
const PER_DATABASE = 40;

/** Prints the report; exits with the code 1 if there are violations. */
function conclude(title: string, report: Report): void {
  const { violations } = report.findings;
  console.log(`\n${title}\n${report.text}`);
  if (violations.length === 0) return;
  console.log(`Failed with seed ${seed}. Remaining databases: ${folder}`);
  process.exit(1);
}

console.log(`seed ${seed}`);
const [program = ""] = await buildPrograms(folder, "writer/writer-program");
const common = { program, evidence: folder, seed, parallel, perDatabase: PER_DATABASE, progress };
if (sqlite > 0) {
  let files = 0;
  const fresh = (): ReturnType<typeof freshFile> => freshFile(folder, files++ % 4 === 3 ? "normal" : "full");
  conclude("SQLite, writers killed", await campaign({ ...common, kills: sqlite, fresh }));
}
if (postgres > 0) {
  const postgresServer = await startPostgres({ fsync: false, settings: ["max_connections=200"] });
  const fresh = (): ReturnType<typeof freshSchema> => freshSchema(postgresServer.url);
  try {
    conclude("PostgreSQL, writers killed", await campaign({ ...common, kills: postgres, fresh }));
  } finally {
    await postgresServer.end();
  }
}
if (server > 0)
  conclude(
    "PostgreSQL, server stopped",
    await serverCampaign({ program, evidence: folder, seed, stops: server, progress }),
  );
rmSync(folder, { recursive: true, force: true });
