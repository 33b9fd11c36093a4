// Checks the input of an agent: messages are validated, and copied because the caller may change them later; unknown
// option names are errors.
import { MESSAGE_ADVICE } from "../calls/index.ts";
import { assertStorableMessages, LedgerError } from "../ledger/index.ts";
import { user } from "../model/index.ts";
import type { Message } from "../model/index.ts";
import { isObject, describeKind } from "../model/value-kind.ts";
import { AgentError } from "./errors.ts";
import { copyJson } from "./runs/recorded-answer.ts";
import { isInputRole } from "./runs/next-action.ts";

/** Converts input to one message with the role user, system or developer. Throws an `AgentError` "invalid-input". */
export function toMessage(input: string | Message, path: string): Message {
  if (input === "") throw invalidInputError(path, "The text is empty.");
  if (Array.isArray(input))
    throw invalidInputError(path, "Only one message is accepted at a time: pass each one separately.");
  const message = checkMessage(typeof input === "string" ? user(input) : input, path);
  if (isInputRole(message.role)) return message;
  throw invalidInputError(
    `${path}/role`,
    `A message to an agent has the role user, system or developer, not ${message.role}.`,
  );
}

/** Converts input to at least one message. A list may be an imported conversation that ends with a user message. */
export function toMessages(input: string | Message | readonly Message[], path: string): Message[] {
  if (!isList(input)) return [toMessage(input, path)];
  const messages = input.map((each, index) => checkMessage(each, `${path}/${index}`));
  const last = messages.at(-1);
  if (last === undefined) throw invalidInputError(path, "There must be at least one message.");
  if (last.role === "user" || messages.every(({ role }) => isInputRole(role))) return messages;
  const rolePath = `${path}/${messages.length - 1}/role`;
  throw invalidInputError(rolePath, "A conversation with answers must end with a user message.");
}

function isList(input: string | Message | readonly Message[]): input is readonly Message[] {
  return Array.isArray(input);
}

function checkMessage(value: unknown, path: string): Message {
  if (!isObject(value)) throw invalidInputError(path, `A message must be an object, found ${describeKind(value)}.`);
  if (!Array.isArray(value["parts"])) {
    const fault = `A message must have a list of parts, found ${describeKind(value["parts"])}.`;
    throw invalidInputError(`${path}/parts`, `${fault} ${MESSAGE_ADVICE}`);
  }
  try {
    const [message] = assertStorableMessages([value], path);
    // The cast is safe, because the function returns one message for each message of the list.
    return copyJson(message as Message);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // The message was checked in a list of one message, so the index 0 of that list is removed from the path.
    const listPath = `${path}/0`;
    throw invalidInputError(error.path.replace(listPath, path), error.message.replaceAll(listPath, path), error);
  }
}

/** Throws if the options are not an object or have an unknown field. */
export function checkOptionNames(options: unknown, names: readonly string[]): void {
  if (!isObject(options)) throw invalidInputError("", `The options must be an object, found ${describeKind(options)}.`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const path = `/${unknown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw invalidInputError(path, `There is no option "${unknown}". The options are: ${names.join(", ")}.`);
}

export function invalidInputError(path: string, message: string, cause?: unknown): AgentError {
  return new AgentError("invalid-input", message, { path, ...(cause !== undefined && { cause }) });
}
