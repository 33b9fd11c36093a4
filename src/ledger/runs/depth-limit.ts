// Makes the messages that a run streamed storable. Tool arguments arrive as text and may be nested as deeply as the
// JSON parser allows, but the message around them needs some of these levels.
import { assignObject, copyObject, MAX_DEPTH, stringifyJson } from "../../model/json/index.ts";
import type { Alternative, InvalidToolCall, Message, Part, ModelResponse, ToolCallPart } from "../../model/index.ts";
import { assertStorableMessages } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { isStorableMessage } from "../shape-predicates.ts";
import { isWithinDepth } from "./copy-delta.ts";

/** The number of levels around the input of a call: the message, its parts, the part. */
const LEVELS_AROUND_INPUT = 3;
/**
 * The number of levels around the message of an alternative: a message, its metadata, its response, the alternatives,
 * the alternative.
 */
const LEVELS_AROUND_ALTERNATIVE = 5;

/**
 * Returns the message with the arguments of tool calls that are nested too deeply replaced by their JSON text; these
 * calls are marked as invalid. `levels` is the maximum depth of the whole message.
 */
export function limitInputDepth(message: Message, levels = MAX_DEPTH): Message {
  if (levels === MAX_DEPTH && isStorableMessage(message)) return message;
  const invalid: InvalidToolCall[] = [];
  const parts = message.parts.map((part): Part => {
    if (part.type !== "tool-call" || isWithinDepth(part.input, levels - LEVELS_AROUND_INPUT)) return part;
    const reason = `The arguments are nested deeper than the ${levels - LEVELS_AROUND_INPUT} levels that a message allows; they are stored as text.`;
    invalid.push({ toolCallId: part.toolCallId, reason });
    return toTextInput(part);
  });
  const result = Object.assign(copyObject(message), { parts });
  const metadata = copyObject(message.metadata ?? {});
  if (invalid.length > 0) metadata.invalidToolCalls = [...(metadata.invalidToolCalls ?? []), ...invalid];
  // The cast is safe, because run-turn.ts writes a partial ModelResponse as `response`.
  const { response } = metadata as { response?: Partial<ModelResponse> };
  if (response?.alternatives !== undefined) {
    const alternatives = response.alternatives.map((each) =>
      limitAlternativeDepth(each, levels - LEVELS_AROUND_ALTERNATIVE),
    );
    metadata["response"] = assignObject(copyObject(response), { alternatives });
  }
  if (Object.keys(metadata).length > 0) result.metadata = metadata;
  return result;
}

function limitAlternativeDepth(alternative: Alternative, levels: number): Alternative {
  return assignObject(copyObject(alternative), { message: limitInputDepth(alternative.message, levels) });
}

function toTextInput(part: ToolCallPart): ToolCallPart {
  const text = part.inputText ?? stringifyJson(part.input);
  return Object.assign(copyObject(part), { input: text, inputText: text, invalid: true as const });
}

/** Returns the messages if they can be stored. Otherwise throws "invalid-input", and the run stays live. */
export function requireStorableTurn(messages: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    if (isStorableMessage(message)) return message;
    try {
      return assertStorableMessages([message])[0] ?? message;
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      const reason = `The streamed messages cannot be committed, because they could not be read back. ${error.message}`;
      const advice = "End the run with fail(), which stores the rest; or pass the messages to commit().";
      const path = error.path.replace(/^\/messages\/0/, `/messages/${index}`);
      throw new LedgerError("invalid-input", `${reason} ${advice}`, { path, cause: error });
    }
  });
}

/**
 * Returns the message without the fields, metadata and parts that could not be read back, and the paths of these
 * values.
 */
export function removeUnstorable(message: Message): { message: Message; dropped: string[] } {
  if (isStorableMessage(message)) return { message, dropped: [] };
  const dropped: string[] = [];
  const isStorable = (name: string, fields: object): boolean => {
    const isValid = isStorableMessage({ role: message.role, parts: [], ...fields });
    if (!isValid) dropped.push(name);
    return isValid;
  };
  const parts = message.parts.filter((part, index) => isStorable(`/parts/${index}`, { parts: [part] }));
  const rest = copyObject(message);
  for (const [name, value] of Object.entries(message)) {
    if (name === "parts" || name === "role" || name === "metadata") continue;
    if (!isStorable(`/${name}`, { [name]: value })) Reflect.deleteProperty(rest, name);
  }
  rest.parts = parts;
  if (rest.metadata === undefined) return { message: rest, dropped };
  rest.metadata = copyObject(rest.metadata);
  for (const [name, value] of Object.entries(rest.metadata)) {
    if (!isStorable(`/metadata/${name}`, { metadata: { [name]: value } })) Reflect.deleteProperty(rest.metadata, name);
  }
  return { message: rest, dropped };
}
