// The words of the wire, two ways. Any case is read and upper case is written: the one deliberate exception to "equal
// JSON comes back", because `user` and `USER` are the same word and no reader may depend on the difference.
import type { Role } from "../../model/message.ts";
import type { TaggedPart, TaggedRole } from "./types.ts";

export const ROLE_WORDS = {
  system: "SYSTEM",
  developer: "DEVELOPER",
  user: "USER",
  assistant: "ASSISTANT",
  tool: "TOOL",
} as const satisfies Record<Role, TaggedRole>;

export type Kind = TaggedPart["kind"];

/** Part types and their kinds. Redacted thinking is a reasoning part too; its seal tells. */
export const KINDS = {
  text: "TEXT",
  image: "IMAGE",
  audio: "AUDIO",
  file: "DOCUMENT",
  "tool-call": "TOOL_CALL",
  "tool-result": "TOOL_RESULT",
  reasoning: "THINKING",
} as const satisfies Record<string, Kind>;
export const REDACTED = "REDACTED_THINKING" satisfies Kind;

/** The field that holds a kind's data. */
export function fieldOf<K extends Kind>(kind: K): Lowercase<K> {
  // The wire names each field after its kind, in lower case.
  return kind.toLowerCase() as Lowercase<K>;
}

const ALL_KINDS: readonly Kind[] = [...Object.values(KINDS), REDACTED];
const kinds: ReadonlyMap<string, Kind> = new Map(ALL_KINDS.map((kind) => [kind, kind]));
const roles: ReadonlyMap<string, Role> = new Map(
  // Object.entries forgets that the keys are roles.
  (Object.entries(ROLE_WORDS) as [Role, TaggedRole][]).map(([role, word]) => [word, role]),
);

/** The data fields of all kinds: on a part, those of other kinds may stand as explicit nulls. */
export const DATA_FIELDS: ReadonlySet<string> = new Set(ALL_KINDS.map((kind) => fieldOf(kind)));

const ASCII_WORD = /^[A-Za-z_]+$/;

/** Letters beyond ASCII stay as they are: "ß" is not a way to write "SS". */
function upperCase(word: string): string {
  return ASCII_WORD.test(word) ? word.toUpperCase() : word;
}

export function readRole(word: string): Role | undefined {
  return roles.get(upperCase(word));
}

export function readKind(word: string): Kind | undefined {
  return kinds.get(upperCase(word));
}
