// State for decoding one Chat history or one answer, and the collection of unknown fields.
import type { JsonObject } from "../../model/json/index.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { copyField } from "../kit/fields/read-wire.ts";

export interface ChatDecodeState {
  readonly context: DecodeContext;
  readonly calls: ToolCallIds;
  /** Ids of calls to custom tools: their results are free text, too. */
  readonly customCallIds: Set<string>;
  /** Ids of deprecated `function_call`s; their results name the function instead of the id. */
  readonly legacyCallIds: Set<string>;
  /** True for an answer, whose empty fields are present on the wire (`refusal: null`, `annotations: []`). */
  readonly isResponse: boolean;
  readonly renames: Renames | undefined;
}

export function createDecodeState(
  context: DecodeContext,
  isResponse = false,
  seed = "",
  renames?: Renames,
): ChatDecodeState {
  return {
    context,
    calls: new ToolCallIds(context.dialect, seed),
    customCallIds: new Set(),
    legacyCallIds: new Set(),
    isResponse,
    renames,
  };
}

/** Adds a wire field to the collected residue; the object is created for the first field. */
export function collectField(rest: JsonObject | undefined, wire: JsonObject, key: string): JsonObject | undefined {
  // `undefined` in an object that was made in code counts as an absent field.
  if (wire[key] === undefined) return rest;
  const collected = rest ?? {};
  copyField(wire, key, collected);
  return collected;
}
