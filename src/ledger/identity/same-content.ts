// Compares a restored history with the client's history. These are not compared: empty fields, ids that were generated
// because the wire had none, and log probabilities, which no request contains.
import { sameJson, type JsonObject, type JsonValue } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, Part } from "../../model/parts.ts";

/** True if the histories differ. Ids that the client did not send are not compared. */
export function hasOtherContent(restored: readonly Message[], client: readonly Message[]): boolean {
  return restored.length !== client.length || client.some((message, at) => isDifferent(restored[at], message));
}

function isDifferent(restored: Message | undefined, client: Message): boolean {
  if (restored === client) return false;
  if (restored === undefined || (client.id !== undefined && client.id !== restored.id)) return true;
  const { id: _, metadata: __, ...sent } = client;
  const { id: ___, metadata: ____, ...stored } = restored;
  // The messages are first compared without conversion, because usually they are identical and a conversion is not
  // needed.
  return !sameJson(sent, stored) && !sameJson(toComparableMessage(sent), toComparableMessage(stored));
}

function toComparableMessage({ parts, extra, ...rest }: Omit<Message, "id" | "metadata">): object {
  return { ...rest, parts: parts.map(toComparablePart), extra: removeEmptyResidue(extra) };
}

function toComparablePart(part: Part): object {
  const { extra, ...rest } = withoutLogprobs(part);
  const comparable: object = { ...rest, extra: removeEmptyResidue(extra) };
  if ("toolCallId" in comparable && isGeneratedId(extra)) comparable.toolCallId = "";
  return comparable;
}

/** Returns a part without its log probabilities. */
export function withoutLogprobs(part: Part): Part {
  if ((part.type !== "text" && part.type !== "refusal") || part.logprobs === undefined) return part;
  const { logprobs: _, ...rest } = part;
  return rest;
}

/** True if the id of a part was generated because the wire had none; dialects then store the form `null` for the id. */
function isGeneratedId(extra: Extra | undefined): boolean {
  return Object.values(extra ?? {}).some(({ $form }) => isObject($form) && $form["id"] === null);
}

/** Returns the residue without empty fields. */
function removeEmptyResidue(extra: Extra | undefined): JsonObject {
  const remaining: JsonObject = {};
  for (const [dialect, residue] of Object.entries(extra ?? {})) {
    const fields = Object.entries(residue).filter(([, value]) => !isEmpty(value));
    if (fields.length > 0) remaining[dialect] = Object.fromEntries(fields);
  }
  return remaining;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
