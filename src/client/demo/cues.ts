// The words that the demo obeys, and how a message is read for them. A message that begins with none is plain text.
import type { ProviderErrorKind } from "../../model/index.ts";
import { PROVIDER_ERROR_KINDS } from "../../model/index.ts";
import type { WantedCall } from "./wanted-calls.ts";
import { readWantedCalls } from "./wanted-calls.ts";

/** What a message asks for. */
export type Act =
  | { kind: "echo" | "help" }
  | { kind: "say"; text: string }
  /** Steps, each of calls that are made together. */
  | { kind: "call"; steps: WantedCall[][] }
  | { kind: "error"; error: ProviderErrorKind; midway: boolean }
  | { kind: "long"; words: number }
  | { kind: "json"; text: string }
  | { kind: "stall" | "refuse" | "filter" | "pause" | "stop" };

/** How it is done: each of these stands before another cue, or alone. */
export interface Manner {
  think: boolean;
  slow: boolean;
  cut: boolean;
}

export interface Plan extends Manner {
  act: Act;
}

const MANNERS: readonly string[] = ["think", "slow", "cut"] satisfies (keyof Manner)[];
const CUE = /^\s*([a-z]+)(?=$|[\s,:.!?])[\s,:.!]*/i;
const MOST_WORDS = 100_000;

/** For `help`: how each cue is written, and what it does. */
export const CUES: readonly (readonly [string, string])[] = [
  ["think …", "reason first, and sign the reasoning"],
  ["call <tool> {…}", "call a tool that you offer; without arguments I make some up from its schema"],
  ["call a and b, call a then b", "call several tools at once, or one after the other"],
  ["say <text>", "answer with exactly that text"],
  ["json {…}", "answer with JSON, or with an instance of the schema that you ask for"],
  ["long <n>", "answer with n words"],
  ["slow …", "take my time"],
  ["cut …", "break off in the middle, as if the limit of tokens were reached"],
  ["pause", "stop half-way, and go on when I am asked again"],
  ["stop", "end at once, without a word"],
  ["refuse, filter", "decline to answer, or be stopped by a filter"],
  ["stall", "begin, then say nothing more until you give up"],
  ["error <kind> [midway]", `fail: ${PROVIDER_ERROR_KINDS.join(", ")}`],
];

/**
 * What a message asks for. Words that are no cue are plain text. Of several texts the first one with a cue counts: some
 * clients put remarks of their own beside what their user wrote.
 */
export function readPlan(texts: readonly string[]): Plan {
  const plans = texts.map(readText);
  const isCue = ({ act, ...manner }: Plan): boolean => act.kind !== "echo" || Object.values(manner).includes(true);
  return plans.find(isCue) ?? readText("");
}

function readText(text: string): Plan {
  const plan: Plan = { think: false, slow: false, cut: false, act: { kind: "echo" } };
  let rest = text;
  for (;;) {
    const [found, word = ""] = CUE.exec(rest) ?? [];
    if (found === undefined) return plan;
    rest = rest.slice(found.length);
    const cue = word.toLowerCase();
    if (!isManner(cue)) {
      plan.act = readAct(cue, rest.trim()) ?? plan.act;
      return plan;
    }
    plan[cue] = true;
  }
}

function isManner(word: string): word is keyof Manner {
  return MANNERS.includes(word);
}

/** Cues that need an object are cues only with it: "Long time no see" is plain text. */
function readAct(cue: string, rest: string): Act | undefined {
  switch (cue) {
    case "help":
      return { kind: "help" };
    case "say":
      return rest === "" ? undefined : { kind: "say", text: rest };
    case "call":
      return { kind: "call", steps: readWantedCalls(rest) };
    case "json":
      return { kind: "json", text: rest };
    case "long": {
      const words = /^\d{1,9}(?=$|\s)/.exec(rest)?.[0];
      return words === undefined ? undefined : { kind: "long", words: Math.min(Number(words), MOST_WORDS) };
    }
    case "error":
      return readError(rest);
    case "stall":
    case "refuse":
    case "filter":
    case "pause":
    case "stop":
      return rest === "" ? { kind: cue } : undefined;
    default:
      return undefined;
  }
}

function readError(rest: string): Act | undefined {
  const words = rest.toLowerCase().split(/\s+/);
  const error = PROVIDER_ERROR_KINDS.find((kind) => words.includes(kind));
  return error === undefined || words.length > 2 ? undefined : { kind: "error", error, midway: words.length === 2 };
}
