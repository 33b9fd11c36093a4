// Checks what a caller says about the client and about a single call, before anything is sent. Callers without types
// make mistakes that would otherwise show much later, or never.
import type { Request } from "../../model/index.ts";
import { kindOf } from "../../model/kind.ts";
import { pointer } from "../../model/pointer.ts";
import { ClientError } from "../errors.ts";
import { readPrices } from "../prices.ts";
import { checkRetry, checkTimeouts } from "../providers/check.ts";
import { headerFault } from "../providers/headers.ts";
import type { CallOptions, ClientOptions } from "../types.ts";

/** Throws for a value that is not what the field takes. */
type Check = (value: unknown, path: string) => void;

function fault(path: string, what: string): ClientError {
  return new ClientError("configuration", `${path} ${what}`, { path });
}

function expecting(what: string, isIt: (value: unknown) => boolean): Check {
  return (value, path) => {
    if (!isIt(value)) throw fault(path, `must be ${what}; it is ${kindOf(value)}.`);
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";
const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => isFunction(value[name]));

const object = expecting("an object", isRecord);
const text = expecting("a string", (value) => typeof value === "string" && value !== "");
const callable = expecting("a function", isFunction);
const signal = expecting(
  "an AbortSignal",
  (value) => hasMethods("addEventListener", "removeEventListener")(value) && isRecord(value) && "aborted" in value,
);
const names = expecting(
  'a list of models such as ["provider/model"]',
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== ""),
);

const CALL: Readonly<Record<keyof CallOptions, Check>> = {
  provider: text,
  signal,
  headers(value, path) {
    object(value, path);
    for (const [name, each] of Object.entries(value as object)) {
      const what = headerFault(name, each);
      if (what !== undefined) throw fault(path + pointer([name]), `is wrong: ${what}`);
    }
  },
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: names,
  onBreaks: expecting('"refuse" or "send"', (value) => value === "refuse" || value === "send"),
  repair: expecting("true or false", (value) => typeof value === "boolean"),
  metadata: object,
};

const EFFECTS: Readonly<Record<string, Check>> = { clock: callable, random: callable, sleep: callable };
const LAYER: Readonly<Record<string, Check>> = { name: text, complete: callable, stream: callable };

const CLIENT: Readonly<Record<keyof ClientOptions, Check>> = {
  providers: object,
  defaultProvider: text,
  timeouts: checkTimeouts,
  retry: checkRetry,
  fallbacks: names,
  middleware(value, path) {
    if (!Array.isArray(value)) throw fault(path, `must be a list; it is ${kindOf(value)}.`);
    // An object of a class may have fields of its own.
    value.forEach((layer: unknown, index) => checkFields(layer, LAYER, `${path}/${index}`, true));
  },
  prices: (value, path) => void readPrices(value, path),
  onAttempt: callable,
  transport: expecting("an object with the methods send and close", hasMethods("send", "close")),
  effects: (value, path) => checkFields(value, EFFECTS, path),
};

/** Only what is there costs anything: this runs for every call. */
function checkFields(value: unknown, checks: Readonly<Record<string, Check>>, path: string, isOpen = false): void {
  if (!isRecord(value)) throw fault(path, `must be an object; it is ${kindOf(value)}.`);
  for (const field in value) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check !== undefined && value[field] !== undefined) check(value[field], path + pointer([field]));
    if (check !== undefined || isOpen) continue;
    throw fault(path + pointer([field]), `is no setting; there are ${Object.keys(checks).join(", ")}.`);
  }
}

export function checkClientOptions(options: unknown): asserts options is ClientOptions {
  checkFields(options, CLIENT, "");
  if ((options as Partial<ClientOptions>).providers === undefined) {
    throw fault("/providers", "is missing: name at least one, such as { demo: demo() }.");
  }
}

/** Checks a call. What its messages hold is the dialect's affair. */
export function checkCall(request: unknown, options: unknown): asserts request is Request {
  if (!isRecord(request)) throw fault("", `The request must be an object; it is ${kindOf(request)}.`);
  if (!Array.isArray(request["messages"])) {
    throw fault("/messages", `must be a list of messages; it is ${kindOf(request["messages"])}.`);
  }
  request["messages"].forEach(checkMessage);
  checkFields(options, CALL, "");
}

/** Messages of a provider's own shape are the commonest mistake. */
function checkMessage(message: unknown, index: number): void {
  if (!isRecord(message)) throw fault(`/messages/${index}`, `must be a message; it is ${kindOf(message)}.`);
  if (Array.isArray(message["parts"])) return;
  const what = `must be a list of parts; it is ${kindOf(message["parts"])}.`;
  const advice = 'Write user("…"), or read a provider\'s own messages with dialect("…").decodeMessages.';
  throw fault(`/messages/${index}/parts`, `${what} ${advice}`);
}
