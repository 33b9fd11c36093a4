// A tool call's arguments between text and value (B20, B22, B23).
import { JsonError } from "./errors.ts";
import { hasExactNumbers, parseJson, sameJson, sameValue, stringifyJson } from "./json.ts";
import type { ToolCallPart, ToolFormat } from "./parts.ts";

/** What the arguments of a call are, once read. `reason` says why they are invalid. */
export interface ReadArguments {
  input: unknown;
  inputText?: string;
  invalid?: true;
  reason?: string;
}

export interface ArgumentsForm {
  format?: ToolFormat | undefined;
  /** The dialect carries an object, not a text: keep the text only where parsing would change a number. */
  objectArgs?: boolean | undefined;
}

/**
 * What a text was read into, and how JSON spells that value: while it still does, the text stands for it, and need not
 * be read a second time. A cache: nothing depends on it.
 */
const READ = new WeakMap<object, { text: string; plain: string }>();

/**
 * Reads the text of a call's arguments. Blank means `{}` (B20). Unreadable text becomes `input` as it is, flagged
 * invalid (B22). The exact text is kept where writing the value again would spell it differently (B23).
 */
export function readArguments(text: string, form: ArgumentsForm = {}): ReadArguments {
  if (form.format === "text") return { input: text };
  if (text.trim() === "") return form.objectArgs === true ? { input: {} } : { input: {}, inputText: text };
  let input: unknown;
  try {
    input = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { input: text, inputText: text, invalid: true, reason: error.message };
  }
  if (form.objectArgs === true) return losesDigits(input, text) ? { input, inputText: text } : { input };
  const plain = JSON.stringify(input);
  if (plain === text) return { input };
  if (typeof input === "object" && input !== null) READ.set(input, { text, plain });
  return { input, inputText: text };
}

/** A bare number has no container to hold its digits beside it, so it is compared by its own text. */
function losesDigits(input: unknown, text: string): boolean {
  return typeof input === "number" ? !sameJson(parseJson(`[${text}]`), [input]) : hasExactNumbers(input);
}

/** The text of a call's arguments: the exact one, unless `input` was edited since. */
export function argumentsText(call: Pick<ToolCallPart, "input" | "inputText" | "format">): string {
  const { input, inputText } = call;
  if (inputText !== undefined && textStandsFor(inputText, input)) return inputText;
  if (typeof input === "string" && call.format === "text") return input;
  // No arguments are no reason to lose the call (B20).
  return input === undefined ? "{}" : stringifyJson(input);
}

function textStandsFor(inputText: string, input: unknown): boolean {
  const known = typeof input === "object" && input !== null ? READ.get(input) : undefined;
  if (known?.text === inputText && JSON.stringify(input) === known.plain) return true;
  const read = readArguments(inputText);
  // An invalid call holds its own text as input.
  if (input === inputText) return read.invalid === true;
  // A stored copy has lost the digits that only the text still knows, and perhaps the order of its keys.
  return read.invalid === undefined && (sameJson(read.input, input) || sameCopy(read.input, input));
}

function sameCopy(read: unknown, input: unknown): boolean {
  return !hasExactNumbers(input) && hasExactNumbers(read) && sameValue(read, input);
}
