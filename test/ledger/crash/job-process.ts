// Starts processes that do a job on a ledger, and gathers what they say.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JobPlan, Said } from "./job.ts";

export interface JobProcess {
  readonly child: ChildProcess;
  /** Everything so far. */
  readonly said: Said[];
  /** The next thing of a kind that is said. */
  heard(at: Said["at"]): Promise<Said>;
  /** Everything, when the process has ended. */
  readonly done: Promise<Said[]>;
}

/** `program` is job.ts, bundled. */
export function startJob(program: string, plan: JobPlan): JobProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const said: Said[] = [];
  const waiting = new Set<(what: Said) => void>();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    // Our own processes' lines.
    const what = JSON.parse(line) as Said;
    said.push(what);
    for (const wake of waiting) wake(what);
  });
  const heard = (at: Said["at"]): Promise<Said> =>
    new Promise((resolve) => {
      const wake = (what: Said): void => {
        if (what.at !== at) return;
        waiting.delete(wake);
        resolve(what);
      };
      waiting.add(wake);
    });
  const done = Promise.all([once(child, "exit"), once(lines, "close")]).then(([[code]]) => {
    // A process that nothing keeps alive any more ends in the middle of what it waits for, with a code that says so.
    if (code !== 0) said.push({ at: "trouble", code: "", message: `It ended with ${String(code)}.` });
    return said;
  });
  return { child, said, heard, done };
}

/** Starts several jobs at once, and gives what each said when all have ended. */
export function allDone(program: string, plans: readonly JobPlan[]): Promise<Said[][]> {
  return Promise.all(plans.map((plan) => startJob(program, plan).done));
}
