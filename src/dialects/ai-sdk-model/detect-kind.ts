// Detects events of the AI SDK's full stream, which `streamText` returns.
import type { JsonObject } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";

/** Event types of the full stream, each with a required field. Type and field together occur in no other stream. */
const REQUIRED_FIELDS: Readonly<Record<string, string>> = {
  "text-delta": "text",
  "reasoning-delta": "text",
  "tool-input-delta": "delta",
  "finish-step": "finishReason",
  finish: "totalUsage",
};

/** Returns "stream" for an event of the full stream; undefined for other payloads. */
export function detectKind({ type, ...fields }: JsonObject): PayloadKind | undefined {
  const field = typeof type === "string" && Object.hasOwn(REQUIRED_FIELDS, type) ? REQUIRED_FIELDS[type] : undefined;
  return field !== undefined && fields[field] !== undefined ? "stream" : undefined;
}
