// What a caller gives an agent, checked: words become messages of the agent's own, because whoever said them may change
// theirs later, and options that nobody knows are told.
import { MESSAGE_ADVICE } from "../client/calls/check-options.ts";
import { checkMessages, LedgerError } from "../ledger/index.ts";
import { user } from "../model/index.ts";
import type { Message } from "../model/index.ts";
import { isObject, kindOf } from "../model/kind.ts";
import { AgentError } from "./errors.ts";
import { copyOf } from "./record.ts";
import { isInputRole } from "./standing.ts";

/** One message, from the user or with instructions. Throws an `AgentError` "invalid-input" for what cannot be said. */
export function toMessage(input: string | Message, path: string): Message {
  if (input === "") throw invalid(path, "There is nothing to say: the text is empty.");
  if (Array.isArray(input)) throw invalid(path, "One message is taken at a time: give each by itself.");
  const message = sound(typeof input === "string" ? user(input) : input, path);
  if (isInputRole(message.role)) return message;
  throw invalid(
    `${path}/role`,
    `What is said to an agent has the role user, system or developer, not ${message.role}.`,
  );
}

/** One message at least. A list may bring a conversation from elsewhere, if it ends with something to answer. */
export function toMessages(input: string | Message | readonly Message[], path: string): Message[] {
  if (!isList(input)) return [toMessage(input, path)];
  const messages = input.map((each, index) => sound(each, `${path}/${index}`));
  const last = messages.at(-1);
  if (last === undefined) throw invalid(path, "There must be at least one message.");
  if (last.role === "user" || messages.every(({ role }) => isInputRole(role))) return messages;
  const place = `${path}/${messages.length - 1}/role`;
  throw invalid(place, "A conversation with answers in it must end with a message of the user.");
}

function isList(input: string | Message | readonly Message[]): input is readonly Message[] {
  return Array.isArray(input);
}

function sound(given: unknown, place: string): Message {
  if (!isObject(given)) throw invalid(place, `A message must be an object, found ${kindOf(given)}.`);
  if (!Array.isArray(given["parts"])) {
    const what = `A message must have a list of parts, found ${kindOf(given["parts"])}.`;
    throw invalid(`${place}/parts`, `${what} ${MESSAGE_ADVICE}`);
  }
  try {
    const [message] = checkMessages([given], place);
    // As many come back as went in.
    return copyOf(message as Message);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // The message stands in no list but the one that was made for the check.
    const [list, path] = [`${place}/0`, place];
    throw invalid(error.path.replace(list, path), error.message.replaceAll(list, path), error);
  }
}

/** Throws for options that are no object, or have a field that is none of these. */
export function checkOptionNames(options: unknown, names: readonly string[]): void {
  if (!isObject(options)) throw invalid("", `The options must be an object, found ${kindOf(options)}.`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const path = `/${unknown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw invalid(path, `There is no option "${unknown}". The options are: ${names.join(", ")}.`);
}

export function invalid(path: string, message: string, cause?: unknown): AgentError {
  return new AgentError("invalid-input", message, { path, ...(cause !== undefined && { cause }) });
}
