// Calls while a stream is read: their ids over all answers that it holds, and how one begins.
import type { Delta, PartKey } from "../../model/delta.ts";
import { JsonError } from "../../model/errors.ts";
import type { JsonValue } from "../../model/json.ts";
import { parseJson } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { readForm, storeForm } from "./residue.ts";

/** The calls of all answers that one stream holds: each has an id of its own, and one result (B17). */
export class RunCalls {
  readonly #started = new Set<string>();
  readonly #answered = new Set<string>();

  start(call: ToolCallPart, dialect: string): void {
    const id = call.toolCallId;
    for (let n = 2; this.#isTaken(call.toolCallId); n++) call.toolCallId = `${id}_${n}`;
    if (call.toolCallId !== id && readForm(call, dialect)["id"] === undefined) storeForm(call, dialect, "id", id);
    this.#started.add(call.toolCallId);
  }

  /** Also by a result, where it came before its call. */
  #isTaken(id: string): boolean {
    return this.#started.has(id) || this.#answered.has(id);
  }

  /** Whether a result may stand in an answer: the first for its call, and a client's only where the call is known. */
  answer({ toolCallId, executor }: ToolResultPart): boolean {
    if (this.#answered.has(toolCallId) || (executor !== "provider" && !this.#started.has(toolCallId))) return false;
    this.#answered.add(toolCallId);
    return true;
  }
}

/** The delta that begins a call whose arguments are an object. */
export function callStart(call: ToolCallPart, part: PartKey): Delta {
  const { toolCallId, toolName, executor, format, tool, extra } = call;
  return {
    kind: "tool_call_start",
    payload: {
      toolCallId,
      toolName,
      objectArgs: true,
      part,
      ...(executor !== undefined && { executor }),
      ...(format !== undefined && { format }),
      ...(tool !== undefined && { tool }),
      ...(extra !== undefined && { extra }),
    },
  };
}

/** What a JSON text says; something else where it cannot be read. */
export function parsedOr(otherwise: JsonValue, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return otherwise;
  }
}
