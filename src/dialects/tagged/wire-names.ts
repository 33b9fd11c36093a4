// Maps roles and kinds of the tagged dialect to canonical names and back. They are decoded in any case and encoded in
// upper case, so `user` returns as `USER`: the only deliberate exception to the rule that a round trip returns equal
// JSON.
import type { Role } from "../../model/message.ts";
import type { TaggedPart, TaggedRole } from "./types.ts";

export const WIRE_ROLES = {
  system: "SYSTEM",
  developer: "DEVELOPER",
  user: "USER",
  assistant: "ASSISTANT",
  tool: "TOOL",
} as const satisfies Record<Role, TaggedRole>;

export type TaggedKind = TaggedPart["kind"];

/**
 * The wire kind of each part type. Redacted thinking also becomes a reasoning part, which has a seal of kind
 * `redacted`.
 */
export const TAGGED_KINDS = {
  text: "TEXT",
  image: "IMAGE",
  audio: "AUDIO",
  file: "DOCUMENT",
  "tool-call": "TOOL_CALL",
  "tool-result": "TOOL_RESULT",
  reasoning: "THINKING",
} as const satisfies Record<string, TaggedKind>;
export const REDACTED = "REDACTED_THINKING" satisfies TaggedKind;

/** Returns the name of the field with the data of a kind: the kind in lower case. */
export function toDataField<K extends TaggedKind>(kind: K): Lowercase<K> {
  // The cast is safe, because TypeScript's `Lowercase` describes `toLowerCase` for these names.
  return kind.toLowerCase() as Lowercase<K>;
}

const ALL_KINDS: readonly TaggedKind[] = [...Object.values(TAGGED_KINDS), REDACTED];
const kinds: ReadonlyMap<string, TaggedKind> = new Map(ALL_KINDS.map((kind) => [kind, kind]));
const roles: ReadonlyMap<string, Role> = new Map(
  // The cast is safe: `Object.entries` declares the keys as strings, but the keys of `WIRE_ROLES` are roles.
  (Object.entries(WIRE_ROLES) as [Role, TaggedRole][]).map(([role, name]) => [name, role]),
);

/** The data fields of all kinds. A part may have explicit nulls in the data fields of other kinds. */
export const DATA_FIELDS: ReadonlySet<string> = new Set(ALL_KINDS.map((kind) => toDataField(kind)));

const ASCII_NAME = /^[A-Za-z_]+$/;

/**
 * Returns an ASCII word in upper case; all other words are returned unchanged, because "ß" is not another case of "SS".
 */
function upperCase(name: string): string {
  return ASCII_NAME.test(name) ? name.toUpperCase() : name;
}

export function parseRole(name: string): Role | undefined {
  return roles.get(upperCase(name));
}

export function parseKind(name: string): TaggedKind | undefined {
  return kinds.get(upperCase(name));
}
