// What a process of a test does with a SQLite file. Says in one line how it went.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { got } from "../../../src/ledger/steps.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import { idOf, messageRow, numberOf, threadRow } from "../../../src/testkit/store/rows.ts";

export type SqliteJob =
  /** Opens the file, and ends itself at a point of the way. */
  | { do: "die"; path: string; at: string }
  /** Adds so many messages to the thread, each after the last that is there. */
  | { do: "append"; path: string; threadId: string; count: number; sync: "full" | "normal" }
  /** Adds so many large messages, and moves the log into the file after each. Says "ready" after the first. */
  | { do: "grow"; path: string; threadId: string; count: number }
  /** Makes ledgers in the folder, one after the other, until it is killed. Says "ready" when it begins. */
  | { do: "make"; folder: string }
  /** Opens the file, reads a thread of it and tries to write one. */
  | { do: "try"; path: string };

const TENANT = "acme";

async function append(store: LedgerStore, threadId: string, body: string): Promise<void> {
  const key = { tenant: TENANT, threadId };
  await store.write(function* appendOne(tx) {
    const head = yield* got(tx.lockThread(key));
    const number = numberOf(head?.lastId ?? "") + 1;
    yield* got(tx.insertMessages([messageRow(key, number, { id: idOf(number), body })]));
  });
}

async function grow(store: LedgerStore, { path, threadId, count }: SqliteJob & { do: "grow" }): Promise<void> {
  const mover = new DatabaseSync(path);
  for (let left = count; left > 0; left--) {
    await append(store, threadId, "x".repeat(100_000));
    if (left === count) process.stdout.write("ready\n");
    mover.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }
  mover.close();
}

async function make(folder: string): Promise<never> {
  process.stdout.write("ready\n");
  for (let count = 1; ; count++) {
    const store = await openSqlite(join(folder, `${count}.db`), { sync: "normal", busyMs: 20_000 });
    await store.close();
  }
}

async function attempt(store: LedgerStore): Promise<string> {
  const { length } = await store.reads.threads(TENANT, { limit: 10 });
  const row = threadRow({ tenant: TENANT, threadId: `of ${process.pid}` });
  const written = await store.write((tx) => got(tx.insertThread(row))).then(() => "written", codeOf);
  return `read ${length}, ${written}`;
}

async function run(job: SqliteJob): Promise<string> {
  if (job.do === "make") return make(job.folder);
  const trace = (point: string): void => {
    if (job.do === "die" && point === job.at) process.kill(process.pid, "SIGKILL");
  };
  const sync = job.do === "append" ? job.sync : "normal";
  const store = await openSqlite(job.path, { sync, busyMs: 20_000, trace });
  try {
    if (job.do === "try") return await attempt(store);
    if (job.do === "grow") await grow(store, job);
    if (job.do === "append") {
      for (let left = job.count; left > 0; left--) await append(store, job.threadId, String(process.pid));
    }
    return "done";
  } finally {
    await store.close();
  }
}

function codeOf(error: unknown): string {
  if (error instanceof LedgerError) return error.code;
  throw error;
}

// A job of our own tests.
const job = JSON.parse(process.argv[2] ?? "") as SqliteJob;
process.stdout.write(await run(job).catch(codeOf));
