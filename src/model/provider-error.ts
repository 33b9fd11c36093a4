// Provider errors as data, with one taxonomy for all providers. A response can contain one.
import { assertObject } from "./argument-error.ts";

/** Every kind of provider error. */
export const PROVIDER_ERROR_KINDS = [
  "authentication",
  "permission",
  "not-found",
  "invalid-request",
  "context-length",
  "content-filter",
  "rate-limit",
  "quota",
  "overloaded",
  "server",
  "timeout",
  "network",
  "truncated",
  "unknown",
] as const;
/** One of `PROVIDER_ERROR_KINDS`. */
export type ProviderErrorKind = (typeof PROVIDER_ERROR_KINDS)[number];

/** An error that a provider returned. */
export interface ProviderError {
  kind: ProviderErrorKind;
  message: string;
  status?: number;
  retryAfterMs?: number;
  /** Set if the provider's statement differs from the default of the error kind. */
  retryable?: boolean;
  /** The error body, verbatim. */
  raw?: unknown;
}

const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set([
  "rate-limit",
  "overloaded",
  "server",
  "timeout",
  "network",
  "truncated",
]);

/** True if the same request may succeed later. */
export function isRetryable(error: ProviderError): boolean {
  assertObject("isRetryable", "error", error);
  return error.retryable ?? RETRYABLE.has(error.kind);
}
