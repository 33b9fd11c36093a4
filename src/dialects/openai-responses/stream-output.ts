// The items of an answer as they are streamed out. Each event names the place of its item and block, so that items may
// grow side by side; a text ends where the next part begins, a call where it ends, and a call of the provider with its
// result. Items are bounded, named and written by the same rules as in a whole answer.
import type { Delta, PartKey } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext, WireEvent } from "../dialect.ts";
import type { Draft } from "../kit/follow.ts";
import { placeOf } from "../kit/follow.ts";
import { encodeOpaque } from "./content.ts";
import { goesOn, isSaid, messageItem } from "./encode.ts";
import { encodeCall, encodeResult, rowFor } from "./encode-tools.ts";
import type { Code } from "./losses.ts";
import { encodeOutput } from "./output.ts";
import { encodeReasoning } from "./reasoning.ts";
import { stringOf } from "./response.ts";
import { Block, CallBlock, Reasoning, TextBlock } from "./stream-blocks.ts";
import { asStreamed, Further } from "./stream-further.ts";
import type { Writing } from "./writing.ts";
import { spelled, startWriting } from "./writing.ts";

/** An item that has begun. */
export interface Open {
  readonly index: number;
  readonly type: unknown;
  /** "" where it has none. */
  readonly id: string;
  /** What events call it. */
  readonly name: string;
  /** How many ids had been made when it began: it is written again with the same id. */
  readonly made: number;
  readonly drafts: Draft[];
  readonly blocks: Block[];
  /** What came back, where it stands in the same item. */
  answer: ToolResultPart | undefined;
  isDone: boolean;
}

/** A part that waits until its id may be known. */
interface Waiting {
  readonly draft: Draft;
  readonly deltas: Delta[];
}

const THOUGHT = "response.reasoning_text.delta";
const SUMMARY = "response.reasoning_summary_text.delta";

export class Output {
  readonly writing: Writing;
  readonly #isOwn: boolean;
  #events: WireEvent[] = [];
  #next = 0;
  readonly #items: Open[] = [];
  readonly #blocks = new Map<Draft, Block>();
  /** Calls of the provider that have no result yet. */
  readonly #asked = new Map<string, Open>();
  #waiting: Waiting | undefined;
  #last: { draft: Draft; block: Block } | undefined;
  /** The parts in the order in which they began. */
  readonly #order: Draft[] = [];
  readonly #further = new Further();
  readonly #report: EncodeContext<Code>["report"];

  /**
   * `isOwn`: the answer comes from this dialect, whose parts have ids that may come after them. What the context reports
   * is for nobody: items are written before all of them is known. What only a stream loses goes to `report`.
   */
  constructor(context: EncodeContext<Code>, report: EncodeContext<Code>["report"], seed: string, isOwn: boolean) {
    this.writing = startWriting(context, seed);
    this.#report = report;
    this.#isOwn = isOwn;
  }

  /** Whether the answer has more parts here than it has. */
  get isDivided(): boolean {
    return this.#further.isUsed;
  }

  /** The events since the last time. */
  take(): WireEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  say(type: string, fields: JsonObject): void {
    this.#events.push({ event: type, data: { type, ...fields, sequence_number: this.#next++ } });
  }

  /** A piece of a text: by far the most frequent event. */
  sayText(type: string, item: Open, content: number, delta: string, logprobs: JsonValue): void {
    const data = {
      type,
      content_index: content,
      delta,
      item_id: item.name,
      logprobs,
      output_index: item.index,
      sequence_number: this.#next++,
    };
    this.#events.push({ event: type, data });
  }

  /** A piece of what is asked. */
  sayAsked(type: string, item: Open, delta: string): void {
    const data = { type, delta, item_id: item.name, output_index: item.index, sequence_number: this.#next++ };
    this.#events.push({ event: type, data });
  }

  /** A piece of a thought, or of one of its summaries. */
  sayThought(item: Open, delta: string, summary: number | undefined): void {
    const { name: item_id, index: output_index } = item;
    const sequence_number = this.#next++;
    const data =
      summary === undefined
        ? { type: THOUGHT, content_index: 0, delta, item_id, output_index, sequence_number }
        : { type: SUMMARY, summary_index: summary, delta, item_id, output_index, sequence_number };
    this.#events.push({ event: data.type, data });
  }

  /** An event as it once came, in its new place. */
  repeat(event: JsonObject): void {
    const { type } = event;
    const data = { ...event, sequence_number: this.#next++ };
    this.#events.push(typeof type === "string" ? { event: type, data } : { data });
  }

  add(draft: Draft, delta: Delta): void {
    const last = this.#last;
    if (last?.draft === draft && this.#waiting === undefined) return last.block.add(delta);
    this.#addOther(draft, delta);
  }

  #addOther(draft: Draft, delta: Delta): void {
    const waiting = this.#waiting;
    const block = this.#blocks.get(draft);
    if (waiting?.draft === draft) {
      waiting.deltas.push(delta);
      if (!this.#isOwn || isId(delta)) this.release();
      return;
    }
    // What is still open goes on: the one that waits would close it.
    if (waiting !== undefined && block?.isClosed !== false) this.release();
    if (block?.isClosed === true) this.#addLate(draft, block, delta);
    else if (block !== undefined) block.add(delta);
    else if (this.#mayWait(draft, delta)) this.#waiting = { draft, deltas: [delta] };
    else this.#begin(draft, [delta]);
  }

  /** What comes for a part that is done goes on in another; what no part can say, the end of the answer says. */
  #addLate(draft: Draft, block: Block, delta: Delta): void {
    const step = this.#further.take(draft, delta, (other) => this.#blocks.get(other)?.isClosed === true);
    if (step === undefined) return block.add(delta);
    const begun = this.#blocks.get(step.draft);
    if (begun !== undefined) return begun.add(step.delta);
    this.#report.addLoss("part-split", placeOf(draft));
    this.#begin(step.draft, [step.delta]);
  }

  /** The id of an item must be known when it begins, and comes right after what the part begins with. */
  #mayWait(draft: Draft, delta: Delta): boolean {
    if (delta.kind === "tool_call_start")
      return this.#isOwn || mayHaveId(draft, delta.payload.part, this.writing.context);
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return false;
    return this.#isOwn || delta.payload.textDelta === "";
  }

  /** What waits for an id waits no longer. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#begin(waiting.draft, waiting.deltas);
  }

  /** A part begins; what is said before it ends. */
  #begin(draft: Draft, deltas: readonly Delta[]): void {
    this.#order.push(draft);
    const block = this.#open(draft, draft.part);
    this.#blocks.set(draft, block);
    this.#last = { draft, block };
    for (const delta of deltas) block.add(delta);
  }

  #open(draft: Draft, part: Part): Block {
    const { context } = this.writing;
    if (isSaid(draft.part, context)) return this.#openSaid(draft);
    const open =
      part.type === "tool-result" && part.executor === "provider" ? this.#asked.get(part.toolCallId) : undefined;
    if (open !== undefined && part.type === "tool-result") {
      open.answer = part;
      this.finish(open, this.write(open.drafts, open));
      this.#asked.delete(part.toolCallId);
      return new Block();
    }
    this.#settle();
    switch (part.type) {
      case "reasoning":
        return this.#openReasoning(draft);
      case "tool-call":
        return new CallBlock(this, draft);
      case "tool-result":
        this.whole(encodeResult(part, false, this.writing), draft);
        return new Block();
      case "opaque":
        this.whole(encodeOpaque(part, this.writing), draft);
        return new Block();
      default:
        return new Block();
    }
  }

  /** A text goes on in the message before it, or begins one. */
  #openSaid(draft: Draft): Block {
    const { context } = this.writing;
    const open = this.#items.at(-1);
    const before = open?.drafts.at(-1);
    const isNext = before !== undefined && before === this.#order.at(-2);
    const isMore = isNext && isSaid(before.part, context) && goesOn(draft.part, context);
    if (open !== undefined && isMore && !open.isDone) {
      open.blocks.at(-1)?.close();
      open.drafts.push(draft);
      return new TextBlock(this, open, draft);
    }
    this.#settle();
    const { made } = this.writing;
    const { item } = messageItem(draft.part as Parameters<typeof messageItem>[0], this.writing); // It is said.
    return new TextBlock(this, this.create(draft, { ...item, content: [] }, made), draft);
  }

  #openReasoning(draft: Draft): Block {
    const { made } = this.writing;
    const { type, id } = this.write([draft]) ?? {};
    const item: JsonObject = { type: type ?? "reasoning", ...(id !== undefined && { id }), summary: [] };
    return new Reasoning(this, this.create(draft, item, made), draft);
  }

  /** Texts and thoughts end where something else begins; so does a call of the provider, except with its result. */
  #settle(): void {
    for (const asked of this.#asked.values()) this.finish(asked, this.write(asked.drafts, asked));
    this.#asked.clear();
    const open = this.#items.at(-1);
    if (open === undefined || open.isDone || open.drafts[0]?.part.type === "tool-call") return;
    this.finish(open, this.write(open.drafts, open));
  }

  /** A new item begins. */
  create(draft: Draft, item: JsonObject, made = this.writing.made): Open {
    const { id, type, call_id: callId } = item;
    const open: Open = {
      index: this.#items.length,
      type,
      id: stringOf(id),
      name: stringOf(id ?? callId),
      made,
      drafts: [draft],
      blocks: [],
      answer: undefined,
      isDone: false,
    };
    this.#items.push(open);
    const begun = item["status"] === undefined ? item : { ...item, status: "in_progress" };
    this.say("response.output_item.added", { output_index: open.index, item: begun });
    return open;
  }

  /** An item as it stands; `open` where it has been written before. */
  write(drafts: readonly Draft[], open?: Open): JsonObject | undefined {
    const { writing } = this;
    const { made } = writing;
    if (open !== undefined) writing.made = open.made;
    const item = this.#encode(drafts, open?.answer);
    if (open === undefined) return item;
    writing.made = made;
    // An id that came late is said at the end of the answer.
    if (item !== undefined && open.id !== "") item["id"] = open.id;
    return item;
  }

  #encode(drafts: readonly Draft[], answer: ToolResultPart | undefined): JsonObject | undefined {
    const { writing } = this;
    const [draft] = drafts;
    const first = draft?.part;
    if (first?.type === "reasoning") return encodeReasoning(first, undefined, writing);
    if (draft !== undefined && first?.type === "tool-call")
      return encodeCall(asStreamed(draft, first), answer, writing);
    if (!isSaid(first, writing.context)) return undefined;
    const { item } = messageItem(first, writing);
    const blocks = drafts.map((each) => {
      const part = this.#further.partOf(each, each.part);
      return isSaid(part, writing.context) ? encodeOutput(part, "id", writing) : undefined;
    });
    item["content"] = blocks.filter((block) => block !== undefined);
    return item;
  }

  /** An item is done. */
  finish(open: Open, item: JsonObject | undefined): void {
    if (open.isDone) return;
    open.blocks.at(-1)?.close(item);
    open.isDone = true;
    this.say("response.output_item.done", { output_index: open.index, item: item ?? null });
  }

  /** An item that is said in one piece. */
  whole(item: JsonObject | undefined, draft: Draft): void {
    if (item === undefined) return;
    const open = this.create(draft, item);
    this.finish(open, item);
  }

  /** A call of the provider's waits for its result. */
  wait(toolCallId: string, open: Open): void {
    this.#asked.set(toolCallId, open);
  }

  /** The item that a call begins with; undefined where it is left out, or needs to be known whole. */
  rowOf(draft: Draft): ReturnType<typeof rowFor> {
    return draft.part.type === "tool-call" ? rowFor(draft.part, this.writing) : undefined;
  }

  /** The parts of the answer as they were said: calls as they were spelled, and texts in the items that they stand in. */
  spelledParts(parts: readonly Part[]): Part[] {
    const { context } = this.writing;
    const said = [...parts];
    for (const draft of this.#order) {
      const part = said[draft.index];
      if (part?.type === "tool-call") said[draft.index] = asStreamed(draft, part);
    }
    for (const { drafts } of this.#items) {
      for (const draft of drafts.slice(1)) {
        const part = said[draft.index];
        // Its id came when it had gone on in the message before: an item of its own would say it twice.
        if (part?.seals === undefined || draft.part.seals === undefined || goesOn(part, context)) continue;
        const seals = part.seals.filter(({ kind, dialect }) => kind !== "id" || dialect !== context.dialect);
        said[draft.index] = { ...part, seals };
        this.#report.addLoss("late-unsaid", [...placeOf(draft), "seals"]);
      }
    }
    return said;
  }

  /** The same, in the order in which they were said, each as far as it went. */
  dividedParts(parts: readonly Part[]): Part[] {
    const seen = new Set<number>();
    return this.#order.map((draft) => {
      // A further part has the place of the one that it goes on from.
      const part = seen.has(draft.index) ? draft.part : this.#further.partOf(draft, parts[draft.index]);
      seen.add(draft.index);
      return part;
    });
  }

  /** The answer has broken off: what was open then is not complete. */
  breakOff(items: readonly JsonObject[]): void {
    for (const { index, type, isDone } of this.#items) {
      const item = items[index];
      if (isDone || item === undefined || item["type"] !== type) continue;
      if (item["status"] === "completed") item["status"] = "incomplete";
    }
  }

  /** The answer has ended with these items: what is open ends as they say, and what has not been said is said. */
  end(items: readonly JsonObject[]): void {
    for (const open of this.#items) {
      const item = items[open.index];
      const isSame = item?.["type"] === open.type && stringOf(item?.["id"]) === open.id;
      this.finish(open, isSame ? item : this.write(open.drafts, open));
    }
    items.forEach((item, output_index) => {
      if (output_index < this.#items.length) return;
      this.say("response.output_item.added", { output_index, item });
      this.say("response.output_item.done", { output_index, item });
    });
  }
}

/** Whether the id of a call's item may follow: parts are named so where items are read. */
function mayHaveId(draft: Draft, key: PartKey | undefined, context: EncodeContext<Code>): boolean {
  return typeof key === "string" && key.endsWith(".call") && spelled(draft.part, context)["bare"] !== true;
}

function isId(delta: Delta): boolean {
  return delta.kind === "seal" && delta.payload.seal.kind === "id";
}
