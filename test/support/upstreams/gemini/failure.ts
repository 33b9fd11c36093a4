// Error bodies of the Gemini API.
import type { ProviderError, ProviderErrorKind } from "../../../../src/index.ts";
import type { Failure } from "../provider.ts";
import type { Json } from "../rejection.ts";
import { Rejection, findUnknownField } from "../rejection.ts";

const STATUSES = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
} as const;
type Status = keyof typeof STATUSES;

function errorBody(message: string, status: Status, details: readonly object[]): object {
  return { error: { code: STATUSES[status], message, status, ...(details.length > 0 && { details }) } };
}

/** Throws a rejection with Google's error body. */
export function reject(message: string, status: Status = "INVALID_ARGUMENT", details: readonly object[] = []): never {
  throw new Rejection(STATUSES[status], errorBody(message, status, details), message);
}

/** Rejects unknown fields, which Google does on every level of a body. */
export function checkFields(value: Json, known: readonly string[], path = ""): void {
  const unknown = findUnknownField(value, known);
  if (unknown === undefined) return;
  const at = path === "" ? "" : ` at '${path}'`;
  const description = `Invalid JSON payload received. Unknown name "${unknown}"${at}: Cannot find field.`;
  const violation = { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ description }] };
  reject(description, "INVALID_ARGUMENT", [violation]);
}

const KINDS: Readonly<Partial<Record<ProviderErrorKind, Status>>> = {
  authentication: "UNAUTHENTICATED",
  permission: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  "invalid-request": "INVALID_ARGUMENT",
  "context-length": "INVALID_ARGUMENT",
  "content-filter": "INVALID_ARGUMENT",
  "rate-limit": "RESOURCE_EXHAUSTED",
  quota: "RESOURCE_EXHAUSTED",
  overloaded: "UNAVAILABLE",
  timeout: "DEADLINE_EXCEEDED",
};

/** Returns Google's form of an error, with the retry delay in the body. */
export function failure({ kind, message, retryAfterMs }: ProviderError): Failure {
  const status = KINDS[kind] ?? "INTERNAL";
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${(retryAfterMs ?? 0) / 1000}s` };
  return { status: STATUSES[status], body: errorBody(message, status, retryAfterMs === undefined ? [] : [retry]) };
}
