// One choice of a stream that is written: every delta becomes the pieces that clients put together again. The fields of
// a message stay open to its end, so that nothing has to wait for anything, but for what is said in one piece.
import type { Delta } from "../../model/delta.ts";
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { AudioPart, Extra, Part, ReasoningPart, RefusalPart, TextPart, ToolCallPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isApproval } from "../kit/approvals.ts";
import type { Draft } from "../kit/follow.ts";
import { placeOf as pathOf } from "../kit/follow.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { wholeCharacters } from "../kit/streams.ts";
import { encodeText, isBareBlock } from "./content.ts";
import { encodeAssistant } from "./encode-assistant.ts";
import { encodeLogprobs } from "./logprobs.ts";
import type { Code } from "./losses.ts";
import { stoodAt } from "./media.ts";
import { DETAILS, reasoningPlace } from "./reasoning.ts";
import type { Pen, Say, Way } from "./stream-write-parts.ts";
import { AudioWriter, CallWriter, DetailWriter } from "./stream-write-parts.ts";
import type { Writing } from "./writing.ts";
import { placeOf, spelling } from "./writing.ts";

/** Fields that hold what is said in one piece. */
const PARTS: ReadonlySet<string> = new Set([DETAILS, "images", "tool_calls", "function_call", "audio"]);

export class ChoiceWriter implements Pen {
  readonly writing: Writing;
  readonly say: Say;
  readonly #context: EncodeContext<Code>;
  readonly #calls = new CallWriter(this);
  readonly #audio = new AudioWriter(this);
  readonly #details = new DetailWriter(this);
  readonly #ways = new Map<Draft, Way>();
  /** Parts that go out in one piece, and have not yet. */
  #waiting: Draft[] = [];
  /** The last part in each field, to tell when another one begins. */
  readonly #last = new Map<string, Draft>();
  /** Fields that have been said: with lists, one thing, or texts. */
  readonly #said = new Set<string>();
  readonly #tokens = { content: 0, refusal: 0 };
  /** Texts that followed a text. */
  readonly #joined: Draft[] = [];
  /** Content goes out as blocks. */
  #isList: boolean;
  /** The answer is known to have had blocks where a string was possible. */
  readonly #isNoted: boolean;

  constructor(writing: Writing, context: EncodeContext<Code>, extra: Extra | undefined, say: Say) {
    this.writing = writing;
    this.#context = context;
    this.say = say;
    this.#isNoted = spelling(extra === undefined ? {} : { extra }, "content", writing) === "list";
    this.#isList = this.#isNoted;
  }

  push(draft: Draft, delta: Delta): void {
    let way = this.#ways.get(draft);
    if (way === undefined) {
      this.#release(draft);
      way = this.#wayOf(draft);
      this.#ways.set(draft, way);
      if (way.how === "whole") this.#waiting.push(draft);
    }
    switch (way.how) {
      case "field":
      case "block":
      case "thinking":
        return this.#addText(draft, way, delta);
      case "call":
      case "legacy":
        this.#said.add(way.how === "legacy" ? "function_call" : "tool_calls");
        return this.#calls.push(draft.part as ToolCallPart, way, delta); // the way says so
      case "audio":
        return this.#audio.push(draft.part as AudioPart, delta); // the way says so
      case "detail":
        return this.#addDetail(draft, way, delta);
      case "whole":
        if (way.isSaid) this.#addLate(draft, delta);
        else if (way.field === DETAILS && DetailWriter.isBegun(draft, delta)) this.#beginDetail(draft, way, delta);
        else if (delta.kind === "tool_call_end") this.#release();
        return;
      default:
    }
  }

  /** A detail is said as it comes, once it is known which kind it is. */
  #beginDetail(draft: Draft, way: Way, delta: Delta): void {
    this.#waiting = this.#waiting.filter((each) => each !== draft);
    this.#said.add(DETAILS);
    way.how = "detail";
    this.#addDetail(draft, way, delta);
  }

  #addDetail(draft: Draft, way: Way, delta: Delta): void {
    const before = this.#last.get(DETAILS);
    if (before !== undefined && before !== draft) this.#flush(before);
    this.#last.set(DETAILS, draft);
    const lost = this.#details.push(draft, way, delta);
    if (lost !== undefined) this.#context.report.addLoss(lost, pathOf(draft));
  }

  #wayOf({ kind, part }: Draft): Way {
    const way: Way = { how: "whole", field: "", at: 0, isSaid: false, hasText: false };
    const { writing } = this;
    switch (part.type) {
      case "text":
        if (part.cache !== undefined && !isBareBlock(encodeText(part, writing, true))) return way;
        return { ...way, how: this.#isBlock(part) ? "block" : "field", field: "content" };
      case "refusal":
        return placeOf(part, writing) === "content" ? way : { ...way, how: "field", field: "refusal" };
      case "reasoning": {
        const place = reasoningPlace(part, writing);
        if (place === undefined) return { ...way, how: "unsaid" };
        if (place === DETAILS) return { ...way, field: place };
        if (place === "thinking") return { ...way, how: place, field: "content" };
        return { ...way, how: "field", field: place };
      }
      case "tool-call":
        return { ...way, how: this.#callWay(part, kind) };
      case "audio": {
        const isSpoken = part.data !== undefined && stoodAt(part, writing) !== "content" && !this.#said.has("audio");
        if (isSpoken) this.#said.add("audio");
        return isSpoken && part.extra?.[writing.dialect] === undefined ? { ...way, how: "audio" } : way;
      }
      default:
        return way;
    }
  }

  /** Whether a text is said as a block. One that is told from what stands before is a string: clients read those. */
  #isBlock(part: TextPart): boolean {
    if (this.#isNoted || part.extra?.[this.writing.dialect] !== undefined) return true;
    return this.#isList && (part.text === "" || this.#last.get("content")?.part.type === "text");
  }

  #callWay(part: ToolCallPart, kind: Draft["kind"]): Way["how"] {
    if (part.executor === "provider" || isApproval(part)) return "unsaid";
    const place = placeOf(part, this.writing);
    if (kind === "whole") return "whole";
    const residue = part.extra?.[this.writing.dialect];
    if (place === "function_call") return Object.keys(residue ?? {}).length === 1 ? "legacy" : "whole";
    return spelling(part, "arguments", this.writing) === undefined ? "call" : "whole";
  }

  #addText(draft: Draft, way: Way, delta: Delta): void {
    if (delta.kind === "part") {
      const part = draft.part as TextPart | RefusalPart | ReasoningPart; // the way says so
      return this.#sayText(draft, way, part.text, "logprobs" in part ? part.logprobs : undefined);
    }
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return;
    const { payload } = delta;
    if (way.isSaid && payload.extra?.[this.writing.dialect] !== undefined)
      this.#context.report.addLoss("late-unsaid", [...pathOf(draft), "extra"]);
    if (delta.kind !== "thinking") this.#sayText(draft, way, payload.textDelta, delta.payload.logprobs);
    else if (delta.payload.summary === undefined) this.#sayText(draft, way, payload.textDelta, undefined);
  }

  #sayText(draft: Draft, way: Way, said: string, given: TextPart["logprobs"]): void {
    const text = wholeCharacters(way, said);
    const logprobs = given === undefined ? null : this.#tokensOf(given, way.field);
    // A block is there also where it is empty.
    if (text === "" && way.held === undefined && (way.how === "field" || way.isSaid)) {
      if (logprobs !== null) this.say({}, logprobs);
      return;
    }
    const before = this.#last.get(way.field);
    if (before !== draft) this.#turnTo(draft, way, before);
    if (way.how !== "field") this.#sayBlock(draft, way, text, before, logprobs);
    else if (text !== "" || logprobs !== null) this.#sayField(way, text, logprobs);
  }

  /** Another part of a field has the word. */
  #turnTo(draft: Draft, way: Way, before: Draft | undefined): void {
    if (before !== undefined) {
      this.#flush(before);
      if (before.index > draft.index) this.#context.report.addLoss("part-split", [...pathOf(draft), "text"]);
      if (way.field === "content" && before.part.type === "text" && !way.isSaid) this.#joined.push(before, draft);
    }
    this.#last.set(way.field, draft);
  }

  #sayField(way: Way, text: string, logprobs: JsonObject | null): void {
    const { field } = way;
    let piece = text;
    if (text !== "" && !way.hasText) {
      // Texts of one field are joined as in an answer in one piece.
      if (field !== "content" && this.#said.has(field)) piece = `\n\n${text}`;
      way.hasText = true;
      this.#said.add(field);
    }
    way.isSaid = true;
    // Most deltas: a literal is made faster than an object with a computed field.
    this.say(field === "content" ? { content: piece } : { [field]: piece }, logprobs);
  }

  /** Half a character that has waited for its other half. */
  #flush(draft: Draft): void {
    const way = this.#ways.get(draft);
    const held = way?.held;
    if (way === undefined || held === undefined) return;
    delete way.held;
    if (way.how === "field") this.#sayField(way, held, null);
    else if (way.how === "detail") this.#details.sayMore(draft, way, held);
    else if (way.how === "block" || way.how === "thinking") this.#sayBlock(draft, way, held, draft, null);
  }

  /** A block of content, or more of it. One that follows its like is told apart by a list of two. */
  #sayBlock(draft: Draft, way: Way, text: string, before: Draft | undefined, logprobs: JsonObject | null): void {
    const plain = (piece: string): JsonObject =>
      way.how === "thinking"
        ? { type: "thinking", thinking: [{ type: "text", text: piece }] }
        : { type: "text", text: piece };
    this.#isList = true;
    const isBegun = way.isSaid;
    way.isSaid = true;
    if (isBegun && text === "" && logprobs === null) return;
    if (isBegun && before === draft) return this.say({ content: [plain(text)] }, logprobs);
    const [block] = this.#blocksOf({ ...draft.part, text } as Part); // the same part with another text
    const isAlike = before?.part.type === draft.part.type && this.#ways.get(before)?.how !== "whole";
    this.say({ content: isAlike ? [plain(""), block ?? plain(text)] : [block ?? plain(text)] }, logprobs);
  }

  #blocksOf(part: Part): JsonValue[] {
    const { content } = this.encode(part);
    return Array.isArray(content) ? content : [];
  }

  #tokensOf(list: NonNullable<TextPart["logprobs"]>, field: string): JsonObject {
    const name = field === "refusal" ? "refusal" : "content";
    this.#tokens[name] += list.length;
    return { content: null, refusal: null, [name]: encodeLogprobs(list, this.writing) };
  }

  /** A part alone, as a message would have it; nothing is reported. */
  encode(part: Part): JsonObject {
    const message: Message = { role: "assistant", parts: [part] };
    if (this.#isList) storeForm(message, this.writing.dialect, "content", "list");
    return encodeAssistant({ message, index: 0 }, { ...this.writing, calls: new Map() }, {});
  }

  /** Parts that are whole by now go out; an open call holds up nobody. */
  #release(next?: Draft, isEnd = false): void {
    if (this.#waiting.length === 0) return;
    const left: Draft[] = [];
    for (const draft of this.#waiting) {
      const isOpen = draft.kind === "call" && "ended" in draft && draft.ended === false;
      if (draft === next || (isOpen && !isEnd)) left.push(draft);
      else this.#sayWhole(draft, draft.part);
    }
    this.#waiting = left;
  }

  #sayWhole(draft: Draft, part: Part): void {
    const way = this.#ways.get(draft);
    if (way !== undefined) way.isSaid = true;
    const isBlock = part.type === "text";
    if (isBlock) this.#isList = true;
    const wire = this.encode(part);
    const { content } = wire;
    if (Array.isArray(content) && content.length > 0) {
      this.#isList = true;
      const before = this.#last.get("content")?.part;
      this.say(
        { content: isBlock && before?.type === "text" ? [{ type: "text", text: "" }, ...content] : content },
        null,
      );
      this.#last.set("content", draft);
    }
    const { [DETAILS]: details, images, tool_calls: calls, function_call: call, audio } = wire;
    if (Array.isArray(details)) this.#details.sayAll(details);
    if (Array.isArray(images)) this.say({ images }, null);
    if (Array.isArray(calls)) this.#calls.sayAll(calls);
    if (isObject(call)) this.say({ function_call: call }, null);
    if (isObject(audio)) this.#audio.sayAll(audio);
    for (const key in wire) if (PARTS.has(key) && wire[key] !== undefined) this.#said.add(key);
  }

  /** More of a part that has gone out: a text stands in a further block, anything else stays behind. */
  #addLate(draft: Draft, delta: Delta): void {
    if ((delta.kind === "text" || delta.kind === "thinking") && delta.payload.textDelta !== "") {
      this.#context.report.addLoss("part-split", [...pathOf(draft), "text"]);
      this.#sayWhole(draft, { ...draft.part, text: delta.payload.textDelta } as Part); // the same part with another text
    } else if (delta.kind !== "tool_call_end") this.#context.report.addLoss("late-unsaid", pathOf(draft));
  }

  /** What the whole message says and nobody has said. */
  finish(message: JsonObject, logprobs: JsonObject | undefined, isNoted: boolean): void {
    this.#release(undefined, true);
    for (const draft of this.#last.values()) this.#flush(draft);
    if (isNoted && !this.#isNoted) this.#reportJoined();
    const rest: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      if (value === undefined || this.#isSaid(key, value)) continue;
      if (key === "audio" && isObject(value)) {
        const left = this.#audio.rest(value);
        if (Object.keys(left).length > 0) rest[key] = left;
      } else copyField(message, key, rest);
    }
    const tokens = logprobs === undefined ? null : this.#restOfTokens(logprobs);
    if (Object.keys(rest).length > 0 || tokens !== null) this.say(rest, tokens);
  }

  /** It is known too late that texts were blocks: those that followed each other have become one. */
  #reportJoined(): void {
    for (const draft of new Set(this.#joined)) {
      if (this.#ways.get(draft)?.how === "field")
        this.#context.report.addLoss("texts-joined", [...pathOf(draft), "text"]);
    }
  }

  #isSaid(key: string, value: JsonValue): boolean {
    if (key === "role") return value === "assistant";
    if (key === "audio") return false;
    const isNothing = value === null || (Array.isArray(value) && value.length === 0);
    if (key === "content") {
      if (Array.isArray(value)) return !isNothing || this.#isListSaid;
      return isNothing || value === "" || this.#said.has(key) || this.#isListSaid;
    }
    if (isNothing && (key === "refusal" || key === "annotations")) return true;
    return this.#said.has(key);
  }

  get #isListSaid(): boolean {
    return this.#last.has("content") && this.#isList;
  }

  #restOfTokens(logprobs: JsonObject): JsonObject | null {
    const rest: JsonObject = {};
    let isNew = false;
    for (const key in logprobs) {
      const value = logprobs[key];
      if (value === undefined) continue;
      const known = key === "content" || key === "refusal" ? this.#tokens[key] : 0;
      setOwn(rest, key, Array.isArray(value) ? value.slice(known) : value);
      if (Array.isArray(value) ? value.length > known || known === 0 : value !== null) isNew = true;
    }
    return isNew ? rest : null;
  }
}
