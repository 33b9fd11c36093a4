// Creates the run metadata about the outcome of a call: target, attempts and losses.
import type { Attempt } from "../../client/index.ts";
import { LOSS_LEVELS } from "../../model/loss.ts";
import type { Loss } from "../../model/index.ts";
import type { RecordedAnswer } from "./types.ts";

/**
 * The maximum number of losses that a run stores; the least severe losses are omitted. The limit is needed because
 * every call repeats the losses of its history (B97).
 */
const MAX_LOSSES = 50;

type RecordedOutcome = Pick<RecordedAnswer, "provider" | "model" | "attempts" | "losses"> & {
  responseId?: string | undefined;
};

/** Returns the metadata that is merged into the run when the call has ended. */
export function createOutcomeMetadata({
  provider,
  model,
  attempts,
  losses,
  responseId,
}: RecordedOutcome): Record<string, unknown> {
  const metadata: Record<string, unknown> = { provider, model };
  if (responseId !== undefined) metadata["responseId"] = responseId;
  if (attempts.length > 0) metadata["attempts"] = attempts.map(withoutLosses);
  if (losses.length > 0) metadata["losses"] = worstLosses(losses);
  if (losses.length > MAX_LOSSES) metadata["lossCount"] = losses.length;
  return metadata;
}

/**
 * Returns the attempt without its losses, because the run stores the losses of the attempt that answered, and without a
 * waiting time of 0.
 */
function withoutLosses(attempt: Attempt): Partial<Attempt> {
  const { losses: _, waitedMs, ...summary } = attempt;
  return waitedMs === 0 ? summary : { ...summary, waitedMs };
}

function worstLosses(losses: readonly Loss[]): readonly Loss[] {
  if (losses.length <= MAX_LOSSES) return losses;
  return losses.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_LOSSES);
}

function rank({ level }: Loss): number {
  return LOSS_LEVELS.indexOf(level);
}
