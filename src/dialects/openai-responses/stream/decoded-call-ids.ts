// Assigns the call ids of a stream. They are unique across all answers of the stream, and stable when an item is
// decoded again.
import type { Part, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import type { CallIdAssigner } from "../decode-state.ts";

/** The call ids of a stream, which can contain several answers. */
export interface ResponsesCallIds {
  /** Ids of all calls and results. */
  readonly usedIds: Set<string>;
  /** Ids of calls that have a result. */
  readonly answeredIds: Set<string>;
}

/**
 * Repeats the call ids of earlier decodings of an item when the item is decoded again, so that an id does not change
 * after its first decoding. Calls and results that were not decoded before get their ids from `fallback`.
 */
export class FirstDecodingCallIds implements CallIdAssigner {
  readonly #parts: readonly Part[];
  readonly #fallback: CallIdAssigner;
  readonly #dialect: string;

  constructor(parts: readonly Part[], fallback: CallIdAssigner, dialect: string) {
    this.#parts = parts;
    this.#fallback = fallback;
    this.#dialect = dialect;
  }

  add(call: ToolCallPart, wireId: string | undefined): void {
    const known = this.#parts.find((part) => part.type === "tool-call");
    if (known === undefined) this.#fallback.add(call, wireId);
    else this.#copyId(call, known);
  }

  matchResult(result: ToolResultPart, wireId: string | undefined): void {
    const known = this.#parts.find((part) => part.type === "tool-result");
    if (known === undefined) return this.#fallback.matchResult(result, wireId);
    this.#copyId(result, known);
    if (result.toolName === "") result.toolName = known.toolName;
  }

  #copyId(part: ToolCallPart | ToolResultPart, known: ToolCallPart | ToolResultPart): void {
    part.toolCallId = known.toolCallId;
    const { id } = readForm(known, this.#dialect);
    if (id !== undefined) storeForm(part, this.#dialect, "id", id);
  }
}
