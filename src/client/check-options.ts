// Checks the options of a client and the middleware in them, and normalizes a call before middleware receives it.
import type { CallOptions, FieldCheck, FieldChecks } from "../calls/index.ts";
import {
  CALL_DEFAULT_CHECKS,
  checkCall,
  checkCallDefaults,
  checkFields,
  checkFunction,
  checkText,
  configurationError,
  readHeaders,
} from "../calls/index.ts";
import type { ModelRequest } from "../model/index.ts";
import { describeKind, isRecord } from "../model/value-kind.ts";
import type { Call } from "./middleware/types.ts";
import type { ClientOptions } from "./types.ts";

const MIDDLEWARE_CHECKS: FieldChecks = { name: checkText, complete: checkFunction, stream: checkFunction };

/**
 * Checks one middleware. Unknown fields are allowed, because middleware may be an instance of a class. A misspelled
 * method is therefore detected only if neither `complete` nor `stream` exists.
 */
const checkMiddleware: FieldCheck = (value, path) => {
  checkFields(value, MIDDLEWARE_CHECKS, path, true);
  if (isRecord(value) && value["complete"] === undefined && value["stream"] === undefined) {
    throw configurationError(path, "must have a method complete or stream; without one it has no effect.");
  }
};

const CLIENT_CHECKS: FieldChecks<keyof ClientOptions> = {
  ...CALL_DEFAULT_CHECKS,
  middleware(value, path) {
    if (!Array.isArray(value)) throw configurationError(path, `must be a list; it is ${describeKind(value)}.`);
    value.forEach((each: unknown, index) => checkMiddleware(each, `${path}/${index}`));
  },
};

export function checkClientOptions(options: unknown): asserts options is ClientOptions {
  checkCallDefaults(options, CLIENT_CHECKS);
}

/** Checks a call and converts its headers to a plain object, so that middleware can read and copy them. */
export function toCall(request: ModelRequest, options: CallOptions): Call {
  checkCall(request, options);
  const { headers } = options;
  if (headers === undefined || !(Symbol.iterator in headers)) return { request, options };
  return { request, options: { ...options, headers: readHeaders(headers, "/headers") } };
}
