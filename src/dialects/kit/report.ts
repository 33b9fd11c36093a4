// The loss report of one encode. A dialect declares every loss it can cause; the report takes no other code, so that
// the documentation, which is made from the declarations, is complete.
import type { Loss, LossAction, LossLevel } from "../../model/loss.ts";
import type { PathTracker } from "./trail.ts";

/** What a loss code stands for. */
export interface LossDeclaration {
  action: LossAction;
  level: LossLevel;
  /** What happens and why, in a sentence a user can act on. */
  message: string;
}
export type LossTable = Readonly<Record<string, LossDeclaration>>;

export class Report<Code extends string = string> {
  readonly losses: Loss[] = [];
  readonly #trail: PathTracker;
  readonly #declared: Readonly<Record<Code, LossDeclaration>>;

  constructor(trail: PathTracker, declared: Readonly<Record<Code, LossDeclaration>>) {
    this.#trail = trail;
    this.#declared = declared;
  }

  /** An empty report of the same losses, for another trail. */
  anew(trail: PathTracker): Report<Code> {
    return new Report(trail, this.#declared);
  }

  /** Reports a loss at the value in hand, or at a field of it; `detail` is added to the declared sentence. */
  addLoss(code: Code, field?: string | number | readonly (string | number)[], detail?: string): void {
    const { action, level, message: sentence } = this.#declared[code];
    const steps = field === undefined ? [] : typeof field === "object" ? field : [field];
    const message = detail === undefined ? sentence : `${sentence} ${detail}`;
    this.losses.push({ path: this.#trail.path(...steps), action, level, code, message });
  }
}
