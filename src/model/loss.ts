// The loss report: what did not arrive, where it stood, and what was done instead.

export const LOSS_ACTIONS = ["dropped", "approximated", "moved", "synthesized", "repaired"] as const;
export type LossAction = (typeof LOSS_ACTIONS)[number];

/** note: bookkeeping and boundaries; loss: content; breaks: the target would answer another question. */
export const LOSS_LEVELS = ["note", "loss", "breaks"] as const;
export type LossLevel = (typeof LOSS_LEVELS)[number];

export interface Loss {
  /** A JSON pointer into the canonical value; it covers the whole subtree. */
  path: string;
  action: LossAction;
  level: LossLevel;
  /** Stable, documented in docs/losses.md. */
  code: string;
  message: string;
}
