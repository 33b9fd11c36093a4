// Makes the call ids of a decoded stream unique across all its answers, and creates the delta that starts a call.
import type { Delta, PartKey } from "../../../model/delta.ts";
import { JsonError } from "../../../model/errors.ts";
import type { JsonValue } from "../../../model/json/index.ts";
import { parseJson } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { readForm, storeForm } from "../residue/residue.ts";

/**
 * Tracks the call ids of one stream, which can contain several answers, so that each call has a unique id and at most
 * one result (B17).
 */
export class StreamCallIds {
  readonly #started = new Set<string>();
  readonly #answered = new Set<string>();

  /** Gives a call a new id if its id is already used in the stream; the original wire id is then stored as form. */
  assignId(call: ToolCallPart, dialect: string): void {
    const id = call.toolCallId;
    for (let n = 2; this.#isTaken(call.toolCallId); n++) call.toolCallId = `${id}_${n}`;
    if (call.toolCallId !== id && readForm(call, dialect)["id"] === undefined) storeForm(call, dialect, "id", id);
    this.#started.add(call.toolCallId);
  }

  /** True if the id belongs to an earlier call, or to a result that arrived before its call. */
  #isTaken(id: string): boolean {
    return this.#started.has(id) || this.#answered.has(id);
  }

  /**
   * Returns true if a result may be emitted: it is the first result of its call and, unless the provider ran the tool,
   * its call has already started.
   */
  acceptResult({ toolCallId, executor }: ToolResultPart): boolean {
    if (this.#answered.has(toolCallId) || (executor !== "provider" && !this.#started.has(toolCallId))) return false;
    this.#answered.add(toolCallId);
    return true;
  }
}

/** Returns the delta that starts a call whose arguments are an object on the wire, not a JSON text. */
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
