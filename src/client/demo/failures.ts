// What the demo fails with when it is told to: one failure of every kind, as a provider would word it.
import type { ProviderError, ProviderErrorKind } from "../../model/index.ts";
import { ClientError } from "../errors.ts";

const FAILURES: Readonly<Record<ProviderErrorKind, Omit<ProviderError, "kind">>> = {
  authentication: { status: 401, message: "The key is not valid." },
  permission: { status: 403, message: "This key may not use the model." },
  "not-found": { status: 404, message: "There is no such model." },
  "invalid-request": { status: 400, message: "A field of the request is not what it must be." },
  "context-length": { status: 400, message: "The conversation is longer than the model can read." },
  "content-filter": { status: 400, message: "A filter stopped the request." },
  "rate-limit": { status: 429, message: "Too many requests; wait a moment.", retryAfterMs: 100 },
  quota: { status: 429, message: "The account has no credit left." },
  overloaded: { status: 529, message: "The model is busy; try again." },
  server: { status: 500, message: "Something broke at the provider." },
  timeout: { status: 504, message: "The model took too long." },
  network: { message: "The connection broke." },
  truncated: { message: "The answer ended before its end." },
  unknown: { status: 418, message: "Something happened that has no name." },
};

/** The failure of a kind; it says that it was ordered. */
export function failure(kind: ProviderErrorKind): ProviderError {
  const { message, ...rest } = FAILURES[kind];
  return { kind, message: `${message} (The demo was asked to fail with "${kind}".)`, ...rest };
}

/** Refuses a request before a word is said, at a JSON pointer into the request. */
export function refuse(kind: ProviderErrorKind, status: number, path: string, message: string): ClientError {
  return thrown({ kind, status, message }, path);
}

export function thrown(error: ProviderError, path?: string): ClientError {
  return new ClientError(error.kind, error.message, { error, path });
}
