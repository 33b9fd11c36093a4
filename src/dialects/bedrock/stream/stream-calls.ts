// Tracks the tool calls of all answers in one Bedrock stream. Each call has a unique id and at most one result (B17).
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { StreamCalls } from "../../blocks/stream/answer-deltas.ts";

export class BedrockStreamCalls implements StreamCalls {
  /** Call ids of the answers that have ended. */
  readonly usedIds = new Set<string>();
  /** Call ids of the current answer. */
  #currentIds: string[] = [];
  readonly #answeredIds = new Set<string>();

  assignId({ toolCallId }: ToolCallPart): void {
    this.#currentIds.push(toolCallId);
  }

  endAnswer(): void {
    for (const id of this.#currentIds) this.usedIds.add(id);
    this.#currentIds = [];
  }

  acceptResult({ toolCallId: id, executor }: ToolResultPart): boolean {
    const isCurrent = this.#currentIds.includes(id);
    const isKnown = executor === "provider" || this.usedIds.has(id) || isCurrent;
    if (this.#answeredIds.has(id) || !isKnown) return false;
    this.#answeredIds.add(id);
    // The result belongs to no call of the current answer. Its id is added, so that a later call with the same wire id
    // gets another canonical id.
    if (!isCurrent) this.usedIds.add(id);
    return true;
  }
}
