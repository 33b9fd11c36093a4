// Whether conversations can be kept: the folder and its rights, the ledger, and a sample of what is in it.
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Ledger, LedgerProblem } from "../../ledger/index.ts";
import { LedgerError, openLedger } from "../../ledger/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { ledgerFile, placeOfLedger } from "../serve/data-folder.ts";
import { counted } from "../show/numbers.ts";
import type { Finding } from "./finding.ts";
import { reasonOf } from "./finding.ts";

/** undefined where the ledger is no file. */
export async function checkFolder(config: ServerConfig): Promise<Finding | undefined> {
  const file = ledgerFile(config);
  if (file === undefined) return undefined;
  const [name, folder] = ["data folder", dirname(file)];
  const there = await stat(folder).catch(() => undefined);
  if (there === undefined) return missingFolder(name, folder);
  if (!there.isDirectory())
    return { name, state: "fail", message: `${folder} is no folder.`, hint: "Name one with --data." };
  if (!(await isWritable(folder))) {
    return {
      name,
      state: "fail",
      message: `No permission to write into ${folder}.`,
      hint: "Change its rights or owner.",
    };
  }
  // Windows has no such rights.
  const isOpen = process.platform !== "win32" && (there.mode & 0o077) !== 0;
  if (!isOpen) return { name, state: "ok", message: folder };
  const hint = `chmod 700 ${folder}`;
  return { name, state: "warn", message: `Other users of this machine can look into ${folder}.`, hint };
}

async function missingFolder(name: string, folder: string): Promise<Finding> {
  let parent = dirname(folder);
  while (parent !== dirname(parent) && (await stat(parent).catch(() => undefined)) === undefined)
    parent = dirname(parent);
  if (await isWritable(parent))
    return { name, state: "ok", message: `${folder} is not there yet; koine serve makes it.` };
  const hint = "Name another with --data.";
  return { name, state: "fail", message: `${folder} is not there, and ${parent} cannot be written to.`, hint };
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** How many threads of each tenant are read. */
const SAMPLE = 20;

export async function checkLedger(config: ServerConfig, clock: () => number): Promise<Finding> {
  const name = "ledger";
  const file = ledgerFile(config);
  if (file !== undefined && (await stat(file).catch(() => undefined)) === undefined) {
    return { name, state: "ok", message: `${file} is not there yet; koine serve makes it.` };
  }
  const { url, connections } = config.ledger;
  try {
    // Problems are asked for, not heard of.
    const ledger = await openLedger(url, { clock, indexMs: false, connections, readOnly: true, onProblem: () => {} });
    try {
      return await sample(ledger, config);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (error instanceof LedgerError && error.code === "schema-too-old") {
      return {
        name,
        state: "ok",
        message: error.message,
        hint: "koine serve makes tables, and brings them up to date.",
      };
    }
    return { name, state: "fail", message: `${placeOfLedger(config)}: ${reasonOf(error)}` };
  }
}

async function sample(ledger: Ledger, config: ServerConfig): Promise<Finding> {
  const name = "ledger";
  const problems: LedgerProblem[] = [];
  let threads = 0;
  for (const tenant of new Set(["default", ...config.tenants.keys()])) {
    const own = ledger.forTenant(tenant);
    for (const { id } of await own.threads({ limit: SAMPLE })) {
      threads++;
      problems.push(...(await own.verify(id)));
    }
  }
  const [first] = problems;
  const place = placeOfLedger(config);
  if (first === undefined) {
    return { name, state: "ok", message: `${place}; ${counted(threads, "thread")} read, all sound.` };
  }
  const what = `${counted(problems.length, "record")} of ${counted(threads, "thread")} cannot be read`;
  const message = `${place}: ${what}; the first is in thread ${first.threadId}: ${first.reason}`;
  return { name, state: "fail", message, hint: "Everything else can: koine export --all tells all of them." };
}
