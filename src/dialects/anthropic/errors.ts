// Error bodies, both ways.
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { DecodeContext } from "../dialect.ts";
import {
  fittingStatus,
  kindOfMessage,
  kindOfStatus,
  retryAfterOf,
  statusOfKind,
  stillSays,
} from "../kit/provider-errors.ts";
import { isObject } from "../kit/read.ts";
import { ERROR_KIND } from "./terms.ts";

/** The provider's own status where it has too much to do. */
const OVERLOADED = 529;

export function decodeError(wire: unknown, _context: DecodeContext, status: number | undefined): ProviderError {
  return readError(wire, status);
}

export function readError(wire: unknown, status?: number): ProviderError {
  const body = isObject(wire) ? wire["error"] : undefined;
  const message = messageOf(body) ?? messageOf(wire) ?? (wire === undefined ? "" : stringifyJson(wire));
  const type = isObject(body) ? body["type"] : undefined;
  const named = typeof type === "string" ? ERROR_KIND.ours(type) : undefined;
  // The type is one for many mistakes, and what is too long says so only in words.
  const isVague = named === undefined || named === "invalid-request";
  const kind = (isVague ? kindOfMessage(message) : undefined) ?? named ?? kindOfStatus(status);
  const error: ProviderError = { kind, message, raw: wire };
  if (status !== undefined) error.status = status;
  const retryAfterMs = retryAfterOf(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  return error;
}

function messageOf(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  return isObject(body) && typeof body["message"] === "string" ? body["message"] : undefined;
}

export function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const { kind, message } = error;
  const status = error.status ?? (kind === "overloaded" ? OVERLOADED : statusOfKind(kind));
  if (isOurs(error.raw) && stillSays(error, (raw) => readError(raw, error.status))) return { status, wire: error.raw };
  return {
    status: kind === "overloaded" ? OVERLOADED : fittingStatus(error),
    wire: { type: "error", error: { type: ERROR_KIND.theirs(kind), message } },
  };
}

/** Whether a body is this dialect's envelope. */
function isOurs(raw: unknown): raw is JsonObject {
  return isObject(raw) && raw["type"] === "error" && isObject(raw["error"]);
}
