// What holds across the answers of one run: the order of deltas, the identity of calls, one result per call.
import type { Delta, MessageDelta } from "../model/delta.ts";
import { clip } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import type { Rule } from "./rules.ts";
import { AssemblyError } from "./rules.ts";

export class RunState {
  /** Calls of the run by id; whether each has its result. Provider results may answer calls from before the run. */
  readonly #answered = new Map<string, boolean>();
  #runId: string | undefined;
  #lastSeq: number | undefined;
  #position = -1;
  /** What an error says about where: the `seq`, else the position. */
  seq = 0;

  /** Checks the order of a delta that has arrived. Nothing is taken over before `accept`. */
  arrive(delta: Delta | MessageDelta): void {
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
      this.fail("same-run", `This delta is of run "${clip(runId)}", the others are of "${this.#runId}".`);
    }
  }

  /** The delta was legal: its place in the order counts from now on. */
  accept(delta: Delta | MessageDelta): void {
    if ("seq" in delta && delta.seq !== undefined) this.#lastSeq = delta.seq;
    if ("runId" in delta && delta.runId !== undefined) this.#runId = delta.runId;
  }

  fail(rule: Rule, detail: string): never {
    throw new AssemblyError(rule, this.seq, detail);
  }

  checkNewCall(toolCallId: string): void {
    if (this.#answered.has(toolCallId)) this.fail("call-unique", `The id "${clip(toolCallId)}" is taken.`);
  }

  addCall(toolCallId: string): void {
    this.#answered.set(toolCallId, false);
  }

  /** Checks the calls and results among whole parts. */
  checkPart(part: Part): void {
    if (part.type === "tool-call") this.checkNewCall(part.toolCallId);
    if (part.type !== "tool-result") return;
    const answered = this.#answered.get(part.toolCallId);
    if (answered === true) this.fail("result-once", `The call "${clip(part.toolCallId)}" has a result already.`);
    if (answered === undefined && part.executor !== "provider") {
      this.fail("result-traced", `No call of this run has the id "${clip(part.toolCallId)}".`);
    }
  }

  addPart(part: Part): void {
    if (part.type === "tool-call") this.addCall(part.toolCallId);
    if (part.type === "tool-result") this.#answered.set(part.toolCallId, true);
  }
}
