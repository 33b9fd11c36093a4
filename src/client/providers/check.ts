// What a caller may write down about a provider, checked before anything is sent.
import { kindOf } from "../../model/kind.ts";
import { pointer } from "../../model/pointer.ts";
import type { Check, Checks } from "../checks.ts";
import {
  aboveZero,
  aCount,
  aFlag,
  aFunction,
  aText,
  checkFields,
  expecting,
  fault,
  isRecord,
  oneOf,
  texts,
  zeroOrAbove,
} from "../checks.ts";
import type { HttpDialect, HttpProvider, LocalProvider, ProviderConfig, RetryPolicy, Timeouts } from "../types.ts";
import { DIALECTS } from "./dialects.ts";
import { baseFault, officialUrl } from "./endpoints.ts";
import { isSendable, readHeaders } from "./headers.ts";

/** A check from what is wrong with a value; undefined where nothing is. */
function faultless(faultOf: (value: unknown) => string | undefined): Check {
  return (value, path) => {
    const what = faultOf(value);
    if (what !== undefined) throw fault(path, what);
  };
}

const url = faultless((value) => {
  const parsed = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return "must be a URL that begins with https:// or http://.";
  if (parsed.username !== "" || parsed.password !== "")
    return "must not hold a user or password; put them into headers.";
  return undefined;
});

const key = faultless((value) => {
  if (typeof value === "function") return undefined;
  if (typeof value !== "string") return "must be a string, or a function that gives one.";
  if (value.trim() === "") return "is empty; is the variable set that it comes from?";
  return keyFault(value);
});

/** What is wrong with a key that was fetched or given. */
export function keyFault(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return "must be a string that is not empty.";
  return isSendable(value) ? undefined : "holds a character that cannot be sent, such as a line break.";
}

const region = faultless((value) =>
  typeof value === "string" && /^[a-z\d-]+$/.test(value) ? undefined : 'must be a region such as "us-east-1".',
);

const aString = expecting("a string", (value) => typeof value === "string");
const query: Check = (value, path) => {
  if (!isRecord(value) || Symbol.iterator in value) throw fault(path, "must be an object of strings.");
  for (const [name, entry] of Object.entries(value)) aString(entry, path + pointer([name]));
};

const TIMEOUTS: Checks<keyof Timeouts> = {
  connectMs: aboveZero,
  replyMs: aboveZero,
  totalMs: aboveZero,
  gapMs: aboveZero,
};
const RETRY: Checks<keyof RetryPolicy> = {
  attempts: aCount,
  baseMs: zeroOrAbove,
  maxMs: zeroOrAbove,
  retryAfterCapMs: zeroOrAbove,
};
export const checkTimeouts: Check = (value, path) => checkFields(value, TIMEOUTS, path);
export const checkRetry: Check = (value, path) => checkFields(value, RETRY, path);

/** The names of the dialects that are spoken over HTTP. */
export const HTTP_DIALECTS = Object.keys(DIALECTS) as readonly HttpDialect[];

const LIMITS = { timeouts: checkTimeouts, retry: checkRetry };
const HTTP: Checks<keyof HttpProvider> = {
  dialect: oneOf(...HTTP_DIALECTS),
  baseUrl: url,
  apiKey: key,
  vendor: aText,
  issuer: aText,
  // Any form will do; what is checked is whether it can be read.
  headers: (value, path) => void readHeaders(value as NonNullable<HttpProvider["headers"]>, path),
  query,
  sign: aFunction,
  region,
  state: oneOf("resend", "previous-response"),
  store: aFlag,
  ...LIMITS,
};
const LOCAL: Checks<keyof LocalProvider> = { answer: aFunction, issuer: aText, models: texts, ...LIMITS };
/** Settings that only one dialect has. */
const ONLY: Readonly<Partial<Record<keyof HttpProvider, HttpDialect>>> = {
  region: "bedrock",
  state: "openai-responses",
  store: "openai-responses",
};

/** Throws for the first mistake. */
export function checkConfig(name: string, config: ProviderConfig): void {
  const path = pointer(["providers", name]);
  if (!isRecord(config)) throw fault(path, `must be an object; it is ${kindOf(config)}.`);
  if (name === "" || name.includes("/"))
    throw fault(path, "has a name that cannot stand before a slash: it is empty or holds one.");
  if (!("answer" in config)) return checkHttp(config, path);
  // It may be an object of a class, with fields of its own, and its method above them.
  const given: Record<string, unknown> = config;
  aFunction(given["answer"], `${path}/answer`);
  checkFields(config, LOCAL, path, true);
}

function checkHttp(config: HttpProvider, path: string): void {
  if (config.dialect === undefined) throw fault(`${path}/dialect`, `is missing: one of ${HTTP_DIALECTS.join(", ")}.`);
  checkFields(config, HTTP, path);
  for (const [field, dialect] of Object.entries(ONLY) as [keyof HttpProvider, HttpDialect][]) {
    if (config[field] !== undefined && config.dialect !== dialect) {
      throw fault(`${path}/${field}`, `has no meaning for ${config.dialect}, only for ${dialect}.`);
    }
  }
  if (config.state === "previous-response" && config.store === false) {
    throw fault(
      `${path}/state`,
      'cannot be "previous-response" where store is false: nothing would be there to go on from.',
    );
  }
  const wrong = config.baseUrl === undefined ? undefined : baseFault(config.dialect, config.baseUrl);
  if (wrong !== undefined) throw fault(`${path}/baseUrl`, wrong);
  if (config.baseUrl !== undefined || officialUrl(config.dialect, config.vendor, config.region) !== undefined) return;
  if (config.dialect === "bedrock")
    throw fault(`${path}/region`, 'is missing: Bedrock is reached by region, such as "us-east-1".');
  throw fault(`${path}/baseUrl`, `is missing: no address is known for the vendor "${config.vendor}".`);
}
