// What shows that a payload is an event of the UI message stream.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";

/** Events that no other stream has, with a field that must be there. */
const EVENTS: Readonly<Record<string, string>> = {
  "text-delta": "delta",
  "reasoning-delta": "delta",
  "tool-input-delta": "inputTextDelta",
  "tool-input-available": "input",
  "tool-output-available": "output",
  "tool-output-error": "errorText",
  "message-metadata": "messageMetadata",
  "source-url": "sourceId",
};

export function recognise({ type, ...fields }: JsonObject): PayloadKind | undefined {
  const field = typeof type === "string" && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  return field !== undefined && fields[field] !== undefined ? "stream" : undefined;
}
