// Roles and kinds of the tagged shape, both ways. Any case is decoded and upper case is encoded. This is the only
// deliberate exception to the rule that equal JSON comes back: `user` and `USER` are the same role.
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

/** Part types and their kinds. Redacted thinking is a reasoning part, too; its seal distinguishes it. */
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

/** Returns the field that holds the data of a kind. */
export function toDataField<K extends TaggedKind>(kind: K): Lowercase<K> {
  // The wire names each field after its kind, in lower case.
  return kind.toLowerCase() as Lowercase<K>;
}

const ALL_KINDS: readonly TaggedKind[] = [...Object.values(TAGGED_KINDS), REDACTED];
const kinds: ReadonlyMap<string, TaggedKind> = new Map(ALL_KINDS.map((kind) => [kind, kind]));
const roles: ReadonlyMap<string, Role> = new Map(
  // `Object.entries` returns the keys as strings.
  (Object.entries(WIRE_ROLES) as [Role, TaggedRole][]).map(([role, name]) => [name, role]),
);

/** The data fields of all kinds: a part may have explicit nulls in those of other kinds. */
export const DATA_FIELDS: ReadonlySet<string> = new Set(ALL_KINDS.map((kind) => toDataField(kind)));

const ASCII_NAME = /^[A-Za-z_]+$/;

/** Returns the upper case of an ASCII word; other words stay as they are, because "ß" is not another case of "SS". */
function upperCase(name: string): string {
  return ASCII_NAME.test(name) ? name.toUpperCase() : name;
}

export function parseRole(name: string): Role | undefined {
  return roles.get(upperCase(name));
}

export function parseKind(name: string): TaggedKind | undefined {
  return kinds.get(upperCase(name));
}
