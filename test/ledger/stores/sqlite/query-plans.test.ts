// Tests the query plan of each statement: by a key or an index, never by a full table scan, and by all rows of a tenant
// only if the statement needs them.
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import type { Statement } from "../../../../src/ledger/stores/sql/engine.ts";
import { Statements } from "../../../../src/ledger/stores/sql/statements.ts";
import { SQLITE } from "../../../../src/ledger/stores/sqlite/sql-flavor.ts";
import { sqliteFiles } from "../../support/sqlite.ts";

const files = sqliteFiles();
const path = files.path();
beforeAll(async () => (await files.open(path)).close());

const statements = new Statements(SQLITE);
const { fixed, ...stretches } = statements;
const forms = [
  { limit: 1 },
  { limit: 1, upTo: "x", order: "desc" },
  { limit: 1, upTo: "x", runId: "r" },
  { limit: 1, runId: "" },
] as const;
const all: Statement[] = [
  ...Object.values(fixed),
  ...[undefined, null, "kind"].flatMap((kind) =>
    [true, false].flatMap((below) => [statements.threads(below, kind), statements.activeThreads(below, kind)]),
  ),
  ...[stretches.messages, stretches.headers, stretches.log].flatMap((of) => forms.map((form) => of.of(form))),
];

/** Statements that list or delete rows of a whole tenant. */
const OF_TENANT = new Set([
  "threads",
  "threads-of-none",
  "titles",
  "titles-with",
  "active-threads",
  "quarantined",
  "delete-keys",
  ...["lock", "measure", "delete-chunks-of", "delete"].map((what) => `${what}-old-blobs`),
  "measure-unnamed-chunks",
  "delete-unnamed-chunks",
]);

/** Allowed scans: lists in a statement, few rows found by a key, and open work requests. */
const SCANNED = /json_each|SCAN w VIRTUAL TABLE|SCAN c$|CONSTANT ROW|first_messages|work USING INDEX work_wanted/;

test.each(all.map(({ name, sql }) => [name, sql]))("%s is found by a key", (name, sql) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  database.close();
  const plan = steps.map(({ detail }) => String(detail));
  expect(plan).not.toStrictEqual([]);
  expect(plan.filter((step) => step.startsWith("SCAN") && !SCANNED.test(step))).toStrictEqual([]);
  expect(plan.some((step) => step.endsWith("(tenant=?)"))).toBe(OF_TENANT.has(name));
});

const indexed: [name: keyof typeof fixed, index: string][] = [
  ["find-digests", "messages_digest"],
  ["find-digests-of", "messages_digest"],
  ["find-digest", "messages_digest"],
  ["find-digest-of", "messages_digest"],
  ["run", "runs_id"],
  ["expired-runs", "runs_live"],
  ["expired-runs-of", "runs_live"],
  ["live-runs", "runs_live_in"],
  ["compactable-runs", "runs_logged"],
  ["compactable-runs-of", "runs_logged"],
  ["compacted-run", "runs_compacted"],
  ["delete-blobs", "blob_refs_hash"],
];
test.each(indexed)("%s uses the index %s", (name, index) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${fixed[name].sql}`).all();
  database.close();
  expect(steps.map(({ detail }) => detail).join("\n")).toContain(`INDEX ${index} `);
});

test.each([
  ["entries", statements.log.of({ limit: 1, runId: "" }), "log_entries"],
  ["threads of a kind", statements.threads(false, "kind"), "threads_kind"],
  ["threads by last activity", statements.activeThreads(true, undefined), "activity_order"],
  ["threads of a kind by last activity", statements.activeThreads(true, "kind"), "activity_kind"],
  ["threads without a kind by last activity", statements.activeThreads(false, null), "activity_kind"],
])("%s have their own index", (_, { sql }, index) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  database.close();
  expect(steps.map(({ detail }) => detail).join("\n")).toContain(`INDEX ${index} `);
});

test("the deltas of one run are deleted without a scan of the thread's other log rows", () => {
  const database = new DatabaseSync(path, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${fixed["delete-deltas-within"].sql}`).all();
  database.close();
  expect(steps.map(({ detail }) => detail).join("\n")).toContain("(tenant=? AND thread_id=? AND id>? AND id<?)");
});
