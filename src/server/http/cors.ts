// What browsers are told: that replies are data and not pages, and, for allowed origins, that their pages may read them.

/** On every reply that does not say otherwise. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

const EXPOSED = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-koine-thread",
  "x-koine-run",
  "x-koine-losses",
  "x-koine-provider",
  "x-koine-estimated",
  "x-vercel-ai-ui-message-stream",
].join(", ");

/** For a page of an allowed origin that reads a reply. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
    "cross-origin-resource-policy": "cross-origin",
    vary: "origin",
  };
}

/** The answer to a browser that asks before it sends. */
export function preflightHeaders(
  origin: string,
  methods: readonly string[],
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const asked = headers["access-control-request-headers"];
  return {
    ...corsHeaders(origin),
    "access-control-allow-methods": methods.join(", "),
    ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
    ...(headers["access-control-request-private-network"] === "true"
      ? { "access-control-allow-private-network": "true" }
      : {}),
    "access-control-max-age": "600",
    vary: "origin, access-control-request-headers",
  };
}
