// Whatever was thrown → a ServerError, and a ServerError → the reply of routes that have no words of their own for it.
import { ClientError } from "../../client/index.ts";
import { DialectError } from "../../dialects/errors.ts";
import type { LedgerErrorCode } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { JsonError, ValidationError } from "../../model/errors.ts";
import type { ProviderErrorKind } from "../../model/index.ts";
import type { ServerErrorCode } from "../errors.ts";
import { ServerError } from "../errors.ts";
import type { Reply } from "../types.ts";

const OF_LEDGER: Partial<Record<LedgerErrorCode, ServerErrorCode>> = {
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

/** How a provider's failure is told by whoever stands in front of it. */
const OF_PROVIDER: Record<ProviderErrorKind, { code: ServerErrorCode; status?: number }> = {
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

/** The error in the server's words. What nobody foresaw is "internal": its message is for the log, not for strangers. */
export function serverErrorOf(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  if (error instanceof JsonError) {
    const code = error.code === "too-deep" ? "too-large" : "invalid-request";
    return new ServerError(code, error.message, { path: error.path, cause: error });
  }
  if (error instanceof ValidationError || error instanceof DialectError) {
    return new ServerError("invalid-request", error.message, { path: error.path, cause: error });
  }
  if (error instanceof LedgerError) return ofLedger(error);
  if (error instanceof ClientError) return ofClient(error);
  return new ServerError("internal", "A fault of Koine's own; the log has it under the id in x-request-id.", {
    cause: error,
  });
}

function ofLedger(error: LedgerError): ServerError {
  const code = OF_LEDGER[error.code];
  if (code === undefined) {
    const message = "The ledger cannot be read; the log has the reason under the id in x-request-id.";
    return new ServerError("internal", message, { cause: error });
  }
  const headers = code === "unavailable" ? { "retry-after": "1" } : undefined;
  return new ServerError(code, wordsFor(error), { path: error.path, headers, cause: error });
}

/** What a store says names files, tables and hosts: that is for the log, too. */
const OF_STORE: Partial<Record<LedgerErrorCode, string>> = {
  conflict: "There is one of this id already: take another id, or none.",
  "invalid-input": "A value is larger than the ledger takes, or holds a character that it cannot store.",
  busy: "The ledger is busy with other writers. Try again in a moment.",
  "read-only": "The ledger cannot be written to. Whoever runs the server has to look at it.",
  "disk-full": "The ledger has no room left, and nothing was written. Whoever runs the server has to look at it.",
  unavailable: "The ledger cannot be reached. Try again in a moment.",
  closed: "The ledger was closed: the server is shutting down. Try again in a moment.",
};

/** The ledger's own words about what a caller gave name a place; all others are a store's. */
function wordsFor({ code, message, path, line, cause }: LedgerError): string {
  const isAboutInput = code === "conflict" || code === "invalid-input";
  const isOwn = isAboutInput && (path !== "" || line !== undefined || cause === undefined);
  return (isOwn ? undefined : OF_STORE[code]) ?? message;
}

function ofClient(error: ClientError): ServerError {
  const details = { path: error.path, error: error.error, cause: error };
  if (error.error !== undefined) {
    const { code, status } = OF_PROVIDER[error.error.kind];
    const { retryAfterMs } = error.error;
    const wait = retryAfterMs === undefined ? undefined : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
    return new ServerError(code, error.message, { ...details, status, headers: wait });
  }
  if (error.code === "untranslatable") return new ServerError("untranslatable", error.message, details);
  if (error.code === "unknown-provider") return new ServerError("not-found", error.message, details);
  if (error.code === "aborted") return new ServerError("aborted", error.message, details);
  return new ServerError("upstream", error.message, details);
}

export function failureReply({ code, message, path, status, headers }: ServerError): Reply {
  const error = path === "" ? { code, message } : { code, message, path };
  return {
    status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ error }),
  };
}
