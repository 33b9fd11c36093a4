// Checks the replies to corrupted input: errors in the client's format are allowed, internal errors are not.
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { startKoine } from "../support/start-koine.ts";
import { readErrorMessage, type ErrorFormat } from "./routes.ts";

export const IS_THOROUGH = scaleRunCount(3) === 3;
/** Random by default, so that runs add up; a failure prints its seed. */
export const SEED = Number(process.env["FUZZ_SEED"] ?? (IS_THOROUGH ? Date.now() % 1_000_000 : 1));
const HANG_MS = 20_000;
/** Names of unexpected errors. */
const UNFORESEEN = /^(?:Error|TypeError|RangeError|ReferenceError|SyntaxError|AssertionError)$/;

export interface WatchedServer extends AsyncDisposable {
  readonly koine: KoineServer;
  /** Returns the internal errors in the log. */
  faults(): string[];
}

export async function startWatched(input: ConfigInput, options: ServerOptions = {}): Promise<WatchedServer> {
  let log = "";
  const koine = await startKoine(
    { ...input, log: { level: "warn", format: "json" }, drainMs: 200 },
    { ...options, write: (lines) => (log += lines), stopMs: 500 },
  );
  const rejected: string[] = [];
  const note = (reason: unknown): void => void rejected.push(`unhandled: ${String(reason)}`);
  process.on("unhandledRejection", note);
  return {
    koine,
    faults() {
      const lines = log
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const faults = lines.filter(({ errorName }) => UNFORESEEN.test(String(errorName)));
      return [
        ...rejected,
        ...faults.map(({ event, route, stack }) => [event, route, stack].map(String).join(" ").slice(0, 800)),
      ];
    },
    async [Symbol.asyncDispose]() {
      process.off("unhandledRejection", note);
      await koine.close();
    },
  };
}

export interface Case {
  /** A description of the corruption. */
  what: string;
  errorFormat: ErrorFormat;
  /** The required end of a stream. */
  ending?: RegExp | undefined;
  /** The provider's reply: an undecodable error may be forwarded as it is. */
  providerReply?: string;
  /** The provider's bytes are forwarded without decoding. */
  isPassThrough?: boolean;
  send(): Promise<Response>;
}

export interface Verdict {
  statuses: Record<number, number>;
  failures: string[];
}

/** Sends all cases, some concurrently. */
export async function judgeAll(cases: Iterable<Case>): Promise<Verdict> {
  const verdict: Verdict = { statuses: {}, failures: [] };
  const queue = cases[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const fault = await judge(next.value, verdict.statuses);
      if (fault !== undefined) verdict.failures.push(`${next.value.what}\n  ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return verdict;
}

async function judge(one: Case, statuses: Verdict["statuses"]): Promise<string | undefined> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), HANG_MS);
  try {
    const reply = await Promise.race([sendCase(one), late.promise]);
    if (reply === "late") return "It hangs.";
    const { status } = reply;
    statuses[status] = (statuses[status] ?? 0) + 1;
    return faultIn(one, reply);
  } catch (error) {
    return `It broke: ${String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

interface ReceivedReply {
  status: number;
  type: string;
  text: string;
}

async function sendCase(one: Case): Promise<ReceivedReply> {
  const reply = await one.send();
  return { status: reply.status, type: reply.headers.get("content-type") ?? "", text: await reply.text() };
}

/** The message of an internal error. */
const INTERNAL = /internal error|the log has/;

function faultIn(
  { errorFormat, ending, providerReply, isPassThrough = false }: Case,
  { status, type, text }: ReceivedReply,
): string | undefined {
  const shown = text.length > 600 ? `${text.slice(0, 200)} … ${text.slice(-400)}` : text;
  if (status >= 400) {
    if (INTERNAL.test(text)) return `${status}, a fault of its own: ${shown}`;
    const isReported = readErrorMessage(errorFormat, text) !== undefined || isWithin(text, providerReply);
    return isReported ? undefined : `${status}, not in ${errorFormat}'s format: ${shown}`;
  }
  if (type.startsWith("text/event-stream")) {
    return ending === undefined || ending.test(text) ? undefined : `A stream without an end: ${shown}`;
  }
  if (!type.startsWith("application/json") || isPassThrough) return undefined;
  return plain(text) === undefined ? `No JSON: ${shown}` : undefined;
}

/** True if the error is the provider's own, or part of its answer. */
function isWithin(text: string, providerReply = ""): boolean {
  const normalized = plain(text);
  return (
    normalized !== undefined &&
    (providerReply.includes(normalized) || plain(providerReply)?.includes(normalized) === true)
  );
}

/** Returns normalized JSON; undefined for other text. */
function plain(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
