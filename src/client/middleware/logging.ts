// Implements the logging middleware, which creates one entry per call with its target, result, duration and cost. An
// entry contains no keys, and content only if the option `content` is set.
import type { Clock } from "../../assembly/index.ts";
import type { FinishReason, Usage } from "../../model/index.ts";
import { addUsage } from "../../model/index.ts";
import type { Answer, Attempt, FieldChecks } from "../../calls/index.ts";
import { checkBoolean, checkFields, checkFunction, ClientError, notifyListener } from "../../calls/index.ts";
import { deferStream } from "./defer-stream.ts";
import type { CallOutcome } from "./tap-stream.ts";
import { tapStream } from "./tap-stream.ts";
import type { Call, Middleware } from "./types.ts";

/** The log entry of a call that has ended. */
export interface LogEntry {
  mode: "complete" | "stream";
  /** The model name in the request; an empty string if the request has none. */
  requestedModel: string;
  /** The provider of the answer, or of the last failed attempt. */
  provider?: string;
  model?: string;
  durationMs: number;
  /**
   * The time in milliseconds from the beginning of a streamed call to its first deltas; undefined if there were none.
   */
  firstDeltaMs?: number;
  finishReason?: FinishReason;
  /** The usage of all attempts together. */
  usage?: Usage;
  /**
   * The attempts of the call. Unless the option `content` is set, error messages are shortened and raw replies (`raw`)
   * are removed.
   */
  attempts: readonly Attempt[];
  /** The number of losses, not counting losses of the level "note". */
  losses: number;
  error?: { code: string; message: string };
  /**
   * The call, without its headers, which may contain keys. Present only if the option `content` is set, as is `answer`.
   */
  call?: Call;
  answer?: Answer;
}

/** Options of `logging`. */
export interface LoggingOptions {
  /**
   * Called at the end of every call. The call does not wait for the function, and its exceptions are ignored.
   * `describeEntry` formats an entry as a line.
   */
  log: (entry: LogEntry) => void;
  /** If true, entries contain requests and answers. Default: false. */
  content?: boolean | undefined;
  clock?: Clock | undefined;
}

const OPTIONS: FieldChecks<keyof LoggingOptions> = { log: checkFunction, content: checkBoolean, clock: checkFunction };

/**
 * Creates a middleware that logs every call at its end: `logging(console.log)`.
 *
 * @example
 * ```ts
 * import { user } from "koine";
 * import { createClient, demo, logging } from "koine/client";
 *
 * const client = createClient({
 *   providers: { demo: demo() },
 *   middleware: [logging(({ requestedModel, provider, finishReason }) => {
 *     console.log(`${requestedModel} by ${provider}: ${finishReason?.unified}`); // demo/koine by demo: stop
 *   })],
 * });
 * await client.complete({ model: "demo/koine", messages: [user("say Hello.")] });
 * await client.close();
 * ```
 */
export function logging(options: LoggingOptions | LoggingOptions["log"]): Middleware {
  const settings = typeof options === "function" ? { log: options } : options;
  checkFields(settings, OPTIONS, "");
  const { log, content = false, clock = Date.now } = settings;
  checkFunction(log, "/log");
  const now = (): number => new Date(clock()).getTime();
  const createEntry = (mode: LogEntry["mode"], call: Call, startedAt: number, outcome: CallOutcome): LogEntry => {
    const durationMs = now() - startedAt;
    const entry: LogEntry = { mode, requestedModel: call.request.model ?? "", durationMs, attempts: [], losses: 0 };
    Object.assign(entry, "answer" in outcome ? describeAnswer(outcome.answer) : describeError(outcome.error));
    const usage = sumUsage(entry.attempts);
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
      void notifyListener(() => log(createEntry("complete", call, startedAt, outcome)));
      if ("error" in outcome) throw outcome.error;
      return outcome.answer;
    },
    stream: (call, next) =>
      deferStream(() => {
        const startedAt = now();
        let firstDeltaMs: number | undefined;
        const deltas = (): void => void (firstDeltaMs ??= now() - startedAt);
        const ended = (outcome: CallOutcome): void => {
          const entry = createEntry("stream", call, startedAt, outcome);
          if (firstDeltaMs !== undefined) entry.firstDeltaMs = firstDeltaMs;
          void notifyListener(() => log(entry));
        };
        return tapStream(next(call), { deltas, ended }, call.options.signal);
      }, call.options.signal),
  };
}

function describeAnswer({ provider, model, finishReason, attempts, losses }: Answer): Partial<LogEntry> {
  return { provider, model, finishReason, attempts, losses: losses.filter(({ level }) => level !== "note").length };
}

function describeError(error: unknown): Partial<LogEntry> {
  if (!(error instanceof ClientError)) return { error: { code: "unknown", message: String(error) } };
  const { code, message, attempts, provider, model } = error;
  return {
    error: { code, message },
    attempts,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}

/** The length to which error messages are shortened, because a provider's message may repeat the request. */
const MAX_MESSAGE_LENGTH = 200;

function shorten(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

/** Returns an entry without content: raw replies are removed and long error messages are shortened. */
function withoutTexts({ attempts, error, ...entry }: LogEntry): LogEntry {
  const result: LogEntry = { ...entry, attempts: attempts.map(withoutRaw) };
  if (error !== undefined) result.error = { code: error.code, message: shorten(error.message) };
  return result;
}

function withoutRaw(attempt: Attempt): Attempt {
  if (attempt.error === undefined) return attempt;
  const { raw: _, message, ...error } = attempt.error;
  return { ...attempt, error: { ...error, message: shorten(message) } };
}

function withoutHeaders({ request, options }: Call): Call {
  const { headers: _, ...rest } = options;
  return { request, options: rest };
}

/** Returns the usage of all attempts together, including failed ones (B67); undefined if none is known. */
function sumUsage(attempts: readonly Attempt[]): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of attempts) {
    if (usage !== undefined) sum = sum === undefined ? usage : addUsage(sum, usage);
  }
  return sum;
}

/** Formats a log entry as one line of text. */
export function describeEntry(entry: LogEntry): string {
  const { mode, requestedModel, provider, model, durationMs, attempts, usage, finishReason, losses, error } = entry;
  const fields = [
    provider === undefined ? requestedModel : `${provider}/${model ?? requestedModel}`,
    mode,
    error === undefined ? (finishReason?.unified ?? "") : `failed (${error.code})`,
    `${durationMs} ms`,
    attempts.length === 1 ? "" : attempts.length === 0 ? "no attempt" : `${attempts.length} attempts`,
    usage === undefined ? "" : `${usage.inputTokens} → ${usage.outputTokens} tokens`,
    usage?.cost === undefined ? "" : `$${usage.cost.toFixed(4)}`,
    losses === 0 ? "" : losses === 1 ? "1 loss" : `${losses} losses`,
  ];
  return fields.filter((field) => field !== "").join(", ");
}
