// Decodes flat messages. The parts of a message come in the order reasoning, content, refusal, tool calls.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { ROLES } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readMessageList, readObject, readString } from "../kit/fields/read-wire.ts";
import type { FlatCalls } from "./tool-calls.ts";
import { decodeCall, createFlatCalls } from "./tool-calls.ts";
import { decodeItem, decodeSlot } from "./content-items.ts";
import { storeUnknownFields, storeFlatForm, readOptionalString } from "./residue.ts";
import { decodeProviderData, addThoughtSignatures, storeStaleLists } from "./provider-data.ts";
import { decodeResult } from "./tool-results.ts";
import { SLOTS } from "./wire-names.ts";
import { decodeReasoning } from "./thinking.ts";

/** The known fields depend on the role: `call_id` is known on tool messages only. */
export const TOOL_FIELDS = ["role", "content", "id", "call_id", "name"];
export const TURN_FIELDS = ["role", ...SLOTS, "id", "name"];

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = createFlatCalls();
  collectIds(list, calls);
  return context.pathTracker.each(key, list, (each, index) =>
    decodeMessage(readObject(each, context), index, calls, context),
  );
}

/** Collects every id in the list, so that no created id equals one, and the ids that results name. */
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
    message.parts = SLOTS.flatMap((slot) => {
      const items = decodeSlot(wire, slot, message, context, (item, position) =>
        slot === "tool_calls" ? decodeCall(item, `call_${index}_${position}`, calls, context) : decodeItem(item, slot),
      );
      return slot === "reasoning" ? decodeReasoning(wire[slot], items, lists, message, context) : items;
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
