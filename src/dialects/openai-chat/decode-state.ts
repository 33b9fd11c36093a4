// Defines the state for decoding one Chat history or one Chat response, and collects unknown fields as residue.
import type { JsonObject } from "../../model/json/index.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { copyField } from "../kit/fields/read-wire.ts";

export interface ChatDecodeState {
  readonly context: DecodeContext;
  readonly calls: ToolCallIds;
  /**
   * Canonical ids of the decoded calls to custom tools, so that the results of these calls also get `format: "text"`.
   */
  readonly customCallIds: Set<string>;
  /**
   * Ids that Koine made for calls in the deprecated field `function_call`, which have no id on the wire. The result of
   * such a call names the function instead of a call id.
   */
  readonly legacyCallIds: Set<string>;
  /**
   * True while a response is decoded. The message of a response contains empty fields (`refusal: null`, `annotations:
   * []`) that a message of a request omits.
   */
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

/** Copies the field `key` of `wire` into `rest` and returns `rest`. Creates the object if `rest` is undefined. */
export function collectField(rest: JsonObject | undefined, wire: JsonObject, key: string): JsonObject | undefined {
  // A wire object that was made in code can have a field with the value `undefined`, which counts as absent.
  if (wire[key] === undefined) return rest;
  const collected = rest ?? {};
  copyField(wire, key, collected);
  return collected;
}
