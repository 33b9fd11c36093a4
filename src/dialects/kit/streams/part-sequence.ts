// Orders the deltas of a stream so that the parts are written one after another, as most dialects require. The deltas
// of parallel calls can be interleaved. While a call is open, the deltas of later parts are buffered until the call has
// ended. A part that is not a call is closed by the first delta of a later part.
import type { Delta } from "../../../model/delta.ts";
import type { Annotation } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { PartDraft } from "./answer-follower.ts";
import { toDraftPath } from "./answer-follower.ts";
import { isSealFor } from "../seals/seals.ts";

/** Receives the parts of an answer in order. Each part is closed before the next part is opened. */
export interface PartSink {
  /** Opens a part; `add` is called next, with its first delta. `draft.part` has the content that has arrived so far. */
  open(draft: PartDraft): void;
  add(draft: PartDraft, delta: Delta): void;
  close(draft: PartDraft): void;
  /** Receives a delta for a part that has been closed. It is called only while no call is open. */
  late(draft: PartDraft, delta: Delta): void;
}

export class PartSequence {
  readonly #sink: PartSink;
  #current: PartDraft | undefined;
  /** True if the current part is a call that has not ended. */
  #isCallOpen = false;
  /**
   * The buffered deltas of the parts after the current one, by part. The entries are in the order of the parts, so the
   * first entry is the next part.
   */
  readonly #waiting = new Map<PartDraft, Delta[]>();
  #late: { draft: PartDraft; delta: Delta }[] = [];

  constructor(sink: PartSink) {
    this.#sink = sink;
  }

  push(draft: PartDraft, delta: Delta): void {
    const current = this.#current;
    if (draft === current) this.#add(draft, delta);
    else if (current !== undefined && draft.index < current.index) this.#addLate(draft, delta);
    else if (this.#isCallOpen) this.#enqueue(draft, delta);
    else {
      this.#begin(draft);
      this.#add(draft, delta);
    }
  }

  #addLate(draft: PartDraft, delta: Delta): void {
    if (this.#isCallOpen) this.#late.push({ draft, delta });
    else this.#sink.late(draft, delta);
  }

  #enqueue(draft: PartDraft, delta: Delta): void {
    const deltas = this.#waiting.get(draft);
    if (deltas === undefined) this.#waiting.set(draft, [delta]);
    else deltas.push(delta);
  }

  #begin(draft: PartDraft): void {
    if (this.#current !== undefined) this.#sink.close(this.#current);
    this.#current = draft;
    this.#isCallOpen = draft.kind === "call";
    this.#sink.open(draft);
  }

  #add(draft: PartDraft, delta: Delta): void {
    this.#sink.add(draft, delta);
    if (delta.kind !== "tool_call_end") return;
    this.#isCallOpen = false;
    this.#release();
  }

  /** Passes the buffered deltas to the sink, part by part, until a part is a call that has not ended. */
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

  /** Ends the sequence at the end of the answer: closes the current part, even an open call, and all buffered parts. */
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

/**
 * Reports data that is dropped because its delta arrived after the part had been closed: a reasoning seal for this
 * target, an annotation that the target supports, and residue of its dialect. Other seals and annotations are not
 * reported here, because the target would never receive them.
 */
export function reportLateDelta(
  draft: PartDraft,
  delta: Delta,
  context: EncodeContext<"late-dropped">,
  isSupported: (annotation: Annotation) => boolean,
): void {
  const { report, dialect } = context;
  const path = toDraftPath(draft);
  if (delta.kind === "seal") {
    const isForTarget = draft.part.type === "reasoning" && isSealFor(delta.payload.seal, context);
    if (isForTarget) report.addLoss("late-dropped", [...path, "seals"]);
  } else if (delta.kind === "annotation" && isSupported(delta.payload.annotation)) {
    report.addLoss("late-dropped", [...path, "annotations"]);
  }
  if (delta.payload.extra?.[dialect] !== undefined) report.addLoss("late-dropped", [...path, "extra", dialect]);
}
