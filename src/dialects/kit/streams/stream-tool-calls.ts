// Calls of a decoded stream: unique ids over all its answers, and the delta that starts a call.
import type { Delta, PartKey } from "../../../model/delta.ts";
import { JsonError } from "../../../model/errors.ts";
import type { JsonValue } from "../../../model/json/index.ts";
import { parseJson } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { readForm, storeForm } from "../residue/residue.ts";

/** Assigns the call ids of one stream, which may hold several answers: each call has a unique id and one result (B17). */
export class StreamCallIds {
  readonly #started = new Set<string>();
  readonly #answered = new Set<string>();

  /** Replaces the id of a call if it is taken; the wire's id is stored as form. */
  assignId(call: ToolCallPart, dialect: string): void {
    const id = call.toolCallId;
    for (let n = 2; this.#isTaken(call.toolCallId); n++) call.toolCallId = `${id}_${n}`;
    if (call.toolCallId !== id && readForm(call, dialect)["id"] === undefined) storeForm(call, dialect, "id", id);
    this.#started.add(call.toolCallId);
  }

  /** True if a call has the id, or a result that arrived before its call. */
  #isTaken(id: string): boolean {
    return this.#started.has(id) || this.#answered.has(id);
  }

  /** True for the first result of a call; a client's result also needs a known call. */
  acceptResult({ toolCallId, executor }: ToolResultPart): boolean {
    if (this.#answered.has(toolCallId) || (executor !== "provider" && !this.#started.has(toolCallId))) return false;
    this.#answered.add(toolCallId);
    return true;
  }
}

/** Returns the delta that starts a call with an object as arguments. */
export function createCallStart(call: ToolCallPart, partKey: PartKey): Delta {
  const { toolCallId, toolName, executor, format, tool, extra } = call;
  return {
    kind: "tool_call_start",
    payload: {
      toolCallId,
      toolName,
      objectArgs: true,
      partKey,
      ...(executor !== undefined && { executor }),
      ...(format !== undefined && { format }),
      ...(tool !== undefined && { tool }),
      ...(extra !== undefined && { extra }),
    },
  };
}

/** Parses a JSON text; returns `fallback` if it is not JSON. */
export function parseJsonOr(fallback: JsonValue, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return fallback;
  }
}
