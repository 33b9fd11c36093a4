// SQLite files for tests: a temporary folder, stores, and processes that use them.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach } from "vitest";
import type { LedgerStore, ThreadKey } from "../../../src/ledger/store/contract.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import type { SqliteOptions } from "../../../src/ledger/stores/sqlite/open.ts";
import type { SqliteJob } from "./sqlite-job.ts";

const PROGRAM = fileURLToPath(new URL("sqlite-job.ts", import.meta.url));

export const KEY: ThreadKey = { tenant: "acme", threadId: "thread" };

export interface SqliteFiles {
  /** A path of a file that does not exist yet. */
  path(): string;
  /** Opens a store that is closed after the test. */
  open(path: string, options?: Partial<SqliteOptions>): Promise<LedgerStore>;
}

/** Must be called in the body of a test file. */
export function sqliteFiles(): SqliteFiles {
  const folder = mkdtempSync(join(tmpdir(), "koine-sqlite-"));
  let count = 0;
  let stores: LedgerStore[] = [];
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path: () => join(folder, `${++count}.db`),
    open: async (path, options = {}) => {
      const store = await openSqlite(path, { sync: "normal", busyMs: 5000, ...options });
      stores.push(store);
      return store;
    },
  };
}

/** Starts a job in a separate process. */
function spawnJob(job: SqliteJob, uid?: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ["--conditions=koine-source", PROGRAM, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
}

/** Runs a job in a separate process; returns its output and the signal that ended it. */
export async function runInProcess(job: SqliteJob, uid?: number): Promise<{ output: string; signal: string | null }> {
  const child = spawnJob(job, uid);
  const [output, ended] = await Promise.all([text(child.stdout), once(child, "close")]);
  // The second argument of "close".
  return { output: output.trim(), signal: ended[1] as string | null };
}

/** Starts a job and waits until it is ready. `ended` resolves with its signal; `kill` ends it at once. */
export async function startInProcess(job: SqliteJob): Promise<{ ended: Promise<string | null>; kill: () => void }> {
  const child = spawnJob(job);
  // The second argument of "close".
  const ended = once(child, "close").then(([, signal]) => signal as string | null);
  await once(child.stdout, "data");
  child.stdout.resume();
  return { ended, kill: () => void child.kill("SIGKILL") };
}
