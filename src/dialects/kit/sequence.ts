// One part at a time. Deltas of parallel calls may come interleaved; the streams of most dialects open, fill and close
// one block after the other. While a call is open, what belongs to other parts waits until it has ended; a text ends
// with whatever follows it.
import type { Delta } from "../../model/delta.ts";
import type { Annotation } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { Draft } from "./follow.ts";
import { placeOf } from "./follow.ts";
import { isSealFor } from "./residue.ts";

/** Where the parts go, each opened, filled and closed before the next. */
export interface PartSink {
  /** A part begins. Its first delta follows; `draft.part` holds all that has come of it so far. */
  open(draft: Draft): void;
  add(draft: Draft, delta: Delta): void;
  close(draft: Draft): void;
  /** A delta for a part that has been closed. No call is open then. */
  late(draft: Draft, delta: Delta): void;
}

export class PartSequence {
  readonly #sink: PartSink;
  #current: Draft | undefined;
  /** The call in hand has not ended. */
  #isCallOpen = false;
  /** What came too early, by part. Parts appear in their order, so that the first to wait is the first to go on. */
  readonly #waiting = new Map<Draft, Delta[]>();
  #late: { draft: Draft; delta: Delta }[] = [];

  constructor(sink: PartSink) {
    this.#sink = sink;
  }

  push(draft: Draft, delta: Delta): void {
    const current = this.#current;
    if (draft === current) this.#add(draft, delta);
    else if (current !== undefined && draft.index < current.index) this.#addLate(draft, delta);
    else if (this.#isCallOpen) this.#keep(draft, delta);
    else {
      this.#begin(draft);
      this.#add(draft, delta);
    }
  }

  #addLate(draft: Draft, delta: Delta): void {
    if (this.#isCallOpen) this.#late.push({ draft, delta });
    else this.#sink.late(draft, delta);
  }

  #keep(draft: Draft, delta: Delta): void {
    const deltas = this.#waiting.get(draft);
    if (deltas === undefined) this.#waiting.set(draft, [delta]);
    else deltas.push(delta);
  }

  #begin(draft: Draft): void {
    if (this.#current !== undefined) this.#sink.close(this.#current);
    this.#current = draft;
    this.#isCallOpen = draft.kind === "call";
    this.#sink.open(draft);
  }

  #add(draft: Draft, delta: Delta): void {
    this.#sink.add(draft, delta);
    if (delta.kind !== "tool_call_end") return;
    this.#isCallOpen = false;
    this.#release();
  }

  /** What waited goes on, part by part, up to a call that is still open. */
  #release(): void {
    const late = this.#late;
    this.#late = [];
    for (const { draft, delta } of late) this.#sink.late(draft, delta);
    for (const [draft, deltas] of this.#waiting) {
      if (this.#isCallOpen) return;
      this.#waiting.delete(draft);
      this.#begin(draft);
      for (const delta of deltas) {
        this.#sink.add(draft, delta);
        if (delta.kind === "tool_call_end") this.#isCallOpen = false;
      }
    }
  }

  /** The answer has ended, and with it the part in hand; calls that are still open end here too. */
  end(): void {
    do {
      this.#isCallOpen = false;
      this.#release();
    } while (this.#waiting.size > 0);
    if (this.#current !== undefined) this.#sink.close(this.#current);
    this.#current = undefined;
    this.#isCallOpen = false;
  }
}

/** Reports what a delta for a closed part would have said of it beside its text, had it come in time. */
export function reportLate(
  draft: Draft,
  delta: Delta,
  context: EncodeContext<"late-unsaid">,
  isSayable: (annotation: Annotation) => boolean,
): void {
  const { report, dialect } = context;
  const place = placeOf(draft);
  if (delta.kind === "seal") {
    const isMeant = draft.part.type === "reasoning" && isSealFor(delta.payload.seal, context);
    if (isMeant) report.addLoss("late-unsaid", [...place, "seals"]);
  } else if (delta.kind === "annotation" && isSayable(delta.payload.annotation)) {
    report.addLoss("late-unsaid", [...place, "annotations"]);
  }
  if (delta.payload.extra?.[dialect] !== undefined) report.addLoss("late-unsaid", [...place, "extra", dialect]);
}
