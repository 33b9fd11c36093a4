// Tracks the open blocks of a streamed answer, for protocols that open, fill and close blocks by index. The end of the
// last call is emitted only at the end of the answer, when it is known whether the call was cut off (B31).
import type { Delta } from "../../../model/delta.ts";
import type { FinishReason } from "../../../model/finish-reason.ts";
import { isCutOff } from "../tools/cut-off-calls.ts";

export interface ClosableBlock {
  /** The kind of the block. A block of the kind "buffered" is emitted in one delta when it is closed. */
  readonly kind: string;
  close(): Delta[];
}

/** The block of a call. Closing the block does not end the call. */
export interface OpenCallBlock extends ClosableBlock {
  readonly isRunByClient: boolean;
  /** Returns the deltas that end the call, once the answer has continued after the call or has ended. */
  end(isCutOff?: boolean): Delta[];
  /** Returns the deltas for the content of the call so far, without its end, because the stream has failed. */
  abandon(): Delta[];
}

function isCall(block: ClosableBlock | undefined): block is OpenCallBlock {
  return block !== undefined && "end" in block;
}

export class OpenBlocks<Block extends ClosableBlock> {
  /** The open blocks by wire index. The index is not checked, so it can be any JSON value. */
  readonly #blocks = new Map<unknown, Block>();
  /** The block that was opened last. */
  #last: ClosableBlock | undefined;
  #lastIndex: unknown;
  /** True if the last block is closed and contains a call whose end is not emitted yet. */
  #isCallPending = false;

  get(index: unknown): Block | undefined {
    return this.#blocks.get(index);
  }

  /**
   * Closes the blocks that must be closed before a new block at `index` opens, among them an open block with the same
   * index (B76).
   */
  closeBefore(index: unknown): Delta[] {
    const deltas = this.close(index);
    // A buffered block is emitted before the next block, so that the parts stay in order.
    if (this.#last?.kind === "buffered") deltas.push(...this.close(this.#lastIndex));
    // The answer continues after the closed call, so the call is complete.
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
    // If the call is the block that was opened last, it is ended later, because only the end of the answer shows
    // whether it was cut off. Any other call is ended now.
    this.#isCallPending ||= block === this.#last;
    return block === this.#last ? [] : block.end();
  }

  /**
   * Closes all blocks and ends all calls at the end of the answer. The finish reason determines whether the last call
   * was cut off.
   */
  finish(reason: FinishReason): Delta[] {
    const cutOffCall = isCall(this.#last) && this.#last.isRunByClient && isCutOff(reason) ? this.#last : undefined;
    return this.#closeAll((call) => call.end(call === cutOffCall));
  }

  /** Closes all blocks of a failed answer, without ending their calls. */
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
