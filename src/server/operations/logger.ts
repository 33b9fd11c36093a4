// Formats log lines as JSON or text. The lines of one event-loop tick are written together.
import type { Clock } from "../../assembly/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { LogFields, Logger } from "./log.ts";
import type { Redact } from "./redact.ts";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;
type LogLevel = Exclude<keyof typeof LEVELS, "silent">;
type RedactedFields = Record<string, string | number | boolean | null>;

export interface LoggerOptions {
  settings: ServerConfig["log"];
  clock: Clock;
  /** Writes one or several complete lines; each ends with a line feed. */
  write: (lines: string) => void;
  redact: Redact;
}

const NO_OP = (): void => {};

/** Creates a logger. `flush` writes the buffered lines at once, for example before the process exits. */
export function createLogger({ settings, clock, write, redact }: LoggerOptions): Logger & { flush(): void } {
  const least = LEVELS[settings.level];
  const format = settings.format === "json" ? jsonLine : textLine;
  let buffered = "";
  // The formatted time is cached, because under load many lines are logged in the same millisecond.
  let formattedTime: ReturnType<Clock> | undefined;
  let time = "";
  const flush = (): void => {
    const lines = buffered;
    buffered = "";
    if (lines !== "") write(lines);
  };
  const writeEntry = (level: LogLevel, event: string, fields: LogFields | undefined, cause?: unknown): void => {
    if (LEVELS[level] < least) return;
    if (buffered === "") setImmediate(flush);
    const now = clock();
    if (now !== formattedTime) time = new Date(now).toISOString();
    formattedTime = now;
    const all = cause === undefined ? (fields ?? {}) : { ...fields, ...describeCause(cause) };
    buffered += `${format(time, level, event, redactFields(all, redact))}\n`;
  };
  const at = (level: LogLevel): ((event: string, fields?: LogFields) => void) =>
    LEVELS[level] < least ? NO_OP : (event, fields) => writeEntry(level, event, fields);
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: (event, fields, cause) => writeEntry("error", event, fields, cause),
    flush,
  };
}

function redactFields(fields: LogFields, redact: Redact): RedactedFields {
  const result: RedactedFields = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) result[name] = typeof value === "string" ? redact(value, name) : value;
  }
  return result;
}

/** Returns the log fields of an error, including the message of the error's `cause`, which is often the real reason. */
function describeCause(cause: unknown): LogFields {
  if (cause === undefined) return {};
  if (!(cause instanceof Error)) return { error: typeof cause === "string" ? cause : JSON.stringify(cause) };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const because = cause.cause instanceof Error ? `${cause.cause.name}: ${cause.cause.message}` : undefined;
  return { error: cause.message, errorName: cause.name, errorCode: code, because, stack: cause.stack };
}

function jsonLine(time: string, level: LogLevel, event: string, fields: RedactedFields): string {
  let line = `{"time":"${time}","level":"${level}","event":${JSON.stringify(event)}`;
  for (const name in fields) line += `,${JSON.stringify(name)}:${JSON.stringify(fields[name])}`;
  return `${line}}`;
}

function textLine(time: string, level: LogLevel, event: string, { stack, ...fields }: RedactedFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoteIfNeeded(value)}`);
  // The lines of the stack trace follow the log line of the event, indented.
  const where =
    typeof stack === "string"
      ? stack
          .split("\n")
          .slice(1)
          .map((line) => `\n  ${line.trim()}`)
      : [];
  return `${time} ${level.padEnd(5)} ${event}${pairs.join("")}${where.join("")}`;
}

/** Quotes a value unless it is one plain word, so that a value with a line break cannot forge a log line. */
function quoteIfNeeded(value: string | number | boolean | null): string {
  return typeof value === "string" && !/^[\w./:@*+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}
