// Defines provider errors as values that a response can contain, with the same kinds for all providers.
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
  /**
   * True if the request can be retried. Set only if the provider's response contradicts the default for `kind`, which
   * the set RETRYABLE determines.
   */
  retryable?: boolean;
  /** The body of the provider's error response, verbatim. */
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
