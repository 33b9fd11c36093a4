// Decodes and encodes Bedrock errors. An error is an exception with a name, which is in the body or in a header. In a
// stream the event's name is the name of the exception.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ErrorCodec } from "../../blocks/errors.ts";
import { buildProviderError } from "../../blocks/errors.ts";
import type { DecodeContext } from "../../dialect.ts";
import { toHttpStatus, statusForKind, isRawBodyCurrent } from "../../kit/errors/provider-errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { EXCEPTIONS } from "../terms.ts";

export const EXCEPTION_TYPE = "__type";
/** Body fields that can contain the name of an exception; error objects of the SDK have it in `name`. */
const NAME_FIELDS = [EXCEPTION_TYPE, "code", "name"];
const EXCEPTION_EVENT = /^[a-z]\w*Exception$/;

export function decodeError(wire: unknown, _context: DecodeContext, status: number | undefined): ProviderError {
  return readError(wire, status);
}

export function readError(wire: unknown, status?: number): ProviderError {
  const { name, body } = readException(wire);
  const namedKind = name === undefined ? undefined : EXCEPTIONS.toModel(name);
  // With status 429 the message "Too many tokens" refers to tokens per minute, not to the context length.
  const kind = namedKind ?? (status === 429 ? "rate-limit" : undefined);
  return buildProviderError(wire, status, readMessage(body) ?? readMessage(wire), kind);
}

/**
 * Returns the key of the exception in an event, such as `throttlingException`; undefined if the event is not an
 * exception.
 */
export function findExceptionEvent(wire: JsonObject): string | undefined {
  return Object.keys(wire).find((key) => EXCEPTION_EVENT.test(key) && isObject(wire[key]));
}

/** Returns the body of an exception and its name; the name is undefined if the body does not contain one. */
function readException(wire: unknown): { name?: string; body: unknown } {
  if (!isObject(wire)) return { body: wire };
  const event = findExceptionEvent(wire);
  if (event !== undefined) return { name: event.charAt(0).toUpperCase() + event.slice(1), body: wire[event] };
  for (const field of NAME_FIELDS) {
    const value = wire[field];
    // A value such as `ns#Name:http://…` has a namespace before the name and a link to its documentation after it.
    if (typeof value === "string") return { name: value.replace(/^.*#/, "").replace(/:.*$/, ""), body: wire };
  }
  return { body: wire };
}

function readMessage(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  if (!isObject(body)) return undefined;
  const message = body["message"] ?? body["Message"];
  return typeof message === "string" ? message : undefined;
}

/** Encodes an error. The original body is returned if it came from Bedrock and kind and message are unchanged. */
export function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const { kind, message } = error;
  if (isErrorBody(error.raw) && isRawBodyCurrent(error, (raw) => readError(raw, error.status))) {
    return { status: error.status ?? statusForKind(kind), wire: error.raw };
  }
  return { status: toHttpStatus(error), wire: { [EXCEPTION_TYPE]: EXCEPTIONS.toWire(kind) ?? "", message } };
}

/** True if a body has a message and the name of an exception, or a message as its only field. */
export function isErrorBody(raw: unknown): raw is JsonObject {
  if (!isObject(raw)) return false;
  const { name, body } = readException(raw);
  if (readMessage(body) === undefined) return false;
  const keys = Object.keys(raw);
  return (name !== undefined && /Exception|Failure|Unavailable|Denied|TokenId/.test(name)) || keys.length === 1;
}

export const ERROR_CODEC: ErrorCodec = {
  readError,
  encodeError,
  idLoss: "metadata-dropped",
  connectionKinds: new Set(["truncated", "network", "unknown"]),
};
