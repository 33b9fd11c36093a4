// Error bodies of the Anthropic API.
import type { ProviderError, ProviderErrorKind } from "../../../../src/index.ts";
import { Rejection } from "../rejection.ts";

/** Throws a rejection with Anthropic's error body. */
export function reject(message: string, status = 400, type = "invalid_request_error"): never {
  throw new Rejection(status, errorBody(type, message), message);
}

function errorBody(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_upstream" };
}

const KINDS: Readonly<Partial<Record<ProviderErrorKind, readonly [status: number, type: string]>>> = {
  authentication: [401, "authentication_error"],
  permission: [403, "permission_error"],
  "not-found": [404, "not_found_error"],
  "invalid-request": [400, "invalid_request_error"],
  "context-length": [400, "invalid_request_error"],
  "content-filter": [400, "invalid_request_error"],
  "rate-limit": [429, "rate_limit_error"],
  quota: [400, "invalid_request_error"],
  overloaded: [529, "overloaded_error"],
  timeout: [504, "timeout_error"],
};

/** Returns the status and the body of an error. */
export function toErrorBody({ kind, message }: ProviderError): readonly [status: number, body: object] {
  const [status, type] = KINDS[kind] ?? [500, "api_error"];
  return [status, errorBody(type, message)];
}
