// Converts the arguments of a tool call from JSON text to a value and back (B20, B22, B23).
import { assertObject, assertString } from "./argument-error.ts";
import { JsonError } from "./errors.ts";
import { hasExactNumbers, parseJson, sameJson, sameValue, stringifyJson } from "./json/index.ts";
import type { ToolCallPart, ToolFormat } from "./parts.ts";

/** The parsed arguments of a tool call. `reason` is present for invalid arguments and explains the fault. */
export interface ParsedArguments {
  input: unknown;
  inputText?: string;
  invalid?: true;
  reason?: string;
}

/** Options of `parseArguments`. */
export interface ParseArgumentsOptions {
  format?: ToolFormat | undefined;
  /**
   * True if the wire has the arguments as an object instead of a text. `inputText` is then set only if parsing would
   * change a number.
   */
  objectArgs?: boolean | undefined;
}

/**
 * For each parsed input, its source text and `plain`, the JSON of the input after parsing. If the input still
 * serializes to `plain`, it was not edited, and the source text need not be parsed again.
 */
const PARSED_TEXTS = new WeakMap<object, { text: string; plain: string }>();

/**
 * Parses the text of a call's arguments. A blank text means `{}` (B20). Text that is not JSON becomes `input` verbatim
 * and is flagged `invalid` (B22). `inputText` has the exact text if serializing the value again would differ (B23).
 *
 * @example
 * ```ts
 * import { parseArguments } from "koine";
 *
 * console.log(parseArguments('{"city": "Rome"}')); // {"input":{"city":"Rome"},"inputText":"{\"city\": \"Rome\"}"}
 * console.log(parseArguments('{"city": "Ro').invalid); // true
 * ```
 */
export function parseArguments(text: string, form: ParseArgumentsOptions = {}): ParsedArguments {
  assertString("parseArguments", "text", text);
  assertObject("parseArguments", "options", form);
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
  if (typeof input === "object" && input !== null) PARSED_TEXTS.set(input, { text, plain });
  return { input, inputText: text };
}

/**
 * True if parsing the text has changed the digits of a number. A number that is the entire text has no container that
 * could record its exact digits, so it is parsed again in a list.
 */
function losesDigits(input: unknown, text: string): boolean {
  return typeof input === "number" ? !sameJson(parseJson(`[${text}]`), [input]) : hasExactNumbers(input);
}

/** Returns the text of a call's arguments: `inputText`, unless `input` was edited after parsing. */
export function formatArguments(call: Pick<ToolCallPart, "input" | "inputText" | "format">): string {
  assertObject("formatArguments", "call", call);
  const { input, inputText } = call;
  if (inputText !== undefined && textMatchesInput(inputText, input)) return inputText;
  if (typeof input === "string" && call.format === "text") return input;
  // A call without arguments has an empty object as its arguments (B20).
  return input === undefined ? "{}" : stringifyJson(input);
}

function textMatchesInput(inputText: string, input: unknown): boolean {
  const known = typeof input === "object" && input !== null ? PARSED_TEXTS.get(input) : undefined;
  if (known?.text === inputText && JSON.stringify(input) === known.plain) return true;
  const read = parseArguments(inputText);
  // The input of a call with invalid JSON is its text. An input that equals the text therefore matches only if the text
  // is invalid JSON: valid JSON text always parses to a value that differs from the text.
  if (input === inputText) return read.invalid === true;
  // The inputs are compared with the exact digits of numbers and also without them, because a copy from a database has
  // lost the exact digits, which only the text has.
  return read.invalid === undefined && (sameJson(read.input, input) || isCopyWithoutDigits(read.input, input));
}

function isCopyWithoutDigits(read: unknown, input: unknown): boolean {
  return !hasExactNumbers(input) && hasExactNumbers(read) && sameValue(read, input);
}
