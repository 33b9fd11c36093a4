// Encodes the items of a streamed answer. Events name their item and block, so several items can grow at once. A text
// ends when the next part starts, a call with its end delta, a hosted call with its result. Items have the same
// boundaries and encoding as in a response.
import type { Delta, PartKey } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { toDraftPath } from "../../kit/streams/answer-follower.ts";
import { encodeOpaque } from "../items/input-blocks.ts";
import { continuesMessage, isMessagePart, createMessageItem } from "../items/encode-items.ts";
import { encodeCall, encodeResult, chooseToolType } from "../items/encode-tool-items.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { encodeOutputBlock } from "../items/output-blocks.ts";
import { encodeReasoning } from "../items/reasoning.ts";
import { toText } from "../response/response.ts";
import { ResponsesEventQueue, type OpenItem } from "./event-queue.ts";
import { PartEncoder, CallPartEncoder, ReasoningPartEncoder, TextPartEncoder } from "./part-encoders.ts";
import { withStreamedArguments, ContinuedParts } from "./continued-parts.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { readOwnForm, createEncodeState } from "../encode-state.ts";

/** A part that is held back until the id of its item arrives. */
interface WaitingPart {
  readonly draft: PartDraft;
  readonly deltas: Delta[];
}

export class ResponsesItemEncoder extends ResponsesEventQueue {
  readonly state: ResponsesEncodeState;
  readonly #isOwnAnswer: boolean;
  readonly #items: OpenItem[] = [];
  readonly #blocks = new Map<PartDraft, PartEncoder>();
  /** The items of hosted calls, which the provider runs, that have no result yet, by call id. */
  readonly #callsWithoutResult = new Map<string, OpenItem>();
  #waitingPart: WaitingPart | undefined;
  /** The part that started last. */
  #last: { draft: PartDraft; block: PartEncoder } | undefined;
  /** The parts, including continuations, in the order in which they started. */
  readonly #order: PartDraft[] = [];
  readonly #continuedParts = new ContinuedParts();
  readonly #report: EncodeContext<ResponsesLossCode>["report"];

  /**
   * `isOwn` is true if the answer was decoded from this dialect, so that item ids can arrive after their parts.
   * `context` must discard losses, because items are encoded before they are complete; losses that occur only in a
   * stream are added to `report`.
   */
  constructor(
    context: EncodeContext<ResponsesLossCode>,
    report: EncodeContext<ResponsesLossCode>["report"],
    seed: string,
    isOwn: boolean,
  ) {
    super();
    this.state = createEncodeState(context, seed);
    this.#report = report;
    this.#isOwnAnswer = isOwn;
  }

  /** True if late deltas have split a part into continuations. */
  get hasSplitParts(): boolean {
    return this.#continuedParts.hasSplitParts;
  }

  add(draft: PartDraft, delta: Delta): void {
    const last = this.#last;
    if (last?.draft === draft && this.#waitingPart === undefined) return last.block.add(delta);
    this.#addToOtherPart(draft, delta);
  }

  #addToOtherPart(draft: PartDraft, delta: Delta): void {
    const waiting = this.#waitingPart;
    const block = this.#blocks.get(draft);
    if (waiting?.draft === draft) {
      waiting.deltas.push(delta);
      if (!this.#isOwnAnswer || isIdSeal(delta)) this.startWaitingPart();
      return;
    }
    // A delta of an open part does not start the waiting part, because starting it would close the open part.
    if (waiting !== undefined && block?.isClosed !== false) this.startWaitingPart();
    if (block?.isClosed === true) this.#addLate(draft, block, delta);
    else if (block !== undefined) block.add(delta);
    else if (this.#mayWaitForId(draft, delta)) this.#waitingPart = { draft, deltas: [delta] };
    else this.#startPart(draft, [delta]);
  }

  /** Sends a late delta as a continuation of its part. Other late data, such as a seal, is only in the last event. */
  #addLate(draft: PartDraft, block: PartEncoder, delta: Delta): void {
    const step = this.#continuedParts.redirect(draft, delta, (other) => this.#blocks.get(other)?.isClosed === true);
    if (step === undefined) return block.add(delta);
    const encoder = this.#blocks.get(step.draft);
    if (encoder !== undefined) return encoder.add(step.delta);
    this.#report.addLoss("part-split", toDraftPath(draft));
    this.#startPart(step.draft, [step.delta]);
  }

  /**
   * True if the item id of the part can still arrive. The part must then wait, because the first event of an item
   * contains the id.
   */
  #mayWaitForId(draft: PartDraft, delta: Delta): boolean {
    if (delta.kind === "tool_call_start")
      return this.#isOwnAnswer || canHaveId(draft, delta.payload.partKey, this.state.context);
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return false;
    return this.#isOwnAnswer || delta.payload.textDelta === "";
  }

  /** Starts the waiting part, if there is one. */
  startWaitingPart(): void {
    const waiting = this.#waitingPart;
    this.#waitingPart = undefined;
    if (waiting !== undefined) this.#startPart(waiting.draft, waiting.deltas);
  }

  /** Starts a part and adds its deltas. The open item before it ends. */
  #startPart(draft: PartDraft, deltas: readonly Delta[]): void {
    this.#order.push(draft);
    const block = this.#createEncoder(draft, draft.part);
    this.#blocks.set(draft, block);
    this.#last = { draft, block };
    for (const delta of deltas) block.add(delta);
  }

  #createEncoder(draft: PartDraft, part: Part): PartEncoder {
    const { context } = this.state;
    if (isMessagePart(draft.part, context)) return this.#openMessagePart(draft);
    const open =
      part.type === "tool-result" && part.executor === "provider"
        ? this.#callsWithoutResult.get(part.toolCallId)
        : undefined;
    if (open !== undefined && part.type === "tool-result") {
      open.result = part;
      this.finishItem(open, this.encodeItem(open.drafts, open));
      this.#callsWithoutResult.delete(part.toolCallId);
      return new PartEncoder();
    }
    this.#finishOpenItems();
    switch (part.type) {
      case "reasoning":
        return this.#openReasoning(draft);
      case "tool-call":
        return new CallPartEncoder(this, draft);
      case "tool-result":
        this.emitWholeItem(encodeResult(part, false, this.state), draft);
        return new PartEncoder();
      case "opaque":
        this.emitWholeItem(encodeOpaque(part, this.state), draft);
        return new PartEncoder();
      default:
        return new PartEncoder();
    }
  }

  /** Starts a text, refusal or opaque block in the message item before it, or in a new message item. */
  #openMessagePart(draft: PartDraft): PartEncoder {
    const { context } = this.state;
    const open = this.#items.at(-1);
    const before = open?.drafts.at(-1);
    const isNext = before !== undefined && before === this.#order.at(-2);
    const isMore = isNext && isMessagePart(before.part, context) && continuesMessage(draft.part, context);
    if (open !== undefined && isMore && !open.isDone) {
      open.blocks.at(-1)?.close();
      open.drafts.push(draft);
      return new TextPartEncoder(this, open, draft);
    }
    this.#finishOpenItems();
    const { madeIdCount } = this.state;
    // The cast is safe, because the caller has checked that the part can be in a message item.
    const { item } = createMessageItem(draft.part as Parameters<typeof createMessageItem>[0], this.state);
    return new TextPartEncoder(this, this.createItem(draft, { ...item, content: [] }, madeIdCount), draft);
  }

  #openReasoning(draft: PartDraft): PartEncoder {
    const { madeIdCount } = this.state;
    const { type, id } = this.encodeItem([draft]) ?? {};
    const item: JsonObject = { type: type ?? "reasoning", ...(id !== undefined && { id }), summary: [] };
    return new ReasoningPartEncoder(this, this.createItem(draft, item, madeIdCount), draft);
  }

  /** Finishes open texts and reasoning, and hosted calls that have no result. */
  #finishOpenItems(): void {
    for (const openCall of this.#callsWithoutResult.values())
      this.finishItem(openCall, this.encodeItem(openCall.drafts, openCall));
    this.#callsWithoutResult.clear();
    const open = this.#items.at(-1);
    if (open === undefined || open.isDone || open.drafts[0]?.part.type === "tool-call") return;
    this.finishItem(open, this.encodeItem(open.drafts, open));
  }

  /** Sends the first event of a new item. */
  createItem(draft: PartDraft, item: JsonObject, madeIdCount = this.state.madeIdCount): OpenItem {
    const { id, type, call_id: callId } = item;
    const open: OpenItem = {
      index: this.#items.length,
      type,
      id: toText(id),
      eventItemId: toText(id ?? callId),
      madeIdCount,
      drafts: [draft],
      blocks: [],
      result: undefined,
      isDone: false,
    };
    this.#items.push(open);
    const started = item["status"] === undefined ? item : { ...item, status: "in_progress" };
    this.emit("response.output_item.added", { output_index: open.index, item: started });
    return open;
  }

  /** Encodes an item with the content so far. `open` is given if the item has been encoded before, and keeps its id. */
  encodeItem(drafts: readonly PartDraft[], open?: OpenItem): JsonObject | undefined {
    const { state } = this;
    const { madeIdCount } = state;
    if (open !== undefined) state.madeIdCount = open.madeIdCount;
    const item = this.#encodeDrafts(drafts, open?.result);
    if (open === undefined) return item;
    state.madeIdCount = madeIdCount;
    // The item keeps the id of its first event. An id that arrived later is only in the last event of the answer.
    if (item !== undefined && open.id !== "") item["id"] = open.id;
    return item;
  }

  #encodeDrafts(drafts: readonly PartDraft[], answer: ToolResultPart | undefined): JsonObject | undefined {
    const { state } = this;
    const [draft] = drafts;
    const first = draft?.part;
    if (first?.type === "reasoning") return encodeReasoning(first, undefined, state);
    if (draft !== undefined && first?.type === "tool-call")
      return encodeCall(withStreamedArguments(draft, first), answer, state);
    if (!isMessagePart(first, state.context)) return undefined;
    const { item } = createMessageItem(first, state);
    const blocks = drafts.map((each) => {
      const part = this.#continuedParts.partBeforeSplit(each, each.part);
      return isMessagePart(part, state.context) ? encodeOutputBlock(part, "id", state) : undefined;
    });
    item["content"] = blocks.filter((block) => block !== undefined);
    return item;
  }

  /** Sends the last event of an item. */
  finishItem(open: OpenItem, item: JsonObject | undefined): void {
    if (open.isDone) return;
    open.blocks.at(-1)?.close(item);
    open.isDone = true;
    this.emit("response.output_item.done", { output_index: open.index, item: item ?? null });
  }

  /** Sends the first and last event of a complete item, unless the item was dropped. */
  emitWholeItem(item: JsonObject | undefined, draft: PartDraft): void {
    if (item === undefined) return;
    const open = this.createItem(draft, item);
    this.finishItem(open, item);
  }

  /** Leaves the item of a hosted call open until its result arrives. */
  waitForResult(toolCallId: string, open: OpenItem): void {
    this.#callsWithoutResult.set(toolCallId, open);
  }

  /** Returns the item type of a call; undefined if the call is dropped. */
  chooseToolType(draft: PartDraft): ReturnType<typeof chooseToolType> {
    return draft.part.type === "tool-call" ? chooseToolType(draft.part, this.state) : undefined;
  }

  /**
   * Returns the parts as they were sent: calls with the exact text of their arguments, and texts without an id that
   * would move them to another item.
   */
  toStreamedParts(parts: readonly Part[]): Part[] {
    const { context } = this.state;
    const streamed = [...parts];
    for (const draft of this.#order) {
      const part = streamed[draft.index];
      if (part?.type === "tool-call") streamed[draft.index] = withStreamedArguments(draft, part);
    }
    for (const { drafts } of this.#items) {
      for (const draft of drafts.slice(1)) {
        const part = streamed[draft.index];
        // The id arrived after the text had been sent as a block of the message before it. With the id, the text would
        // become a second item, so the id is dropped.
        if (part?.seals === undefined || draft.part.seals === undefined || continuesMessage(part, context)) continue;
        const seals = part.seals.filter(({ kind, dialect }) => kind !== "id" || dialect !== context.dialect);
        streamed[draft.index] = { ...part, seals };
        this.#report.addLoss("late-dropped", [...toDraftPath(draft), "seals"]);
      }
    }
    return streamed;
  }

  /** Returns the parts in the order in which they were sent. Parts with late deltas are split into continuations. */
  toSplitParts(parts: readonly Part[]): Part[] {
    const seen = new Set<number>();
    return this.#order.map((draft) => {
      // The drafts of a split part have the same index: the first draft is the part before the split, and each later
      // draft is a continuation.
      const part = seen.has(draft.index) ? draft.part : this.#continuedParts.partBeforeSplit(draft, parts[draft.index]);
      seen.add(draft.index);
      return part;
    });
  }

  /** Marks the open items of an interrupted answer as incomplete. */
  markIncomplete(items: readonly JsonObject[]): void {
    for (const { index, type, isDone } of this.#items) {
      const item = items[index];
      if (isDone || item === undefined || item["type"] !== type) continue;
      if (item["status"] === "completed") item["status"] = "incomplete";
    }
  }

  /** Finishes the open items with the content of the final response, and sends the items that have not been sent. */
  finishAnswer(items: readonly JsonObject[]): void {
    for (const open of this.#items) {
      const item = items[open.index];
      const isSame = item?.["type"] === open.type && toText(item?.["id"]) === open.id;
      this.finishItem(open, isSame ? item : this.encodeItem(open.drafts, open));
    }
    items.forEach((item, output_index) => {
      if (output_index < this.#items.length) return;
      this.emit("response.output_item.added", { output_index, item });
      this.emit("response.output_item.done", { output_index, item });
    });
  }
}

/** True if the item id of a call can still arrive. The keys of calls that this dialect decoded end with ".call". */
function canHaveId(draft: PartDraft, key: PartKey | undefined, context: EncodeContext<ResponsesLossCode>): boolean {
  return typeof key === "string" && key.endsWith(".call") && readOwnForm(draft.part, context)["bare"] !== true;
}

function isIdSeal(delta: Delta): boolean {
  return delta.kind === "seal" && delta.payload.seal.kind === "id";
}
