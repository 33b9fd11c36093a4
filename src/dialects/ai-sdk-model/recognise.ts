// What shows that a payload is an event of a full stream.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";

/** Events that no other stream has, with a field that must be there. */
const EVENTS: Readonly<Record<string, string>> = {
  "text-delta": "text",
  "reasoning-delta": "text",
  "tool-input-delta": "delta",
  "finish-step": "finishReason",
  finish: "totalUsage",
};

export function recognise({ type, ...fields }: JsonObject): PayloadKind | undefined {
  const field = typeof type === "string" && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  return field !== undefined && fields[field] !== undefined ? "stream" : undefined;
}
