// The open blocks of a streamed answer, for protocols that open, fill and close blocks by index. A call does not end
// with its block: the end of the answer tells whether the call was cut off (B31).
import type { Delta } from "../../../model/delta.ts";
import type { FinishReason } from "../../../model/finish-reason.ts";
import { isCutOff } from "../tools/cut-off-calls.ts";

export interface ClosableBlock {
  /** "buffered": the block is emitted whole when it is closed. */
  readonly kind: string;
  close(): Delta[];
}

/** The block of a call. Closing the block does not end the call. */
export interface OpenCallBlock extends ClosableBlock {
  readonly isRunByClient: boolean;
  /** Ends the call, after the answer has continued or ended. */
  end(isCutOff?: boolean): Delta[];
  /** Emits what has arrived of the call, without an end: the stream has failed. */
  abandon(): Delta[];
}

function isCall(block: ClosableBlock | undefined): block is OpenCallBlock {
  return block !== undefined && "end" in block;
}

export class OpenBlocks<Block extends ClosableBlock> {
  /** By index; wires use any JSON value as an index. */
  readonly #blocks = new Map<unknown, Block>();
  /** The block that was opened last. */
  #last: ClosableBlock | undefined;
  #lastIndex: unknown;
  /** True if the last block is a call that is closed but has not ended. */
  #isCallPending = false;

  get(index: unknown): Block | undefined {
    return this.#blocks.get(index);
  }

  /** Closes the blocks that end because another one opens, also one that has the same index (B76). */
  closeBefore(index: unknown): Delta[] {
    const deltas = this.close(index);
    // A held block is emitted before the next one, to keep the order.
    if (this.#last?.kind === "buffered") deltas.push(...this.close(this.#lastIndex));
    // The answer continues, so that a closed call is complete.
    if (this.#isCallPending && isCall(this.#last)) deltas.push(...this.#last.end());
    return deltas;
  }

  add(index: unknown, block: Block): void {
    this.#blocks.set(index, block);
    this.#last = block;
    this.#lastIndex = index;
    this.#isCallPending = false;
  }

  close(index: unknown): Delta[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    this.#blocks.delete(index);
    if (!isCall(block)) return block.close();
    // Only the end of the answer tells whether its last call was cut off.
    this.#isCallPending ||= block === this.#last;
    return block === this.#last ? [] : block.end();
  }

  /** Ends all blocks and calls at the end of the answer. */
  finish(reason: FinishReason): Delta[] {
    const cutOffCall = isCall(this.#last) && this.#last.isRunByClient && isCutOff(reason) ? this.#last : undefined;
    return this.#closeAll((call) => call.end(call === cutOffCall));
  }

  /** Closes all blocks after the answer has failed. */
  abandon(): Delta[] {
    return this.#closeAll((call) => call.abandon());
  }

  #closeAll(endCall: (call: OpenCallBlock) => Delta[]): Delta[] {
    const deltas: Delta[] = [];
    const calls = new Set<OpenCallBlock>();
    if (this.#isCallPending && isCall(this.#last)) calls.add(this.#last);
    for (const block of this.#blocks.values()) {
      if (isCall(block)) calls.add(block);
      else deltas.push(...block.close());
    }
    this.#blocks.clear();
    for (const call of calls) deltas.push(...endCall(call));
    return deltas;
  }
}
