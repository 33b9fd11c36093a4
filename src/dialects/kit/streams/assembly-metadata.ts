// Metadata that the assembler adds to an answer: that it was interrupted, and its invalid calls. A stream encoder removes
// it from the answer it reports on, because the end of the stream has already told the reader.
import type { Message } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";

const ASSEMBLY_KEYS: ReadonlySet<string> = new Set(["interrupted", "invalidToolCalls"]);

/** Returns a message without its metadata if that holds only keys of the assembler. */
export function withoutAssemblyMetadata(message: Message): Message {
  const { metadata = {}, ...rest } = message;
  return Object.keys(metadata).every((key) => ASSEMBLY_KEYS.has(key)) ? rest : message;
}

/** Returns a message without the metadata key `interrupted`. */
export function withoutInterruptedFlag(message: Message): Message {
  const { metadata: { interrupted: _, ...others } = {}, ...rest } = message;
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
}

/** Returns a response whose choices do not have the metadata key `interrupted`. */
export function withoutInterruptedFlags(response: ModelResponse): ModelResponse {
  const copy: ModelResponse = { ...response, message: withoutInterruptedFlag(response.message) };
  const { alternatives } = response;
  if (alternatives === undefined) return copy;
  copy.alternatives = alternatives.map((each) =>
    Object.assign({ ...each }, { message: withoutInterruptedFlag(each.message) }),
  );
  return copy;
}

/** Returns an invalid call as it started, without arguments: the stream has already emitted the text of its arguments. */
export function asStartedCall(part: Part): Part {
  if (part.type !== "tool-call" || part.invalid !== true) return part;
  const { invalid: _, inputText: __, ...call } = part;
  return { ...call, input: {} };
}
