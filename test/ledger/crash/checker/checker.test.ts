// Tests the checker: it reports nothing for an intact ledger, and every manipulation of a damaged one. Each row changes
// a copy of the same database.
import { copyFileSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Checker } from "./checker.ts";
import { type MessageDraft, createRunScript } from "../writer/content.ts";
import { readDatabaseRows } from "./database-rows.ts";
import { WriterHistory } from "./writer-history.ts";
import { Findings, type Invariant } from "./invariants.ts";
import type { Operation, OperationResult } from "../writer/writer-log.ts";
import { Lane } from "../writer/lane.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";
import { openCampaignLedger, openStore } from "../campaign/target.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-checker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const original = join(folder, "original.db");
const history = new WriterHistory();
const threadId = "own-0";

/** A run of two answers with a tool call between them: three messages. */
const CALLS = Array.from({ length: 50 }, (_, seed) => seed).find((seed) => createRunScript(seed).length > 14) ?? 0;

function drafts(operation: string, block?: number): MessageDraft[] {
  const common = { size: 10, ...(block === undefined ? {} : { block }) };
  return [
    { role: "user", tag: `${operation}/0`, ...common },
    { role: "assistant", tag: `${operation}/1`, ...common },
  ];
}

beforeAll(async () => {
  const store = await openStore({ engine: "sqlite", path: original, sync: "normal" }, () => undefined);
  const ledger = openCampaignLedger(store, { deltaRetentionMs: 60_000 });
  let [names, result]: [number, OperationResult] = [0, {}];
  const lane = new Lane(
    0,
    { threads: [threadId], retries: [], purge: true },
    {
      ledger,
      late: undefined,
      random: new SeededRandom(1),
      log(line) {
        history.take(0, line);
        if (line.at === "done") result = line.result;
      },
      nextName: () => `t.${names++}`,
      enter: () => undefined,
    },
  );
  const perform = async (name: string, what: Operation): Promise<OperationResult> => {
    await lane.attempt(what, name);
    return result;
  };
  const stream = async (name: string, fork: string | undefined, to = Infinity): Promise<string> => {
    const begin = {
      kind: "begin",
      threadId,
      mode: "replace",
      script: CALLS,
      ...(fork === undefined ? {} : { fork }),
    } as const;
    const { runId = "" } = await perform(name, begin);
    await perform(`${name}.deltas`, {
      kind: "deltas",
      threadId,
      runId,
      from: 0,
      to: Math.min(to, createRunScript(CALLS).length),
    });
    return runId;
  };
  await lane.begin();
  const question = await perform("question", { kind: "append", threadId, drafts: drafts("question"), key: "question" });
  const first = await stream("first", undefined);
  await perform("first.commit", { kind: "commit", threadId, runId: first });
  const second = await stream("second", question.written?.at(-1)?.[0] ?? "");
  await perform("second.commit", { kind: "commit", threadId, runId: second });
  const third = await stream("third", undefined, 4);
  await perform("third.fail", { kind: "fail", threadId, runId: third });
  await stream("fourth", undefined, 3);
  await perform("large", { kind: "append", threadId, drafts: drafts("large", 1) });
  await perform("upload", { kind: "blob", seed: 5, size: 1000 });
  await ledger.close();
});

/** Returns the findings for a copy of the database. */
async function findingsIn(
  tamper: (database: DatabaseSync) => void,
  history: WriterHistory,
  recovered: boolean,
): Promise<Findings> {
  const path = join(folder, "tampered.db");
  copyFileSync(original, path);
  const database = new DatabaseSync(path);
  tamper(database);
  database.close();
  const target = { engine: "sqlite", path, sync: "normal" } as const;
  const facts = await readDatabaseRows(target);
  const ledger = openCampaignLedger(await openStore(target, () => undefined), { onProblem: () => undefined });
  const findings = new Findings();
  const read = async (id: string): Promise<Awaited<ReturnType<typeof ledger.tree>>["messages"]> =>
    (await ledger.tree(id)).messages;
  await new Checker().check({ history, facts, read, findings, recovered });
  await ledger.close();
  return findings;
}

/** The history without the response to an operation. */
function unanswered(name: string): WriterHistory {
  const copy = new WriterHistory();
  for (const { what, name: operation, result } of history.attempts) {
    copy.take(0, { at: "intent", operation, lane: 0, what });
    if (operation !== name && result !== undefined) copy.take(0, { at: "done", operation, result });
  }
  return copy;
}

test("an intact ledger has no violation", async () => {
  const { violations, checked } = await findingsIn(() => undefined, history, false);
  expect(violations).toStrictEqual([]);
  expect(checked.get("stored")).toBeGreaterThan(10);
});

test("an end without a response has no effect on a run that a recovery has ended", async () => {
  const copy = new WriterHistory();
  for (const { what, name: operation, result = {} } of history.attempts) {
    const isRecovered = operation === "third.fail" && what.kind === "fail";
    copy.take(0, { at: "intent", operation, lane: 0, what: isRecovered ? { kind: "recover" } : what });
    const recovered = isRecovered ? { recovered: [{ runId: what.runId, written: result.written ?? [] }] } : result;
    copy.take(0, { at: "done", operation, result: recovered });
  }
  const runId = history.attempts.find(({ name }) => name === "third")?.result?.runId ?? "";
  copy.take(0, { at: "intent", operation: "third.late", lane: 0, what: { kind: "fail", threadId, runId } });
  const { violations } = await findingsIn(() => undefined, copy, false);
  expect(violations).toStrictEqual([]);
});

const FIRST = `(SELECT id FROM runs ORDER BY id LIMIT 1)`;
const SECOND = `(SELECT id FROM runs ORDER BY id LIMIT 1 OFFSET 1)`;
const THIRD = `(SELECT id FROM runs ORDER BY id LIMIT 1 OFFSET 2)`;
const FOURTH = `(SELECT id FROM runs ORDER BY id LIMIT 1 OFFSET 3)`;
const COPY = `INSERT INTO messages (tenant, thread_id, id, parent_id, run_id, role, digest, body) SELECT tenant, thread_id,`;

const SQL: [sentence: string, invariant: Invariant, sql: string, unanswered?: string][] = [
  ["a message that was deleted", "stored", `DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)`],
  [
    "a message whose text was changed",
    "stored",
    `UPDATE messages SET body = replace(body, 'question/0', 'Question/0')`,
  ],
  ["a message with another parent", "stored", `UPDATE messages SET parent_id = NULL WHERE run_id = ${SECOND}`],
  [
    "a duplicated message",
    "once",
    `${COPY} id || 'Z', parent_id, run_id, role, digest, body FROM messages WHERE body LIKE '%large/0%'`,
    "large",
  ],
  ["half of an append without a response", "whole", `DELETE FROM messages WHERE body LIKE '%large/1%'`, "large"],
  [
    "half of a commit without a response",
    "whole",
    `DELETE FROM messages WHERE id = (SELECT max(id) FROM messages WHERE run_id = ${SECOND})`,
    "second.commit",
  ],
  ["a commit without its messages", "whole", `DELETE FROM messages WHERE run_id = ${SECOND}`, "second.commit"],
  [
    "messages of a commit without the commit",
    "expected",
    `UPDATE runs SET state = 'streaming', finished_at = NULL WHERE id = ${SECOND}`,
    "second.commit",
  ],
  [
    "a message that no writer wrote",
    "expected",
    `${COPY} id || 'Z', id, NULL, 'user', '', '{"role":"user","parts":[],"createdAt":"2026-01-01T00:00:00.000Z","metadata":{"schemaVersion":2}}'
      FROM messages ORDER BY id DESC LIMIT 1`,
  ],
  [
    "a run that no writer started",
    "expected",
    `INSERT INTO runs SELECT tenant, thread_id, id || 'Z', state, mode, forks, fork_from_id, NULL, epoch,
    lease_until, created_at, finished_at, error, usage, NULL, NULL, NULL, -1, 1 FROM runs WHERE id = ${THIRD}`,
  ],
  ["a message whose parent is missing", "tree", `DELETE FROM messages WHERE body LIKE '%question/0%'`],
  [
    "a message after the wrong parent",
    "order",
    `UPDATE messages SET parent_id = NULL WHERE body LIKE '%large/0%'`,
    "large",
  ],
  [
    "a leaf that was changed",
    "leaf",
    `UPDATE threads SET pinned = 1, leaf_id = (SELECT min(id) FROM messages WHERE messages.thread_id = threads.id)`,
  ],
  ["an ended run that is live", "states", `UPDATE runs SET state = 'streaming' WHERE id = ${THIRD}`],
  ["a failed run that is cancelled", "states", `UPDATE runs SET state = 'cancelled' WHERE id = ${THIRD}`],
  [
    "a log with an impossible state change",
    "states",
    `UPDATE log SET body = replace(body, '"created"', '"cancelled"') WHERE run_id = ${FIRST} AND kind = 'run'`,
  ],
  ["a superseded run that is not marked", "superseded", `UPDATE runs SET state = 'committed' WHERE id = ${FIRST}`],
  [
    "a run that is marked as superseded but has no successor",
    "superseded",
    `UPDATE runs SET state = 'superseded' WHERE id = ${SECOND}`,
  ],
  ["missing deltas", "deltas", `DELETE FROM log WHERE run_id = ${FOURTH} AND kind = 'delta'`],
  ["fewer deltas than were acknowledged", "deltas", `UPDATE runs SET last_seq = 1 WHERE id = ${FOURTH}`],
  [
    "a delta with other content",
    "deltas",
    `UPDATE log SET body = replace(body, 'first 0', 'first X') WHERE run_id = ${FOURTH}`,
  ],
  ["a key that names another message", "keys", `UPDATE idempotency_keys SET result = '{"messageIds":[]}'`],
  ["a key without its operation", "keys", `DELETE FROM messages WHERE body LIKE '%question/%'`, "question"],
  ["a blob with missing bytes", "blobs", `DELETE FROM blob_chunks`],
  ["a message whose blob is missing", "blobs", `DELETE FROM blobs WHERE hash IN (SELECT hash FROM blob_refs)`],
  ["a missing upload", "stored", `DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_refs)`],
  [
    "a partial turn that is not marked",
    "stored",
    `UPDATE messages SET body = replace(body, '"interrupted":true', '"interrupted":false') WHERE run_id = ${THIRD}`,
  ],
];
test.each(SQL)("%s is found (%s)", async (_, invariant, sql, name) => {
  const findings = name === undefined ? history : unanswered(name);
  expect((await findingsIn(() => undefined, findings, false)).violations).toStrictEqual([]);
  let changes = 0;
  const { violations } = await findingsIn(
    (database) => (changes = Number(database.prepare(sql).run().changes)),
    findings,
    false,
  );
  expect(changes).toBeGreaterThan(0);
  expect(violations.map((violation) => violation.invariant)).toContain(invariant);
});

test("a run that is still live after its lease is found (recovered)", async () => {
  const { violations } = await findingsIn(() => undefined, history, true);
  expect(violations.map(({ invariant }) => invariant)).toStrictEqual(["recovered"]);
});

test("damage to the file itself is found (intact)", async () => {
  const facts = await readDatabaseRows({ engine: "sqlite", path: damaged(), sync: "normal" });
  expect(facts.damage).not.toStrictEqual([]);
});

/** A copy with a damaged index page. */
function damaged(): string {
  const path = join(folder, "damaged.db");
  copyFileSync(original, path);
  const database = new DatabaseSync(path);
  const { rootpage } =
    database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'messages_digest'").get() ?? {};
  const { page_size: size } = database.prepare("PRAGMA page_size").get() ?? {};
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(64, 7), 0, 64, (Number(rootpage) - 1) * Number(size));
  return path;
}

test("a wrong error of an operation is found (errors)", async () => {
  const faulty = new WriterHistory();
  for (const attempt of history.attempts)
    faulty.take(0, { at: "intent", operation: attempt.name, lane: 0, what: attempt.what });
  for (const { name, result } of history.attempts) {
    if (result !== undefined && name !== "upload") faulty.take(0, { at: "done", operation: name, result });
  }
  faulty.take(0, { at: "fault", operation: "upload", fault: { code: "busy", message: "the database is locked" } });
  const { violations } = await findingsIn(() => undefined, faulty, false);
  expect(violations.map(({ invariant }) => invariant)).toStrictEqual(["errors"]);
});
