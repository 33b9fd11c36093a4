// Tables of expected failures, each with its reason: every failure must be in the table, and every row must fail.
import { expect } from "vitest";

export interface ExpectedFailure {
  /** Matches the names of the streams. */
  streams: RegExp;
  /** The claim that fails. */
  check: string;
  reason: string;
}

export interface CheckOutcome {
  name: string;
  check: string;
  /** The error message, if the check failed. */
  failure?: string;
}

/** Runs a step and returns its outcome. */
export async function runCheck(name: string, check: string, step: () => unknown): Promise<CheckOutcome> {
  try {
    await step();
    return { name, check };
  } catch (error) {
    return { name, check, failure: error instanceof Error ? error.message : String(error) };
  }
}

const SHOWN_LIMIT = 6;

/** Throws if outcomes and table disagree; returns the number of expected failures. */
export function expectOutcomes(outcomes: readonly CheckOutcome[], table: readonly ExpectedFailure[]): number {
  const excuse = ({ name, check }: CheckOutcome): ExpectedFailure | undefined =>
    table.find((row) => row.check === check && row.streams.test(name));
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const unknown = failed.filter((each) => excuse(each) === undefined);
  const shown = unknown
    .slice(0, SHOWN_LIMIT)
    .map(({ name, check, failure }) => `${name}, ${check}: ${failure?.slice(0, 900)}`);
  const more = unknown.length > SHOWN_LIMIT ? `\n… and ${unknown.length - SHOWN_LIMIT} more.` : "";
  expect(shown.join("\n\n") + more, `${unknown.length} of ${outcomes.length} fail`).toBe("");
  const healed = outcomes.filter((each) => each.failure === undefined && excuse(each) !== undefined);
  expect(
    healed.map(({ name, check }) => `${name}, ${check}`),
    "these pass, but are still in the table",
  ).toStrictEqual([]);
  return failed.length;
}

/** Returns the rows that match no outcome. */
export function listUnusedRows(outcomes: readonly CheckOutcome[], table: readonly ExpectedFailure[]): string[] {
  return table
    .filter(({ streams, check }) => !outcomes.some((each) => each.check === check && streams.test(each.name)))
    .map(({ streams, check, reason }) => `${String(streams)}, ${check}: ${reason}`);
}
