// Reads the options of an MCP server: every mistake has its path and says what is wanted.
import { AgentError } from "../errors.ts";
import { tell } from "../../client/tell.ts";
import type { McpCommandOptions, McpServerOptions, McpTimeouts, McpUrlOptions } from "./types.ts";

type Fields = Record<string, { wants: string; fits: (value: unknown) => boolean }>;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((it) => typeof it === "string");
const isRetry = (value: unknown): boolean => value === "safe" || value === "never";
const isDuration = (value: unknown): boolean => typeof value === "number" && value > 0;
const A_FUNCTION = { wants: "a function", fits: (value: unknown) => typeof value === "function" };
const A_DURATION = { wants: "a number of milliseconds above 0, or Infinity", fits: isDuration };

const COMMON: Fields = {
  name: { wants: "a name", fits: isText },
  prefix: { wants: "a text", fits: (value) => typeof value === "string" },
  retry: {
    wants: '"safe", "never", or an object of them by the name of the tool',
    fits: (value) => isRetry(value) || (isRecord(value) && Object.values(value).every(isRetry)),
  },
  trustHints: { wants: "true or false", fits: (value) => typeof value === "boolean" },
  timeouts: { wants: "an object", fits: isRecord },
  onProgress: A_FUNCTION,
  onProblem: A_FUNCTION,
};
const COMMAND: Fields = {
  ...COMMON,
  command: { wants: "the name or path of a program", fits: isText },
  args: {
    wants: "a list of texts",
    fits: (value) => Array.isArray(value) && value.every((it) => typeof it === "string"),
  },
  env: { wants: "an object of texts", fits: isTexts },
  cwd: { wants: "the path of a folder", fits: isText },
  onStderr: A_FUNCTION,
};
const URL_FIELDS: Fields = {
  ...COMMON,
  url: { wants: "a URL that begins with http:// or https://", fits: isHttpUrl },
  headers: {
    wants: "an object of texts, or a function that gives one",
    fits: (value) => isTexts(value) || typeof value === "function",
  },
};
const TIMEOUTS: Fields = { connectMs: A_DURATION, callMs: A_DURATION, gapMs: A_DURATION };

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== "string" && !(value instanceof URL)) return false;
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

export const isCommand = (options: McpServerOptions): options is McpCommandOptions => "command" in options;

/** Throws for what cannot be meant; what is absent or undefined is fine. */
export function checkOptions(options: McpServerOptions): void {
  if (!isRecord(options)) throw refuse("", "The options of an MCP server are an object with a name.");
  const [hasCommand, hasUrl] = [Object.hasOwn(options, "command"), Object.hasOwn(options, "url")];
  if (hasCommand === hasUrl) {
    throw refuse("", "An MCP server has either a `command` to start it, or a `url` where it is.");
  }
  checkFields(options, hasCommand ? COMMAND : URL_FIELDS, "");
  if (options.name === undefined) throw refuse("/name", "An MCP server needs a name.");
  checkFields(options.timeouts ?? {}, TIMEOUTS, "/timeouts");
}

function checkFields(given: object, fields: Fields, path: string): void {
  for (const [key, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      throw refuse(`${path}/${key}`, `There is no such option. There are: ${Object.keys(fields).join(", ")}.`);
    }
    // The value itself may be a secret.
    if (value !== undefined && !field.fits(value)) throw refuse(`${path}/${key}`, `This must be ${field.wants}.`);
  }
}

const refuse = (path: string, message: string): AgentError => new AgentError("invalid-input", message, { path });

/** The same options with listeners that may throw: most are called where nobody could catch it. */
export function withSafeListeners(options: McpServerOptions): McpServerOptions {
  const common = { onProgress: safe(options.onProgress), onProblem: safe(options.onProblem) };
  return isCommand(options) ? { ...options, ...common, onStderr: safe(options.onStderr) } : { ...options, ...common };
}

function safe<T>(listener: ((heard: T) => void) | undefined): ((heard: T) => void) | undefined {
  return listener && ((heard) => void tell(() => listener(heard)));
}

const CONNECT_MS = 30_000;

export function timeoutsOf({ timeouts }: McpServerOptions): Pick<McpTimeouts, "connectMs" | "gapMs"> {
  return { connectMs: timeouts?.connectMs ?? CONNECT_MS, gapMs: timeouts?.gapMs ?? Infinity };
}

/** What is reached, for people: without what may be a secret. */
export function placeOf(options: McpServerOptions): string {
  if (isCommand(options)) return `the program "${options.command}"`;
  const { origin, pathname } = new URL((options satisfies McpUrlOptions).url);
  return origin + pathname;
}
