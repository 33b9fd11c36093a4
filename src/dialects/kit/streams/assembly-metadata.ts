// Removes the metadata that the assembler adds to an answer: the flag `interrupted`, and the list of invalid calls. A
// stream encoder must not report this metadata as a loss, because the end of the stream conveys it.
import type { Message } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";

const ASSEMBLY_KEYS: ReadonlySet<string> = new Set(["interrupted", "invalidToolCalls"]);

/**
 * Returns a message without its metadata, or the message itself if the metadata has keys that the assembler did not
 * add.
 */
export function withoutAssemblyMetadata(message: Message): Message {
  const { metadata = {}, ...rest } = message;
  return Object.keys(metadata).every((key) => ASSEMBLY_KEYS.has(key)) ? rest : message;
}

/** Returns a message without the metadata key `interrupted`. */
export function withoutInterruptedFlag(message: Message): Message {
  const { metadata: { interrupted: _, ...others } = {}, ...rest } = message;
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
}

/** Returns a response without the metadata key `interrupted` in the messages of its choices. */
export function withoutInterruptedFlags(response: ModelResponse): ModelResponse {
  const copy: ModelResponse = { ...response, message: withoutInterruptedFlag(response.message) };
  const { alternatives } = response;
  if (alternatives === undefined) return copy;
  copy.alternatives = alternatives.map((each) =>
    Object.assign({ ...each }, { message: withoutInterruptedFlag(each.message) }),
  );
  return copy;
}

/**
 * Returns an invalid call without its arguments and without the flag `invalid`, because the stream has already emitted
 * the text of the arguments. Returns any other part unchanged.
 */
export function asStartedCall(part: Part): Part {
  if (part.type !== "tool-call" || part.invalid !== true) return part;
  const { invalid: _, inputText: __, ...call } = part;
  return { ...call, input: {} };
}
