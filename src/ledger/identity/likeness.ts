// Whether a history that was restored says other things than the client did. What says nothing is not compared: fields
// that are empty, ids that were made up because the wire had none, and probabilities, which no request carries.
import { sameJson, type JsonObject, type JsonValue } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, Part } from "../../model/parts.ts";

/** The client is not asked for ids that it was not given. */
export function isOther(restored: readonly Message[], given: readonly Message[]): boolean {
  return restored.length !== given.length || given.some((message, at) => differs(restored[at], message));
}

function differs(restored: Message | undefined, client: Message): boolean {
  if (restored === client) return false;
  if (restored === undefined || (client.id !== undefined && client.id !== restored.id)) return true;
  const { id: _, metadata: __, ...said } = client;
  const { id: ___, metadata: ____, ...stored } = restored;
  // As a rule they are the very same, or differ in more than that.
  return !sameJson(said, stored) && !sameJson(bare(said), bare(stored));
}

function bare({ parts, extra, ...rest }: Omit<Message, "id" | "metadata">): object {
  return { ...rest, parts: parts.map(barePart), extra: residueOf(extra) };
}

function barePart(part: Part): object {
  const { extra, ...rest } = withoutLogprobs(part);
  const said: object = { ...rest, extra: residueOf(extra) };
  if ("toolCallId" in said && isIdMadeUp(extra)) said.toolCallId = "";
  return said;
}

/** The part without what only an answer has. */
export function withoutLogprobs(part: Part): Part {
  if ((part.type !== "text" && part.type !== "refusal") || part.logprobs === undefined) return part;
  const { logprobs: _, ...rest } = part;
  return rest;
}

/** Whether the wire had no id: dialects note that in the form. */
function isIdMadeUp(extra: Extra | undefined): boolean {
  return Object.values(extra ?? {}).some(({ $form }) => isObject($form) && $form["id"] === null);
}

/** What dialects kept, without fields that are empty. */
function residueOf(extra: Extra | undefined): JsonObject {
  const kept: JsonObject = {};
  for (const [dialect, residue] of Object.entries(extra ?? {})) {
    const fields = Object.entries(residue).filter(([, value]) => !isEmpty(value));
    if (fields.length > 0) kept[dialect] = Object.fromEntries(fields);
  }
  return kept;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
