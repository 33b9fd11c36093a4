// One entry per call: who was asked, how it ended, how long it took and what it cost. No keys, and no texts unless asked for.
import type { Clock } from "../../assembly/index.ts";
import type { FinishReason, Usage } from "../../model/index.ts";
import { addUsage } from "../../model/index.ts";
import type { Checks } from "../checks.ts";
import { aFlag, aFunction, checkFields } from "../checks.ts";
import { ClientError } from "../errors.ts";
import type { Answer, Attempt } from "../types.ts";
import { deferStream } from "./defer.ts";
import type { CallOutcome } from "./tap.ts";
import { tapStream } from "./tap.ts";
import { tell } from "../tell.ts";
import type { Call, Middleware } from "./types.ts";

/** What is known of a call when it has ended. */
export interface LogEntry {
  mode: "complete" | "stream";
  /** The model as it was asked for. */
  asked: string;
  /** Who answered or failed last. */
  provider?: string;
  model?: string;
  durationMs: number;
  /** Until the first deltas of a stream. */
  firstDeltaMs?: number;
  finishReason?: FinishReason;
  /** Of all attempts. */
  usage?: Usage;
  /** Without `content`, what a provider said in an error is cut short, and the reply itself (`raw`) is left out. */
  attempts: readonly Attempt[];
  /** How many losses there were, notes aside. */
  losses: number;
  error?: { code: string; message: string };
  /** With `content` only: what was asked and answered. Not the call's headers: they may hold keys. */
  call?: Call;
  answer?: Answer;
}

export interface LoggingOptions {
  /**
   * Hears of every call when it has ended; `describeEntry` makes a line of what it is given. It is not waited for, and
   * what it throws goes no further: an answer is not lost because it could not be logged.
   */
  log: (entry: LogEntry) => void;
  /** Whether entries hold what was said. Default false. */
  content?: boolean | undefined;
  clock?: Clock | undefined;
}

const OPTIONS: Checks<keyof LoggingOptions> = { log: aFunction, content: aFlag, clock: aFunction };

/** Tells of every call, whole or streamed, when it has ended: `logging(console.log)`. */
export function logging(options: LoggingOptions | LoggingOptions["log"]): Middleware {
  const settings = typeof options === "function" ? { log: options } : options;
  checkFields(settings, OPTIONS, "");
  const { log, content = false, clock = Date.now } = settings;
  aFunction(log, "/log");
  const now = (): number => new Date(clock()).getTime();
  const entryOf = (mode: LogEntry["mode"], call: Call, startedAt: number, outcome: CallOutcome): LogEntry => {
    const durationMs = now() - startedAt;
    const entry: LogEntry = { mode, asked: call.request.model ?? "", durationMs, attempts: [], losses: 0 };
    Object.assign(entry, "answer" in outcome ? answerFacts(outcome.answer) : errorFacts(outcome.error));
    const usage = usageOf(entry.attempts);
    if (usage !== undefined) entry.usage = usage;
    if (!content) return withoutTexts(entry);
    return Object.assign(entry, { call: withoutHeaders(call) }, "answer" in outcome && { answer: outcome.answer });
  };
  return {
    name: "logging",
    async complete(call, next) {
      const startedAt = now();
      const outcome = await next(call).then(
        (answer): CallOutcome => ({ answer }),
        (error: unknown): CallOutcome => ({ error }),
      );
      void tell(() => log(entryOf("complete", call, startedAt, outcome)));
      if ("error" in outcome) throw outcome.error;
      return outcome.answer;
    },
    stream: (call, next) =>
      deferStream(() => {
        const startedAt = now();
        let firstDeltaMs: number | undefined;
        const deltas = (): void => void (firstDeltaMs ??= now() - startedAt);
        const ended = (outcome: CallOutcome): void => {
          const entry = entryOf("stream", call, startedAt, outcome);
          if (firstDeltaMs !== undefined) entry.firstDeltaMs = firstDeltaMs;
          void tell(() => log(entry));
        };
        return tapStream(next(call), { deltas, ended }, call.options.signal);
      }, call.options.signal),
  };
}

function answerFacts({ provider, model, finishReason, attempts, losses }: Answer): Partial<LogEntry> {
  return { provider, model, finishReason, attempts, losses: losses.filter(({ level }) => level !== "note").length };
}

function errorFacts(error: unknown): Partial<LogEntry> {
  if (!(error instanceof ClientError)) return { error: { code: "unknown", message: String(error) } };
  const { code, message, attempts, provider, model } = error;
  return {
    error: { code, message },
    attempts,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}

/** What a provider says of an error may repeat the question; more of it than this is in the error itself. */
const LONGEST_MESSAGE = 200;

function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

/** An entry in which nobody reads what was said: a reply that could not be read is an answer all the same. */
function withoutTexts({ attempts, error, ...entry }: LogEntry): LogEntry {
  const told: LogEntry = { ...entry, attempts: attempts.map(withoutRaw) };
  if (error !== undefined) told.error = { code: error.code, message: shortened(error.message) };
  return told;
}

function withoutRaw(attempt: Attempt): Attempt {
  if (attempt.error === undefined) return attempt;
  const { raw: _, message, ...error } = attempt.error;
  return { ...attempt, error: { ...error, message: shortened(message) } };
}

function withoutHeaders({ request, options }: Call): Call {
  const { headers: _, ...told } = options;
  return { request, options: told };
}

/** What all attempts used together, failed ones included (B67). */
function usageOf(attempts: readonly Attempt[]): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of attempts) {
    if (usage !== undefined) sum = sum === undefined ? usage : addUsage(sum, usage);
  }
  return sum;
}

/** An entry in one line. */
export function describeEntry(entry: LogEntry): string {
  const { mode, asked, provider, model, durationMs, attempts, usage, finishReason, losses, error } = entry;
  const facts = [
    provider === undefined ? asked : `${provider}/${model ?? asked}`,
    mode,
    error === undefined ? (finishReason?.unified ?? "") : `failed (${error.code})`,
    `${durationMs} ms`,
    attempts.length === 1 ? "" : attempts.length === 0 ? "nobody asked" : `${attempts.length} attempts`,
    usage === undefined ? "" : `${usage.inputTokens} → ${usage.outputTokens} tokens`,
    usage?.cost === undefined ? "" : `$${usage.cost.toFixed(4)}`,
    losses === 0 ? "" : `${losses} losses`,
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}
