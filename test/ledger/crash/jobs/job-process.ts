// Starts processes that run a job on a ledger, and collects their output.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JobPlan, JobOutput } from "./job-program.ts";

export interface JobProcess {
  readonly child: ChildProcess;
  /** All output so far. */
  readonly outputs: JobOutput[];
  /** The next output of a kind. */
  nextOutput(at: JobOutput["at"]): Promise<JobOutput>;
  /** All output, when the process has ended. */
  readonly done: Promise<JobOutput[]>;
}

/** `program` is the bundled job-program.ts. */
export function startJob(program: string, plan: JobPlan): JobProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const outputs: JobOutput[] = [];
  const waiting = new Set<(what: JobOutput) => void>();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    // Lines of Koine's own test processes.
    const what = JSON.parse(line) as JobOutput;
    outputs.push(what);
    for (const wake of waiting) wake(what);
  });
  const output = (at: JobOutput["at"]): Promise<JobOutput> =>
    new Promise((resolve) => {
      const wake = (what: JobOutput): void => {
        if (what.at !== at) return;
        waiting.delete(wake);
        resolve(what);
      };
      waiting.add(wake);
    });
  const done = Promise.all([once(child, "exit"), once(lines, "close")]).then(([[code]]) => {
    // A process without pending work ends while it waits, with an exit code.
    if (code !== 0) outputs.push({ at: "trouble", code: "", message: `It ended with ${String(code)}.` });
    return outputs;
  });
  return { child, outputs, nextOutput: output, done };
}

/** Starts several jobs at once, and returns the output of each when all have ended. */
export function runJobs(program: string, plans: readonly JobPlan[]): Promise<JobOutput[][]> {
  return Promise.all(plans.map((plan) => startJob(program, plan).done));
}
