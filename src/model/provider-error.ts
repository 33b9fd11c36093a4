// One taxonomy for what goes wrong at a provider. Data, not a thrown class: a response may hold one.

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
export type ProviderErrorKind = (typeof PROVIDER_ERROR_KINDS)[number];

export interface ProviderError {
  kind: ProviderErrorKind;
  message: string;
  status?: number;
  retryAfterMs?: number;
  /** Where the provider says otherwise than its kind of error suggests. */
  retryable?: boolean;
  /** The error body as it came. */
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

/** Whether the same request may succeed later. */
export function isRetryable(error: ProviderError): boolean {
  return error.retryable ?? RETRYABLE.has(error.kind);
}
