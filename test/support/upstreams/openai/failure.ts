// Error bodies of OpenAI, in one shape for both of its APIs, and rules that both APIs share.
import type { ProviderError, ProviderErrorKind } from "../../../../src/index.ts";
import type { ReceivedRequest } from "../../../../src/testkit/index.ts";
import type { Failure } from "../provider.ts";
import type { Json } from "../rejection.ts";
import { toObject, Rejection, toString, findUnknownField } from "../rejection.ts";

interface Details {
  param?: string | null;
  code?: string | null;
  status?: number;
}

/** Throws a rejection with OpenAI's error body. */
export function reject(message: string, { param = null, code = null, status = 400 }: Details = {}): never {
  throw new Rejection(status, { error: { message, type: "invalid_request_error", param, code } }, message);
}

const KINDS: Readonly<
  Partial<Record<ProviderErrorKind, readonly [status: number, type: string, code: string | null]>>
> = {
  authentication: [401, "invalid_request_error", "invalid_api_key"],
  permission: [403, "invalid_request_error", null],
  "not-found": [404, "invalid_request_error", "model_not_found"],
  "invalid-request": [400, "invalid_request_error", null],
  "context-length": [400, "invalid_request_error", "context_length_exceeded"],
  "content-filter": [400, "invalid_request_error", "content_filter"],
  "rate-limit": [429, "requests", "rate_limit_exceeded"],
  quota: [429, "insufficient_quota", "insufficient_quota"],
  overloaded: [503, "service_unavailable_error", null],
};

export interface OpenAiError {
  message: string;
  type: string;
  param: null;
  code: string | null;
}

/** Returns OpenAI's form of an error. */
export function toOpenAiError({ kind, message }: ProviderError): OpenAiError {
  const [, type, code] = KINDS[kind] ?? [500, "server_error", null];
  return { message, type, param: null, code };
}

export function failure(error: ProviderError): Failure {
  const [status] = KINDS[error.kind] ?? [500];
  const body = { error: toOpenAiError(error) };
  if (error.retryAfterMs === undefined) return { status, body };
  return { status, body, headers: { "retry-after-ms": String(error.retryAfterMs) } };
}

/** Returns the body of a request; rejects a wrong path, method or key. */
export function requireBody({ method, path, headers, body }: ReceivedRequest, place: string, apiKey: string): Json {
  if (method !== "POST" || path !== place) reject(`Invalid URL (${method} ${path})`, { status: 404 });
  const key = /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  if (key === undefined) reject("You didn't provide an API key.", { status: 401 });
  if (key !== apiKey) reject(`Incorrect API key provided: ${key}.`, { status: 401, code: "invalid_api_key" });
  if (typeof body !== "object" || body === null) {
    reject("We could not parse the JSON body of your request.", { code: "invalid_json" });
  }
  return toObject(body);
}

export function checkFields(value: Json, known: readonly string[], path = ""): void {
  const unknown = findUnknownField(value, known);
  if (unknown === undefined) return;
  const param = path === "" ? unknown : `${path}.${unknown}`;
  reject(`Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
}

/** Rejects an empty list of tools, and settings for tools in a request without tools. */
export function checkToolSettings(body: Json): void {
  const { tools } = body;
  if (Array.isArray(tools) && tools.length === 0) {
    reject("Invalid 'tools': empty array.", { param: "tools", code: "empty_array" });
  }
  if (tools !== undefined) return;
  for (const param of ["parallel_tool_calls", "tool_choice"]) {
    if (body[param] === undefined) continue;
    reject(`Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, { param });
  }
}

export function checkName(name: unknown, param: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(toString(name))) return;
  const message = `Invalid '${param}': string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'.`;
  reject(message, { param, code: "invalid_value" });
}

export function checkLength(value: unknown, max: number, param: string): void {
  if (typeof value !== "string")
    reject(`Invalid type for '${param}': expected a string.`, { param, code: "invalid_type" });
  if (value === "") reject(`Invalid '${param}': empty string.`, { param, code: "empty_string" });
  if (value.length <= max) return;
  const message = `Invalid '${param}': string too long. Expected a maximum length of ${max}, but got ${value.length}.`;
  reject(message, { param, code: "string_above_max_length" });
}

/** Requires that a strict schema lists all properties as required and allows no others. */
export function checkStrict(schema: unknown, what: string): void {
  const { type, properties, required, additionalProperties, items } = toObject(schema);
  if (type === "object") {
    if (additionalProperties !== false) {
      reject(`Invalid schema for ${what}: 'additionalProperties' is required to be supplied and to be false.`, {
        code: "invalid_schema",
      });
    }
    for (const [name, property] of Object.entries(toObject(properties))) {
      const isRequired = Array.isArray(required) && required.includes(name);
      if (!isRequired)
        reject(`Invalid schema for ${what}: Missing '${name}' in 'required'.`, { code: "invalid_schema" });
      checkStrict(property, what);
    }
  }
  if (items !== undefined) checkStrict(items, what);
}

/** Rejects sampling settings that reasoning models do not support. */
export function checkSampling(body: Json, fields: readonly string[]): void {
  for (const param of fields) {
    if (body[param] === undefined || body[param] === null) continue;
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    reject(message, { param, code: "unsupported_parameter" });
  }
}
