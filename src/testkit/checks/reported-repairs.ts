// Decides whether reported repairs explain a difference between two encodings.
import type { Encoded } from "../../dialects/dialect.ts";
import type { Loss } from "../../model/loss.ts";

const REPAIR_ACTIONS: ReadonlySet<string> = new Set(["moved", "synthesized", "repaired"]);

function stringifyRepairs({ losses }: Encoded, isRelevant: (loss: Loss) => boolean): string {
  return JSON.stringify(
    losses.filter((loss) => REPAIR_ACTIONS.has(loss.action) && isRelevant(loss)).map(({ code, path }) => [code, path]),
  );
}

/**
 * True if the two encodings report different repairs; only repairs for which `isRelevant` returns true are compared.
 */
export function haveDifferentRepairs(
  one: Encoded,
  other: Encoded,
  isRelevant: (loss: Loss) => boolean = () => true,
): boolean {
  return stringifyRepairs(one, isRelevant) !== stringifyRepairs(other, isRelevant);
}
