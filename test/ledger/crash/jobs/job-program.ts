// A process that runs one job on a ledger, opened like any program, and prints the results as JSON lines.
import { once } from "node:events";
import { writeSync } from "node:fs";
import { LedgerError } from "../../../../src/ledger/errors.ts";
import { openLedger } from "../../../../src/ledger/index.ts";
import type { Ledger, LedgerOptions, LedgerEvent } from "../../../../src/ledger/types.ts";
import { text, user } from "../../../../src/model/index.ts";
import { createRunScript } from "../writer/content.ts";

export type Job =
  /**
   * Appends messages to each thread in turn; with `swap` only after the leaf it has read, first to the empty thread.
   */
  | { job: "append"; threads: string[]; count: number; swap: boolean }
  /** Commits runs to a thread, delta by delta, with a message before each. */
  | { job: "run"; threadId: string; count: number; script: number }
  /** Prints every event until the message "end"; with `breath` it stops and resumes after this many events. */
  | { job: "follow"; threadId: string; breath?: number }
  /** Begins a run, prints that, waits for a line on its input, and continues writing. */
  | { job: "hold"; threadId: string };

/** The output of a job. */
export type JobOutput =
  | { at: "appended"; threadId: string; n: number; id: string }
  | { at: "conflict" }
  | { at: "event"; cursor: string; type: LedgerEvent["type"]; id: string; seq: number; state: string }
  | { at: "holds"; runId: string }
  | { at: "refused"; step: string; code: string }
  | { at: "wrote"; step: string }
  | { at: "trouble"; code: string; message: string };

export interface JobPlan {
  url: string;
  options: LedgerOptions;
  name: string;
  job: Job;
}

function printOutput(output: JobOutput): void {
  writeSync(1, `${JSON.stringify(output)}\n`);
}

const readErrorCode = (error: unknown): string => (error instanceof LedgerError ? error.code : "");

type Performers = {
  [Kind in Job["job"]]: (ledger: Ledger, job: Extract<Job, { job: Kind }>, name: string) => Promise<void>;
};

const PERFORMERS: Performers = {
  async append(ledger, { threads, count, swap }, name) {
    const leaves = new Map<string, string | null>();
    for (let n = 0; n < count; n++) {
      for (const threadId of threads) {
        const messages = [user(`${name} ${n}`)];
        const id = swap
          ? await appendWithSwap(ledger, threadId, messages, leaves)
          : (await ledger.append(threadId, messages))[0]?.id;
        printOutput({ at: "appended", threadId, n, id: id ?? "" });
      }
    }
  },

  async run(ledger, { threadId, count, script }, name) {
    for (let n = 0; n < count; n++) {
      await ledger.append(threadId, [user(`${name} ${n}`)]);
      const run = await ledger.beginRun({ threadId });
      for (const delta of createRunScript(script + n)) await run.append([delta]);
      await run.commit();
    }
  },

  async follow(ledger, { threadId, breath = Infinity }) {
    let after: string | undefined;
    for (;;) {
      let events = 0;
      for await (const event of ledger.follow({ threadId, ...(after === undefined ? {} : { after }) })) {
        after = event.cursor;
        if (isEnd(event)) return;
        printOutput(toEventOutput(event));
        if (++events === breath) break;
      }
    }
  },

  async hold(ledger, { threadId }) {
    const run = await ledger.beginRun({ threadId });
    const script = createRunScript(1);
    await run.append(script.slice(0, 2));
    printOutput({ at: "holds", runId: run.id });
    await once(process.stdin, "data");
    const steps: [string, () => Promise<unknown>][] = [
      ["append", () => run.append(script.slice(2, 3))],
      ["commit", () => run.commit([user("a stale commit")])],
      ["fail", () => run.fail("stale")],
      ["cancel", () => run.cancel()],
      ["heartbeat", () => run.heartbeat()],
      ["note", () => run.mergeMetadata({ stale: true })],
    ];
    for (const [step, take] of steps) {
      await take().then(
        () => printOutput({ at: "wrote", step }),
        (error: unknown) => printOutput({ at: "refused", step, code: readErrorCode(error) }),
      );
    }
    process.stdin.destroy();
  },
};

/**
 * Appends after the leaf that was last read, until no other writer was faster; before the first read the thread counts
 * as empty.
 */
async function appendWithSwap(
  ledger: Ledger,
  threadId: string,
  messages: Parameters<Ledger["append"]>[1],
  leaves: Map<string, string | null>,
): Promise<string | undefined> {
  for (;;) {
    try {
      const [stored] = await ledger.append(threadId, messages, { expectedLeaf: leaves.get(threadId) ?? null });
      leaves.set(threadId, stored?.id ?? null);
      return stored?.id;
    } catch (error) {
      if (readErrorCode(error) !== "conflict") throw error;
      printOutput({ at: "conflict" });
      leaves.set(threadId, (await ledger.thread(threadId)).activeLeafId);
    }
  }
}

function isEnd(event: LedgerEvent): boolean {
  const [part] = event.type === "message" ? event.message.parts : [];
  return part?.type === "text" && part.text === text("end").text;
}

function toEventOutput(event: LedgerEvent): JobOutput {
  const { cursor, type } = event;
  if (type === "message") return { at: "event", cursor, type, id: event.message.id, seq: 0, state: "" };
  if (type === "delta") return { at: "event", cursor, type, id: event.runId, seq: event.delta.seq, state: "" };
  if (type === "entry") return { at: "event", cursor, type, id: "", seq: 0, state: "" };
  return { at: "event", cursor, type, id: event.runId, seq: 0, state: event.run.state };
}

// The test passes a valid plan.
const { url, options, name, job } = JSON.parse(process.argv[2] ?? "") as JobPlan;
try {
  const ledger = await openLedger(url, options);
  // The table has an entry for the kind of each job.
  await (PERFORMERS[job.job] as (ledger: Ledger, job: Job, name: string) => Promise<void>)(ledger, job, name);
  await ledger.close();
} catch (error) {
  printOutput({ at: "trouble", code: readErrorCode(error), message: String(error) });
}
