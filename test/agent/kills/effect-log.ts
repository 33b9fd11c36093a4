// The one thing that outlives every kill: a file that gets a line when a tool begins its work and one when it is done.
// Lines are appended in one write each, so that a process that is killed leaves whole lines.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";

export interface Effect {
  /** Which call, as the model named it. */
  key: string;
  tool: string;
  /** Which execution; part of the result. */
  nonce: string;
  phase: "begin" | "end";
}

/** Works: writes that it began, takes a moment, writes that it is done, and says which execution it was. */
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
  // Written above.
  return lines.map((line) => JSON.parse(line) as Effect);
}
