// Compares the outcome of a cell with the expected one and lists the differences.
import { isDeepStrictEqual } from "node:util";
import type { Expected } from "./types.ts";
import type { Played } from "./matrix-upstreams.ts";

/** Fields that an upstream with a stored history does not receive again. */
const HISTORY = new Set(["calls", "results"]);

export function differences(expected: Expected, played: Played): string[] {
  const { outcome, upstreamRequest } = played;
  const differences: string[] = [];
  const compare = (what: string, expectedValue: unknown, is: unknown): void => {
    if (isSame(expectedValue, is)) return;
    differences.push(`${what}: expected ${shown(expectedValue)}, found ${shown(is)}`);
  };
  compare("turns", expected.turns.length, outcome.turns.length);
  expected.turns.forEach((turn, index) => {
    for (const [field, expectedValue] of Object.entries(turn)) {
      // Fields of a turn by name.
      const is = (outcome.turns[index] as unknown as Record<string, unknown> | undefined)?.[field];
      compare(`turn ${index} ${field}`, expectedValue, is);
    }
  });
  if (expected.failure === undefined) compare("failure", undefined, outcome.failure);
  for (const [field, expectedValue] of Object.entries(expected.failure ?? {})) {
    const is = (outcome.failure as unknown as Record<string, unknown> | undefined)?.[field];
    if (outcome.failure === undefined) compare("failure", expected.failure, undefined);
    else compare(`failure ${field}`, expectedValue, is);
  }
  for (const [field, expectedValue] of Object.entries(expected.upstreamRequest ?? {})) {
    if (upstreamRequest?.isContinued && HISTORY.has(field)) continue;
    compare(
      `received ${field}`,
      expectedValue,
      (upstreamRequest as unknown as Record<string, unknown> | undefined)?.[field],
    );
  }
  if (expected.answered !== undefined) compare("answered", expected.answered, played.answered);
  if (expected.ended !== undefined) compare("ended", expected.ended, played.ended);
  if (expected.seals) compare("missing seals", [], played.missingSeals);
  compare("refusals", [], played.refusals);
  return differences;
}

function isSame(expectedValue: unknown, is: unknown): boolean {
  if (expectedValue instanceof RegExp) return typeof is === "string" && expectedValue.test(is);
  return isDeepStrictEqual(expectedValue, is);
}

function shown(value: unknown): string {
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
}
