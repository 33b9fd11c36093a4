// Ends a run without a commit: what had arrived is kept as an interrupted turn beside the active path (B90), with the
// usage seen (B67).
import { inspect } from "node:util";
import { stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import { PROVIDER_ERROR_KINDS, type ProviderError, type ProviderErrorKind } from "../../model/index.ts";
import { insertChain } from "../insert.ts";
import { activeLeaf, moveLeaf } from "../leaf.ts";
import { headerOf } from "../paths.ts";
import type { RunRow, RunState } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { column, threadOf } from "./info.ts";
import { type LockedRun, lockRun } from "./locked.ts";
import { closeRun, type Finished } from "./outcome.ts";
import type { Stored } from "./turn.ts";

/** How a run ends that is not committed. */
export interface End {
  step: "fail" | "cancel";
  error?: ProviderError;
}

/** The run after its end; without an outcome where it had ended this way before. */
export function* endRun(
  scope: Scope,
  tx: LedgerTransaction,
  known: RunRow,
  { step, error }: End,
  partial: Stored,
): Steps<Finished> {
  const locked = yield* lockRun(tx, known, step);
  const { row, next } = locked;
  return next === "same" ? { row } : yield* savePartial(scope, tx, locked, { state: next, partial, error });
}

interface Interrupted {
  state: RunState;
  partial: Stored;
  error: ProviderError | undefined;
  /** Where another one ends the run than its writer. */
  epoch?: number;
}

/** Stores the partial turn, leaves the active leaf where it is, and ends the run. */
export function* savePartial(
  scope: Scope,
  tx: LedgerTransaction,
  { head, row }: Pick<LockedRun, "head" | "row">,
  { state, partial, error, epoch = row.epoch }: Interrupted,
): Steps<Finished> {
  const leaf = activeLeaf(head);
  let parentId = row.forks ? row.forkFromId : leaf;
  // A fork point may have been deleted since; what had arrived is worth more than its place.
  if (parentId !== null && parentId !== leaf && (yield* headerOf(tx, threadOf(row), parentId)) === undefined) {
    parentId = leaf;
  }
  const messages = yield* insertChain(scope, tx, head, {
    parentId,
    messages: partial.messages,
    runId: row.id,
    isRest: true,
  });
  const closed = yield* closeRun(scope, tx, head, row, {
    changes: { state, epoch, usage: column(partial.usage), error: column(error) },
    outcome: { messageIds: messages.map(({ id }) => id) },
    messages,
  });
  yield* moveLeaf(tx, head, leaf);
  return closed;
}

/** Characters of a description. */
const LONGEST = 500;

function isKind(kind: unknown): kind is ProviderErrorKind {
  return (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(kind);
}

/** What a caller says went wrong, as data. */
export function providerError(error: unknown): ProviderError {
  if (typeof error === "string") return { kind: "unknown", message: error };
  const message = isObject(error) || error instanceof Error ? error.message : undefined;
  if (typeof message !== "string") return described(error);
  const said: Partial<ProviderError> = error as object; // an object with a message, as seen above
  const result: ProviderError = { kind: isKind(said.kind) ? said.kind : "unknown", message };
  if (typeof said.status === "number") result.status = said.status;
  if (typeof said.retryAfterMs === "number") result.retryAfterMs = said.retryAfterMs;
  if (typeof said.retryable === "boolean") result.retryable = said.retryable;
  if (said.raw !== undefined && isJson(said.raw)) result.raw = said.raw;
  else if (error instanceof Error && error.name !== "Error") result.raw = { name: error.name };
  return result;
}

/** Something that is no error was thrown. A run must be able to end all the same, and its record says what it was. */
function described(thrown: unknown): ProviderError {
  const isKept = typeof thrown === "object" && thrown !== null && isJson(thrown);
  const message = `Something that is no error was thrown: ${isKept ? stringifyJson(thrown) : inspect(thrown)}`;
  const short = message.length > LONGEST ? `${message.slice(0, LONGEST).toWellFormed()}…` : message;
  return { kind: "unknown", message: short, ...(isKept ? { raw: thrown } : {}) };
}

/** What goes wrong must not keep a run from ending: words that cannot be written are left out. */
function isJson(value: unknown): boolean {
  try {
    return stringifyJson(value) !== "";
  } catch {
    return false;
  }
}
