// A turn's messages as they can be written and read back. Arguments come as text and may be nested as deep as JSON may
// be; inside a message there is less room.
import { assignObject, copyObject, MAX_DEPTH, stringifyJson } from "../../model/json.ts";
import type { Alternative, InvalidToolCall, Message, Part, Response, ToolCallPart } from "../../model/index.ts";
import { assertStorableMessages } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { isSoundMessage } from "../sound.ts";
import { isWithin } from "./own.ts";

/** What stands around a call's input: the message, its parts, the part. */
const AROUND = 3;
/** What stands around the message of an alternative: a message, its metadata, its response, the alternatives, this one. */
const AROUND_ALTERNATIVE = 5;

/** The message, with the text of arguments in place of values that are too deep; they are flagged, and nothing is lost. */
export function withReadableCalls(message: Message, levels = MAX_DEPTH): Message {
  if (levels === MAX_DEPTH && isSoundMessage(message)) return message;
  const invalid: InvalidToolCall[] = [];
  const parts = message.parts.map((part): Part => {
    if (part.type !== "tool-call" || isWithin(part.input, levels - AROUND)) return part;
    const reason = `The arguments are nested too deep to be kept as a value; a message has ${levels - AROUND} levels for them.`;
    invalid.push({ toolCallId: part.toolCallId, reason });
    return asText(part);
  });
  const result = Object.assign(copyObject(message), { parts });
  const metadata = copyObject(message.metadata ?? {});
  if (invalid.length > 0) metadata.invalidToolCalls = [...(metadata.invalidToolCalls ?? []), ...invalid];
  const { response } = metadata as { response?: Partial<Response> }; // as a turn describes its messages
  if (response?.alternatives !== undefined) {
    const alternatives = response.alternatives.map((each) => readableAlternative(each, levels - AROUND_ALTERNATIVE));
    metadata["response"] = assignObject(copyObject(response), { alternatives });
  }
  if (Object.keys(metadata).length > 0) result.metadata = metadata;
  return result;
}

function readableAlternative(alternative: Alternative, levels: number): Alternative {
  return assignObject(copyObject(alternative), { message: withReadableCalls(alternative.message, levels) });
}

function asText(part: ToolCallPart): ToolCallPart {
  const text = part.inputText ?? stringifyJson(part.input);
  return Object.assign(copyObject(part), { input: text, inputText: text, invalid: true as const });
}

/** Messages that will be read back as they are; others are refused, and the run lives on. */
export function demandReadable(messages: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    if (isSoundMessage(message)) return message;
    try {
      return assertStorableMessages([message])[0] ?? message;
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      const reason = `What was streamed cannot be committed, because it could not be read back. ${error.message}`;
      const advice = "End the run with fail(), which keeps the rest; or give commit() the messages.";
      const path = error.path.replace(/^\/messages\/0/, `/messages/${index}`);
      throw new LedgerError("invalid-input", `${reason} ${advice}`, { path, cause: error });
    }
  });
}

/** The fields, facts and parts of a message that will be read back, and the names of those that would not be. */
export function readableRest(message: Message): { message: Message; left: string[] } {
  if (isSoundMessage(message)) return { message, left: [] };
  const left: string[] = [];
  const isKept = (name: string, alone: object): boolean => {
    const isSound = isSoundMessage({ role: message.role, parts: [], ...alone });
    if (!isSound) left.push(name);
    return isSound;
  };
  const parts = message.parts.filter((part, index) => isKept(`/parts/${index}`, { parts: [part] }));
  const rest = copyObject(message);
  for (const [name, value] of Object.entries(message)) {
    if (name === "parts" || name === "role" || name === "metadata") continue;
    if (!isKept(`/${name}`, { [name]: value })) Reflect.deleteProperty(rest, name);
  }
  rest.parts = parts;
  if (rest.metadata === undefined) return { message: rest, left };
  rest.metadata = copyObject(rest.metadata);
  for (const [name, value] of Object.entries(rest.metadata)) {
    const isSound = isKept(`/metadata/${name}`, { metadata: { [name]: value } });
    if (!isSound) Reflect.deleteProperty(rest.metadata, name);
  }
  return { message: rest, left };
}
