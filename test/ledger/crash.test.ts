// Tests writers and a server that are killed at any moment: the short form of `npm run crash`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../support/postgres.ts";
import { campaign, type CampaignOptions } from "./crash/campaign/campaign.ts";
import { freshFile, freshSchema } from "./crash/campaign/databases.ts";
import { serverCampaign } from "./crash/campaign/server-outage.ts";
import { buildPrograms } from "./crash/programs.ts";
import type { Point } from "./crash/campaign/report.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-crash-"));
let program = "";
beforeAll(async () => {
  [program = ""] = await buildPrograms(folder, "writer/writer-program");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEED = Math.floor(Math.random() * 2 ** 31);

/** The most critical points; the long form finds all points. */
const POINTS: readonly Point[] = [
  { kind: "open", point: "before commit" },
  { kind: "append", point: "before commit" },
  { kind: "append", point: "after commit" },
  { kind: "commit", point: "before insert-log" },
  { kind: "recover", point: "before commit" },
];

const KILLED: [sentence: string, kills: number, fresh: CampaignOptions["fresh"]][] = [
  ["SQLite", 10, () => freshFile(folder, "full")],
  ["PostgreSQL", 6, async () => freshSchema(await sharedPostgres())],
];

test.concurrent.each(KILLED)(
  "B90, B94, B95: killed writers lose no acknowledged data (%s)",
  async (_, kills, fresh) => {
    const report = await campaign({ program, fresh, kills, seed: SEED, parallel: 2, perDatabase: 5, points: POINTS });
    expect(report.findings.violations, `seed ${SEED}`).toStrictEqual([]);
    expect(report.missed).toStrictEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(kills);
  },
);

test.concurrent("B90, B94, B95: a server that is stopped during writes loses no acknowledged data", async () => {
  const report = await serverCampaign({ program, seed: SEED, stops: 1 });
  expect(report.findings.violations, `seed ${SEED}`).toStrictEqual([]);
  expect(report.stops).toBe(1);
});
