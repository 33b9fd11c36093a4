// What a caller says to an agent, as messages.
import { checkMessages } from "../ledger/check.ts";
import { LedgerError } from "../ledger/index.ts";
import { user } from "../model/index.ts";
import type { Message } from "../model/index.ts";
import { AgentError } from "./errors.ts";

/** One message at least. Throws an `AgentError` "invalid-input" for what cannot be said. */
export function messagesOf(input: string | Message | readonly Message[], name: string): [Message, ...Message[]] {
  if (input === "")
    throw new AgentError("invalid-input", "There is nothing to say: the text is empty.", { path: name });
  const given = typeof input === "string" ? [user(input)] : isList(input) ? input : [input];
  try {
    const [first, ...others] = checkMessages(given, `/${name}`);
    if (first !== undefined) return [first, ...others];
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new AgentError("invalid-input", error.message, { path: error.path, cause: error });
  }
  throw new AgentError("invalid-input", "There must be at least one message.", { path: `/${name}` });
}

function isList(input: Message | readonly Message[]): input is readonly Message[] {
  return Array.isArray(input);
}
