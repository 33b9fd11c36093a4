// Creates the errors that the demo provider returns on command: one of every kind, with a text like a provider's.
import type { ProviderError, ProviderErrorKind } from "../../model/index.ts";
import { ClientError } from "../../calls/index.ts";

const ERRORS_BY_KIND: Readonly<Record<ProviderErrorKind, Omit<ProviderError, "kind">>> = {
  authentication: { status: 401, message: "The key is not valid." },
  permission: { status: 403, message: "This key may not use the model." },
  "not-found": { status: 404, message: "There is no such model." },
  "invalid-request": { status: 400, message: "A field of the request is invalid." },
  "context-length": { status: 400, message: "The conversation is longer than the model's context." },
  "content-filter": { status: 400, message: "A filter stopped the request." },
  "rate-limit": { status: 429, message: "Too many requests; wait a moment.", retryAfterMs: 100 },
  quota: { status: 429, message: "The account has no credit left." },
  overloaded: { status: 529, message: "The model is busy; try again." },
  server: { status: 500, message: "The provider failed." },
  timeout: { status: 504, message: "The model took too long." },
  network: { message: "The connection broke." },
  truncated: { message: "The answer was truncated." },
  unknown: { status: 418, message: "An unknown error occurred." },
};

/** Creates the error of a kind. The message adds that the failure was requested. */
export function createDemoError(kind: ProviderErrorKind): ProviderError {
  const { message, ...rest } = ERRORS_BY_KIND[kind];
  return { kind, message: `${message} (The demo was asked to fail with "${kind}".)`, ...rest };
}

/** Creates the error for an invalid request; `path` is the JSON pointer of the invalid field. */
export function requestError(kind: ProviderErrorKind, status: number, path: string, message: string): ClientError {
  return toClientError({ kind, status, message }, path);
}

export function toClientError(error: ProviderError, path?: string): ClientError {
  return new ClientError(error.kind, error.message, { error, path });
}
