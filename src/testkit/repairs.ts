// Whether a difference between two encodings is one that their reports tell of.
import type { Encoded } from "../dialects/dialect.ts";
import type { Loss } from "../model/loss.ts";

const ELSEWHERE: ReadonlySet<string> = new Set(["moved", "synthesized", "repaired"]);

function told({ losses }: Encoded, isMeant: (loss: Loss) => boolean): string {
  return JSON.stringify(
    losses.filter((loss) => ELSEWHERE.has(loss.action) && isMeant(loss)).map(({ code, path }) => [code, path]),
  );
}

/** Whether one reports a repair that the other does not; `isMeant` leaves out those that say nothing about it. */
export function isExplained(one: Encoded, other: Encoded, isMeant: (loss: Loss) => boolean = () => true): boolean {
  return told(one, isMeant) !== told(other, isMeant);
}
