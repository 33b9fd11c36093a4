// Defines the state of decoding Gemini parts (call ids, renames, the current part), and stores wire fields without a
// canonical equivalent as residue.
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import { ToolCallIds } from "../../kit/tools/tool-call-ids.ts";
import { shortHash } from "../../kit/tools/tool-renames.ts";
import { copyField } from "../../kit/fields/read-wire.ts";
import { storeResidue } from "../../kit/residue/residue.ts";

export interface GeminiDecodeState {
  readonly callIds: ToolCallIds;
  readonly context: DecodeContext;
  /** Tool names that the encoder of the request changed; they are restored in the answer. */
  readonly renames: Renames | undefined;
  /** The wire part that is being decoded. */
  partWire?: JsonObject;
  /**
   * For each candidate, the parts that the stream decoder has already decoded; they replace the parts of the merged
   * response. Undefined if the answer is not streamed.
   */
  readonly streamedParts?: readonly (readonly Part[])[];
}

/**
 * The state of decoding an answer. `reservedIds` are the call ids of earlier answers in the same stream; the call ids
 * of this answer must differ from them.
 */
export class AnswerDecodeState implements GeminiDecodeState {
  readonly context: DecodeContext;
  readonly renames: Renames | undefined;
  partWire: JsonObject = {};
  streamedParts?: readonly (readonly Part[])[];
  readonly #answerId: string;
  readonly #reservedIds: ReadonlySet<string> | undefined;
  #callIds: ToolCallIds | undefined;

  constructor(context: DecodeContext, renames: Renames | undefined, id: string, reservedIds?: ReadonlySet<string>) {
    this.context = context;
    this.renames = renames;
    this.#answerId = id;
    this.#reservedIds = reservedIds;
  }

  /** Call ids are derived from the answer's id or, if it is empty, from a hash of the first part with a call (B17). */
  get callIds(): ToolCallIds {
    const { context, partWire: wire } = this;
    const id = this.#answerId;
    const reservedIds = this.#reservedIds;
    return (this.#callIds ??= new ToolCallIds(
      context.dialect,
      id === "" ? shortHash(stringifyJson(wire)) : id,
      reservedIds,
    ));
  }
}

/**
 * Stores every field of `wire` except `decodedKeys` as residue at `residuePath`. An empty `wire` is stored too if it is
 * an inner object (`residuePath` is not empty), because otherwise the encoder would not restore it.
 */
export function storeUnknownFields(
  target: WithExtra,
  wire: JsonObject,
  decodedKeys: readonly string[],
  dialect: string,
  ...residuePath: string[]
): void {
  let unknown: JsonObject | undefined;
  let isEmpty = true;
  for (const key in wire) {
    isEmpty = false;
    // Objects built in code may have undefined values. They are skipped, because JSON has no undefined.
    if (!decodedKeys.includes(key) && wire[key] !== undefined) copyField(wire, key, (unknown ??= {}));
  }
  if (unknown !== undefined || (isEmpty && residuePath.length > 0))
    storeResidue(target, dialect, unknown ?? {}, residuePath);
}
