// Servers that are killed under load, and their readers and clients: the short form of `npm run crash:server`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../support/postgres.ts";
import { campaign, type CampaignOptions } from "./kills/campaign.ts";
import { freshDatabase, freshFile } from "./kills/databases.ts";
import { buildProgram } from "./kills/program.ts";

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

// Most of it is waiting: they do it side by side.
test.concurrent.each(KILLED)(
  "B90, B95, B96: nothing that was acknowledged is lost or there twice, and readers go on, whoever is killed (%s)",
  async (_engine, options) => {
    const load = { clients: 2, leaseMs: 1000, pauseMs: [200, 300], endsPerEpisode: 3, more: 4 } as const;
    const { findings, ends, text } = await campaign({ ...options, ...load, program, folder, seed: SEED });
    expect(findings.violations, `seed ${SEED}\n${text}`).toStrictEqual([]);
    expect(findings.unchecked).toStrictEqual([]);
    expect(ends).toBeGreaterThanOrEqual(options.plan.length);
  },
  // Every life is a process of its own, and machines may be slow.
  240_000,
);
