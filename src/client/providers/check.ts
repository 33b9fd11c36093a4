// Checks what a caller wrote down about a provider, before anything is sent: every mistake is told with its path and
// with what to write instead. Values are never repeated, because they may be keys.
import { pointer } from "../../model/pointer.ts";
import { ClientError } from "../errors.ts";
import type { HttpDialect, HttpProvider, LocalProvider, ProviderConfig, RetryPolicy, Timeouts } from "../types.ts";
import { officialUrl } from "./endpoints.ts";
import { headerFault } from "./headers.ts";

export const HTTP_DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"] as const;

/** Says what is wrong with a value; undefined where nothing is. */
type Check = (value: unknown) => string | undefined;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "must be a string.");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false.");
const callable: Check = (value) => (typeof value === "function" ? undefined : "must be a function.");
const positive: Check = (value) => (typeof value === "number" && value > 0 ? undefined : "must be a number above 0.");
const notNegative: Check = (value) =>
  typeof value === "number" && value >= 0 ? undefined : "must be a number, 0 or above.";
const count: Check = (value) =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : "must be a whole number above 0.";

function oneOf(...words: readonly string[]): Check {
  return (value) => (words.includes(value as string) ? undefined : `must be one of ${words.join(", ")}.`);
}

const url: Check = (value) => {
  const parsed = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return "must be a URL that begins with https:// or http://.";
  if (parsed.username !== "" || parsed.password !== "")
    return "must not hold a user or password; put them into headers.";
  return undefined;
};

const key: Check = (value) => {
  if (typeof value === "function") return undefined;
  if (typeof value !== "string") return "must be a string, or a function that gives one.";
  if (value.trim() === "") return "is empty; is the variable set that it comes from?";
  return keyFault(value);
};

/** What is wrong with a key that was fetched or given. */
export function keyFault(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return "must be a string that is not empty.";
  return headerFault("key", value) === undefined
    ? undefined
    : "holds a character that cannot be sent, such as a line break.";
}

const TIMEOUTS: Readonly<Record<keyof Timeouts, Check>> = { connectMs: positive, totalMs: positive, gapMs: positive };
const RETRY: Readonly<Record<keyof RetryPolicy, Check>> = {
  attempts: count,
  baseMs: notNegative,
  maxMs: notNegative,
  retryAfterCapMs: notNegative,
};
const COMMON = { issuer: text } as const;
const HTTP: Readonly<Record<Exclude<keyof HttpProvider, "headers" | "query" | "timeouts" | "retry">, Check>> = {
  dialect: oneOf(...HTTP_DIALECTS),
  baseUrl: url,
  apiKey: key,
  vendor: text,
  ...COMMON,
  sign: callable,
  region: (value) =>
    typeof value === "string" && /^[a-z\d-]+$/.test(value) ? undefined : 'must be a region such as "us-east-1".',
  state: oneOf("resend", "previous-response"),
  store: flag,
};
/** Settings that only one dialect has. */
const ONLY: Readonly<Partial<Record<keyof HttpProvider, HttpDialect>>> = {
  region: "bedrock",
  state: "openai-responses",
  store: "openai-responses",
};
const RECORDS: ReadonlySet<string> = new Set(["headers", "query", "timeouts", "retry"]);

/** Throws for the first mistake. */
export function checkConfig(name: string, config: ProviderConfig): void {
  const path = pointer(["providers", name]);
  if (!isRecord(config)) throw fault(path, "must be an object.");
  if (name === "" || name.includes("/"))
    throw fault(path, "has a name that cannot stand before a slash: it is empty or holds one.");
  if ("answer" in config) checkLocal(config as LocalProvider, path);
  else checkHttp(config, path);
  checkTimeouts(config.timeouts, `${path}/timeouts`);
  checkRetry(config.retry, `${path}/retry`);
}

export function checkTimeouts(timeouts: unknown, path: string): void {
  checkFields(timeouts, TIMEOUTS, path);
}
export function checkRetry(retry: unknown, path: string): void {
  checkFields(retry, RETRY, path);
}

function checkLocal(config: LocalProvider, path: string): void {
  // It may be an object of a class, with fields of its own.
  const { issuer, models } = config;
  const isList = Array.isArray(models) && models.every((model) => typeof model === "string");
  const found: [string, string | undefined][] = [
    ["answer", typeof config.answer === "function" ? undefined : "must be a function."],
    ["issuer", issuer === undefined ? undefined : text(issuer)],
    ["models", models === undefined || isList ? undefined : "must be a list of strings."],
  ];
  for (const [field, what] of found) if (what !== undefined) throw fault(`${path}/${field}`, what);
}

function checkHttp(config: HttpProvider, path: string): void {
  if (config.dialect === undefined) throw fault(`${path}/dialect`, `is missing: one of ${HTTP_DIALECTS.join(", ")}.`);
  checkFields(config, HTTP, path, RECORDS);
  for (const field of ["headers", "query"] as const) {
    if (config[field] !== undefined) checkRecord(config[field], field, `${path}/${field}`);
  }
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
  if (config.baseUrl !== undefined || officialUrl(config.dialect, config.vendor, config.region) !== undefined) return;
  if (config.dialect === "bedrock")
    throw fault(`${path}/region`, 'is missing: Bedrock is reached by region, such as "us-east-1".');
  throw fault(`${path}/baseUrl`, `is missing: no address is known for the vendor "${config.vendor}".`);
}

function checkRecord(value: unknown, field: "headers" | "query", path: string): void {
  if (!isRecord(value)) throw fault(path, "must be an object of strings.");
  for (const [name, entry] of Object.entries(value)) {
    const what =
      field === "headers" ? headerFault(name, entry) : typeof entry === "string" ? undefined : "must be a string.";
    if (what !== undefined) throw fault(path + pointer([name]), field === "headers" ? `is wrong: ${what}` : what);
  }
}

function checkFields(
  value: unknown,
  checks: Readonly<Record<string, Check>>,
  path: string,
  others: ReadonlySet<string> = new Set(),
): void {
  if (value === undefined) return;
  if (!isRecord(value)) throw fault(path, "must be an object.");
  for (const [field, entry] of Object.entries(value)) {
    if (entry === undefined || others.has(field)) continue;
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const what = check === undefined ? unknownField(field, [...Object.keys(checks), ...others]) : check(entry);
    if (what !== undefined) throw fault(path + pointer([field]), what);
  }
}

/** A name without what people get wrong in it. */
function plain(word: string): string {
  return word.replaceAll(/[-_]/g, "").toLowerCase();
}

function unknownField(field: string, known: readonly string[]): string {
  const meant = known.find((each) => plain(each) === plain(field));
  return meant === undefined
    ? `is no setting; there are ${known.join(", ")}.`
    : `is no setting; it is called ${meant}.`;
}

function fault(path: string, what: string): ClientError {
  return new ClientError("configuration", `${path} ${what}`, { path });
}
