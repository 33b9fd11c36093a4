// A message on its way out, and where it and its parts stood in the value that losses point into.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";

/** Where a part stood: the message, and the part in it. */
export type PartPlace = readonly [message: number, part: number];

/** A message on its way out. */
export interface Turn {
  readonly message: Message;
  /** Where the message stood. */
  readonly index: number;
  /** Where its parts stood, if not where they stand now. */
  readonly places?: readonly PartPlace[];
  /** Nothing of it stands in the history: a repair made it, and has reported it. */
  readonly isMade?: true;
}

/** Where the part of a turn stood. */
export function placeOf({ index, places }: Turn, part: number): PartPlace {
  return places?.[part] ?? [index, part];
}

/** The path of a part of a turn, from the list of messages on. */
export function pathOf(turn: Turn, part: number): (string | number)[] {
  const [message, at] = placeOf(turn, part);
  return [message, "parts", at];
}

/** Goes to a part of a turn; `context.trail.leave(3)` goes back to the list of messages. */
export function enterPart(turn: Turn, part: number, { pathTracker: trail }: Pick<EncodeContext, "pathTracker">): void {
  const places = turn.places?.[part];
  trail.enter(places === undefined ? turn.index : places[0]);
  trail.enter("parts");
  trail.enter(places === undefined ? part : places[1]);
}

/** A turn with other parts; `kept` are their indexes among the old ones. */
export function withParts(turn: Turn, parts: Part[], kept: readonly number[]): Turn {
  return { message: { ...turn.message, parts }, index: turn.index, places: kept.map((part) => placeOf(turn, part)) };
}
