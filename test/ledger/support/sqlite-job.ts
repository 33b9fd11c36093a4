// The program of a test process that uses a SQLite file. Prints its result in one line.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import { toTestId, messageRow, readTestId, threadRow } from "../../../src/testkit/store/rows.ts";

export type SqliteJob =
  /** Opens the file, and kills itself at a trace point. */
  | { do: "die"; path: string; at: string }
  /** Appends this many messages to the thread, each after its last. */
  | { do: "append"; path: string; threadId: string; count: number; sync: "full" | "normal" }
  /** Appends this many large messages with a checkpoint after each. Prints "ready" after the first. */
  | { do: "grow"; path: string; threadId: string; count: number }
  /** Creates ledgers in the folder until it is killed. Prints "ready" when it starts. */
  | { do: "make"; folder: string }
  /** Opens the file, reads threads and tries to write one. */
  | { do: "try"; path: string };

const TENANT = "acme";

async function append(store: LedgerStore, threadId: string, body: string): Promise<void> {
  const key = { tenant: TENANT, threadId };
  await store.write(function* appendOne(tx) {
    const head = yield* wait(tx.lockThread(key));
    const number = readTestId(head?.lastId ?? "") + 1;
    yield* wait(tx.insertMessages([messageRow(key, number, { id: toTestId(number), body })]));
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
  for (let count = 1; ; count++) {
    const store = await openSqlite(join(folder, `${count}.db`), { sync: "normal", busyMs: 20_000 });
    await store.close();
    if (count === 1) process.stdout.write("ready\n");
  }
}

async function attempt(store: LedgerStore): Promise<string> {
  const { length } = await store.reads.threads(TENANT, { limit: 10 });
  const row = threadRow({ tenant: TENANT, threadId: `of ${process.pid}` });
  const written = await store.write((tx) => wait(tx.insertThread(row))).then(() => "written", toErrorCode);
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

function toErrorCode(error: unknown): string {
  if (error instanceof LedgerError) return error.code;
  throw error;
}

// The test passes a valid job.
const job = JSON.parse(process.argv[2] ?? "") as SqliteJob;
process.stdout.write(await run(job).catch(toErrorCode));
