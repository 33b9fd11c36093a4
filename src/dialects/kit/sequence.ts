// One part at a time. Deltas of parallel calls may come interleaved; the streams of most dialects open, fill and close
// one block after the other. What comes too early waits until the call before it has ended; texts never wait.
import type { Delta } from "../../model/delta.ts";
import type { Draft } from "./follow.ts";

/** Where the parts go, each opened, filled and closed before the next. */
export interface PartSink {
  /** A part begins. Its first delta follows; `draft.part` holds all that has come of it so far. */
  open(draft: Draft): void;
  add(draft: Draft, delta: Delta): void;
  close(draft: Draft): void;
  /** A delta for a part that has been closed. */
  late(draft: Draft, delta: Delta): void;
}

export class PartSequence {
  private readonly sink: PartSink;
  private current: Draft | undefined;
  /** The call in hand has not ended. */
  private isCallOpen = false;
  private waiting: { draft: Draft; delta: Delta }[] = [];

  constructor(sink: PartSink) {
    this.sink = sink;
  }

  push(draft: Draft, delta: Delta): void {
    const { current } = this;
    if (draft === current) this.add(draft, delta);
    else if (current !== undefined && draft.index < current.index) this.sink.late(draft, delta);
    else if (this.isCallOpen) this.waiting.push({ draft, delta });
    else {
      if (current !== undefined) this.sink.close(current);
      this.current = draft;
      this.isCallOpen = draft.kind === "call";
      this.sink.open(draft);
      this.add(draft, delta);
    }
  }

  private add(draft: Draft, delta: Delta): void {
    this.sink.add(draft, delta);
    if (delta.kind !== "tool_call_end") return;
    this.isCallOpen = false;
    this.release();
  }

  /** What waited goes on, part by part in their order; it may have to wait for another call. */
  private release(): void {
    if (this.waiting.length === 0) return;
    const ready = this.waiting.toSorted((a, b) => a.draft.index - b.draft.index);
    this.waiting = [];
    for (const { draft, delta } of ready) this.push(draft, delta);
  }

  /** The answer has ended, and with it the part in hand; calls that are still open end here too. */
  end(): void {
    while (this.waiting.length > 0) {
      this.isCallOpen = false;
      this.release();
    }
    if (this.current !== undefined) this.sink.close(this.current);
    this.current = undefined;
    this.isCallOpen = false;
  }
}
