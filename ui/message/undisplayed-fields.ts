// Fields of a message that the page displays nowhere else: extras, unknown metadata, seals. Pure.
import type { Message, Part } from "koine";

type UndisplayedFields = Record<string, unknown>;

/** Metadata keys that are displayed elsewhere or belong to the ledger. */
const DISPLAYED_KEYS = new Set([
  "schemaVersion",
  "runId",
  "responseId",
  "model",
  "provider",
  "finishReason",
  "interrupted",
  "invalidToolCalls",
  // Idempotency key of a message that the page sent.
  "page",
]);

/** Returns the fields under their names in the message; undefined if there are none. */
export function listUndisplayedFields({ role, name, extra, metadata, parts }: Message): UndisplayedFields | undefined {
  const fields: UndisplayedFields = {};
  // The name of other roles is displayed as the author.
  if (name !== undefined && role === "assistant") fields["name"] = name;
  if (extra !== undefined) fields["extra"] = extra;
  const more = Object.entries(metadata ?? {}).filter(
    ([key]) => !DISPLAYED_KEYS.has(key) && key !== "usage" && key !== "response",
  );
  // The run dialog shows the response id.
  const response = omitField(metadata?.["response"], "id");
  if (response !== undefined) more.push(["response", response]);
  // The raw usage repeats the displayed counts.
  const usage = pickFields(metadata?.usage, ["extra"]);
  if (usage !== undefined) more.push(["usage", usage]);
  if (more.length > 0) fields["metadata"] = Object.fromEntries(more);
  const partFields = parts.flatMap((part, index) => {
    const undisplayed = listPartFields(part);
    return undisplayed === undefined ? [] : [[`${index} ${part.type}`, undisplayed] as const];
  });
  if (partFields.length > 0) fields["parts"] = Object.fromEntries(partFields);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function listPartFields(part: Part): UndisplayedFields | undefined {
  const names = ["extra", "cache"];
  // Reasoning and tool calls display their seals themselves.
  if (part.type !== "reasoning" && part.type !== "tool-call") names.push("seals");
  if (part.type === "tool-result") names.push("executor", "format", "tool");
  if (part.type !== "tool-call" && part.type !== "tool-result") names.push("issuer");
  const fields = pickFields(part, names) ?? {};
  const annotations = part.type === "text" ? (part.annotations ?? []) : [];
  const annotationFields = annotations.map((each) => pickFields(each, ["source", "fileId", "seals", "extra"]));
  if (annotationFields.some((each) => each !== undefined))
    fields["annotations"] = annotationFields.map((each) => each ?? {});
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function omitField(from: unknown, name: string): UndisplayedFields | undefined {
  if (typeof from !== "object" || from === null) return undefined;
  const rest = Object.entries(from).filter(([key]) => key !== name);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function pickFields(from: object | undefined, names: readonly string[]): UndisplayedFields | undefined {
  const picked = Object.entries(from ?? {}).filter(([name, value]) => names.includes(name) && hasValue(value));
  return picked.length === 0 ? undefined : Object.fromEntries(picked);
}

function hasValue(value: unknown): boolean {
  if (value === undefined) return false;
  return !Array.isArray(value) || value.length > 0;
}
