// Starts a writer, listens to it, and kills it.
import { spawn } from "node:child_process";
import { type Line, LineReader } from "./journal.ts";
import type { WorkerPlan } from "./worker.ts";

export interface Exit {
  /** Whether it was killed, by us or by itself. */
  killed: boolean;
  /** What it said last, where it ended otherwise and not in peace. */
  trouble?: string;
}

export interface WriterProcess {
  kill(): void;
  /** When it has opened the database, or is gone. */
  readonly ready: Promise<void>;
  /** When it is gone and everything that it said has arrived. */
  readonly exit: Promise<Exit>;
}

/** `program` is worker.ts, bundled. */
export function startWriter(program: string, plan: WorkerPlan, hear: (line: Line) => void): WriterProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const { promise: ready, resolve: getReady } = Promise.withResolvers<void>();
  const { promise: exit, resolve: leave } = Promise.withResolvers<Exit>();
  let [trouble, ended] = ["", false];
  const reader = new LineReader((line) => {
    if (line.at === "ready") getReady();
    if (line.at === "end") ended = true;
    hear(line);
  });
  child.stdout.setEncoding("utf8").on("data", (piece: string) => reader.push(piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (trouble += piece));
  // "close" comes after the pipes have ended.
  child.on("close", (code, signal) => {
    getReady();
    const killed = signal === "SIGKILL";
    leave(killed || (code === 0 && ended) ? { killed } : { killed, trouble: `${trouble} (exit ${code ?? signal})` });
  });
  return { ready, exit, kill: () => void child.kill("SIGKILL") };
}
