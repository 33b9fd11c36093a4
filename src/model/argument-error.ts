// Defines the error for an argument of a public function that has the wrong type, and functions that check arguments.
// Callers without type checks receive this error instead of a TypeError of the JavaScript engine.
import { KoineError } from "./errors.ts";
import { describeKind } from "./value-kind.ts";

/** Thrown for an argument of the wrong type; `argument` is the name of the argument. */
export class ArgumentError extends KoineError<"invalid-argument"> {
  override readonly name = "ArgumentError";
  readonly argument: string;

  constructor(functionName: string, argument: string, expected: string, value: unknown) {
    super("invalid-argument", `${functionName}: \`${argument}\` must be ${expected}, but is ${describeKind(value)}.`);
    this.argument = argument;
  }
}

/** Throws an `ArgumentError` unless the value is an object. */
export function assertObject(functionName: string, argument: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return;
  throw new ArgumentError(functionName, argument, "an object", value);
}

/** Throws an `ArgumentError` unless the value is a string. */
export function assertString(functionName: string, argument: string, value: unknown): void {
  if (typeof value !== "string") throw new ArgumentError(functionName, argument, "a string", value);
}

/** Throws an `ArgumentError` unless the value can be iterated. */
export function assertIterable(functionName: string, argument: string, value: unknown): void {
  const isIterable = typeof value === "object" && value !== null && Symbol.iterator in value;
  if (!isIterable) throw new ArgumentError(functionName, argument, "a list", value);
}
