// Judges what a server makes of nonsense: it may refuse it, in the words of whoever asked; it may not break.
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import { tries } from "../../support/tries.ts";
import { startKoine } from "../support/koine.ts";
import { messageIn, type Words } from "./routes.ts";

export const IS_THOROUGH = tries(3) === 3;
/** Long runs differ, so that they add up; a failure names its seed. */
export const SEED = Number(process.env["FUZZ_SEED"] ?? (IS_THOROUGH ? Date.now() % 1_000_000 : 1));
const HANG_MS = 20_000;
/** Errors that nobody has foreseen. */
const UNFORESEEN = /^(?:Error|TypeError|RangeError|ReferenceError|SyntaxError|AssertionError)$/;

export interface Watched extends AsyncDisposable {
  readonly koine: KoineServer;
  /** Faults of the server's own that stand in its log, without a code. */
  faults(): string[];
}

export async function startWatched(input: ConfigInput, options: ServerOptions = {}): Promise<Watched> {
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
  /** For people: what was spoilt, and how. */
  what: string;
  words: Words;
  /** How a stream must end. */
  ending?: RegExp | undefined;
  /** What the provider said: an error that nobody understands may be handed on as it is. */
  theirs?: string;
  /** The provider's bytes go on unread: what they are is its own affair. */
  isUnread?: boolean;
  send(): Promise<Response>;
}

export interface Verdict {
  statuses: Record<number, number>;
  failures: string[];
}

/** Sends every case, some at a time. */
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
    const told = await Promise.race([hear(one), late.promise]);
    if (told === "late") return "It hangs.";
    const { status } = told;
    statuses[status] = (statuses[status] ?? 0) + 1;
    return faultIn(one, told);
  } catch (error) {
    return `It broke: ${String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

interface Heard {
  status: number;
  type: string;
  text: string;
}

async function hear(one: Case): Promise<Heard> {
  const reply = await one.send();
  return { status: reply.status, type: reply.headers.get("content-type") ?? "", text: await reply.text() };
}

/** What is told of a fault that nobody foresaw. */
const INTERNAL = /fault of Koine's own|the log has/;

function faultIn({ words, ending, theirs, isUnread = false }: Case, { status, type, text }: Heard): string | undefined {
  const shown = text.length > 600 ? `${text.slice(0, 200)} … ${text.slice(-400)}` : text;
  if (status >= 400) {
    if (INTERNAL.test(text)) return `${status}, a fault of its own: ${shown}`;
    const isSaid = messageIn(words, text) !== undefined || isWithin(text, theirs);
    return isSaid ? undefined : `${status}, not in ${words}'s words: ${shown}`;
  }
  if (type.startsWith("text/event-stream")) {
    return ending === undefined || ending.test(text) ? undefined : `A stream without an end: ${shown}`;
  }
  if (!type.startsWith("application/json") || isUnread) return undefined;
  return plain(text) === undefined ? `No JSON: ${shown}` : undefined;
}

/** Whether it is the provider's own error, or one that stands within its answer. */
function isWithin(text: string, theirs = ""): boolean {
  const said = plain(text);
  return said !== undefined && (theirs.includes(said) || plain(theirs)?.includes(said) === true);
}

/** JSON in one form; undefined where it is none. */
function plain(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
