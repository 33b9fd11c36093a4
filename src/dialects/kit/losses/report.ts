// The loss report of one encode. A dialect declares every loss that it can cause, and the report accepts no other code,
// so that docs/losses.md, which is made from the declarations, is complete.
import type { Loss, LossAction, LossLevel } from "../../../model/loss.ts";
import type { PathTracker } from "../fields/path-tracker.ts";

/** The level, the action and the sentence of one loss code. */
export interface LossDeclaration {
  action: LossAction;
  level: LossLevel;
  /** The fact and its consequence in one sentence; `{target}` stands for the id of the dialect. */
  message: string;
}
/** The losses that a dialect can cause, by code. */
export type LossTable = Readonly<Record<string, LossDeclaration>>;

/** Collects the losses of one encode, each at the path where the encoder stands. */
export class LossReport<Code extends string = string> {
  readonly losses: Loss[] = [];
  readonly #pathTracker: PathTracker;
  readonly #declared: Readonly<Record<Code, LossDeclaration>>;

  constructor(pathTracker: PathTracker, declared: Readonly<Record<Code, LossDeclaration>>) {
    this.#pathTracker = pathTracker;
    this.#declared = declared;
  }

  /** Returns an empty report with the same declarations. */
  createEmpty(pathTracker: PathTracker): LossReport<Code> {
    return new LossReport(pathTracker, this.#declared);
  }

  /** Reports a loss at the current path, or at a field below it; `detail` is appended to the declared sentence. */
  addLoss(code: Code, field?: string | number | readonly (string | number)[], detail?: string): void {
    const { action, level, message: sentence } = this.#declared[code];
    const steps = field === undefined ? [] : typeof field === "object" ? field : [field];
    const message = detail === undefined ? sentence : `${sentence} ${detail}`;
    this.losses.push({ path: this.#pathTracker.path(...steps), action, level, code, message });
  }
}

/** Returns the declarations with the target's id in their sentences; done once per dialect, so that reports stay fast. */
export function fillTarget<Code extends string>(
  declared: Readonly<Record<Code, LossDeclaration>>,
  target: string,
): Readonly<Record<Code, LossDeclaration>> {
  const filled: Partial<Record<string, LossDeclaration>> = {};
  for (const [code, declaration] of Object.entries<LossDeclaration>(declared)) {
    filled[code] = { ...declaration, message: declaration.message.replaceAll("{target}", target) };
  }
  // Every code of the given table is there.
  return filled as Record<Code, LossDeclaration>;
}
