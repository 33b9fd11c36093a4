// The long form of the agent kill tests: kills agent processes many times, at every named point and at random moments.
// npm run crash:agent -- --sqlite 200 --postgres 40 --seed 7
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { campaign, type Report } from "../test/agent/kills/campaign.ts";
import { buildPrograms } from "../test/agent/kills/programs.ts";
import { freshFile, freshSchema } from "../test/ledger/crash/campaign/databases.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { progress, wholeNumber } from "./campaign-options.ts";

const { values } = parseArgs({
  options: {
    sqlite: { type: "string", default: "200" },
    postgres: { type: "string", default: "40" },
    seed: { type: "string" },
    parallel: { type: "string", default: "2" },
  },
});
const count = (name: keyof typeof values): number => wholeNumber(name, values[name]);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : count("seed");
const [sqlite, postgres, parallel] = [count("sqlite"), count("postgres"), Math.max(count("parallel"), 1)];
const folder = mkdtempSync(join(tmpdir(), "koine-agent-"));

/** Prints the report; exits with the code 1 if there are violations or points that were never reached. */
function conclude(title: string, report: Report): void {
  console.log(`\n${title}\n${report.text}`);
  if (report.findings.violations.length === 0 && report.gaps.length === 0) return;
  console.log(`Failed with seed ${seed}. Remaining files: ${folder}`);
  process.exit(1);
}

console.log(`seed ${seed}`);
const programs = await buildPrograms(folder);
const common = { programs, folder, seed, parallel, stories: ["local", "remote"] as const, progress };
if (sqlite > 0) {
  const report = await campaign({ ...common, kills: sqlite, fresh: () => freshFile(folder, "full") });
  conclude("SQLite, agents killed", report);
}
if (postgres > 0) {
  const postgresServer = await startPostgres({ fsync: false });
  try {
    const fresh = (): ReturnType<typeof freshSchema> => freshSchema(postgresServer.url);
    // Only some points of the agent are tested here, because the SQLite campaign tests all points.
    const pointNames = [
      "tools/tool has begun",
      "tools/event tool-end",
      "answer/tool_call_end",
      "resume/event step-start",
    ];
    const points = pointNames.map((point) => ({ story: "local" as const, point }));
    conclude("PostgreSQL, agents killed", await campaign({ ...common, kills: postgres, points, fresh }));
  } finally {
    await postgresServer.end();
  }
}
rmSync(folder, { recursive: true, force: true });
