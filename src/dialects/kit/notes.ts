// What the assembly of an answer notes about it: that it broke off, and which of its calls cannot be read. That is the
// reader's word, not the model's: a stream that ends the same way has said it already.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";

const NOTES: ReadonlySet<string> = new Set(["interrupted", "invalidToolCalls"]);

/** A message without its metadata, where they hold nothing but notes. */
export function withoutNotes(message: Message): Message {
  const { metadata = {}, ...rest } = message;
  return Object.keys(metadata).every((fact) => NOTES.has(fact)) ? rest : message;
}

/** A message that does not say that it broke off; its other metadata stay. */
export function uninterrupted(message: Message): Message {
  const { metadata: { interrupted: _, ...others } = {}, ...rest } = message;
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
}

/** An answer of which no choice says that it broke off. */
export function withoutInterruption(response: ModelResponse): ModelResponse {
  const bare: ModelResponse = { ...response, message: uninterrupted(response.message) };
  const { alternatives } = response;
  if (alternatives === undefined) return bare;
  bare.alternatives = alternatives.map((each) => Object.assign({ ...each }, { message: uninterrupted(each.message) }));
  return bare;
}

/** A call that broke off, as it began: its arguments have been said as far as they came, and a reader sees that. */
export function asBegun(part: Part): Part {
  if (part.type !== "tool-call" || part.invalid !== true) return part;
  const { invalid: _, inputText: __, ...call } = part;
  return { ...call, input: {} };
}
