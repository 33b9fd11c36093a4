// Finds the fields of a message that the page does not display elsewhere: extras, unknown metadata, seals.
import type { Message, Part } from "koine";

type UndisplayedFields = Record<string, unknown>;

/** Metadata keys that are not listed, because the page displays them elsewhere or because only the ledger uses them. */
const DISPLAYED_KEYS = new Set([
  "schemaVersion",
  "runId",
  "responseId",
  "model",
  "provider",
  "finishReason",
  "interrupted",
  "invalidToolCalls",
  // The page stores the idempotency key of a message that it has sent under this key.
  "page",
]);

/** Returns the fields that are not displayed elsewhere, by their names in the message; undefined if there are none. */
export function listUndisplayedFields({ role, name, extra, metadata, parts }: Message): UndisplayedFields | undefined {
  const fields: UndisplayedFields = {};
  // For roles other than assistant, the page displays the name as the author. For assistant messages it displays the
  // model, so the name is listed here.
  if (name !== undefined && role === "assistant") fields["name"] = name;
  if (extra !== undefined) fields["extra"] = extra;
  const more = Object.entries(metadata ?? {}).filter(
    ([key]) => !DISPLAYED_KEYS.has(key) && key !== "usage" && key !== "response",
  );
  // The fields of `metadata.response` are listed, except its id.
  const response = omitField(metadata?.["response"], "id");
  if (response !== undefined) more.push(["response", response]);
  // Only the extras of the usage are listed, because its counts are displayed.
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
  // The page shows the seals of reasoning and tool calls in the part itself.
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
