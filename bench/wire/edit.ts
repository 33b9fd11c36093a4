// Edits a conversation directly on the wire; a contender must produce the same result after the same edit on its own
// representation. In a request the first user text is changed and a message is appended; in a response the first text.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { WIRES } from "./index.ts";
import type { DialectName, Kind } from "./wire.ts";
import { textAt } from "./wire.ts";

/** The text that is added at the end of a text, so that the positions of annotations remain valid. */
export const ADDITION = " Edited.";
export const APPENDED = "One more thing.";

/** Changes the first text that is not empty; returns false if there is no such text. */
export function changeText(dialect: DialectName, kind: Kind, body: JsonObject): boolean {
  const wire = WIRES[dialect];
  const role = kind === "requests" ? "user" : "assistant";
  const outer = kind === "requests" ? wire.outerTexts(body) : [];
  const slots = [...outer, ...wire.turns(body, kind).flatMap((turn) => wire.texts(turn))];
  // Empty texts are not edited, because a decoder may drop an empty text.
  const first = slots.find((slot) => slot.role === role && textAt(slot) !== "");
  if (first === undefined) return false;
  first.holder[first.key] = textAt(first) + ADDITION;
  // `output_text`, the SDK's copy of the answer, must contain the new text too.
  const { output_text: repeated } = body;
  if (kind === "responses" && typeof repeated === "string") body["output_text"] = repeated + ADDITION;
  return true;
}

const PLAIN: ReadonlySet<string> = new Set(["role", "content", "parts", "type"]);

/**
 * Removes the appended message; returns false if it is not at the end. The message is a separate turn with only this
 * text or, if turns must alternate, the last block of the user's turn. The text is a string or a list of one block.
 */
export function takeAppended(dialect: DialectName, body: JsonObject, expected: JsonObject): boolean {
  const wire = WIRES[dialect];
  const turns = wire.turns(body, "requests");
  const last = turns.at(-1);
  if (last === undefined) return false;
  const slots = wire.texts(last);
  const slot = slots.at(-1);
  if (slot?.role !== "user" || textAt(slot) !== APPENDED) return false;
  if (slots.length === 1 && Object.keys(last).every((key) => PLAIN.has(key)) && isAlone(last)) {
    wire.putTurns(body, "requests", turns.slice(0, -1));
    return true;
  }
  const { content } = last;
  if (dialect !== "anthropic" || !Array.isArray(content) || content.at(-1) !== slot.holder) return false;
  content.pop();
  const [only, ...others] = content;
  const was = wire.turns(expected, "requests").at(-1)?.["content"];
  if (typeof was === "string" && others.length === 0 && isBareText(only)) last["content"] = only.text;
  return true;
}

function isAlone({ content, parts }: JsonObject): boolean {
  const list = content ?? parts;
  return !Array.isArray(list) || list.length === 1;
}

function isBareText(block: JsonValue | undefined): block is { type: "text"; text: string } {
  const isText = typeof block === "object" && block !== null && !Array.isArray(block) && block["type"] === "text";
  return isText && Object.keys(block).length === 2;
}
