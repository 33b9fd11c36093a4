// Checks the rules that concern all answers of a run: order of deltas, unique call ids, one result per call.
import type { Delta, MessageDelta } from "../model/delta.ts";
import { truncateText } from "../model/validation/issue.ts";
import type { Part } from "../model/parts.ts";
import type { Rule } from "./rules.ts";
import { AssemblyError } from "./rules.ts";

export class RunState {
  /**
   * For each call id, true if the call has a result. It can have an entry without a call of this run: a result of a
   * tool that the provider ran may belong to a call before the run.
   */
  readonly #callHasResult = new Map<string, boolean>();
  #runId: string | undefined;
  #lastSeq: number | undefined;
  #position = -1;
  /** The position of the current delta for errors: its `seq` or, if it has none, its index. */
  seq = 0;

  /**
   * Checks `seq` and `runId` of a delta against the previous deltas. Only `accept` records them, so a rejected delta
   * does not affect the check of later deltas.
   */
  checkOrder(delta: Delta | MessageDelta): void {
    this.#position += 1;
    if (typeof delta !== "object" || delta === null) {
      this.seq = this.#position;
      this.fail("known-kind", "A delta is an object with `kind` and `payload`.");
    }
    const seq: unknown = "seq" in delta ? delta.seq : undefined;
    this.seq = typeof seq === "number" ? seq : this.#position;
    if (seq !== undefined) {
      if (typeof seq !== "number" || !Number.isInteger(seq))
        this.fail("seq-increasing", "`seq` must be a whole number.");
      if (this.#lastSeq !== undefined && seq <= this.#lastSeq) {
        this.fail("seq-increasing", `\`seq\` ${seq} comes after ${this.#lastSeq}.`);
      }
    }
    const runId: unknown = "runId" in delta ? delta.runId : undefined;
    if (runId !== undefined && typeof runId !== "string") this.fail("same-run", "`runId` must be a string.");
    if (runId !== undefined && this.#runId !== undefined && runId !== this.#runId) {
      this.fail("same-run", `This delta is of run "${truncateText(runId)}", the others are of "${this.#runId}".`);
    }
  }

  /** Records `seq` and `runId` of a legal delta. */
  accept(delta: Delta | MessageDelta): void {
    if ("seq" in delta && delta.seq !== undefined) this.#lastSeq = delta.seq;
    if ("runId" in delta && delta.runId !== undefined) this.#runId = delta.runId;
  }

  fail(rule: Rule, detail: string): never {
    throw new AssemblyError(rule, this.seq, detail);
  }

  checkNewCall(toolCallId: string): void {
    if (this.#callHasResult.has(toolCallId)) this.fail("call-unique", `The id "${truncateText(toolCallId)}" is taken.`);
  }

  addCall(toolCallId: string): void {
    this.#callHasResult.set(toolCallId, false);
  }

  /**
   * Checks a complete part: a call must have a new id, and a result must belong to a call without a result. The result
   * of a tool that the provider ran may belong to a call before the run.
   */
  checkPart(part: Part): void {
    if (part.type === "tool-call") this.checkNewCall(part.toolCallId);
    if (part.type !== "tool-result") return;
    const answered = this.#callHasResult.get(part.toolCallId);
    if (answered === true)
      this.fail("result-once", `The call "${truncateText(part.toolCallId)}" has a result already.`);
    if (answered === undefined && part.executor !== "provider") {
      this.fail("result-traced", `No call of this run has the id "${truncateText(part.toolCallId)}".`);
    }
  }

  addPart(part: Part): void {
    if (part.type === "tool-call") this.addCall(part.toolCallId);
    if (part.type === "tool-result") this.#callHasResult.set(part.toolCallId, true);
  }
}
