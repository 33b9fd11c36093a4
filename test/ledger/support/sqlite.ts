// SQLite files for tests: a folder of their own, stores on them, and processes that use them.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach } from "vitest";
import type { LedgerStore, ThreadKey } from "../../../src/ledger/store.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import type { SqliteOptions } from "../../../src/ledger/stores/sqlite/open.ts";
import type { SqliteJob } from "./sqlite-job.ts";

const PROGRAM = fileURLToPath(new URL("sqlite-job.ts", import.meta.url));

export const KEY: ThreadKey = { tenant: "acme", threadId: "thread" };

export interface SqliteFiles {
  /** A path where there is nothing yet. */
  path(): string;
  /** Opens a store that is closed when the test is over. */
  open(path: string, options?: Partial<SqliteOptions>): Promise<LedgerStore>;
}

/** Call it in the body of a test file. */
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

/** Begins a job in a process of its own. */
function start(job: SqliteJob, uid?: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ["--conditions=koine-source", PROGRAM, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
}

/** Does a job in a process of its own; gives what it said, and how it ended. */
export async function inProcess(job: SqliteJob, uid?: number): Promise<{ said: string; signal: string | null }> {
  const child = start(job, uid);
  const [said, ended] = await Promise.all([text(child.stdout), once(child, "close")]);
  // The second argument of "close".
  return { said: said.trim(), signal: ended[1] as string | null };
}

/** Begins a job that says when it is ready. `ended` gives how it ended; `kill` ends it at once. */
export async function underWay(job: SqliteJob): Promise<{ ended: Promise<string | null>; kill: () => void }> {
  const child = start(job);
  // The second argument of "close".
  const ended = once(child, "close").then(([, signal]) => signal as string | null);
  await once(child.stdout, "data");
  child.stdout.resume();
  return { ended, kill: () => void child.kill("SIGKILL") };
}
