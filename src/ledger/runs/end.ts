// Ends a run without a commit. The partial output is stored as an interrupted turn outside the active path (B90),
// together with the usage so far (B67).
import { inspect } from "node:util";
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { PROVIDER_ERROR_KINDS, type ProviderError, type ProviderErrorKind } from "../../model/index.ts";
import { insertChain } from "../messages/insert-chain.ts";
import { activeLeaf, moveLeaf } from "../messages/active-leaf.ts";
import { findHeader } from "../messages/paths.ts";
import type { RunRow, RunState } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { encodeColumn, toThreadKeyOfRun } from "./run-info.ts";
import { type LockedRun, lockRun } from "./lock-run.ts";
import { closeRun, type EndedRun } from "./run-outcome.ts";
import type { TurnContent } from "./run-turn.ts";

/** The way a run ends without a commit. */
export interface RunEnd {
  step: "fail" | "cancel";
  error?: ProviderError;
}

/** Ends the run and returns it with its outcome; without an outcome if the run had ended in the same way before. */
export function* writeEnd(
  scope: LedgerScope,
  tx: LedgerTransaction,
  known: RunRow,
  { step, error }: RunEnd,
  partial: TurnContent,
): Steps<EndedRun> {
  const locked = yield* lockRun(tx, known, step);
  const { row, next } = locked;
  return next === "same" ? { row } : yield* writeInterruptedTurn(scope, tx, locked, { state: next, partial, error });
}

interface InterruptedRun {
  state: RunState;
  partial: TurnContent;
  error: ProviderError | undefined;
  /** The new epoch of the run, if a process other than its writer ends it. */
  epoch?: number;
}

/** Stores the partial output of a run as an interrupted turn, and ends the run. The active leaf is not changed. */
export function* writeInterruptedTurn(
  scope: LedgerScope,
  tx: LedgerTransaction,
  { head, row }: Pick<LockedRun, "head" | "row">,
  { state, partial, error, epoch = row.epoch }: InterruptedRun,
): Steps<EndedRun> {
  const leaf = activeLeaf(head);
  let parentId = row.forks ? row.forkFromId : leaf;
  // The fork point may have been deleted; the messages are then stored under the active leaf.
  if (
    parentId !== null &&
    parentId !== leaf &&
    (yield* findHeader(tx, toThreadKeyOfRun(row), parentId)) === undefined
  ) {
    parentId = leaf;
  }
  const messages = yield* insertChain(scope, tx, head, {
    parentId,
    messages: partial.messages,
    runId: row.id,
    allowsMissingBlobs: true,
  });
  const closed = yield* closeRun(scope, tx, head, row, {
    changes: { state, epoch, usage: encodeColumn(partial.usage), error: encodeColumn(error) },
    outcome: { messageIds: messages.map(({ id }) => id) },
    messages,
  });
  yield* moveLeaf(tx, head, leaf);
  return closed;
}

/** The maximum number of characters of the description of a thrown value. */
const MAX_DESCRIPTION_LENGTH = 500;

function isProviderErrorKind(kind: unknown): kind is ProviderErrorKind {
  return (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(kind);
}

/** Converts a thrown value to a ProviderError. */
export function toProviderError(error: unknown): ProviderError {
  if (typeof error === "string") return { kind: "unknown", message: error };
  const message = isObject(error) || error instanceof Error ? error.message : undefined;
  if (typeof message !== "string") return describeThrown(error);
  // The cast is safe, because a value with a string `message` is an object.
  const fields: Partial<ProviderError> = error as object;
  const result: ProviderError = { kind: isProviderErrorKind(fields.kind) ? fields.kind : "unknown", message };
  if (typeof fields.status === "number") result.status = fields.status;
  if (typeof fields.retryAfterMs === "number") result.retryAfterMs = fields.retryAfterMs;
  if (typeof fields.retryable === "boolean") result.retryable = fields.retryable;
  if (fields.raw !== undefined && hasJsonForm(fields.raw)) result.raw = fields.raw;
  else if (error instanceof Error && error.name !== "Error") result.raw = { name: error.name };
  return result;
}

/** Describes a thrown value that is not an error, so that the run can end and its record shows the value. */
function describeThrown(thrown: unknown): ProviderError {
  const isJsonObject = typeof thrown === "object" && thrown !== null && hasJsonForm(thrown);
  const message = `A value that is not an error was thrown: ${isJsonObject ? stringifyJson(thrown) : inspect(thrown)}`;
  const short =
    message.length > MAX_DESCRIPTION_LENGTH ? `${message.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()}…` : message;
  return { kind: "unknown", message: short, ...(isJsonObject ? { raw: thrown } : {}) };
}

/**
 * True if the value can be written as JSON. Other values are omitted from the error, because they must not prevent a
 * run from ending.
 */
function hasJsonForm(value: unknown): boolean {
  try {
    return stringifyJson(value) !== "";
  } catch {
    return false;
  }
}
