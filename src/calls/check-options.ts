// Checks call options and call defaults before anything is sent. In a program without static types, a mistake in an
// option would otherwise appear much later, or never.
import type { ModelRequest } from "../model/index.ts";
import { describeKind, isRecord } from "../model/value-kind.ts";
import { ClientError } from "./errors.ts";
import type { FieldChecks } from "./field-checks.ts";
import {
  checkBoolean,
  checkFields,
  checkFunction,
  checkObject,
  checkOneOf,
  checkText,
  configurationError,
  createCheck,
  hasMethods,
} from "./field-checks.ts";
import { readPrices } from "./prices.ts";
import { checkRetry, checkTimeouts } from "./providers/check-provider.ts";
import { readHeaders } from "./providers/headers.ts";
import type { CallDefaults, CallOptions } from "./types.ts";

const checkSignal = createCheck(
  "an AbortSignal",
  (value) => hasMethods("addEventListener", "removeEventListener")(value) && isRecord(value) && "aborted" in value,
);
const checkModels = createCheck(
  'a list of models such as ["provider/model"]',
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== ""),
);

const CALL_CHECKS: FieldChecks<keyof CallOptions> = {
  provider: checkText,
  signal: checkSignal,
  // `readHeaders` throws for invalid headers; the check ignores the headers that it returns.
  headers: (value, path) => void readHeaders(value as NonNullable<CallOptions["headers"]>, path),
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: checkModels,
  onBreaks: checkOneOf("refuse", "send"),
  repair: checkBoolean,
  metadata: checkObject,
};

const EFFECT_CHECKS: FieldChecks = {
  clock: checkFunction,
  random: checkFunction,
  sleep: checkFunction,
  timer: checkFunction,
};

export const CALL_DEFAULT_CHECKS: FieldChecks<keyof CallDefaults> = {
  providers: checkObject,
  defaultProvider: checkText,
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: checkModels,
  prices: (value, path) => void readPrices(value, path),
  onAttempt: checkFunction,
  transport: createCheck("an object with the methods send and close", hasMethods("send", "close")),
  effects: (value, path) => checkFields(value, EFFECT_CHECKS, path),
};

/** Checks the defaults of calls. The client, whose options have further fields, passes its own `checks`. */
export function checkCallDefaults(
  options: unknown,
  checks: FieldChecks = CALL_DEFAULT_CHECKS,
): asserts options is CallDefaults {
  checkFields(options, checks, "");
  if ((options as Partial<CallDefaults>).providers === undefined) {
    throw configurationError("/providers", "is missing: name at least one, such as { demo: demo() }.");
  }
}

export function assertRequestObject(request: unknown): asserts request is Record<string, unknown> {
  if (isRecord(request)) return;
  throw new ClientError("configuration", `The request must be an object; it is ${describeKind(request)}.`);
}

/** Checks the shape of a request and its options. The dialect checks the content of messages when it encodes them. */
export function checkCall(request: unknown, options: unknown): asserts request is ModelRequest {
  assertRequestObject(request);
  if (!Array.isArray(request["messages"])) {
    throw configurationError("/messages", `must be a list of messages; it is ${describeKind(request["messages"])}.`);
  }
  request["messages"].forEach(checkMessage);
  checkFields(options, CALL_CHECKS, "");
}

/** Advice for the most common mistake: messages in a provider's own format. */
export const MESSAGE_ADVICE = 'Write user("…"), or decode a provider\'s own messages with dialect("…").decodeMessages.';

function checkMessage(message: unknown, index: number): void {
  if (!isRecord(message))
    throw configurationError(`/messages/${index}`, `must be a message; it is ${describeKind(message)}.`);
  if (Array.isArray(message["parts"])) return;
  const fault = `must be a list of parts; it is ${describeKind(message["parts"])}.`;
  throw configurationError(`/messages/${index}/parts`, `${fault} ${MESSAGE_ADVICE}`);
}
