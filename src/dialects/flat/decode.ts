// Decodes flat messages. The parts of a message are in the order reasoning, content, refusal, tool calls.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { ROLES } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readMessageList, readObject, readString } from "../kit/fields/read-wire.ts";
import type { FlatCalls } from "./tool-calls.ts";
import { decodeCall, createFlatCalls } from "./tool-calls.ts";
import { decodeItem, decodePartField } from "./content-items.ts";
import { storeUnknownFields, storeFlatForm, readOptionalString } from "./residue.ts";
import { decodeProviderData, addThoughtSignatures, storeStaleLists } from "./provider-data.ts";
import { decodeResult } from "./tool-results.ts";
import { PART_FIELDS } from "./field-names.ts";
import { decodeReasoning } from "./thinking.ts";

/** The known fields of a tool message; `call_id` is known on tool messages only. */
export const TOOL_FIELDS = ["role", "content", "id", "call_id", "name"];
/** The known fields of all messages except tool messages. */
export const TURN_FIELDS = ["role", ...PART_FIELDS, "id", "name"];

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = createFlatCalls();
  collectIds(list, calls);
  return context.pathTracker.each(key, list, (each, index) =>
    decodeMessage(readObject(each, context), index, calls, context),
  );
}

/**
 * Collects every id in the list of messages, so that created ids differ from these ids, and the call ids that tool
 * messages refer to.
 */
function collectIds(list: readonly JsonValue[], { usedIds, answeredIds }: FlatCalls): void {
  for (const message of list.filter(isObject)) {
    const calls = message["tool_calls"];
    if (message["role"] === "tool") answeredIds.add(message["call_id"] || message["id"]);
    for (const each of [message, ...(Array.isArray(calls) ? calls.filter(isObject) : [])]) {
      usedIds.add(each["id"]).add(each["call_id"]);
    }
  }
}

function decodeMessage(wire: JsonObject, index: number, calls: FlatCalls, context: DecodeContext): Message {
  const { extra } = wire;
  const role = readString(wire, "role", context);
  const knownRole = ROLES.find((each) => each === role);
  const message: Message = { role: knownRole ?? "user", parts: [] };
  if (knownRole === undefined) storeFlatForm(message, "role", role);
  const lists = decodeProviderData(isObject(extra) ? extra : {}, message);
  if (role === "tool") message.parts = [decodeResult(wire, message, calls, context)];
  else {
    const id = readOptionalString(wire, "id", message, context);
    if (id !== undefined) message.id = id;
    const name = readOptionalString(wire, "name", message, context);
    if (name !== undefined) message.name = name;
    message.parts = PART_FIELDS.flatMap((field) => {
      const items = decodePartField(wire, field, message, context, (item, position) =>
        field === "tool_calls"
          ? decodeCall(item, `call_${index}_${position}`, calls, context)
          : decodeItem(item, field),
      );
      return field === "reasoning" ? decodeReasoning(wire[field], items, lists, message, context) : items;
    });
  }
  lists.gemini = addThoughtSignatures(lists.gemini, message, context);
  storeStaleLists(message, lists);
  const hasProviderData = isObject(extra) && Object.keys(extra).length > 0;
  storeUnknownFields(
    message,
    wire,
    new Set([...(role === "tool" ? TOOL_FIELDS : TURN_FIELDS), hasProviderData ? "extra" : ""]),
  );
  return message;
}
