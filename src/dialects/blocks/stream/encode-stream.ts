// Defines the base class of the stream encoders of both block dialects: it opens, fills and closes one block after the
// other. The end of the stream and all losses come from the assembled answer, which is encoded like a complete
// response.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import type { Annotation, Part } from "../../../model/parts.ts";
import type { EncodeContext, WireEvent } from "../../dialect.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { AnswerFollower, toDraftPath } from "../../kit/streams/answer-follower.ts";
import type { PartSink } from "../../kit/streams/part-sequence.ts";
import { PartSequence, reportLateDelta } from "../../kit/streams/part-sequence.ts";
import { createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import type { BlockLoss } from "../losses.ts";
import type { PartWriter } from "./part-writers.ts";

/** Collects wire events until the caller takes them. */
export class WireEventQueue {
  #events: WireEvent[] = [];

  push(event: WireEvent): void {
    this.#events.push(event);
  }

  take(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

export abstract class BlockStreamEncoder implements PartSink {
  protected readonly context: EncodeContext<BlockLoss>;
  protected readonly follower = new AnswerFollower();
  #sequence = new PartSequence(this);
  #writer: PartWriter | undefined;
  /**
   * The additional block with text that arrived after the block of its part had been closed; undefined if there is
   * none.
   */
  #split: { draft: PartDraft; writer: PartWriter } | undefined;
  /** True once the answer has failed; its open blocks are then not closed. */
  protected hasFailed = false;

  constructor(context: EncodeContext<BlockLoss>) {
    this.context = context;
  }

  /** Resets the state of the subclass for a new answer. */
  protected abstract reset(payload: StartPayload): void;
  /** True if the start event must be written before this delta is encoded. */
  protected abstract needsStart(delta: Delta, draft: PartDraft | undefined): boolean;
  /** Writes the start event unless it has already been written. */
  protected abstract writeStart(): void;
  /** Writes the end of a complete answer, after its blocks have been closed. */
  protected abstract writeEnd(): void;
  /** Writes the error that ends a failed answer. */
  protected abstract writeFailure(): void;
  protected abstract createWriter(draft: PartDraft): PartWriter;
  protected abstract isCitation(annotation: Annotation): boolean;
  protected abstract takeEvents(): WireEvent[];

  push(delta: Delta): WireEvent[] {
    const draft = this.follower.push(delta);
    if (this.needsStart(delta, draft)) this.writeStart();
    if (draft !== undefined) {
      // A stream has one choice. The other choices are reported as losses when the complete answer is encoded.
      if (draft.choice === 0) this.#sequence.push(draft, delta);
    } else if (delta.kind === "done") {
      this.writeStart();
      this.closeBlocks();
      this.writeEnd();
    } else if (delta.kind === "error") this.writeFailure();
    else if (delta.kind === "start") this.#restart(delta.payload);
    else if (delta.kind === "part") this.context.report.addLoss("stream-result-dropped");
    return this.takeEvents();
  }

  /** Ends the stream. An answer that is still open ends with an error (B86). */
  end(): WireEvent[] {
    return this.follower.isOpen ? this.push(createTruncatedDelta()) : [];
  }

  #restart(payload: StartPayload): void {
    this.#sequence = new PartSequence(this);
    this.#writer = undefined;
    this.#split = undefined;
    this.hasFailed = false;
    this.reset(payload);
  }

  protected closeBlocks(): void {
    this.#sequence.end();
    this.#closeSplit();
  }

  open(draft: PartDraft): void {
    this.#closeSplit();
    this.#writer = this.createWriter(draft);
  }

  add(draft: PartDraft, delta: Delta): void {
    if (draft.kind === "whole" && delta.kind !== "part") this.#reportLate(draft, delta);
    this.#writer?.add(delta);
  }

  close(): void {
    this.#writer?.close(!this.hasFailed);
    this.#writer = undefined;
  }

  /**
   * Writes late text, which arrives after its part was closed, into an additional block. All other data of a late delta
   * is lost.
   */
  late(draft: PartDraft, delta: Delta): void {
    this.#reportLate(draft, delta);
    const isText = delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking";
    if (!isText || delta.payload.textDelta === "") return;
    if (this.#split?.draft !== draft) {
      this.#closeSplit();
      this.reportSplit(draft);
      const part: Part = { type: delta.kind === "thinking" ? "reasoning" : "text", text: "" };
      this.#split = { draft, writer: this.createWriter({ ...draft, part }) };
    }
    const { extra: _, ...payload } = delta.payload;
    this.#split.writer.add({ kind: delta.kind, payload });
  }

  /** Reports the loss that a part continues in an additional block. */
  protected reportSplit(draft: PartDraft): void {
    this.context.report.addLoss("part-split", toDraftPath(draft));
  }

  #closeSplit(): void {
    this.#split?.writer.close(!this.hasFailed);
    this.#split = undefined;
  }

  #reportLate(draft: PartDraft, delta: Delta): void {
    reportLateDelta(draft, delta, this.context, (annotation) => this.isCitation(annotation));
  }
}
