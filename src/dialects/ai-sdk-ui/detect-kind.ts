// Detects events of the UI message stream, which `useChat` reads.
import type { JsonObject } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";

/**
 * Event types of the UI message stream, each with a required field. Type and field together occur in no other stream.
 */
const REQUIRED_FIELDS: Readonly<Record<string, string>> = {
  "text-delta": "delta",
  "reasoning-delta": "delta",
  "tool-input-delta": "inputTextDelta",
  "tool-input-available": "input",
  "tool-output-available": "output",
  "tool-output-error": "errorText",
  "message-metadata": "messageMetadata",
  "source-url": "sourceId",
};

/** Returns "stream" for an event of the UI message stream; undefined for other payloads. */
export function detectKind({ type, ...fields }: JsonObject): PayloadKind | undefined {
  const field = typeof type === "string" && Object.hasOwn(REQUIRED_FIELDS, type) ? REQUIRED_FIELDS[type] : undefined;
  return field !== undefined && fields[field] !== undefined ? "stream" : undefined;
}
