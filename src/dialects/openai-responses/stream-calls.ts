// Ids of calls in streams: unique over all answers of one stream, and the same each time an item is read again.
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { Calls } from "./reading.ts";

/** The ids of a whole stream, which may hold several answers. */
export interface StreamIds {
  /** Those that calls and results have. */
  readonly taken: Set<string>;
  /** Those of calls that have a result. */
  readonly answered: Set<string>;
}

/** The ids that an item got when it was read first. */
export class KnownCalls implements Calls {
  readonly #parts: readonly Part[];
  readonly #others: Calls;
  readonly #dialect: string;

  constructor(parts: readonly Part[], others: Calls, dialect: string) {
    this.#parts = parts;
    this.#others = others;
    this.#dialect = dialect;
  }

  add(call: ToolCallPart, wireId: string | undefined): void {
    const known = this.#parts.find((part) => part.type === "tool-call");
    if (known === undefined) this.#others.add(call, wireId);
    else this.#take(call, known);
  }

  answer(result: ToolResultPart, wireId: string | undefined): void {
    const known = this.#parts.find((part) => part.type === "tool-result");
    if (known === undefined) return this.#others.answer(result, wireId);
    this.#take(result, known);
    if (result.toolName === "") result.toolName = known.toolName;
  }

  #take(part: ToolCallPart | ToolResultPart, known: ToolCallPart | ToolResultPart): void {
    part.toolCallId = known.toolCallId;
    const { id } = readForm(known, this.#dialect);
    if (id !== undefined) storeForm(part, this.#dialect, "id", id);
  }
}
