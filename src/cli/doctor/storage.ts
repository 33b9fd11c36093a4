// Checks the storage: the data folder and its permissions, the ledger, and a sample of its threads.
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Ledger, LedgerProblem } from "../../ledger/index.ts";
import { LedgerError, openLedger } from "../../ledger/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { findLedgerFile, describeLedger } from "../serve/data-folder.ts";
import { formatQuantity } from "../show/format-numbers.ts";
import type { DoctorFinding } from "./finding.ts";
import { readErrorReason } from "./finding.ts";

/** Checks the data folder. Returns undefined if the ledger is not a SQLite file. */
export async function checkFolder(config: ServerConfig): Promise<DoctorFinding | undefined> {
  const file = findLedgerFile(config);
  if (file === undefined) return undefined;
  const [name, folder] = ["data folder", dirname(file)];
  const stats = await stat(folder).catch(() => undefined);
  if (stats === undefined) return checkMissingFolder(name, folder);
  if (!stats.isDirectory())
    return { name, state: "fail", message: `${folder} is not a folder.`, hint: "Name a folder with --data." };
  if (!(await isWritable(folder))) {
    return {
      name,
      state: "fail",
      message: `No permission to write into ${folder}.`,
      hint: "Change its permissions or its owner.",
    };
  }
  // On Windows the permission bits of `mode` are meaningless.
  const isOpen = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
  if (!isOpen) return { name, state: "ok", message: folder };
  const hint = `chmod 700 ${folder}`;
  return { name, state: "warn", message: `Other users of this machine can read ${folder}.`, hint };
}

async function checkMissingFolder(name: string, folder: string): Promise<DoctorFinding> {
  let parent = dirname(folder);
  while (parent !== dirname(parent) && (await stat(parent).catch(() => undefined)) === undefined)
    parent = dirname(parent);
  if (await isWritable(parent))
    return { name, state: "ok", message: `${folder} does not exist yet; koine serve creates it.` };
  const hint = "Name another folder with --data.";
  return { name, state: "fail", message: `${folder} does not exist, and ${parent} is not writable.`, hint };
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The maximum number of threads that are verified for each tenant. */
const SAMPLE_THREADS = 20;

export async function checkLedger(config: ServerConfig, clock: () => number): Promise<DoctorFinding> {
  const name = "ledger";
  const file = findLedgerFile(config);
  if (file !== undefined && (await stat(file).catch(() => undefined)) === undefined) {
    return { name, state: "ok", message: `${file} does not exist yet; koine serve creates it.` };
  }
  const { url, connections } = config.ledger;
  try {
    // `verify` returns the problems, so `onProblem` ignores them.
    const ledger = await openLedger(url, { clock, indexMs: false, connections, readOnly: true, onProblem: () => {} });
    try {
      return await checkSampleThreads(ledger, config);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (error instanceof LedgerError && error.code === "schema-too-old") {
      return {
        name,
        state: "ok",
        message: error.message,
        hint: "koine serve creates and upgrades the tables.",
      };
    }
    return { name, state: "fail", message: `${describeLedger(config)}: ${readErrorReason(error)}` };
  }
}

async function checkSampleThreads(ledger: Ledger, config: ServerConfig): Promise<DoctorFinding> {
  const name = "ledger";
  const problems: LedgerProblem[] = [];
  let threads = 0;
  for (const tenant of new Set(["default", ...config.tenants.keys()])) {
    const tenantLedger = ledger.forTenant(tenant);
    for (const { id } of await tenantLedger.threads({ limit: SAMPLE_THREADS })) {
      threads++;
      problems.push(...(await tenantLedger.verify(id)));
    }
  }
  const [first] = problems;
  const location = describeLedger(config);
  if (first === undefined) {
    return { name, state: "ok", message: `${location}; ${formatQuantity(threads, "thread")} read, no problems.` };
  }
  const problemCounts = `${formatQuantity(problems.length, "record")} of ${formatQuantity(threads, "thread")} cannot be read`;
  const message = `${location}: ${problemCounts}; the first is in thread ${first.threadId}: ${first.reason}`;
  return {
    name,
    state: "fail",
    message,
    hint: "All other records can be read; koine export --all lists every unreadable one.",
  };
}
