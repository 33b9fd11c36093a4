// Whether a cell came out as it must, as a list of what did not.
import { isDeepStrictEqual } from "node:util";
import type { Expected } from "./types.ts";
import type { Played } from "./world.ts";

/** What an upstream is not told again that has it stored. */
const HISTORY = new Set(["calls", "results"]);

export function differences(expected: Expected, played: Played): string[] {
  const { outcome, heard } = played;
  const found: string[] = [];
  const compare = (what: string, wanted: unknown, is: unknown): void => {
    if (isSame(wanted, is)) return;
    found.push(`${what}: expected ${shown(wanted)}, found ${shown(is)}`);
  };
  compare("turns", expected.turns.length, outcome.turns.length);
  expected.turns.forEach((turn, index) => {
    for (const [field, wanted] of Object.entries(turn)) {
      // Fields of a turn by their names.
      const is = (outcome.turns[index] as unknown as Record<string, unknown> | undefined)?.[field];
      compare(`turn ${index} ${field}`, wanted, is);
    }
  });
  if (expected.failure === undefined) compare("failure", undefined, outcome.failure);
  for (const [field, wanted] of Object.entries(expected.failure ?? {})) {
    const is = (outcome.failure as unknown as Record<string, unknown> | undefined)?.[field];
    if (outcome.failure === undefined) compare("failure", expected.failure, undefined);
    else compare(`failure ${field}`, wanted, is);
  }
  for (const [field, wanted] of Object.entries(expected.heard ?? {})) {
    if (heard?.isContinued && HISTORY.has(field)) continue;
    compare(`heard ${field}`, wanted, (heard as unknown as Record<string, unknown> | undefined)?.[field]);
  }
  if (expected.answered !== undefined) compare("answered", expected.answered, played.answered);
  if (expected.ended !== undefined) compare("ended", expected.ended, played.ended);
  if (expected.seals) compare("missing seals", [], played.missingSeals);
  compare("refusals", [], played.refusals);
  return found;
}

function isSame(wanted: unknown, is: unknown): boolean {
  if (wanted instanceof RegExp) return typeof is === "string" && wanted.test(is);
  return isDeepStrictEqual(wanted, is);
}

function shown(value: unknown): string {
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
}
