// Tests several processes on one database: nothing is lost, duplicated or out of order, and replaced writers cannot
// write.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger, LedgerOptions } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import { freshSchema } from "../../support/postgres.ts";
import { createRunScript } from "../crash/writer/content.ts";
import type { Job, JobPlan, JobOutput } from "../crash/jobs/job-program.ts";
import { runJobs, startJob } from "../crash/jobs/job-process.ts";
import { buildPrograms } from "../crash/programs.ts";

interface ProcessDatabase {
  url: string;
  options: LedgerOptions;
  end: () => Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), "koine-processes-"));
let program = "";
beforeAll(async () => {
  [program = ""] = await buildPrograms(folder, "jobs/job-program");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const ENGINES: [engine: string, fresh: () => Promise<ProcessDatabase>][] = [
  [
    "SQLite",
    () =>
      Promise.resolve({ url: `sqlite:${join(folder, `${files++}.db`)}`, options: {}, end: () => Promise.resolve() }),
  ],
  [
    "PostgreSQL",
    async () => {
      const database = await freshSchema();
      return { url: database.url, options: { schema: database.schema, connections: 3 }, end: () => database.drop() };
    },
  ],
];

describe.each(ENGINES)("%s", (_, fresh) => {
  /** A new database with threads, and plans for processes on it. */
  async function prepare(
    threads: number,
    body: (ledger: Ledger, ids: string[], plan: (name: string, job: Job) => JobPlan) => Promise<void>,
    options: LedgerOptions = {},
  ): Promise<void> {
    const { url, options: own, end } = await fresh();
    const ledger = await openLedger(url, { ...own, ...options });
    try {
      const ids = Array.from({ length: threads }, (_unused, at) => `thread-${at}`);
      for (const id of ids) await ledger.createThread({ id });
      await body(ledger, ids, (name, job) => ({ url, options: own, name, job }));
    } finally {
      await ledger.close();
      await end();
    }
  }

  const crowds: [sentence: string, writers: number, threads: number, swap: boolean][] = [
    ["two processes that append to one thread", 2, 1, false],
    ["four processes that append to one thread with an expected leaf", 4, 1, true],
    ["four processes that append to many threads", 4, 5, false],
    ["two processes that append to many threads with an expected leaf", 2, 5, true],
  ];
  test.each(crowds)("B94: %s lose no message", async (_sentence, writers, threads, swap) => {
    const count = Math.ceil(24 / threads);
    await prepare(threads, async (ledger, ids, plan) => {
      const jobs = Array.from({ length: writers }, (_unused, at) =>
        plan(`writer ${at}`, { job: "append", threads: ids, count, swap }),
      );
      const outputs = await runJobs(program, jobs);
      expect(outputs.flat().filter(({ at }) => at === "trouble")).toStrictEqual([]);
      // All expect an empty thread, and only one of them can succeed.
      const conflicts = outputs.flat().filter(({ at }) => at === "conflict").length;
      expect(conflicts).toBeGreaterThanOrEqual(swap ? (writers - 1) * threads : 0);
      if (!swap) expect(conflicts).toBe(0);
      for (const threadId of ids) {
        const path = (await ledger.transcript(threadId)).map(({ id }) => id);
        const { messages } = await ledger.tree(threadId);
        // One chain: an overwritten message would be a sibling.
        expect(path).toStrictEqual(messages.map(({ id }) => id));
        expect(new Set(path).size).toBe(writers * count);
        for (const lines of outputs) {
          const own = appended(lines, threadId);
          expect(own.map(({ n }) => n)).toStrictEqual(Array.from({ length: count }, (_unused, n) => n));
          const positions = own.map(({ id }) => path.indexOf(id));
          expect(positions).toStrictEqual(positions.toSorted((a, b) => a - b));
          expect(positions).not.toContain(-1);
        }
      }
    });
  });

  test("B96: followers in other processes receive every event once and in order, also one that stops and resumes", async () => {
    await prepare(1, async (ledger, [threadId = ""], plan) => {
      const followers = [undefined, 7].map((breath) =>
        startJob(program, plan("follower", { job: "follow", threadId, ...(breath === undefined ? {} : { breath }) })),
      );
      const writers = [100, 200].map((script) => plan(`writer ${script}`, { job: "run", threadId, count: 4, script }));
      expect((await runJobs(program, writers)).flat()).toStrictEqual([]);
      await ledger.append(threadId, [user("end")]);
      const stored = (await ledger.tree(threadId)).messages.map(({ id }) => id).slice(0, -1);
      const runs = await ledger.runs(threadId);
      expect(runs).toHaveLength(8);
      for (const { done } of followers) {
        const events = (await done).filter((output) => output.at === "event");
        const ofType = (type: string): typeof events => events.filter((event) => event.type === type);
        expect(await done).toHaveLength(events.length);
        expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length);
        expect(ofType("message").map(({ id }) => id)).toStrictEqual(stored);
        for (const { id } of runs) {
          const seqs = ofType("delta").flatMap((event) => (event.id === id ? [event.seq] : []));
          expect(seqs.length).toBeGreaterThan(0);
          expect(seqs).toStrictEqual(seqs.map((_seq, at) => at));
          const states = ofType("run").flatMap((event) => (event.id === id ? [event.state] : []));
          expect(states).toStrictEqual(["created", "streaming", "committed"]);
        }
        const given = [100, 200].flatMap((script) => [0, 1, 2, 3].map((n) => createRunScript(script + n).length));
        expect(ofType("delta")).toHaveLength(given.reduce((sum, length) => sum + length, 0));
      }
    });
  });

  const takeovers: [sentence: string, take: (ledger: Ledger, runId: string) => Promise<void>][] = [
    [
      "another process has taken over its run",
      async (ledger, runId) => {
        const run = await ledger.resumeRun(runId);
        await run.append(createRunScript(1).slice(2));
        await run.commit();
      },
    ],
    [
      "another process has recovered its run",
      async (ledger, runId) =>
        expect((await ledger.recover()).map((recovered) => recovered.runId)).toStrictEqual([runId]),
    ],
  ];
  test.each(takeovers)("B90: a paused process writes nothing after %s", async (_sentence, take) => {
    // A clock after the end of every lease.
    const clock = (): number => Date.now() + 3_600_000;
    await prepare(
      1,
      async (ledger, [threadId = ""], plan) => {
        const paused = startJob(program, plan("paused", { job: "hold", threadId }));
        const holds = await paused.nextOutput("holds");
        paused.child.kill("SIGSTOP");
        await take(ledger, holds.at === "holds" ? holds.runId : "");
        const before = [await ledger.tree(threadId), await ledger.runs(threadId)];
        paused.child.stdin?.write("go\n");
        paused.child.kill("SIGCONT");
        const outputs = (await paused.done).slice(1);
        expect(outputs).toStrictEqual(
          ["append", "commit", "fail", "cancel", "heartbeat", "note"].map((step) => ({
            at: "refused",
            step,
            code: "fenced",
          })),
        );
        expect([await ledger.tree(threadId), await ledger.runs(threadId)]).toStrictEqual(before);
      },
      { clock },
    );
  });
});

function appended(outputs: readonly JobOutput[], threadId: string): Extract<JobOutput, { at: "appended" }>[] {
  return outputs.filter((line) => line.at === "appended").filter((line) => line.threadId === threadId);
}
