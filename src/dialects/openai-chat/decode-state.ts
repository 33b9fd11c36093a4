// Defines the state for decoding one Chat history or one Chat response, and collects unknown fields as residue.
import type { JsonObject } from "../../model/json/index.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { copyField } from "../kit/fields/read-wire.ts";

export interface ChatDecodeState {
  readonly context: DecodeContext;
  readonly calls: ToolCallIds;
  /** Ids of the calls to custom tools. Results of custom tools are free text, like their inputs. */
  readonly customCallIds: Set<string>;
  /** Ids that Koine made for deprecated `function_call`s, which have no id. Their results name the function instead. */
  readonly legacyCallIds: Set<string>;
  /**
   * True for a response. A response has its empty fields on the wire (`refusal: null`, `annotations: []`), a request
   * omits them.
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
