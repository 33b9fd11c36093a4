// Converts any thrown value to a `ServerError`, and a `ServerError` to the default error reply.
import { ClientError } from "../../client/index.ts";
import { DialectError } from "../../dialects/errors.ts";
import type { LedgerErrorCode } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { JsonError, ValidationError } from "../../model/errors.ts";
import type { ProviderErrorKind } from "../../model/index.ts";
import type { ServerErrorCode } from "../errors.ts";
import { ServerError } from "../errors.ts";
import type { ServerReply } from "../types.ts";

const LEDGER_CODES: Partial<Record<LedgerErrorCode, ServerErrorCode>> = {
  "invalid-input": "invalid-request",
  "unknown-thread": "not-found",
  "unknown-message": "not-found",
  "unknown-run": "not-found",
  "unknown-blob": "not-found",
  conflict: "conflict",
  "illegal-transition": "conflict",
  fenced: "conflict",
  "cursor-invalid": "invalid-request",
  "cursor-gone": "gone",
  busy: "unavailable",
  "read-only": "unavailable",
  "disk-full": "unavailable",
  unavailable: "unavailable",
  closed: "unavailable",
};

/** The server error code for each kind of provider error, and the HTTP status if it differs from that of the code. */
const PROVIDER_CODES: Record<ProviderErrorKind, { code: ServerErrorCode; status?: number }> = {
  authentication: { code: "upstream", status: 401 },
  permission: { code: "upstream", status: 403 },
  "not-found": { code: "upstream", status: 404 },
  "invalid-request": { code: "upstream", status: 400 },
  "context-length": { code: "upstream", status: 400 },
  "content-filter": { code: "upstream", status: 400 },
  "rate-limit": { code: "upstream", status: 429 },
  quota: { code: "upstream", status: 429 },
  overloaded: { code: "upstream", status: 503 },
  server: { code: "upstream", status: 502 },
  timeout: { code: "upstream-timeout" },
  network: { code: "upstream" },
  truncated: { code: "upstream" },
  unknown: { code: "upstream" },
};

/** Converts any thrown value to a `ServerError`. An unexpected error becomes "internal" and its message is not sent. */
export function toServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  if (error instanceof JsonError) {
    const code = error.code === "too-deep" ? "too-large" : "invalid-request";
    return new ServerError(code, error.message, { path: error.path, cause: error });
  }
  if (error instanceof DialectError) return fromDialectError(error);
  if (error instanceof ValidationError) {
    return new ServerError("invalid-request", error.message, { path: error.path, cause: error });
  }
  if (error instanceof LedgerError) return fromLedgerError(error);
  if (error instanceof ClientError) return fromClientError(error);
  return new ServerError("internal", "An internal error; the log has the details under the id in x-request-id.", {
    cause: error,
  });
}

/**
 * Converts an error of a dialect. `path` must be given if only a part of the request body was decoded, because the
 * error's own path begins at that part.
 */
export function fromDialectError(error: DialectError, path = error.path): ServerError {
  return new ServerError("invalid-request", error.message, { path, cause: error });
}

function fromLedgerError(error: LedgerError): ServerError {
  const code = LEDGER_CODES[error.code];
  if (code === undefined) {
    const message = "The ledger cannot be read; the log has the reason under the id in x-request-id.";
    return new ServerError("internal", message, { cause: error });
  }
  const headers = code === "unavailable" ? { "retry-after": "1" } : undefined;
  return new ServerError(code, ledgerErrorMessage(error), { path: error.path, headers, cause: error });
}

/**
 * The messages that clients receive instead of a store's messages. A store's messages are not sent, because they
 * contain names of files, tables and hosts.
 */
const STORE_MESSAGES: Partial<Record<LedgerErrorCode, string>> = {
  conflict: "The id already exists: use another id, or omit it.",
  "invalid-input": "A value is too large for the ledger, or contains a character that it cannot store.",
  busy: "The ledger is busy with other writers. Try again in a moment.",
  "read-only": "The ledger is read-only. Ask the operator of the server to check it.",
  "disk-full": "The disk of the ledger is full, and nothing was written. Ask the operator of the server to free space.",
  unavailable: "The ledger cannot be reached. Try again in a moment.",
  closed: "The ledger was closed: the server is shutting down. Try again in a moment.",
};

/**
 * Returns the message for the client. The message of a conflict or invalid input is used if the ledger itself detected
 * the error, that is, if the error has a path, a line or no cause. Messages of a store are replaced.
 */
export function ledgerErrorMessage({ code, message, path, line, cause }: LedgerError): string {
  const isAboutInput = code === "conflict" || code === "invalid-input";
  const isOwn = isAboutInput && (path !== "" || line !== undefined || cause === undefined);
  return (isOwn ? undefined : STORE_MESSAGES[code]) ?? message;
}

function fromClientError(error: ClientError): ServerError {
  const details = { path: error.path, error: error.error, cause: error };
  if (error.error !== undefined) {
    const { code, status } = PROVIDER_CODES[error.error.kind];
    const { retryAfterMs } = error.error;
    const wait = retryAfterMs === undefined ? undefined : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
    return new ServerError(code, error.message, { ...details, status, headers: wait });
  }
  if (error.code === "untranslatable") return new ServerError("untranslatable", error.message, details);
  if (error.code === "unknown-provider") return new ServerError("not-found", error.message, details);
  if (error.code === "aborted") return new ServerError("aborted", error.message, details);
  return new ServerError("upstream", error.message, details);
}

export function errorReply({ code, message, path, status, headers }: ServerError): ServerReply {
  const error = path === "" ? { code, message } : { code, message, path };
  return {
    status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ error }),
  };
}
