// What the record says about how a call went: who answered, every try, and what did not arrive as it was.
import type { Attempt } from "../../client/index.ts";
import { LOSS_LEVELS } from "../../model/loss.ts";
import type { Loss } from "../../model/index.ts";
import type { RecordedAnswer } from "./types.ts";

/** So many losses are written down, the worst first; histories repeat theirs with every call (B97). */
const MOST_LOSSES = 50;

type Outcome = Pick<RecordedAnswer, "provider" | "model" | "attempts" | "losses"> & { responseId?: string | undefined };

/** Merged into the run's metadata when the call has ended. */
export function outcomeFacts({ provider, model, attempts, losses, responseId }: Outcome): Record<string, unknown> {
  const facts: Record<string, unknown> = { provider, model };
  if (responseId !== undefined) facts["responseId"] = responseId;
  if (attempts.length > 0) facts["attempts"] = attempts.map(briefly);
  if (losses.length > 0) facts["losses"] = worst(losses);
  if (losses.length > MOST_LOSSES) facts["lossCount"] = losses.length;
  return facts;
}

/** Losses are said once, for the try that answered. */
function briefly(attempt: Attempt): Partial<Attempt> {
  const { losses: _, waitedMs, ...told } = attempt;
  return waitedMs === 0 ? told : { ...told, waitedMs };
}

function worst(losses: readonly Loss[]): readonly Loss[] {
  if (losses.length <= MOST_LOSSES) return losses;
  return losses.toSorted((a, b) => rank(b) - rank(a)).slice(0, MOST_LOSSES);
}

function rank({ level }: Loss): number {
  return LOSS_LEVELS.indexOf(level);
}
