// Agents that are killed at any moment, with their own tools and tools of MCP servers: the short form of `npm run crash:agent`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFile, freshSchema } from "../ledger/crash/campaign/databases.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { campaign, type CampaignOptions, type Point } from "./kills/campaign.ts";
import { buildPrograms, type Programs } from "./kills/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-kills-"));
let programs: Programs;
beforeAll(async () => {
  programs = await buildPrograms(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEED = Math.floor(Math.random() * 2 ** 31);

/** The most critical points; the long form finds all of them. */
const POINTS: readonly Point[] = [
  { story: "remote", point: "tools/tool has begun", maxParallel: 1 },
  { story: "local", point: "tools/event tool-end" },
  { story: "local", point: "answer/done" },
  { story: "local", point: "resume/tool has begun" },
];

const KILLED: [engine: string, kills: number, points: readonly Point[], fresh: CampaignOptions["fresh"]][] = [
  ["SQLite", 5, POINTS, () => freshFile(folder, "full")],
  ["PostgreSQL", 2, POINTS.slice(0, 1), async () => freshSchema(await sharedPostgres())],
];

test.each(KILLED)(
  "B24, B90: a killed agent repeats no call whose result was acknowledged, and leaves a valid thread (%s)",
  async (_engine, kills, points, fresh) => {
    const stories = ["local", "remote"] as const;
    const report = await campaign({ programs, folder, fresh, kills, points, stories, seed: SEED, parallel: 2 });
    expect(report.findings.violations, `seed ${SEED}`).toStrictEqual([]);
    expect(report.missed).toStrictEqual([]);
    expect(report.mixed).toBeGreaterThan(0);
    expect(report.kills).toBeGreaterThanOrEqual(kills);
  },
  // Every agent runs in its own process, which may be slow.
  240_000,
);
