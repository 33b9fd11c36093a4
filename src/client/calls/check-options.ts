// Checks what a caller says about the client and about a single call, before anything is sent. Callers without types
// make mistakes that would otherwise show much later, or never.
import type { ModelRequest } from "../../model/index.ts";
import { kindOf } from "../../model/kind.ts";
import type { Check, Checks } from "../checks.ts";
import { aFlag, aFunction, anObject, aText, checkFields, expecting, fault, hasMethods, isRecord } from "../checks.ts";
import { ClientError } from "../errors.ts";
import type { Call } from "../middleware/types.ts";
import { readPrices } from "../prices.ts";
import { checkRetry, checkTimeouts } from "../providers/check.ts";
import { readHeaders } from "../providers/headers.ts";
import type { CallOptions, ClientOptions } from "../types.ts";

const signal = expecting(
  "an AbortSignal",
  (value) => hasMethods("addEventListener", "removeEventListener")(value) && isRecord(value) && "aborted" in value,
);
const models = expecting(
  'a list of models such as ["provider/model"]',
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== ""),
);

const CALL: Checks<keyof CallOptions> = {
  provider: aText,
  signal,
  // Any form will do; what is checked is whether it can be read.
  headers: (value, path) => void readHeaders(value as NonNullable<CallOptions["headers"]>, path),
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: models,
  onBreaks: expecting('"refuse" or "send"', (value) => value === "refuse" || value === "send"),
  repair: aFlag,
  metadata: anObject,
};

const EFFECTS: Checks = { clock: aFunction, random: aFunction, sleep: aFunction };
const LAYER: Checks = { name: aText, complete: aFunction, stream: aFunction };

/** An object of a class may have fields of its own, so that a misspelt method shows only where no other is there. */
const layer: Check = (value, path) => {
  checkFields(value, LAYER, path, true);
  if (isRecord(value) && value["complete"] === undefined && value["stream"] === undefined) {
    throw fault(path, "must have a method complete or stream, else it would do nothing.");
  }
};

const CLIENT: Checks<keyof ClientOptions> = {
  providers: anObject,
  defaultProvider: aText,
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: models,
  middleware(value, path) {
    if (!Array.isArray(value)) throw fault(path, `must be a list; it is ${kindOf(value)}.`);
    value.forEach((each: unknown, index) => layer(each, `${path}/${index}`));
  },
  prices: (value, path) => void readPrices(value, path),
  onAttempt: aFunction,
  transport: expecting("an object with the methods send and close", hasMethods("send", "close")),
  effects: (value, path) => checkFields(value, EFFECTS, path),
};

export function checkClientOptions(options: unknown): asserts options is ClientOptions {
  checkFields(options, CLIENT, "");
  if ((options as Partial<ClientOptions>).providers === undefined) {
    throw fault("/providers", "is missing: name at least one, such as { demo: demo() }.");
  }
}

export function assertRequestObject(request: unknown): asserts request is Record<string, unknown> {
  if (isRecord(request)) return;
  throw new ClientError("configuration", `The request must be an object; it is ${kindOf(request)}.`);
}

/** A call as middleware sees it: checked, and its headers a plain object. */
export function readCall(request: ModelRequest, options: CallOptions): Call {
  checkCall(request, options);
  const { headers } = options;
  if (headers === undefined || !(Symbol.iterator in headers)) return { request, options };
  return { request, options: { ...options, headers: readHeaders(headers, "/headers") } };
}

/** Checks a call. What its messages hold is the dialect's affair. */
export function checkCall(request: unknown, options: unknown): asserts request is ModelRequest {
  assertRequestObject(request);
  if (!Array.isArray(request["messages"])) {
    throw fault("/messages", `must be a list of messages; it is ${kindOf(request["messages"])}.`);
  }
  request["messages"].forEach(checkMessage);
  checkFields(options, CALL, "");
}

/** What to do about messages of another shape. */
export const MESSAGE_ADVICE = 'Write user("…"), or read a provider\'s own messages with dialect("…").decodeMessages.';

/** Messages of a provider's own shape are the commonest mistake. */
function checkMessage(message: unknown, index: number): void {
  if (!isRecord(message)) throw fault(`/messages/${index}`, `must be a message; it is ${kindOf(message)}.`);
  if (Array.isArray(message["parts"])) return;
  const what = `must be a list of parts; it is ${kindOf(message["parts"])}.`;
  throw fault(`/messages/${index}/parts`, `${what} ${MESSAGE_ADVICE}`);
}
