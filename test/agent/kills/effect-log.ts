// The effect log, a file that survives every kill: one line when a tool starts and one when it is done. Each line is appended
// in one write, so that a killed process leaves complete lines.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";

export interface Effect {
  /** The call, by the model's id. */
  key: string;
  tool: string;
  /** The execution; part of the result. */
  nonce: string;
  phase: "begin" | "end";
}

/** Logs its start, waits, logs its end, and returns the id of the execution. */
export async function work(record: string, tool: string, key: string, pass: (point: string) => void): Promise<string> {
  const effect = { key, tool, nonce: randomBytes(6).toString("hex") };
  const note = (phase: Effect["phase"]): void => appendFileSync(record, `${JSON.stringify({ ...effect, phase })}\n`);
  pass("tool begins");
  note("begin");
  pass("tool has begun");
  await new Promise((resolve) => setTimeout(resolve, Number.parseInt(effect.nonce.slice(0, 2), 16) % 8));
  note("end");
  pass("tool is done");
  return resultOf(effect);
}

export const resultOf = ({ key, nonce }: Pick<Effect, "key" | "nonce">): string => `${key} was done as ${nonce}`;

export function readEffects(record: string): Effect[] {
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Effect);
}
