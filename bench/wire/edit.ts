// One small edit of a conversation, made by hand on the wire: what every contender has to arrive at when the same edit
// is made on its own form. A request gets its first user text changed and a message appended; a response its first text.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { WIRES } from "./index.ts";
import type { DialectName, Kind } from "./wire.ts";
import { textAt } from "./wire.ts";

/** Added at the end, so that annotations of the text still point at what they did. */
export const ADDITION = " Edited.";
export const APPENDED = "One more thing.";

/** Changes the first text; says whether there was one. */
export function changeText(dialect: DialectName, kind: Kind, body: JsonObject): boolean {
  const wire = WIRES[dialect];
  const role = kind === "requests" ? "user" : "assistant";
  const outer = kind === "requests" ? wire.outerTexts(body) : [];
  const slots = [...outer, ...wire.turns(body, kind).flatMap((turn) => wire.texts(turn))];
  // An empty text may be no text at all to a reader.
  const first = slots.find((slot) => slot.role === role && textAt(slot) !== "");
  if (first === undefined) return false;
  first.holder[first.key] = textAt(first) + ADDITION;
  // What the SDK repeats of the answer must not keep the old words.
  const { output_text: repeated } = body;
  if (kind === "responses" && typeof repeated === "string") body["output_text"] = repeated + ADDITION;
  return true;
}

const PLAIN: ReadonlySet<string> = new Set(["role", "content", "parts", "type"]);

/**
 * Takes the appended message off again, if it is there: a turn of its own that says nothing else, or, where turns must
 * alternate, the last block of the user's turn. Whether one text stands there bare or in a list is the writer's choice.
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
