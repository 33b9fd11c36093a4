// Converts any error of a gateway call to an error reply in the format and with the status of the client's protocol.
import { ClientError } from "../../calls/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { ServerErrorCode } from "../errors.ts";
import { SERVER_ERRORS, ServerError } from "../errors.ts";
import { toServerError } from "../http/server-error.ts";
import type { ServerReply } from "../types.ts";
import type { ClientProtocol } from "./protocols.ts";

export interface CallFailure {
  error: ProviderError;
  /** The server's error code; undefined for errors of a provider. */
  code?: ServerErrorCode;
  /** The HTTP status; undefined if the client's dialect determines it from `error`. */
  status?: number;
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** The kind of provider error as which each server error code is encoded in the client's dialect. */
const ERROR_KINDS: Readonly<Record<ServerErrorCode, ProviderErrorKind>> = {
  configuration: "server",
  "invalid-request": "invalid-request",
  untranslatable: "invalid-request",
  unauthorized: "authentication",
  forbidden: "permission",
  "not-found": "not-found",
  "method-not-allowed": "invalid-request",
  timeout: "timeout",
  conflict: "invalid-request",
  gone: "not-found",
  "too-large": "invalid-request",
  "unsupported-media": "invalid-request",
  "too-many": "rate-limit",
  "headers-too-large": "invalid-request",
  internal: "server",
  unsupported: "invalid-request",
  upstream: "server",
  unavailable: "overloaded",
  "upstream-timeout": "timeout",
  aborted: "unknown",
};

/** Converts any thrown value to a failure. An unexpected error becomes "internal" and its message is not sent. */
export function toCallFailure(thrown: unknown): CallFailure {
  return thrown instanceof ClientError ? failureFromClientError(thrown) : failureFromServerError(toServerError(thrown));
}

/** Converts any thrown value to a `ServerError`, for modules without a client protocol (chat, regenerate). */
export function toCallServerError(thrown: unknown): ServerError {
  if (!(thrown instanceof ClientError)) return toServerError(thrown);
  const { error, code, status, path, headers } = failureFromClientError(thrown);
  if (code === undefined) return toServerError(thrown);
  return new ServerError(code, error.message, { status, path, headers, cause: thrown });
}

function createFailure(code: ServerErrorCode, message: string, path: string): CallFailure {
  const { status } = SERVER_ERRORS[code];
  return { error: { kind: ERROR_KINDS[code], message }, code, status, path, headers: {} };
}

function failureFromServerError({ code, message, error, status, path, headers }: ServerError): CallFailure {
  if (error !== undefined) return { error, path, headers };
  return { error: { kind: ERROR_KINDS[code], message }, code, status, path, headers };
}

function failureFromClientError(thrown: ClientError): CallFailure {
  const { code, message, path, error, cause } = thrown;
  if (code === "aborted")
    return cause instanceof ServerError ? failureFromServerError(cause) : createFailure("aborted", message, "");
  if (error !== undefined) return { error, path, headers: {} };
  if (code === "untranslatable") {
    const fault = message.replace(/ Change [^.]*onBreaks: "send"\.$/, "");
    return createFailure(
      code,
      `${fault} Change the request, or send it anyway with the header x-koine-on-breaks: send.`,
      path,
    );
  }
  if (code === "unknown-provider") return createFailure("not-found", message, path);
  // An error in the settings of a provider is internal, because the client cannot correct it.
  return createFailure(path.startsWith("/providers") ? "internal" : "invalid-request", message, path);
}

/** The HTTP status of an overloaded server: 529 in Anthropic's protocol, 503 in all other protocols. */
const OVERLOADED = { anthropic: 529, common: 503 };

/** Returns the HTTP status of the reply. `encoded` is the status that the dialect's encoder returned. */
function chooseStatus({ error, status }: CallFailure, encoded: number, dialect: string): number {
  if (status !== undefined) return status;
  if (encoded === OVERLOADED.anthropic && dialect !== "anthropic") return OVERLOADED.common;
  // If the provider sent no status, `encoded` is only the dialect's default for the error kind. This default is not
  // used for the kinds "server" and "unknown".
  const isStatusUnknown = error.status !== encoded && (error.kind === "server" || error.kind === "unknown");
  // The client receives 502 (bad gateway) if the status is unknown, or if the status is not an error status.
  return isStatusUnknown || encoded < 400 ? 502 : encoded;
}

/** Encodes the failure as an HTTP error reply. May be used only if no part of the answer has been sent (B86). */
export function encodeFailureReply(protocol: Pick<ClientProtocol, "dialect">, failure: CallFailure): ServerReply {
  const { status, wire } = encodeProviderError(protocol.dialect, failure.error);
  const headers: Record<string, string> = { "content-type": "application/json", ...failure.headers };
  const { retryAfterMs } = failure.error;
  if (retryAfterMs !== undefined) {
    headers["retry-after"] ??= String(Math.ceil(retryAfterMs / 1000));
    headers["retry-after-ms"] ??= String(retryAfterMs);
  }
  return {
    status: chooseStatus(failure, status, protocol.dialect.id),
    headers,
    body: stringifyJson(withOpenAiCode(wire, failure)),
  };
}

/**
 * Encodes a provider's error. The provider's raw body is used only if it has the fields that the client's SDK reads.
 * The errors of vendors and of failed Responses objects may lack these fields.
 */
function encodeProviderError(
  dialect: ClientProtocol["dialect"],
  error: ProviderError,
): { status: number; wire: unknown } {
  const encoded = dialect.encodeError(error);
  // Gemini may send its error body as a list with one element.
  const [body]: unknown[] = dialect.id === "gemini" && Array.isArray(encoded.wire) ? encoded.wire : [encoded.wire];
  const errorObject = isObject(body) ? body["error"] : undefined;
  // Gemini's SDK reads the status from `error.code` in the body.
  const hasStatus = dialect.id !== "gemini" || (isObject(errorObject) && typeof errorObject["code"] === "number");
  if (hasStatus && isObject(errorObject) && typeof errorObject["message"] === "string") return encoded;
  const { raw: _, ...bare } = error;
  return dialect.encodeError(bare);
}

/** Adds `param` and `code` to an error of the server in OpenAI's format. Returns other errors unchanged. */
function withOpenAiCode(wire: unknown, { code, path }: CallFailure): unknown {
  if (code === undefined || !isObject(wire) || !isObject(wire["error"]) || !("param" in wire["error"])) return wire;
  const { error } = wire;
  return { ...wire, error: { ...error, param: path === "" ? null : path, code: error["code"] ?? code } };
}
