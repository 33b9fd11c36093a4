// What the benchmarks know about a wire format, written by hand and not through Koine: where a body has its turns, and
// which texts, tool calls and results they hold.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";

export const DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type DialectName = (typeof DIALECTS)[number];
export type Kind = "requests" | "responses";

/** The twelve ways from one dialect to another. */
export const DIRECTIONS: readonly (readonly [from: DialectName, to: DialectName])[] = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to) => [from, to] as const),
);

/** A place that holds a text, so that it can be read and changed where it stands. */
export interface TextSlot {
  role: "system" | "user" | "assistant";
  holder: JsonObject;
  key: string;
}

/** Whose texts count as whose; those of other roles are no part of the conversation's texts. */
export const ROLES: ReadonlyMap<unknown, TextSlot["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

/** A call of a tool that the client runs. */
export interface WireCall {
  id: JsonValue | undefined;
  name: JsonValue | undefined;
  /** Text where the wire carries the arguments as text. */
  input: JsonValue | undefined;
}

export interface WireResult {
  id: JsonValue | undefined;
  /** For wires that pair by name. */
  name: JsonValue | undefined;
  output: JsonValue | undefined;
}

export interface Wire {
  /** The body's own list of turns; for a response, turns as they would stand in a request. */
  turns(body: JsonObject, kind: Kind): JsonObject[];
  /** Puts changed turns of that kind back into the body. */
  putTurns(body: JsonObject, kind: Kind, turns: JsonValue[]): void;
  /** Texts outside the turns. */
  outerTexts(body: JsonObject): TextSlot[];
  texts(turn: JsonObject): TextSlot[];
  calls(turn: JsonObject): WireCall[];
  results(turn: JsonObject): WireResult[];
}

/** The objects of a list, the list itself where it holds nothing else, so that a change of it is one of the body. */
export function objects(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.every(isObject) ? value : value.filter(isObject);
}

export function textAt({ holder, key }: TextSlot): string {
  const text = holder[key];
  return typeof text === "string" ? text : "";
}

/** The text of a field that is either a text or a list of blocks with texts in them. */
export function textsIn(
  role: TextSlot["role"],
  holder: JsonObject,
  key: string,
  isText: (block: JsonObject) => boolean,
): TextSlot[] {
  if (typeof holder[key] === "string") return [{ role, holder, key }];
  return objects(holder[key])
    .filter((block) => isText(block) && typeof block["text"] === "string")
    .map((block) => ({ role, holder: block, key: "text" }));
}
