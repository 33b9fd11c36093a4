// Defines a message that an encoder writes, with the positions of its parts in the canonical value. The paths of losses
// are computed from these positions.
import type { Message } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";

/** The index of a message in the caller's list of messages, and the index of a part in that message. */
export type PartPosition = readonly [message: number, part: number];

/** A message that an encoder writes. A repair creates a new turn and does not change the caller's message. */
export interface OutgoingTurn {
  readonly message: Message;
  /** The index of the message in the caller's list; the index of the first one if several messages were joined. */
  readonly index: number;
  /** The position of each part in the caller's messages; absent if the parts are those of the message at `index`. */
  readonly positions?: readonly PartPosition[];
  /** True if a repair has added and reported the turn, so no message of the history corresponds to it. */
  readonly isSynthesized?: true;
}

/** Returns the position of a turn's part in the canonical value. */
export function findPartPosition({ index, positions }: OutgoingTurn, part: number): PartPosition {
  return positions?.[part] ?? [index, part];
}

/** Returns the path of a turn's part, relative to the list of messages. */
export function toPartPath(turn: OutgoingTurn, part: number): (string | number)[] {
  const [message, at] = findPartPosition(turn, part);
  return [message, "parts", at];
}

/** Moves the path to a part of a turn; `pathTracker.leave(3)` returns to the list of messages. */
export function enterPart(turn: OutgoingTurn, part: number, { pathTracker }: Pick<EncodeContext, "pathTracker">): void {
  const position = turn.positions?.[part];
  pathTracker.enter(position === undefined ? turn.index : position[0]);
  pathTracker.enter("parts");
  pathTracker.enter(position === undefined ? part : position[1]);
}

/** Returns a copy of a turn with new parts. `indexes` has, for each new part, the index of the old part. */
export function replaceParts(turn: OutgoingTurn, parts: Part[], indexes: readonly number[]): OutgoingTurn {
  const positions = indexes.map((part) => findPartPosition(turn, part));
  return { message: { ...turn.message, parts }, index: turn.index, positions };
}
