// Hand-written error bodies of Gemini.
import type { WireSample } from "../../../src/testkit/checks/payload-codec.ts";

const failure = (code: number, status: string, message: string, details?: object[]): object => ({
  error: { code, message, status, ...(details && { details }) },
});
const retryInfo = (retryDelay: string): object => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const quota = (quotaId: string): object => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId }],
});

/** Error bodies with the kind that they must decode to. */
export const failures: (WireSample & { kind: string; retryAfterMs?: number })[] = [
  {
    name: "a bad argument",
    kind: "invalid-request",
    status: 400,
    wire: failure(400, "INVALID_ARGUMENT", "Unknown name."),
  },
  {
    name: "a prompt that is too long",
    kind: "context-length",
    status: 400,
    wire: failure(
      400,
      "INVALID_ARGUMENT",
      "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    ),
  },
  {
    name: "a bad key",
    kind: "authentication",
    status: 400,
    wire: failure(400, "INVALID_ARGUMENT", "API key not valid.", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ]),
  },
  { name: "no key", kind: "authentication", status: 401, wire: failure(401, "UNAUTHENTICATED", "Who are you?") },
  { name: "not allowed", kind: "permission", status: 403, wire: failure(403, "PERMISSION_DENIED", "No.") },
  { name: "not found", kind: "not-found", status: 404, wire: failure(404, "NOT_FOUND", "No such model.") },
  {
    name: "a rate limit",
    kind: "rate-limit",
    status: 429,
    retryAfterMs: 34_500,
    wire: failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      quota("RequestsPerMinute"),
      retryInfo("34.5s"),
    ]),
  },
  {
    name: "a daily quota",
    kind: "quota",
    status: 429,
    retryAfterMs: 3000,
    wire: failure(429, "RESOURCE_EXHAUSTED", "Quota.", [quota("RequestsPerDay"), retryInfo("3s")]),
  },
  {
    name: "a quota without a retry delay",
    kind: "quota",
    status: 429,
    wire: failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
  },
  { name: "an overloaded service", kind: "overloaded", status: 503, wire: failure(503, "UNAVAILABLE", "Overloaded.") },
  { name: "an internal error", kind: "server", status: 500, wire: failure(500, "INTERNAL", "Oops.") },
  { name: "a timeout", kind: "timeout", status: 504, wire: failure(504, "DEADLINE_EXCEEDED", "Late.") },
  {
    name: "a precondition",
    kind: "invalid-request",
    status: 400,
    wire: failure(400, "FAILED_PRECONDITION", "User location is not supported."),
  },
  { name: "in a list", kind: "not-found", status: 404, wire: [failure(404, "NOT_FOUND", "No such model.")] },
  { name: "an unknown status", kind: "overloaded", status: 503, wire: failure(503, "TIRED", "Later.") },
  { name: "a text", kind: "server", status: 502, wire: "<html>Bad gateway</html>" },
  { name: "a text in a field", kind: "permission", status: 403, wire: { error: "No." } },
  { name: "an unknown body", kind: "not-found", status: 404, wire: { other: 1 } },
];
