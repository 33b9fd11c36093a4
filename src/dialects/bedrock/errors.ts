// Errors, both ways: exceptions by name. The name stands in the body or in a header, and in streams it is the event.
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

export const TYPE = "__type";
/** Where the name of an exception may stand; the last is the SDK's own. */
const NAMES = [TYPE, "code", "name"];
const EVENT = /^[a-z]\w*Exception$/;

export function decodeError(wire: unknown, _context: DecodeContext, status: number | undefined): ProviderError {
  return readError(wire, status);
}

export function readError(wire: unknown, status?: number): ProviderError {
  const { name, body } = named(wire);
  const message = messageOf(body) ?? messageOf(wire) ?? (wire === undefined ? "" : stringifyJson(wire));
  const known = name === undefined ? undefined : ERROR_KIND.ours(name);
  // The type is one for many mistakes, and what is too long says so only in words; "too many tokens" a minute is not it.
  const isVague = known === undefined ? status !== 429 : known === "invalid-request";
  const kind = (isVague ? kindOfMessage(message) : undefined) ?? known ?? kindOfStatus(status);
  const error: ProviderError = { kind, message, raw: wire };
  if (status !== undefined) error.status = status;
  const retryAfterMs = retryAfterOf(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  return error;
}

/** The name of the exception that an event of a stream is. */
export function exceptionIn(wire: JsonObject): string | undefined {
  return Object.keys(wire).find((key) => EVENT.test(key) && isObject(wire[key]));
}

/** The name of an exception, and what it says. */
function named(wire: unknown): { name?: string; body: unknown } {
  if (!isObject(wire)) return { body: wire };
  const event = exceptionIn(wire);
  if (event !== undefined) return { name: event.charAt(0).toUpperCase() + event.slice(1), body: wire[event] };
  for (const field of NAMES) {
    const said = wire[field];
    // A name may come with its namespace before it, or with a place to read about it behind.
    if (typeof said === "string") return { name: said.replace(/^.*#/, "").replace(/:.*$/, ""), body: wire };
  }
  return { body: wire };
}

function messageOf(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  if (!isObject(body)) return undefined;
  const message = body["message"] ?? body["Message"];
  return typeof message === "string" ? message : undefined;
}

export function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const { kind, message } = error;
  if (isOurs(error.raw) && stillSays(error, (raw) => readError(raw, error.status))) {
    return { status: error.status ?? statusOfKind(kind), wire: error.raw };
  }
  return { status: fittingStatus(error), wire: { [TYPE]: ERROR_KIND.theirs(kind) ?? "", message } };
}

/** Whether a body is this dialect's: a message by itself, or beside the name of an exception. */
export function isOurs(raw: unknown): raw is JsonObject {
  if (!isObject(raw)) return false;
  const { name, body } = named(raw);
  if (messageOf(body) === undefined) return false;
  const keys = Object.keys(raw);
  return (name !== undefined && /Exception|Failure|Unavailable|Denied|TokenId/.test(name)) || keys.length === 1;
}
