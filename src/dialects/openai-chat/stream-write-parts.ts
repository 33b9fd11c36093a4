// Parts of a streamed message that have a form of their own and go out as they come: calls, audio, details of reasoning.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { AudioPart, Part, ReasoningPart, ToolCallPart } from "../../model/parts.ts";
import type { Draft } from "../kit/follow.ts";
import { copyField, isObject } from "../kit/read.ts";
import { sealOf } from "../kit/seals.ts";
import type { Held } from "../kit/streams.ts";
import { wholeCharacters } from "../kit/streams.ts";
import { CUSTOM } from "./calls.ts";
import { DETAILS } from "./reasoning.ts";
import { assign } from "./stream-merge.ts";
import type { Writing } from "./writing.ts";

/** Writes a delta of this choice, with log probabilities beside it. */
export type Say = (delta: JsonObject, logprobs: JsonObject | null) => void;

/** How a part goes out. */
export interface Way extends Held {
  /** "field": a text in a field of its own; "block": a text among the content; "whole": in one piece, when it ends. */
  how: "field" | "block" | "thinking" | "detail" | "call" | "legacy" | "audio" | "whole" | "unsaid";
  field: string;
  /** Of a call: where it stands among the others. */
  at: number;
  isSaid: boolean;
  /** Of a text in a field: some of it has been said. */
  hasText: boolean;
  /** What has been said of a call or a detail, but for what grows. */
  said?: JsonObject;
}

/** What parts are written with. */
export interface Pen {
  readonly writing: Writing;
  say: Say;
  /** A part alone, as a message would have it; nothing is reported. */
  encode(part: Part): JsonObject;
}

/** The fields of an object that another one has not, or not so. */
function unsaid(all: JsonObject, said: JsonObject, ...but: readonly string[]): JsonObject {
  const rest: JsonObject = {};
  for (const key in all) {
    const value = all[key];
    if (value === undefined || but.includes(key)) continue;
    if (!Object.hasOwn(said, key) || !sameJson(value, said[key])) copyField(all, key, rest);
  }
  return rest;
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export class CallWriter {
  readonly #pen: Pen;
  #count = 0;

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  push(part: ToolCallPart, way: Way, delta: Delta): void {
    const isCustom = part.format === "text" && way.how === "call";
    const given = isCustom ? "input" : "arguments";
    const field = isCustom ? CUSTOM : "function";
    if (!way.isSaid) this.#begin(part, way, field, given);
    const isEnd = delta.kind === "tool_call_end";
    let text = isEnd || delta.kind === "tool_call_args" ? wholeCharacters(way, delta.payload.argsTextDelta ?? "") : "";
    if (!isEnd) {
      if (text !== "") this.#say(way, { [field]: { [given]: text } }, field);
      return;
    }
    text += way.held ?? "";
    delete way.held;
    const rest = this.#rest(part, way, field, given);
    if (text !== "") rest[field] = assign({ [given]: text }, objectIn(rest[field]));
    if (Object.keys(rest).length > 0) this.#say(way, rest, field);
  }

  #say(way: Way, call: JsonObject, field: string): void {
    if (way.how === "legacy") this.#pen.say({ function_call: call[field] ?? {} }, null);
    else this.#pen.say({ tool_calls: [{ index: way.at, ...call }] }, null);
  }

  #begin(part: ToolCallPart, way: Way, field: string, given: string): void {
    way.isSaid = true;
    if (way.how === "call") way.at = this.#count++;
    const name = this.#pen.writing.names.toolName(part.toolName);
    const data: JsonObject = { name, [given]: "" };
    const isKept = way.how === "call" && part.extra?.[this.#pen.writing.dialect] !== undefined;
    const call = isKept ? this.#encode(part, way, field) : { id: part.toolCallId };
    // Clients that put calls together need a type, also where a vendor leaves it out.
    call["type"] ??= field;
    call[field] = assign(data, unsaid(objectIn(call[field]), {}, "name", given));
    way.said = call;
    this.#say(way, call, field);
  }

  #encode(part: ToolCallPart, way: Way, field: string): JsonObject {
    const { tool_calls: calls, function_call: legacy } = this.#pen.encode(part);
    if (way.how === "legacy") return { [field]: legacy ?? null };
    return objectIn(Array.isArray(calls) ? calls[0] : undefined);
  }

  /** What was kept of a call and has come with its end. */
  #rest(part: ToolCallPart, way: Way, field: string, given: string): JsonObject {
    if (part.extra?.[this.#pen.writing.dialect] === undefined) return {};
    const call = this.#encode(part, way, field);
    const said = way.said ?? {};
    const rest = unsaid(call, said, "id", "type", field);
    const data = unsaid(objectIn(call[field]), objectIn(said[field]), "name", given);
    if (Object.keys(data).length > 0) rest[field] = data;
    return rest;
  }

  /** Calls in one piece. */
  sayAll(calls: readonly JsonValue[]): void {
    const list = calls.filter(isObject).map((each) => {
      const call = assign({ type: "function" }, each);
      call["index"] = this.#count++;
      return call;
    });
    this.#pen.say({ tool_calls: list }, null);
  }
}

export class AudioWriter {
  readonly #pen: Pen;
  /** What has been said; of what grows, how much. */
  readonly #said: JsonObject = {};

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  /** Audio as it is spoken; its id as soon as it is known. */
  push(part: AudioPart, delta: Delta): void {
    const piece: JsonObject = {};
    // Without an id, clients do not know it for audio; it may still come.
    const id = sealOf(part, "id", this.#pen.writing.context) ?? "";
    if (id !== (this.#said["id"] ?? null)) this.#said["id"] = piece["id"] = id;
    const { data, transcript } = delta.kind === "part" ? part : piecesOf(delta);
    this.#add(piece, "data", data);
    this.#add(piece, "transcript", transcript);
    if (Object.keys(piece).length > 0) this.#pen.say({ audio: piece }, null);
  }

  #add(piece: JsonObject, field: string, text: string | undefined): void {
    const before = this.#said[field];
    if (text === undefined || (text === "" && before !== undefined)) return;
    piece[field] = text;
    this.#said[field] = Number(before ?? 0) + text.length;
  }

  /** Audio in one piece, unless there is some already. */
  sayAll(audio: JsonObject): void {
    if (Object.keys(this.#said).length > 0) return;
    assign(this.#said, audio);
    this.#pen.say({ audio }, null);
  }

  /** What of the whole has not been said. */
  rest(audio: JsonObject): JsonObject {
    const left: JsonObject = {};
    for (const key in audio) {
      const [value, known] = [audio[key], this.#said[key]];
      if (value === undefined || value === known) continue;
      if (typeof value !== "string" || typeof known !== "number") copyField(audio, key, left);
      else if (value.length > known) left[key] = value.slice(known);
    }
    return left;
  }
}

function piecesOf(delta: Delta): { data?: string | undefined; transcript?: string | undefined } {
  return delta.kind === "media" ? { data: delta.payload.dataDelta, transcript: delta.payload.transcriptDelta } : {};
}

const TEXT = "reasoning.text";
const SUMMARY = "reasoning.summary";

export class DetailWriter {
  readonly #pen: Pen;
  /** The type of the last detail. */
  #type: JsonValue | undefined;
  #last: Draft | undefined;

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  /** Whether a part that is to go out as a detail says something that can go out now. */
  static isBegun(draft: Draft, delta: Delta): boolean {
    const { kind, part } = draft;
    if (kind !== "thinking" || delta.kind !== "thinking" || delta.payload.textDelta === "") return false;
    return part.type === "reasoning" && (part.text === "") !== (part.summary === undefined);
  }

  /** Adds to a detail. What is lost where another one stands between, so that it cannot go on. */
  push(draft: Draft, way: Way, delta: Delta): "part-split" | "late-unsaid" | undefined {
    if (!way.isSaid) {
      this.#begin(draft, way);
      return undefined;
    }
    const isText = delta.kind === "thinking" && (delta.payload.summary === undefined) === (way.said?.["type"] === TEXT);
    const text = isText ? wholeCharacters(way, delta.payload.textDelta) : "";
    const isMore = delta.kind === "seal" || delta.payload.extra !== undefined;
    return this.sayMore(draft, way, text, isMore ? this.#encode(draft.part) : undefined);
  }

  #encode(part: Part): JsonObject {
    const list = this.#pen.encode(part)[DETAILS];
    return objectIn(Array.isArray(list) ? list[0] : undefined);
  }

  #begin(draft: Draft, way: Way): void {
    const { text, summary } = draft.part as ReasoningPart; // as `isBegun` has seen
    const detail = this.#encode(draft.part);
    const field = detail["type"] === SUMMARY ? "summary" : "text";
    detail[field] = wholeCharacters(way, field === "text" ? text : (summary?.[0] ?? ""));
    this.sayAll([detail]);
    way.isSaid = true;
    way.said = detail;
    this.#last = draft;
  }

  /** More of the text of a detail, and what else all of it says. */
  sayMore(draft: Draft, way: Way, text: string, all?: JsonObject): "part-split" | "late-unsaid" | undefined {
    const said = way.said ?? {};
    const { type = TEXT, index } = said;
    const field = type === SUMMARY ? "summary" : "text";
    const rest = all === undefined ? {} : unsaid(all, said, "type", "index", field);
    const isNothing = Object.keys(rest).length === 0;
    if (text === "" && isNothing) return undefined;
    const isApart = this.#last !== draft && index === undefined;
    if (isApart && text === "") return "late-unsaid";
    if (all !== undefined) way.said = all;
    const piece: JsonObject = index === undefined ? { type } : { type, index };
    if (text !== "") piece[field] = text;
    assign(piece, rest);
    if (isApart) this.sayAll([piece]);
    else this.#pen.say({ [DETAILS]: [piece] }, null);
    this.#type = type;
    this.#last = draft;
    return isApart ? "part-split" : undefined;
  }

  /** Details in one piece. */
  sayAll(list: readonly JsonValue[]): void {
    this.#pen.say({ [DETAILS]: [...this.#apart(list), ...list] }, null);
  }

  /** What stands before a detail that is not to go on with the one before it. */
  #apart(list: readonly JsonValue[]): JsonObject[] {
    const first = objectIn(list[0]);
    const { type, index } = first;
    const isAlike = type === this.#type && index === undefined;
    this.#type = type;
    if (isAlike && type === TEXT) return [{ type, text: "" }];
    return isAlike && type === SUMMARY ? [{ type, summary: "" }] : [];
  }
}
