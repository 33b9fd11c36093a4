// Queues the wire events of a streamed answer: numbers the events and creates those that name an item.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ToolResultPart } from "../../../model/parts.ts";
import type { WireEvent } from "../../dialect.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import type { PartEncoder } from "./part-encoders.ts";

/** An item whose first event has been sent. */
export interface OpenItem {
  readonly index: number;
  readonly type: unknown;
  /** The item's id; empty if the item has none. */
  readonly id: string;
  /** The id of the item in events: the item's id, or its call id if it has none. */
  readonly eventItemId: string;
  /**
   * The number of ids that Koine had made when the item started, so that the item gets the same id when it is encoded
   * again.
   */
  readonly madeIdCount: number;
  readonly drafts: PartDraft[];
  readonly blocks: PartEncoder[];
  /** The result that is encoded in the same item; undefined if it has not arrived or is an item of its own. */
  result: ToolResultPart | undefined;
  isDone: boolean;
}

const REASONING_DELTA = "response.reasoning_text.delta";
const SUMMARY_DELTA = "response.reasoning_summary_text.delta";

export class ResponsesEventQueue {
  #events: WireEvent[] = [];
  #sequenceNumber = 0;

  /** Returns the events since the previous call and removes them. */
  takeEvents(): WireEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  emit(type: string, fields: JsonObject): void {
    this.#events.push({ event: type, data: { type, ...fields, sequence_number: this.#sequenceNumber++ } });
  }

  /** Sends a text delta. It is by far the most frequent event, so it does not use `emit`, which copies the fields. */
  emitTextDelta(type: string, item: OpenItem, content: number, delta: string, logprobs: JsonValue): void {
    const data = {
      type,
      content_index: content,
      delta,
      item_id: item.eventItemId,
      logprobs,
      output_index: item.index,
      sequence_number: this.#sequenceNumber++,
    };
    this.#events.push({ event: type, data });
  }

  /** Sends a delta of a call's arguments. */
  emitArgumentsDelta(type: string, item: OpenItem, delta: string): void {
    const data = {
      type,
      delta,
      item_id: item.eventItemId,
      output_index: item.index,
      sequence_number: this.#sequenceNumber++,
    };
    this.#events.push({ event: type, data });
  }

  /** Sends a delta of reasoning, or of the summary at the index `summary`. */
  emitReasoningDelta(item: OpenItem, delta: string, summary: number | undefined): void {
    const { eventItemId: item_id, index: output_index } = item;
    const sequence_number = this.#sequenceNumber++;
    const data =
      summary === undefined
        ? { type: REASONING_DELTA, content_index: 0, delta, item_id, output_index, sequence_number }
        : { type: SUMMARY_DELTA, summary_index: summary, delta, item_id, output_index, sequence_number };
    this.#events.push({ event: data.type, data });
  }

  /** Sends a stored unknown event with a new sequence number. */
  emitStoredEvent(event: JsonObject): void {
    const { type } = event;
    const data = { ...event, sequence_number: this.#sequenceNumber++ };
    this.#events.push(typeof type === "string" ? { event: type, data } : { data });
  }
}
