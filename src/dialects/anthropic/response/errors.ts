// Decodes and encodes Anthropic error bodies.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ErrorCodec } from "../../blocks/errors.ts";
import { buildProviderError } from "../../blocks/errors.ts";
import type { DecodeContext } from "../../dialect.ts";
import { toHttpStatus, statusForKind, isRawBodyCurrent } from "../../kit/errors/provider-errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { ERROR_TYPES } from "../terms.ts";

/** Status code of Anthropic's `overloaded_error`. */
const OVERLOADED_STATUS = 529;

export function decodeError(wire: unknown, _context: DecodeContext, status: number | undefined): ProviderError {
  return readError(wire, status);
}

export function readError(wire: unknown, status?: number): ProviderError {
  const body = isObject(wire) ? wire["error"] : undefined;
  const type = isObject(body) ? body["type"] : undefined;
  const kind = typeof type === "string" ? ERROR_TYPES.toModel(type) : undefined;
  return buildProviderError(wire, status, readMessage(body) ?? readMessage(wire), kind);
}

function readMessage(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  return isObject(body) && typeof body["message"] === "string" ? body["message"] : undefined;
}

/**
 * Encodes an error. If the error was decoded from an Anthropic body and has not been changed since, returns that body.
 */
export function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const { kind, message } = error;
  const status = error.status ?? (kind === "overloaded" ? OVERLOADED_STATUS : statusForKind(kind));
  if (isErrorBody(error.raw) && isRawBodyCurrent(error, (raw) => readError(raw, error.status))) {
    return { status, wire: error.raw };
  }
  return {
    status: kind === "overloaded" ? OVERLOADED_STATUS : toHttpStatus(error),
    wire: { type: "error", error: { type: ERROR_TYPES.toWire(kind), message } },
  };
}

function isErrorBody(raw: unknown): raw is JsonObject {
  return isObject(raw) && raw["type"] === "error" && isObject(raw["error"]);
}

export const ERROR_CODEC: ErrorCodec = {
  readError,
  encodeError,
  idLoss: "field-unsupported",
  connectionKinds: new Set(),
};
