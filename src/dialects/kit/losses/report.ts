// Collects the losses of an encoder. A dialect declares every loss that it can cause, and the report accepts only
// declared codes. docs/losses.md is generated from the declarations and is therefore complete.
import type { Loss, LossAction, LossLevel } from "../../../model/loss.ts";
import type { PathTracker } from "../fields/path-tracker.ts";

/** The declaration of one loss code: the action, level and message of its losses. */
export interface LossDeclaration {
  action: LossAction;
  level: LossLevel;
  /** A sentence that states the cause and the consequence. `{target}` is replaced by the id of the dialect. */
  message: string;
}
/** The losses that a dialect can cause, by code. */
export type LossTable = Readonly<Record<string, LossDeclaration>>;

/** Collects the losses that an encoder reports, each with the current path of the encoder. */
export class LossReport<Code extends string = string> {
  readonly losses: Loss[] = [];
  readonly #pathTracker: PathTracker;
  readonly #declared: Readonly<Record<Code, LossDeclaration>>;

  constructor(pathTracker: PathTracker, declared: Readonly<Record<Code, LossDeclaration>>) {
    this.#pathTracker = pathTracker;
    this.#declared = declared;
  }

  /**
   * Returns an empty report with the same declared codes as this report. Its losses get their paths from `pathTracker`.
   */
  createEmpty(pathTracker: PathTracker): LossReport<Code> {
    return new LossReport(pathTracker, this.#declared);
  }

  /**
   * Reports a loss at the current path, or at `field` below that path. `detail` is appended to the declared message.
   */
  addLoss(code: Code, field?: string | number | readonly (string | number)[], detail?: string): void {
    const { action, level, message: sentence } = this.#declared[code];
    const steps = field === undefined ? [] : typeof field === "object" ? field : [field];
    const message = detail === undefined ? sentence : `${sentence} ${detail}`;
    this.losses.push({ path: this.#pathTracker.path(...steps), action, level, code, message });
  }
}

/** Returns the declarations with `{target}` replaced in their messages. Runs once per dialect, not for every report. */
export function fillTarget<Code extends string>(
  declared: Readonly<Record<Code, LossDeclaration>>,
  target: string,
): Readonly<Record<Code, LossDeclaration>> {
  const filled: Partial<Record<string, LossDeclaration>> = {};
  for (const [code, declaration] of Object.entries<LossDeclaration>(declared)) {
    filled[code] = { ...declaration, message: declaration.message.replaceAll("{target}", target) };
  }
  // The cast is safe: the loop has copied every code of `declared`.
  return filled as Record<Code, LossDeclaration>;
}
