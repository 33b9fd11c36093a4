// Starts a writer process, reads its log, and kills it.
import { spawn } from "node:child_process";
import { type WriterLogLine, LineReader } from "../writer/writer-log.ts";
import type { WorkerPlan } from "../writer/writer-program.ts";

export interface WriterExit {
  /** True if it was killed, by the campaign or by itself. */
  killed: boolean;
  /** Its last output, if it ended unexpectedly. */
  trouble?: string;
}

export interface WriterProcess {
  kill(): void;
  /** Resolves when it has opened the database or ended. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended and its whole log has arrived. */
  readonly exit: Promise<WriterExit>;
}

/** `program` is the bundled writer-program.ts. */
export function startWriter(program: string, plan: WorkerPlan, onLine: (line: WriterLogLine) => void): WriterProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const { promise: ready, resolve: getReady } = Promise.withResolvers<void>();
  const { promise: exit, resolve: leave } = Promise.withResolvers<WriterExit>();
  let [trouble, ended] = ["", false];
  const reader = new LineReader((line) => {
    if (line.at === "ready") getReady();
    if (line.at === "end") ended = true;
    onLine(line);
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
