// Servers that are killed under load, with readers and clients: the short form of `npm run crash:server`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../support/postgres.ts";
import { campaign, type CampaignOptions } from "./campaign.ts";
import { freshDatabase, freshFile } from "./databases.ts";
import { buildProgram } from "./build-program.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-server-kills-"));
let program: string;
beforeAll(async () => {
  program = await buildProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEED = Math.floor(Math.random() * 2 ** 31);

const KILLED: [engine: string, options: Pick<CampaignOptions, "instances" | "plan" | "fresh">][] = [
  [
    "two instances on one PostgreSQL",
    {
      instances: 2,
      plan: ["kill", "freeze"],
      fresh: async () => freshDatabase(await sharedPostgres()),
    },
  ],
  ["one instance on SQLite", { instances: 1, plan: ["kill"], fresh: () => freshFile(folder) }],
];

// Concurrent, because most of the time is waiting.
test.concurrent.each(KILLED)(
  "B90, B95, B96: no acknowledged data is lost or duplicated, and readers resume, whichever process is killed (%s)",
  async (_engine, options) => {
    const load = { clients: 2, leaseMs: 1000, pauseMs: [200, 300], endsPerEpisode: 3, more: 4 } as const;
    const { findings, ends, text } = await campaign({ ...options, ...load, program, folder, seed: SEED });
    expect(findings.violations, `seed ${SEED}\n${text}`).toStrictEqual([]);
    expect(findings.unchecked).toStrictEqual([]);
    expect(ends).toBeGreaterThanOrEqual(options.plan.length);
  },
  // Every start is a new process, and machines may be slow.
  240_000,
);
