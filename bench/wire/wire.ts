// The interface that reads a wire format without Koine: the turns of a body, and their texts, tool calls and results.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";

export const DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type DialectName = (typeof DIALECTS)[number];
export type Kind = "requests" | "responses";

/** The twelve pairs of different dialects. */
export const DIRECTIONS: readonly (readonly [from: DialectName, to: DialectName])[] = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to) => [from, to] as const),
);

/** The location of a text: the field `key` of `holder`, in which the text can be read and changed. */
export interface TextSlot {
  role: "system" | "user" | "assistant";
  holder: JsonObject;
  key: string;
}

/** The comparable role of each wire role; texts of other roles are ignored. */
export const ROLES: ReadonlyMap<unknown, TextSlot["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

/** A tool call that the client executes. */
export interface WireCall {
  id: JsonValue | undefined;
  name: JsonValue | undefined;
  /** The arguments; a string if the wire contains them as text. */
  input: JsonValue | undefined;
}

export interface WireResult {
  id: JsonValue | undefined;
  /** The tool name, by which some wire formats pair results with calls. */
  name: JsonValue | undefined;
  output: JsonValue | undefined;
}

export interface Wire {
  /** Returns the list of turns in the body; the turns of a response have the form of turns in a request. */
  turns(body: JsonObject, kind: Kind): JsonObject[];
  /** Writes changed turns back into the body. */
  putTurns(body: JsonObject, kind: Kind, turns: JsonValue[]): void;
  /** Returns the locations of the texts outside the turns, such as the system text. */
  outerTexts(body: JsonObject): TextSlot[];
  texts(turn: JsonObject): TextSlot[];
  calls(turn: JsonObject): WireCall[];
  results(turn: JsonObject): WireResult[];
}

/** Returns the objects of a list; the list itself if it contains only objects, so that changes affect the body. */
export function objects(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.every(isObject) ? value : value.filter(isObject);
}

export function textAt({ holder, key }: TextSlot): string {
  const text = holder[key];
  return typeof text === "string" ? text : "";
}

/** Returns the locations of the texts in a field that is a string or a list of text blocks. */
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
