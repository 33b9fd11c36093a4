// Checks the options of an MCP server; every error has the path of the option and the expected value.
import { AgentError } from "../errors.ts";
import { notifyListener } from "../../calls/index.ts";
import type { McpCommandOptions, McpServerOptions, McpTimeouts, McpUrlOptions } from "./types.ts";
import { isRecord } from "../../model/value-kind.ts";

type OptionFields = Record<string, { expected: string; isValid: (value: unknown) => boolean }>;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((each) => typeof each === "string");
const isRetry = (value: unknown): boolean => value === "safe" || value === "never";
const isDuration = (value: unknown): boolean => typeof value === "number" && value > 0;
const A_FUNCTION = { expected: "a function", isValid: (value: unknown) => typeof value === "function" };
const A_DURATION = { expected: "a number of milliseconds above 0, or Infinity", isValid: isDuration };

const COMMON: OptionFields = {
  name: { expected: "a name", isValid: isText },
  prefix: { expected: "a text", isValid: (value) => typeof value === "string" },
  retry: {
    expected: '"safe", "never", or an object of them by the name of the tool',
    isValid: (value) => isRetry(value) || (isRecord(value) && Object.values(value).every(isRetry)),
  },
  trustHints: { expected: "true or false", isValid: (value) => typeof value === "boolean" },
  timeouts: { expected: "an object", isValid: isRecord },
  onProgress: A_FUNCTION,
  onProblem: A_FUNCTION,
};
const COMMAND: OptionFields = {
  ...COMMON,
  command: { expected: "the name or path of a program", isValid: isText },
  args: {
    expected: "a list of texts",
    isValid: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  },
  env: { expected: "an object of texts", isValid: isTexts },
  cwd: { expected: "the path of a folder", isValid: isText },
  onStderr: A_FUNCTION,
};
const URL_FIELDS: OptionFields = {
  ...COMMON,
  url: { expected: "a URL that begins with http:// or https://", isValid: isHttpUrl },
  headers: {
    expected: "an object of texts, or a function that gives one",
    isValid: (value) => isTexts(value) || typeof value === "function",
  },
};
const TIMEOUTS: OptionFields = { connectMs: A_DURATION, callMs: A_DURATION, gapMs: A_DURATION };

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== "string" && !(value instanceof URL)) return false;
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

export const isCommand = (options: McpServerOptions): options is McpCommandOptions => "command" in options;

/** Throws an `AgentError` for an invalid option. An option with the value undefined counts as absent. */
export function checkOptions(options: McpServerOptions): void {
  if (!isRecord(options)) throw invalidOptionError("", "The options of an MCP server must be an object with a name.");
  const [hasCommand, hasUrl] = [Object.hasOwn(options, "command"), Object.hasOwn(options, "url")];
  if (hasCommand === hasUrl) {
    throw invalidOptionError("", "An MCP server needs either a `command` or a `url`.");
  }
  checkFields(options, hasCommand ? COMMAND : URL_FIELDS, "");
  if (options.name === undefined) throw invalidOptionError("/name", "An MCP server needs a name.");
  checkFields(options.timeouts ?? {}, TIMEOUTS, "/timeouts");
}

function checkFields(options: object, fields: OptionFields, path: string): void {
  for (const [key, value] of Object.entries(options)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      throw invalidOptionError(
        `${path}/${key}`,
        `This is not an option. The options are: ${Object.keys(fields).join(", ")}.`,
      );
    }
    // The message does not contain the value, which may be a secret.
    if (value !== undefined && !field.isValid(value))
      throw invalidOptionError(`${path}/${key}`, `This must be ${field.expected}.`);
  }
}

const invalidOptionError = (path: string, message: string): AgentError =>
  new AgentError("invalid-input", message, { path });

/**
 * Returns the options with listeners whose exceptions are ignored. Most listeners are called from event handlers of the
 * SDK, where no caller could catch an exception.
 */
export function withSafeListeners(options: McpServerOptions): McpServerOptions {
  const common = { onProgress: withoutThrowing(options.onProgress), onProblem: withoutThrowing(options.onProblem) };
  return isCommand(options)
    ? { ...options, ...common, onStderr: withoutThrowing(options.onStderr) }
    : { ...options, ...common };
}

function withoutThrowing<T>(listener: ((event: T) => void) | undefined): ((event: T) => void) | undefined {
  return listener && ((event) => void notifyListener(() => listener(event)));
}

const CONNECT_MS = 30_000;

export function readTimeouts({ timeouts }: McpServerOptions): Pick<McpTimeouts, "connectMs" | "gapMs"> {
  return { connectMs: timeouts?.connectMs ?? CONNECT_MS, gapMs: timeouts?.gapMs ?? Infinity };
}

/** Returns the program or the URL of the server, without query and credentials, which may be secrets. */
export function describeServer(options: McpServerOptions): string {
  if (isCommand(options)) return `the program "${options.command}"`;
  const { origin, pathname } = new URL((options satisfies McpUrlOptions).url);
  return origin + pathname;
}
