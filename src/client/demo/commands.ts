// Defines and parses the commands of the demo provider. A message that does not begin with a command is plain text.
import type { ProviderErrorKind } from "../../model/index.ts";
import { PROVIDER_ERROR_KINDS } from "../../model/index.ts";
import type { RequestedCall } from "./parse-calls.ts";
import { parseCalls } from "./parse-calls.ts";

/** The action that a user message requests. */
export type DemoAction =
  | { kind: "echo" | "help" }
  | { kind: "say"; text: string }
  /** The tool calls: a list of steps, each with the calls that are made in parallel. */
  | { kind: "call"; steps: RequestedCall[][] }
  | { kind: "error"; error: ProviderErrorKind; midway: boolean }
  | { kind: "long"; words: number }
  | { kind: "json"; text: string }
  | { kind: "stall" | "refuse" | "filter" | "pause" | "stop" };

/** Modifiers of an action. A modifier is written before another command, or alone. */
export interface DemoModifiers {
  think: boolean;
  slow: boolean;
  cut: boolean;
}

export interface DemoPlan extends DemoModifiers {
  action: DemoAction;
}

const MODIFIERS: readonly string[] = ["think", "slow", "cut"] satisfies (keyof DemoModifiers)[];
const COMMAND = /^\s*([a-z]+)(?=$|[\s,:.!?])[\s,:.!]*/i;
const MAX_WORDS = 100_000;

/** The rows of the `help` text: the syntax of each command, and its effect. */
export const COMMANDS: readonly (readonly [string, string])[] = [
  ["think …", "reason first, and sign the reasoning"],
  ["call <tool> {…}", "call a tool that you offer; without arguments, they are made up from its schema"],
  ["call a and b, call a then b", "call several tools at once, or one after the other"],
  ["say <text>", "answer with exactly that text"],
  ["json {…}", "answer with JSON, or with an instance of the schema that you ask for"],
  ["long <n>", "answer with n words"],
  ["slow …", "answer slowly"],
  ["cut …", "break off in the middle, as if the token limit were reached"],
  ["pause", "stop half-way, and continue when called again"],
  ["stop", "end at once, without text"],
  ["refuse, filter", "refuse to answer, or be stopped by a filter"],
  ["stall", "begin, then send nothing more until the call ends"],
  ["error <kind> [midway]", `fail: ${PROVIDER_ERROR_KINDS.join(", ")}`],
];

/**
 * Parses the texts of a message and returns the plan of the first text that begins with a command or modifier. All
 * texts are searched, because some clients add texts of their own to the user's text.
 */
export function parsePlan(texts: readonly string[]): DemoPlan {
  const plans = texts.map(parseText);
  const isCommand = ({ action, ...modifiers }: DemoPlan): boolean =>
    action.kind !== "echo" || Object.values(modifiers).includes(true);
  return plans.find(isCommand) ?? parseText("");
}

function parseText(text: string): DemoPlan {
  const plan: DemoPlan = { think: false, slow: false, cut: false, action: { kind: "echo" } };
  let rest = text;
  for (;;) {
    const [match, word = ""] = COMMAND.exec(rest) ?? [];
    if (match === undefined) return plan;
    rest = rest.slice(match.length);
    const command = word.toLowerCase();
    if (!isModifier(command)) {
      plan.action = parseAction(command, rest.trim()) ?? plan.action;
      return plan;
    }
    plan[command] = true;
  }
}

function isModifier(word: string): word is keyof DemoModifiers {
  return MODIFIERS.includes(word);
}

/**
 * Parses the action of a command; `rest` is the text after the command's name. Returns undefined if the text only looks
 * like a command, such as "Long time no see".
 */
function parseAction(command: string, rest: string): DemoAction | undefined {
  switch (command) {
    case "help":
      return { kind: "help" };
    case "say":
      return rest === "" ? undefined : { kind: "say", text: rest };
    case "call":
      return { kind: "call", steps: parseCalls(rest) };
    case "json":
      return { kind: "json", text: rest };
    case "long": {
      const words = /^\d{1,9}(?=$|\s)/.exec(rest)?.[0];
      return words === undefined ? undefined : { kind: "long", words: Math.min(Number(words), MAX_WORDS) };
    }
    case "error":
      return parseError(rest);
    case "stall":
    case "refuse":
    case "filter":
    case "pause":
    case "stop":
      return rest === "" ? { kind: command } : undefined;
    default:
      return undefined;
  }
}

function parseError(rest: string): DemoAction | undefined {
  const words = rest.toLowerCase().split(/\s+/);
  const error = PROVIDER_ERROR_KINDS.find((kind) => words.includes(kind));
  return error === undefined || words.length > 2 ? undefined : { kind: "error", error, midway: words.length === 2 };
}
