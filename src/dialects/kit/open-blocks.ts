// The open blocks of an answer that arrives, for protocols that open a block, fill it and close it under an index. They
// know when a call has ended: not with its block, because its answer may yet say that it broke off there (B31).
import type { Delta } from "../../model/delta.ts";
import type { FinishReason } from "../../model/finish.ts";
import { isCutOff } from "./endings.ts";

export interface ClosableBlock {
  /** What is "held" is said whole when it is closed. */
  readonly kind: string;
  close(): Delta[];
}

/** A call. Closing it does not end it. */
export interface OpenCall extends ClosableBlock {
  /** Nobody but the client runs it. */
  readonly isClients: boolean;
  /** The answer has gone on, or come to its end, which says whether the call was cut off. */
  end(isCut?: boolean): Delta[];
  /** The stream has broken off in it, so that it does not end; what has come of it is said. */
  abandon(): Delta[];
}

function isCall(block: ClosableBlock | undefined): block is OpenCall {
  return block !== undefined && "end" in block;
}

export class OpenBlocks<Block extends ClosableBlock> {
  /** By their index, whatever the wire takes for one. */
  readonly #blocks = new Map<unknown, Block>();
  /** The block that was opened last, its index, and whether it is a call that has been closed. */
  #last: ClosableBlock | undefined;
  #lastIndex: unknown;
  #isPending = false;

  get(index: unknown): Block | undefined {
    return this.#blocks.get(index);
  }

  /** What is over because a block opens: also one that still has its index (B76). */
  makeRoom(index: unknown): Delta[] {
    const deltas = this.close(index);
    // What is said whole would lose its place to the next.
    if (this.#last?.kind === "held") deltas.push(...this.close(this.#lastIndex));
    // The answer has gone on: a call that was closed is complete.
    if (this.#isPending && isCall(this.#last)) deltas.push(...this.#last.end());
    return deltas;
  }

  add(index: unknown, block: Block): void {
    this.#blocks.set(index, block);
    this.#last = block;
    this.#lastIndex = index;
    this.#isPending = false;
  }

  close(index: unknown): Delta[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    this.#blocks.delete(index);
    if (!isCall(block)) return block.close();
    // The last call of an answer may have been cut off; that is known only at the end.
    this.#isPending ||= block === this.#last;
    return block === this.#last ? [] : block.end();
  }

  /** The answer has come to its end: everything is over, the calls as well. */
  finish(reason: FinishReason): Delta[] {
    const cut = isCall(this.#last) && this.#last.isClients && isCutOff(reason) ? this.#last : undefined;
    return this.#closeAll((call) => call.end(call === cut));
  }

  /** The answer has failed. */
  abandon(): Delta[] {
    return this.#closeAll((call) => call.abandon());
  }

  #closeAll(settle: (call: OpenCall) => Delta[]): Delta[] {
    const deltas: Delta[] = [];
    const calls = new Set<OpenCall>();
    if (this.#isPending && isCall(this.#last)) calls.add(this.#last);
    for (const block of this.#blocks.values()) {
      if (isCall(block)) calls.add(block);
      else deltas.push(...block.close());
    }
    this.#blocks.clear();
    for (const call of calls) deltas.push(...settle(call));
    return deltas;
  }
}
