// Defines losses, the entries of the report that lists data which a target does not receive unchanged.

/** Every action that an encoder can take on data that the target does not support. */
export const LOSS_ACTIONS = ["dropped", "approximated", "moved", "synthesized", "repaired"] as const;
/** One of `LOSS_ACTIONS`. */
export type LossAction = (typeof LOSS_ACTIONS)[number];

/**
 * The levels of losses. "note": metadata or message boundaries changed; "loss": content changed; "breaks": the request
 * would have a different meaning for the target.
 */
export const LOSS_LEVELS = ["note", "loss", "breaks"] as const;
/** One of `LOSS_LEVELS`. */
export type LossLevel = (typeof LOSS_LEVELS)[number];

/** One entry of a loss report. */
export interface Loss {
  /** A JSON pointer into the canonical value. The loss covers the value at this path and everything in it. */
  path: string;
  action: LossAction;
  level: LossLevel;
  /** The stable code of the loss; docs/losses.md lists every code. */
  code: string;
  message: string;
}
