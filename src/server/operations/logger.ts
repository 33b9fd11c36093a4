// Writes log lines: JSON for machines, or text for people. Lines of one turn of the event loop go out together.
import type { Clock } from "../../assembly/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { LogFields, Logger } from "./log.ts";
import type { Redact } from "./redact.ts";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;
type Level = Exclude<keyof typeof LEVELS, "silent">;
type Fields = Record<string, string | number | boolean | null>;

export interface LoggerOptions {
  settings: ServerConfig["log"];
  clock: Clock;
  /** Takes whole lines, line feeds included. */
  write: (lines: string) => void;
  redact: Redact;
}

const NOTHING = (): void => {};

/** A logger, and `flush`, which writes what is still waiting. */
export function createLogger({ settings, clock, write, redact }: LoggerOptions): Logger & { flush(): void } {
  const least = LEVELS[settings.level];
  const format = settings.format === "json" ? jsonLine : textLine;
  let waiting = "";
  // Under load, many lines are of the same millisecond.
  let told: ReturnType<Clock> | undefined;
  let time = "";
  const flush = (): void => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") write(lines);
  };
  const say = (level: Level, event: string, fields: LogFields | undefined, cause?: unknown): void => {
    if (LEVELS[level] < least) return;
    if (waiting === "") setImmediate(flush);
    const now = clock();
    if (now !== told) time = new Date(now).toISOString();
    told = now;
    const all = cause === undefined ? (fields ?? {}) : { ...fields, ...describe(cause) };
    waiting += `${format(time, level, event, shown(all, redact))}\n`;
  };
  const at = (level: Level): ((event: string, fields?: LogFields) => void) =>
    LEVELS[level] < least ? NOTHING : (event, fields) => say(level, event, fields);
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: (event, fields, cause) => say("error", event, fields, cause),
    flush,
  };
}

function shown(fields: LogFields, redact: Redact): Fields {
  const result: Fields = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) result[name] = typeof value === "string" ? redact(value, name) : value;
  }
  return result;
}

/** What was thrown, as fields. Causes are named, too: the last one is often the reason. */
function describe(cause: unknown): LogFields {
  if (cause === undefined) return {};
  if (!(cause instanceof Error)) return { error: typeof cause === "string" ? cause : JSON.stringify(cause) };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const because = cause.cause instanceof Error ? `${cause.cause.name}: ${cause.cause.message}` : undefined;
  return { error: cause.message, errorName: cause.name, errorCode: code, because, stack: cause.stack };
}

function jsonLine(time: string, level: Level, event: string, fields: Fields): string {
  let line = `{"time":"${time}","level":"${level}","event":${JSON.stringify(event)}`;
  for (const name in fields) line += `,${JSON.stringify(name)}:${JSON.stringify(fields[name])}`;
  return `${line}}`;
}

function textLine(time: string, level: Level, event: string, { stack, ...fields }: Fields): string {
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${plain(value)}`);
  // The rest of a stack stands on lines of its own, indented.
  const where =
    typeof stack === "string"
      ? stack
          .split("\n")
          .slice(1)
          .map((line) => `\n  ${line.trim()}`)
      : [];
  return `${time} ${level.padEnd(5)} ${event}${facts.join("")}${where.join("")}`;
}

/** Quoted where it would not read as one word: nothing that is logged can make a line of its own. */
function plain(value: string | number | boolean | null): string {
  return typeof value === "string" && !/^[\w./:@*+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}
