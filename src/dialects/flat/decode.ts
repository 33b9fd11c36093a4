// From flat messages to canonical ones. Parts come in the order reasoning, content, refusal, tool calls.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { ROLES } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readMessageList, readObject, readString } from "../kit/read.ts";
import type { Calls } from "./calls.ts";
import { decodeCall, noCalls } from "./calls.ts";
import { decodeItem, readSlot } from "./items.ts";
import { keepRest, note, optionalText } from "./kept.ts";
import { decodeProviderData, decodeSignatures, keepStale } from "./provider-data.ts";
import { decodeResult } from "./results.ts";
import { SLOTS } from "./terms.ts";
import { vouchedReasoning } from "./thinking.ts";

/** What a field means depends on the role: `call_id` has a meaning on tool messages only. */
export const TOOL_FIELDS = ["role", "content", "id", "call_id", "name"];
export const TURN_FIELDS = ["role", ...SLOTS, "id", "name"];

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = noCalls();
  readIds(list, calls);
  return context.pathTracker.each(key, list, (each, index) =>
    decodeMessage(readObject(each, context), index, calls, context),
  );
}

/** Every id in the list, so that none of them is made up again, and those that results name. */
function readIds(list: readonly JsonValue[], { used, answered }: Calls): void {
  for (const message of list.filter(isObject)) {
    const calls = message["tool_calls"];
    if (message["role"] === "tool") answered.add(message["call_id"] || message["id"]);
    for (const each of [message, ...(Array.isArray(calls) ? calls.filter(isObject) : [])]) {
      used.add(each["id"]).add(each["call_id"]);
    }
  }
}

function decodeMessage(wire: JsonObject, index: number, calls: Calls, context: DecodeContext): Message {
  const { extra } = wire;
  const role = readString(wire, "role", context);
  const known = ROLES.find((each) => each === role);
  const message: Message = { role: known ?? "user", parts: [] };
  if (known === undefined) note(message, "role", role);
  const lists = decodeProviderData(isObject(extra) ? extra : {}, message);
  if (role === "tool") message.parts = [decodeResult(wire, message, calls, context)];
  else {
    const id = optionalText(wire, "id", message, context);
    if (id !== undefined) message.id = id;
    const name = optionalText(wire, "name", message, context);
    if (name !== undefined) message.name = name;
    message.parts = SLOTS.flatMap((slot) => {
      const items = readSlot(wire, slot, message, context, (item, position) =>
        slot === "tool_calls" ? decodeCall(item, `call_${index}_${position}`, calls, context) : decodeItem(item, slot),
      );
      return slot === "reasoning" ? vouchedReasoning(wire[slot], items, lists, message, context) : items;
    });
  }
  lists.gemini = decodeSignatures(lists.gemini, message, context);
  keepStale(message, lists);
  const isKeyed = isObject(extra) && Object.keys(extra).length > 0;
  keepRest(message, wire, new Set([...(role === "tool" ? TOOL_FIELDS : TURN_FIELDS), isKeyed ? "extra" : ""]));
  return message;
}
