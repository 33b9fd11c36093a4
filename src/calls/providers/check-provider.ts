// Checks the configuration of a provider when its adapter is created, before anything is sent.
import { describeKind, isRecord } from "../../model/value-kind.ts";
import { pointer } from "../../model/json/pointer.ts";
import type { FieldCheck, FieldChecks } from "../field-checks.ts";
import {
  checkPositive,
  checkPositiveInteger,
  checkBoolean,
  checkFunction,
  checkText,
  checkFields,
  createCheck,
  configurationError,
  checkOneOf,
  checkTexts,
  checkNonNegative,
} from "../field-checks.ts";
import type { HttpDialect, HttpProvider, LocalProvider, ProviderConfig, RetryPolicy, Timeouts } from "../types.ts";
import { HTTP_DIALECT_FACTORIES } from "./http-dialects.ts";
import { findBaseUrlFault, officialUrl } from "./endpoints.ts";
import { isSendableHeaderValue, readHeaders } from "./headers.ts";

/** Creates a check from a function that returns the fault of a value, or undefined if the value is valid. */
function checkFault(findFault: (value: unknown) => string | undefined): FieldCheck {
  return (value, path) => {
    const fault = findFault(value);
    if (fault !== undefined) throw configurationError(path, fault);
  };
}

const checkBaseUrl = checkFault((value) => {
  const parsed = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return "must be a URL that begins with https:// or http://.";
  if (parsed.username !== "" || parsed.password !== "")
    return "must not contain a user or password; put them into headers.";
  return undefined;
});

const checkApiKey = checkFault((value) => {
  if (typeof value === "function") return undefined;
  if (typeof value !== "string") return "must be a string, or a function that returns one.";
  if (value.trim() === "") return "is empty; check that its environment variable is set.";
  return findKeyFault(value);
});

/** Returns the fault of a key from the settings or from the `apiKey` function; undefined if the key is valid. */
export function findKeyFault(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return "must be a string that is not empty.";
  return isSendableHeaderValue(value) ? undefined : "contains a character that cannot be sent, such as a line break.";
}

const checkRegion = checkFault((value) =>
  typeof value === "string" && /^[a-z\d-]+$/.test(value) ? undefined : 'must be a region such as "us-east-1".',
);

const checkString = createCheck("a string", (value) => typeof value === "string");
const checkQuery: FieldCheck = (value, path) => {
  if (!isRecord(value) || Symbol.iterator in value) throw configurationError(path, "must be an object of strings.");
  for (const [name, entry] of Object.entries(value)) checkString(entry, path + pointer([name]));
};

const TIMEOUT_CHECKS: FieldChecks<keyof Timeouts> = {
  connectMs: checkPositive,
  replyMs: checkPositive,
  totalMs: checkPositive,
  gapMs: checkPositive,
};
const RETRY_CHECKS: FieldChecks<keyof RetryPolicy> = {
  attempts: checkPositiveInteger,
  baseMs: checkNonNegative,
  maxMs: checkNonNegative,
  retryAfterCapMs: checkNonNegative,
};
export const checkTimeouts: FieldCheck = (value, path) => checkFields(value, TIMEOUT_CHECKS, path);
export const checkRetry: FieldCheck = (value, path) => checkFields(value, RETRY_CHECKS, path);

/** The dialects of HTTP providers. */
export const HTTP_DIALECTS = Object.keys(HTTP_DIALECT_FACTORIES) as readonly HttpDialect[];

const LIMIT_CHECKS = { timeouts: checkTimeouts, retry: checkRetry };
const HTTP_CHECKS: FieldChecks<keyof HttpProvider> = {
  dialect: checkOneOf(...HTTP_DIALECTS),
  baseUrl: checkBaseUrl,
  apiKey: checkApiKey,
  vendor: checkText,
  issuer: checkText,
  // `readHeaders` throws for invalid headers; the check ignores the headers that it returns.
  headers: (value, path) => void readHeaders(value as NonNullable<HttpProvider["headers"]>, path),
  query: checkQuery,
  sign: checkFunction,
  region: checkRegion,
  state: checkOneOf("resend", "previous-response"),
  store: checkBoolean,
  ...LIMIT_CHECKS,
};
const LOCAL_CHECKS: FieldChecks<keyof LocalProvider> = {
  answer: checkFunction,
  issuer: checkText,
  models: checkTexts,
  ...LIMIT_CHECKS,
};
/** Settings that only one dialect supports, with that dialect. */
const SINGLE_DIALECT_FIELDS: Readonly<Partial<Record<keyof HttpProvider, HttpDialect>>> = {
  region: "bedrock",
  state: "openai-responses",
  store: "openai-responses",
};

/** Throws a `ClientError` "configuration" for the first invalid setting of a provider. */
export function checkProviderConfig(name: string, config: ProviderConfig): void {
  const path = pointer(["providers", name]);
  if (!isRecord(config)) throw configurationError(path, `must be an object; it is ${describeKind(config)}.`);
  if (name === "" || name.includes("/"))
    throw configurationError(path, "has an invalid name: it must not be empty or contain a slash.");
  if (!("answer" in config)) return checkHttp(config, path);
  // A local provider may be an instance of a class. Then `answer` is on the prototype, where `checkFields` does not
  // find it, and the instance may have other fields.
  const fields: Record<string, unknown> = config;
  checkFunction(fields["answer"], `${path}/answer`);
  checkFields(config, LOCAL_CHECKS, path, true);
}

function checkHttp(config: HttpProvider, path: string): void {
  if (config.dialect === undefined)
    throw configurationError(`${path}/dialect`, `is missing; it must be one of ${HTTP_DIALECTS.join(", ")}.`);
  checkFields(config, HTTP_CHECKS, path);
  for (const [field, dialect] of Object.entries(SINGLE_DIALECT_FIELDS) as [keyof HttpProvider, HttpDialect][]) {
    if (config[field] !== undefined && config.dialect !== dialect) {
      throw configurationError(`${path}/${field}`, `is a setting of ${dialect} only, not of ${config.dialect}.`);
    }
  }
  if (config.state === "previous-response" && config.store === false) {
    throw configurationError(
      `${path}/state`,
      'cannot be "previous-response" if store is false: the provider would have no stored answer to continue.',
    );
  }
  const fault = config.baseUrl === undefined ? undefined : findBaseUrlFault(config.dialect, config.baseUrl);
  if (fault !== undefined) throw configurationError(`${path}/baseUrl`, fault);
  if (config.baseUrl !== undefined || officialUrl(config.dialect, config.vendor, config.region) !== undefined) return;
  if (config.dialect === "bedrock")
    throw configurationError(
      `${path}/region`,
      'is missing: the URL of Bedrock contains a region, such as "us-east-1".',
    );
  throw configurationError(`${path}/baseUrl`, `is missing: the vendor "${config.vendor}" has no known URL.`);
}
