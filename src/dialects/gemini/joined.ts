// Messages that came as one content, because it mixed function responses with other parts, become one turn again: so
// they go out together, and results beside text are where they belong.
import type { Message } from "../../model/message.ts";
import type { EncodeContext } from "../dialect.ts";
import { readForm } from "../kit/residue.ts";
import type { PartPlace, Turn } from "../kit/turn.ts";
import { placeOf } from "../kit/turn.ts";
import { isPlainMessage, reportMessage } from "./content.ts";
import type { Code } from "./losses.ts";

/** The turns of a history; the trail stands at the list of messages. */
export function joinedTurns(messages: readonly Message[], context: EncodeContext<Code>): Turn[] {
  const turns: Turn[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message; // Within the length.
    const turn = message.extra === undefined ? undefined : readForm(message, context.dialect)["turn"];
    const before = turns.at(-1);
    const follows = before !== undefined && (turn === "joined" || endsWithResult(before.message));
    if (turn === "joined" && before !== undefined) turns[turns.length - 1] = joined(before, message, index, context);
    else turns.push({ message, index });
    if (turn !== undefined && !follows) {
      context.report.addLoss("form-stale", [index, "extra", context.dialect, "$form", "turn"]);
    }
  }
  return turns;
}

/** Whether a message ends with a result, so that a further one goes on. */
export function endsWithResult(message: Message | undefined): boolean {
  const part = message?.parts.at(-1);
  return message?.role === "tool" ? part?.type === "tool-result" || part === undefined : false;
}

function joined(turn: Turn, message: Message, index: number, context: EncodeContext<Code>): Turn {
  if (!isPlainMessage(message)) context.pathTracker.into(index, () => reportMessage(message, context));
  const { parts, role } = turn.message;
  const places = [...parts.keys()].map((part) => placeOf(turn, part));
  const followers = message.parts.map((_, part): PartPlace => [index, part]);
  // With results in it, a turn of the user's is one of results.
  const isResults = role !== "assistant" && message.role === "tool";
  return {
    message: { ...turn.message, role: isResults ? "tool" : role, parts: [...parts, ...message.parts] },
    index: turn.index,
    places: [...places, ...followers],
  };
}
