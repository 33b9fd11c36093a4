// Maps the call ids that a client sends to the stored call ids, because the client's dialect may have renamed or
// dropped the stored ids.
import { copyObject, type JsonObject } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";

/** The mapping from a client's call ids to stored calls. */
export class CallIdMap {
  /**
   * The stored calls for each call id that the client sends. Several stored calls have the same client id if the client
   * gave one id to several calls of a turn, for example because it dropped the ids.
   */
  readonly #stored = new Map<string, ToolCallPart[]>();

  /**
   * Adds a turn, both as the client sent it and as it is stored. The n-th call of the client's turn is the n-th call of
   * the stored turn.
   */
  addTurn(client: readonly Message[], stored: readonly Message[]): void {
    const calls = listClientCalls(stored);
    const pairs = listClientCalls(client).flatMap(({ toolCallId }, at) => {
      const call = calls[at];
      return call === undefined ? [] : [{ toolCallId, call }];
    });
    // An id that an earlier turn also used now refers to the calls of this turn.
    for (const [id, same] of Map.groupBy(pairs, ({ toolCallId }) => toolCallId)) {
      this.#stored.set(
        id,
        same.map(({ call }) => call),
      );
    }
  }

  /**
   * Returns the client's message with tool results that refer to the stored calls. If the message itself has calls, the
   * mapping of their ids is deleted: later results with these ids belong to the calls of this message, which is not
   * stored.
   */
  apply(message: Message): Message {
    if (this.#stored.size === 0) return message;
    if (message.role === "assistant")
      for (const { toolCallId } of listClientCalls([message])) this.#stored.delete(toolCallId);
    const parts = message.parts.map((part) => this.#rewritePart(part));
    if (parts.every((part, at) => part === message.parts[at])) return message;
    return Object.assign(copyObject(message), { parts });
  }

  #rewritePart(part: Part): Part {
    if (part.type !== "tool-result" || part.executor === "provider") return part;
    const calls = this.#stored.get(part.toolCallId) ?? [];
    // If several calls have this id, the n-th result belongs to the n-th call. The last call stays in the list, because
    // it may have several results.
    const call = calls.length > 1 ? calls.shift() : calls[0];
    return call === undefined ? part : toResultOfCall(part, call);
  }
}

function listClientCalls(messages: readonly Message[]): ToolCallPart[] {
  return messages.flatMap(({ parts }) =>
    parts.filter((part): part is ToolCallPart => part.type === "tool-call" && part.executor !== "provider"),
  );
}

/** Returns a copy of the result that refers to the call; the result itself if it refers to the call already. */
function toResultOfCall(result: ToolResultPart, call: ToolCallPart): ToolResultPart {
  const { toolCallId, toolName, format, tool } = call;
  const isSame =
    result.toolCallId === toolCallId &&
    result.toolName === toolName &&
    result.format === format &&
    result.tool === tool;
  if (isSame) return result;
  const copy = Object.assign(copyObject(result), { toolCallId, toolName });
  if (format !== undefined) copy.format = format;
  if (tool !== undefined) copy.tool = tool;
  if (result.toolCallId !== toolCallId) {
    const extra = copyIdForm(result.extra, call.extra);
    if (extra === undefined) delete copy.extra;
    else copy.extra = extra;
  }
  return copy;
}

/** The residue key that contains the forms of values. */
const FORM_KEY = "$form";
/** The key of a call id's form, below `FORM_KEY`. */
const ID_KEY = "id";

/**
 * Returns the result's residue with the form of its call id replaced by the form of the call's own id, because both ids
 * must be encoded in the same way.
 */
function copyIdForm(resultExtra: Extra | undefined, call: Extra | undefined): Extra | undefined {
  const extra: Extra = {};
  for (const [dialect, residue] of Object.entries(resultExtra ?? {})) {
    const { [ID_KEY]: _, ...form } = readForm(residue);
    const { [FORM_KEY]: __, ...others } = residue;
    const remaining = Object.keys(form).length === 0 ? others : { ...others, [FORM_KEY]: form };
    if (Object.keys(remaining).length > 0) extra[dialect] = remaining;
  }
  for (const [dialect, residue] of Object.entries(call ?? {})) {
    const idForm = readForm(residue)[ID_KEY];
    if (idForm === undefined) continue;
    extra[dialect] = { ...extra[dialect], [FORM_KEY]: { ...readForm(extra[dialect]), [ID_KEY]: idForm } };
  }
  return Object.keys(extra).length === 0 ? undefined : extra;
}

function readForm(residue: JsonObject | undefined): JsonObject {
  const form = residue?.[FORM_KEY];
  return isObject(form) ? form : {};
}
