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
import { keepForm } from "../kit/residue.ts";
import { sealOf } from "../kit/seals.ts";
import type { Held } from "../kit/streams.ts";
import { wholeCharacters } from "../kit/streams.ts";
import { CUSTOM } from "./calls.ts";
import { encodeAssistant } from "./encode-assistant.ts";
import { encodeLogprobs } from "./logprobs.ts";
import type { Code } from "./losses.ts";
import { stoodAt } from "./media.ts";
import { DETAILS, reasoningPlace } from "./reasoning.ts";
import { assign } from "./stream-merge.ts";
import type { Writing } from "./writing.ts";
import { placeOf, spelling } from "./writing.ts";

/** How a part goes out. */
interface Way extends Held {
  /** "field": a text in a field of its own; "block": a text among the content; "whole": in one piece, when it ends. */
  how: "field" | "block" | "thinking" | "call" | "legacy" | "audio" | "whole" | "unsaid";
  field: string;
  /** Of a call: where it stands among the others. */
  at: number;
  isSaid: boolean;
}

/** Writes a delta of this choice, with log probabilities beside it. */
export type Say = (delta: JsonObject, logprobs: JsonObject | null) => void;

export class ChoiceWriter {
  private readonly writing: Writing;
  private readonly context: EncodeContext<Code>;
  private readonly say: Say;
  private readonly ways = new Map<Draft, Way>();
  /** Parts that go out in one piece, and have not yet. */
  private waiting: Draft[] = [];
  /** The texts that have been said, by field. */
  private readonly texts: Record<string, string> = {};
  /** The last part in each field, to tell when another one begins. */
  private readonly last = new Map<string, Draft>();
  /** Fields that hold lists, or one thing, and have been said. */
  private readonly said = new Set<string>();
  private readonly audio: JsonObject = {};
  private readonly tokens = { content: 0, refusal: 0 };
  private calls = 0;
  /** The type of the last detail. */
  private detail: JsonValue | undefined;
  /** Content goes out as blocks. */
  private isList: boolean;

  constructor(writing: Writing, context: EncodeContext<Code>, extra: Extra | undefined, say: Say) {
    this.writing = writing;
    this.context = context;
    this.say = say;
    this.isList = spelling(extra === undefined ? {} : { extra }, "content", writing) === "list";
  }

  push(draft: Draft, delta: Delta): void {
    let way = this.ways.get(draft);
    if (way === undefined) {
      this.release(draft);
      way = this.wayOf(draft);
      this.ways.set(draft, way);
      if (way.how === "whole") this.waiting.push(draft);
    }
    switch (way.how) {
      case "field":
      case "block":
      case "thinking":
        return this.addText(draft, way, delta);
      case "call":
      case "legacy":
        return this.addCall(draft, way, delta);
      case "audio":
        return this.addAudio(draft, delta);
      case "whole":
        if (way.isSaid) this.addLate(draft, delta);
        else if (delta.kind === "tool_call_end") this.release();
        return;
      default:
    }
  }

  private wayOf({ part }: Draft): Way {
    const way: Way = { how: "whole", field: "", at: 0, isSaid: false };
    const { writing } = this;
    switch (part.type) {
      case "text":
        if (part.cache !== undefined || part.seals !== undefined) return way;
        if (part.extra?.[writing.dialect] !== undefined) this.isList = true;
        return { ...way, how: this.isList ? "block" : "field", field: "content" };
      case "refusal":
        return placeOf(part, writing) === "content" ? way : { ...way, how: "field", field: "refusal" };
      case "reasoning": {
        const place = reasoningPlace(part, writing);
        if (place === undefined) return { ...way, how: "unsaid" };
        if (place === DETAILS) return way;
        return { ...way, how: place === "thinking" ? "thinking" : "field", field: place };
      }
      case "tool-call":
        return { ...way, how: this.callWay(part) };
      case "audio": {
        const isSpoken = part.data !== undefined && stoodAt(part, writing) !== "content" && !this.said.has("audio");
        if (isSpoken) this.said.add("audio");
        return isSpoken && part.extra?.[writing.dialect] === undefined ? { ...way, how: "audio" } : way;
      }
      default:
        return way;
    }
  }

  private callWay(part: ToolCallPart): Way["how"] {
    if (part.executor === "provider" || isApproval(part)) return "unsaid";
    const place = placeOf(part, this.writing);
    if (part.invalid !== undefined || part.inputText !== undefined) return "whole";
    const residue = part.extra?.[this.writing.dialect];
    if (place === "function_call" && Object.keys(residue ?? {}).length === 1) return "legacy";
    return residue === undefined ? "call" : "whole";
  }

  private addText(draft: Draft, way: Way, delta: Delta): void {
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking" && delta.kind !== "part") return;
    const part = draft.part as TextPart | RefusalPart | ReasoningPart; // the way says so
    if (way.isSaid && delta.payload.extra?.[this.writing.dialect] !== undefined)
      this.context.report.lose("late-unsaid", [...pathOf(draft), "extra"]);
    const isPart = delta.kind === "part";
    if (!isPart && delta.kind === "thinking" && delta.payload.summary !== undefined) return;
    const text = wholeCharacters(way, isPart ? part.text : delta.payload.textDelta);
    const { last, texts } = this;
    const before = last.get(way.field);
    const isNew = before !== draft;
    if (isNew && before !== undefined && before.index > draft.index && text !== "") {
      this.context.report.lose("part-split", [...pathOf(draft), "text"]);
    }
    const given = isPart
      ? "logprobs" in part
        ? part.logprobs
        : undefined
      : "logprobs" in delta.payload
        ? delta.payload.logprobs
        : undefined;
    const logprobs = given === undefined ? null : this.tokensOf(given, way.field);
    if (way.how === "field") {
      if (text === "" && logprobs === null) return;
      // Texts of one field are joined as in an answer in one piece.
      const piece = isNew && before !== undefined && way.field !== "content" && !way.isSaid ? `\n\n${text}` : text;
      texts[way.field] = (texts[way.field] ?? "") + piece;
      this.say({ [way.field]: piece }, logprobs);
    } else this.sayBlock(draft, way, text, isNew, logprobs);
    way.isSaid = true;
    last.set(way.field, draft);
  }

  /** A block of content, or more of it. One that follows its like is told apart by a list of two. */
  private sayBlock(draft: Draft, way: Way, text: string, isNew: boolean, logprobs: JsonObject | null): void {
    const plain = (piece: string): JsonObject =>
      way.how === "thinking"
        ? { type: "thinking", thinking: [{ type: "text", text: piece }] }
        : { type: "text", text: piece };
    this.isList = true;
    if (way.isSaid && !isNew) {
      if (text !== "" || logprobs !== null) this.say({ content: [plain(text)] }, logprobs);
      return;
    }
    const [block] = this.blocksOf({ ...draft.part, text } as Part); // the same part with another text
    const before = this.last.get("content");
    const isAlike = before?.part.type === draft.part.type && this.ways.get(before)?.how !== "whole";
    this.last.set("content", draft);
    this.say({ content: isAlike ? [plain(""), block ?? plain(text)] : [block ?? plain(text)] }, logprobs);
  }

  private blocksOf(part: Part): JsonValue[] {
    const { content } = this.encode(part);
    return Array.isArray(content) ? content : [];
  }

  private tokensOf(list: NonNullable<TextPart["logprobs"]>, field: string): JsonObject {
    const name = field === "refusal" ? "refusal" : "content";
    this.tokens[name] += list.length;
    return { content: null, refusal: null, [name]: encodeLogprobs(list, this.writing) };
  }

  private addCall(draft: Draft, way: Way, delta: Delta): void {
    const part = draft.part as ToolCallPart; // the way says so
    const isCustom = part.format === "text" && way.how === "call";
    const given = isCustom ? "input" : "arguments";
    const field = isCustom ? CUSTOM : "function";
    if (!way.isSaid) {
      way.isSaid = true;
      if (way.how === "call") way.at = this.calls++;
      const name = this.writing.names.toolName(part.toolName);
      const data: JsonObject = { name, [given]: "" };
      this.said.add(way.how === "legacy" ? "function_call" : "tool_calls");
      if (way.how === "legacy") this.say({ function_call: data }, null);
      else this.say({ tool_calls: [{ index: way.at, id: part.toolCallId, type: field, [field]: data }] }, null);
    }
    const isArgs = delta.kind === "tool_call_args" || delta.kind === "tool_call_end";
    const text = isArgs ? wholeCharacters(way, delta.payload.argsTextDelta ?? "") : "";
    const rest: JsonObject =
      delta.kind === "tool_call_end" ? this.restOfCall(part, way.how === "legacy", field, given) : {};
    const data = rest[field];
    if (text !== "") rest[field] = isObject(data) ? { ...data, [given]: text } : { [given]: text };
    if (Object.keys(rest).length === 0) return;
    if (way.how === "legacy") this.say({ function_call: rest[field] ?? {} }, null);
    else this.say({ tool_calls: [{ ...rest, index: way.at }] }, null);
  }

  /** What was kept of a call and has come with its end. */
  private restOfCall(part: ToolCallPart, isLegacy: boolean, field: string, given: string): JsonObject {
    if (part.extra?.[this.writing.dialect] === undefined) return {};
    const { tool_calls: calls, function_call: legacy } = this.encode(part);
    const [call] = isLegacy ? [{ [field]: legacy ?? null }] : Array.isArray(calls) ? calls : [];
    if (!isObject(call)) return {};
    const { id: _, type: __, [field]: said, ...rest } = call;
    const { name: ___, [given]: ____, ...data } = isObject(said) ? said : {};
    if (Object.keys(data).length > 0) rest[field] = data;
    return rest;
  }

  /** Audio as it is spoken; its id as soon as it is known. */
  private addAudio(draft: Draft, delta: Delta): void {
    const part = draft.part as AudioPart; // the way says so
    const piece: JsonObject = {};
    const id = sealOf(part, "id", this.writing.context);
    if (id !== undefined && this.audio["id"] === undefined) this.audio["id"] = piece["id"] = id;
    const isMedia = delta.kind === "media";
    const said = {
      data: isMedia ? delta.payload.dataDelta : "",
      transcript: isMedia ? delta.payload.transcriptDelta : "",
    };
    for (const field of ["data", "transcript"] as const) {
      const text = said[field];
      if (text === undefined || text === "") continue;
      piece[field] = text;
      const before = this.audio[field];
      this.audio[field] = typeof before === "string" ? before + text : text;
    }
    if (Object.keys(piece).length > 0) this.say({ audio: piece }, null);
  }

  /** A part alone, as a message would have it; nothing is reported. */
  private encode(part: Part): JsonObject {
    const message: Message = { role: "assistant", parts: [part] };
    if (this.isList) keepForm(message, this.writing.dialect, "content", "list");
    return encodeAssistant({ message, index: 0 }, { ...this.writing, calls: new Map() }, {});
  }

  /** Parts that are whole by now go out; an open call holds up nobody. */
  private release(next?: Draft, isEnd = false): void {
    if (this.waiting.length === 0) return;
    const left: Draft[] = [];
    for (const draft of this.waiting) {
      const isOpen = draft.kind === "call" && "ended" in draft && draft.ended === false;
      if (draft === next || (isOpen && !isEnd)) left.push(draft);
      else this.sayWhole(draft, draft.part);
    }
    this.waiting = left;
  }

  private sayWhole(draft: Draft, part: Part): void {
    const way = this.ways.get(draft);
    if (way !== undefined) way.isSaid = true;
    const isBlock = part.type === "text";
    if (isBlock) this.isList = true;
    const wire = this.encode(part);
    const { content } = wire;
    if (Array.isArray(content) && content.length > 0) {
      this.isList = true;
      const before = this.last.get("content");
      const isAlike = isBlock && before?.part.type === "text";
      this.last.set("content", draft);
      this.say({ content: isAlike ? [{ type: "text", text: "" }, ...content] : content }, null);
    }
    for (const field of [DETAILS, "images"]) {
      const list = wire[field];
      if (!Array.isArray(list)) continue;
      this.said.add(field);
      this.say({ [field]: field === DETAILS ? [...this.apart(list), ...list] : list }, null);
    }
    const { tool_calls: calls, function_call: call, audio } = wire;
    if (Array.isArray(calls)) {
      this.said.add("tool_calls");
      // Clients that put calls together need a type, also where a vendor leaves it out.
      const list = calls.filter(isObject).map((each) => {
        const call = assign({ type: "function" }, each);
        call["index"] = this.calls++;
        return call;
      });
      this.say({ tool_calls: list }, null);
    }
    if (isObject(call)) {
      this.said.add("function_call");
      this.say({ function_call: call }, null);
    }
    if (isObject(audio) && Object.keys(this.audio).length === 0) {
      this.said.add("audio");
      Object.assign(this.audio, audio);
      this.say({ audio }, null);
    }
  }

  /** More of a part that has gone out: a text stands in a further block, anything else stays behind. */
  private addLate(draft: Draft, delta: Delta): void {
    if ((delta.kind === "text" || delta.kind === "thinking") && delta.payload.textDelta !== "") {
      this.context.report.lose("part-split", [...pathOf(draft), "text"]);
      this.sayWhole(draft, { ...draft.part, text: delta.payload.textDelta } as Part); // the same part with another text
    } else if (delta.kind !== "tool_call_end") this.context.report.lose("late-unsaid", pathOf(draft));
  }

  /** What the whole message says and nobody has said. */
  finish(message: JsonObject, logprobs: JsonObject | undefined): void {
    this.release(undefined, true);
    const rest: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      if (value === undefined || this.isSaid(key, value)) continue;
      if (key === "audio" && isObject(value)) this.addRest(rest, value);
      else if (typeof value === "string" && this.texts[key] !== undefined) {
        // Half a character that has waited for its other half.
        if (value.startsWith(this.texts[key] ?? "")) rest[key] = value.slice(this.texts[key]?.length ?? 0);
      } else copyField(message, key, rest);
    }
    const tokens = logprobs === undefined ? null : this.restOfTokens(logprobs);
    if (Object.keys(rest).length > 0 || tokens !== null) this.say(rest, tokens);
  }

  private isSaid(key: string, value: JsonValue): boolean {
    const nothing = value === null || (Array.isArray(value) && value.length === 0);
    if (key === "role") return value === "assistant";
    if (key === "content") {
      if (Array.isArray(value)) return value.length > 0 || this.isListSaid;
      return nothing || value === "" || value === this.texts[key] || this.isListSaid;
    }
    if (key === "refusal" || key === "annotations") return nothing || value === this.texts[key];
    if (key === "audio") return false;
    return this.said.has(key) || (typeof value === "string" && value === this.texts[key]);
  }

  private get isListSaid(): boolean {
    return this.last.has("content") && this.isList;
  }

  private addRest(rest: JsonObject, audio: JsonObject): void {
    const left: JsonObject = {};
    for (const key in audio) {
      const [value, known] = [audio[key], this.audio[key]];
      if (value === undefined || value === known) continue;
      if (typeof value === "string" && typeof known === "string") left[key] = value.slice(known.length);
      else copyField(audio, key, left);
    }
    if (Object.keys(left).length > 0) rest["audio"] = left;
  }

  private restOfTokens(logprobs: JsonObject): JsonObject | null {
    const rest: JsonObject = {};
    let isNew = false;
    for (const key in logprobs) {
      const value = logprobs[key];
      if (value === undefined) continue;
      const known = key === "content" || key === "refusal" ? this.tokens[key] : 0;
      setOwn(rest, key, Array.isArray(value) ? value.slice(known) : value);
      if (Array.isArray(value) ? value.length > known || known === 0 : value !== null) isNew = true;
    }
    return isNew ? rest : null;
  }

  /** What stands before a detail that is not to go on with the one before it. */
  private apart(list: readonly JsonValue[]): JsonObject[] {
    const [first] = list;
    const type = isObject(first) ? first["type"] : undefined;
    const isAlike = type === this.detail && isObject(first) && first["index"] === undefined;
    this.detail = type;
    if (isAlike && type === "reasoning.text") return [{ type, text: "" }];
    return isAlike && type === "reasoning.summary" ? [{ type, summary: "" }] : [];
  }
}
