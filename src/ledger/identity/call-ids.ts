// Ids of calls as the client has them, and as they are stored: a client may have been given others by its dialect, or
// have lost them on the way.
import { copyObject, type JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";

export class CallIds {
  /** The stored calls for each id of the client: several where it uses one twice in a turn, or has lost them. */
  readonly #stored = new Map<string, ToolCallPart[]>();

  /** The same turn, as the client says it and as it is stored: the n-th call of the one is the n-th of the other. */
  learn(client: readonly Message[], stored: readonly Message[]): void {
    const calls = callsIn(stored);
    const pairs = callsIn(client).flatMap(({ toolCallId }, at) => {
      const call = calls[at];
      return call === undefined ? [] : [{ toolCallId, call }];
    });
    // What an id meant in an earlier turn is over.
    for (const [id, same] of Map.groupBy(pairs, ({ toolCallId }) => toolCallId)) {
      this.#stored.set(
        id,
        same.map(({ call }) => call),
      );
    }
  }

  /** A message of the client's: results answer the stored calls, and calls of its own take their ids back. */
  apply(message: Message): Message {
    if (this.#stored.size === 0) return message;
    if (message.role === "assistant") for (const { toolCallId } of callsIn([message])) this.#stored.delete(toolCallId);
    const parts = message.parts.map((part) => this.#change(part));
    if (parts.every((part, at) => part === message.parts[at])) return message;
    return Object.assign(copyObject(message), { parts });
  }

  #change(part: Part): Part {
    if (part.type !== "tool-result" || part.executor === "provider") return part;
    const calls = this.#stored.get(part.toolCallId) ?? [];
    // The n-th result belongs to the n-th call; the last call may be answered more than once.
    const call = calls.length > 1 ? calls.shift() : calls[0];
    return call === undefined ? part : answering(part, call);
  }
}

function callsIn(messages: readonly Message[]): ToolCallPart[] {
  return messages.flatMap(({ parts }) =>
    parts.filter((part): part is ToolCallPart => part.type === "tool-call" && part.executor !== "provider"),
  );
}

/** The result as an answer to this call; the result itself where it is one already. */
function answering(result: ToolResultPart, call: ToolCallPart): ToolResultPart {
  const { toolCallId, toolName, format, tool } = call;
  const isSame =
    result.toolCallId === toolCallId &&
    result.toolName === toolName &&
    result.format === format &&
    result.tool === tool;
  if (isSame) return result;
  const answer = Object.assign(copyObject(result), { toolCallId, toolName });
  if (format !== undefined) answer.format = format;
  if (tool !== undefined) answer.tool = tool;
  if (result.toolCallId !== toolCallId) {
    const extra = withIdOf(result.extra, call.extra);
    if (extra === undefined) delete answer.extra;
    else answer.extra = extra;
  }
  return answer;
}

/** Where dialects note how a thing was spelled. */
const FORM = "$form";
const ID = "id";

/** Residue with the spelling of the call's id in place of the result's own: the two must go out alike. */
function withIdOf(own: Extra | undefined, call: Extra | undefined): Extra | undefined {
  const extra: Extra = {};
  for (const [dialect, residue] of Object.entries(own ?? {})) {
    const { [ID]: _, ...form } = formOf(residue);
    const { [FORM]: __, ...others } = residue;
    const kept = Object.keys(form).length === 0 ? others : { ...others, [FORM]: form };
    if (Object.keys(kept).length > 0) extra[dialect] = kept;
  }
  for (const [dialect, residue] of Object.entries(call ?? {})) {
    const spelled = formOf(residue)[ID];
    if (spelled === undefined) continue;
    extra[dialect] = { ...extra[dialect], [FORM]: { ...formOf(extra[dialect]), [ID]: spelled } };
  }
  return Object.keys(extra).length === 0 ? undefined : extra;
}

function formOf(residue: JsonObject | undefined): JsonObject {
  const form = residue?.[FORM];
  return isObject(form) ? form : {};
}
