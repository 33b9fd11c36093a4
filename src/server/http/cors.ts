// Creates the security headers of all replies, and the CORS headers by which pages of configured origins can read them.

/** Default headers of every reply, which prevent that browsers render or cache it. A route can override each header. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

const EXPOSED_HEADERS = [
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

/** Returns the CORS headers of a reply to a page of an allowed origin. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED_HEADERS,
    "cross-origin-resource-policy": "cross-origin",
    vary: "origin",
  };
}

/** Returns the headers of a CORS preflight reply. */
export function preflightHeaders(
  origin: string,
  methods: readonly string[],
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const requestedHeaders = headers["access-control-request-headers"];
  return {
    ...corsHeaders(origin),
    "access-control-allow-methods": methods.join(", "),
    ...(requestedHeaders === undefined ? {} : { "access-control-allow-headers": requestedHeaders }),
    ...(headers["access-control-request-private-network"] === "true"
      ? { "access-control-allow-private-network": "true" }
      : {}),
    "access-control-max-age": "600",
    vary: "origin, access-control-request-headers",
  };
}
