// One choice of a streamed answer. What it says is told as it comes, and put together as an answer in one piece would
// have it: when the choice has ended, that is read like any other answer, and what was not told yet is told then.
import type { Delta, PartKey, PayloadBase } from "../../model/delta.ts";
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Extra, Logprob, Part, Seal } from "../../model/parts.ts";
import { opaquePart } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { decodeBlock, thinkingOf } from "./content.ts";
import { readImages } from "./decode-message.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { isMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { DETAILS, TEXT_FIELDS } from "./reasoning.ts";
import { AudioReader } from "./stream-audio.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import { CallReader } from "./stream-calls.ts";
import { DetailReader } from "./stream-details.ts";
import { addLater, addPiece, Growing } from "./stream-merge.ts";

/** What has been told of a part. */
export interface Told {
  key: PartKey;
  kind: "text" | "refusal" | "thinking" | "media" | "whole";
  extra?: Extra | undefined;
  seals?: readonly Seal[] | undefined;
  /** How many log probabilities. */
  tokens: number;
}

/** What a message says in parts, in the order in which an answer in one piece is read. */
const SAID = [...TEXT_FIELDS, DETAILS, "content", "refusal", "audio", "images", "tool_calls", "function_call"];
const SAID_SET: ReadonlySet<string> = new Set(SAID);
const FIELDS = SAID.toSorted((a, b) => Number(b === DETAILS) - Number(a === DETAILS));

/** Where a message keeps that its parts stood in another order than that of its fields. */
export const ORDER = "order";
/** What is read behind the content, by how the keys of its parts begin. */
const BEHIND = ["refusal", "audio", "images/", "calls/", "function_call"];

/** Where the field of a part stands among the others. */
function rankOf(key: string): number {
  if (key.startsWith("reasoning") || key.startsWith("details/")) return 0;
  return BEHIND.findIndex((place) => key.startsWith(place)) + 2 || 1;
}

export class ChoiceReader {
  /** Fields of the choice beside what it says. */
  readonly wire: JsonObject = {};
  /** What is told of each part, by where it stands in the message. */
  readonly told = new Map<string, Told>();
  readonly calls: CallReader;
  readonly details: DetailReader;
  readonly #audio: AudioReader;
  /** The message as an answer in one piece has it, its texts and calls apart. */
  readonly #message: JsonObject = {};
  /** The content, the refusal and the reasoning, where they are texts; of blocks, the last one's. */
  readonly #texts = new Map<string, Growing>();
  #blocks: JsonObject[] | undefined;
  /** Log probabilities, one list for each field. */
  #logprobs: JsonObject | undefined;
  #images = 0;
  #odd = 0;
  /** The field that tells the reasoning: others may repeat it. */
  #lead: string | undefined;
  readonly #reading: Reading;
  readonly #at: PayloadBase;

  constructor(position: number, reading: Reading, run: RunCalls) {
    this.#reading = reading;
    this.#at = position === 0 ? {} : { choice: position };
    this.calls = new CallReader(reading, run, this.told, this.#at);
    this.details = new DetailReader(reading, this.told, this.#at);
    this.#audio = new AudioReader(reading, this.told, this.#at);
  }

  /** Whether the choice has said how it ended; spoken answers may just tell when the audio expires. */
  get isOver(): boolean {
    return this.hasEnded || this.#audio.isOver;
  }

  /** Whether the choice has said why it ended. */
  get hasEnded(): boolean {
    return this.wire["finish_reason"] !== undefined;
  }

  read(choice: JsonObject, out: Delta[]): void {
    const { delta, message, logprobs } = choice;
    const tokens = isObject(logprobs) ? logprobs : undefined;
    if (tokens !== undefined) this.#addTokens(tokens);
    if (isObject(delta)) this.#readDelta(delta, tokens, out);
    else if (delta !== undefined && delta !== null) this.tellOdd("delta", delta, out);
    if (isObject(message)) this.#readDelta(this.#newIn(message), tokens, out);
    else if (message !== undefined) addLater(this.wire, choice, "message");
    for (const key in choice) {
      if (key === "delta" || key === "message" || key === "index" || (key === "logprobs" && tokens !== undefined))
        continue;
      const value = choice[key];
      const isNothing =
        value === null ? key === "logprobs" || key === "finish_reason" : key === "finish_reason" && value === "";
      if (!isNothing) addLater(this.wire, choice, key);
    }
  }

  #addTokens(tokens: JsonObject): void {
    this.#logprobs ??= {};
    for (const key in tokens) addPiece(this.#logprobs, tokens, key);
  }

  #textOf(field: string): Growing {
    let text = this.#texts.get(field);
    if (text === undefined) {
      text = new Growing();
      this.#texts.set(field, text);
    }
    return text;
  }

  /** What a snapshot of the message says that no delta has said (B77). */
  #newIn(message: JsonObject): JsonObject {
    const fresh: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      const known = this.#texts.get(key)?.text ?? (key === "content" ? "" : this.#message[key]);
      if (typeof value === "string" && typeof known === "string") {
        if (value.length > known.length && value.startsWith(known)) setOwn(fresh, key, value.slice(known.length));
      } else if (key === "content" ? this.#blocks === undefined : !this.#hasSaid(key)) addPiece(fresh, message, key);
    }
    return fresh;
  }

  #hasSaid(key: string): boolean {
    if (key === "tool_calls") return this.calls.entries.length > 0;
    if (key === "function_call") return this.calls.legacy !== undefined;
    if (key === DETAILS) return this.details.list.length > 0;
    if (key === "audio") return this.#audio.wire !== undefined;
    return this.#texts.has(key) || (this.#message[key] ?? null) !== null;
  }

  #readDelta(delta: JsonObject, tokens: JsonObject | undefined, out: Delta[]): void {
    let said = 0;
    for (const key in delta) {
      if (SAID_SET.has(key)) said++;
      else if (key !== "role") addPiece(this.#message, delta, key);
      else if ((delta[key] ?? null) !== null || this.#message[key] === undefined)
        this.#message[key] = delta[key] ?? null;
    }
    const { content } = delta;
    if (typeof content === "string") {
      if (said === 1) return this.#readText(content, tokens, out);
    } else if (said === 0 && tokens === undefined) return;
    for (const field of FIELDS) {
      const value = delta[field];
      if (value === undefined) continue;
      if (value === null) this.#message[field] ??= null;
      else if (!this.#readField(field, value, delta, tokens, out)) this.tellOdd(field, value, out);
    }
  }

  /** Reads a field; false where it is not what it must be. */
  #readField(
    field: string,
    value: JsonValue,
    delta: JsonObject,
    tokens: JsonObject | undefined,
    out: Delta[],
  ): boolean {
    switch (field) {
      case "content":
        if (typeof value === "string") this.#readText(value, tokens, out);
        else if (Array.isArray(value)) this.#readBlocks(value, out);
        else return false;
        return true;
      case "refusal":
        return typeof value === "string" && this.#grow("refusal", "refusal", value, tokens, out);
      case DETAILS:
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.#message[field] ??= value;
        else this.#lead ??= field;
        this.details.read(value, this.#lead === field, out);
        return true;
      case "audio":
        return isObject(value) && this.#audio.read(value, out);
      case "images":
        return Array.isArray(value) && this.#readPictures(value, delta, out);
      case "tool_calls":
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.#message[field] ??= value;
        for (const late of this.calls.read(value, out)) this.tellOdd(field, [late], out);
        return true;
      case "function_call":
        return isObject(value) && this.calls.readLegacy(value, out);
      default:
        return typeof value === "string" && this.#readReasoning(field, value, out);
    }
  }

  #readText(text: string, tokens: JsonObject | undefined, out: Delta[]): void {
    if (this.#blocks !== undefined) {
      if (text !== "") this.#readBlocks([{ type: "text", text }], out);
      return;
    }
    this.#textOf("content").add(text);
    this.#tellText("content", "text", text, tokens, out);
  }

  /** Adds to a text of the message, and tells it. */
  #grow(
    field: string,
    kind: "refusal" | "thinking",
    text: string,
    tokens: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
  ): boolean {
    this.#textOf(field).add(text);
    this.#tellText(field, kind, text, tokens, out, extra);
    return true;
  }

  #readReasoning(field: string, text: string, out: Delta[]): boolean {
    if (text !== "") this.#lead ??= field;
    if (this.#lead === field) return this.#grow(field, "thinking", text, undefined, out, this.#placed(field));
    this.#textOf(field).add(text);
    return true;
  }

  #placed(place: string): Extra {
    return { [this.#reading.context.dialect]: { $form: { in: place } } };
  }

  #tellText(
    key: string,
    kind: "text" | "refusal" | "thinking",
    textDelta: string,
    tokens: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
    opens = textDelta !== "",
  ): void {
    const logprobs = tokens === undefined || kind === "thinking" ? undefined : this.#tokensOf(tokens, kind);
    let told = this.told.get(key);
    if (told === undefined) {
      if (!opens) return;
      told = { key, kind, extra, tokens: 0 };
      this.told.set(key, told);
      this.calls.advance(out);
    } else {
      if (textDelta === "" && logprobs === undefined) return;
      extra = undefined;
    }
    const payload: { textDelta: string; part: PartKey; logprobs?: Logprob[] } & PayloadBase = { textDelta, part: key };
    if (this.#at.choice !== undefined) payload.choice = this.#at.choice;
    if (extra !== undefined) payload.extra = extra;
    if (logprobs !== undefined) {
      payload.logprobs = logprobs;
      told.tokens += logprobs.length;
    }
    out.push({ kind, payload });
  }

  /** The log probabilities of a chunk, where all before them have been told. */
  #tokensOf(tokens: JsonObject, kind: "text" | "refusal"): Logprob[] | undefined {
    const field = kind === "text" ? "content" : "refusal";
    const list = tokens[field];
    const all = this.#logprobs?.[field];
    if (!Array.isArray(list) || !Array.isArray(all) || list.length === 0) return undefined;
    const before = this.told.get(kind === "text" ? "content" : kind)?.tokens ?? 0;
    return before + list.length === all.length ? decodeLogprobs(list, this.#reading) : undefined;
  }

  /**
   * Blocks of content: the first of a list goes on with the last one, if it is a text like it. Whose the log
   * probabilities are is known at the end.
   */
  #readBlocks(list: readonly JsonValue[], out: Delta[]): void {
    if (this.#blocks === undefined) {
      this.#blocks = [];
      const content = this.#texts.get("content")?.text ?? "";
      if (content !== "") {
        this.#blocks.push({ type: "text", text: content });
        const told = this.told.get("content");
        if (told !== undefined) this.told.set("content/0", told);
      }
    }
    list.forEach((block, at) => {
      if (!isObject(block)) this.tellOdd("content", [block], out);
      else if (at > 0 || !this.#goOn(block, out)) this.#addBlock(block, out);
    });
  }

  #goOn(block: JsonObject, out: Delta[]): boolean {
    const blocks = this.#blocks ?? [];
    const last = blocks.at(-1);
    if (last === undefined || Object.keys(block).length !== 2 || block["type"] !== last["type"]) return false;
    const key = `content/${blocks.length - 1}`;
    const { text } = block;
    if (block["type"] === "text" && typeof text === "string" && typeof last["text"] === "string") {
      const grown = this.#textOf("content");
      grown.add(text);
      last["text"] = grown.text;
      this.#tellText(key, "text", text, undefined, out);
      return true;
    }
    const [before, more] = [thinkingOf(last["thinking"]), thinkingOf(block["thinking"])];
    if (block["type"] !== "thinking" || before === undefined || more === undefined) return false;
    const grown = this.#textOf("content");
    grown.add(more);
    last["thinking"] = [{ type: "text", text: grown.text }];
    this.#tellText(key, "thinking", more, undefined, out);
    return true;
  }

  #addBlock(block: JsonObject, out: Delta[]): void {
    const blocks = this.#blocks ?? [];
    const key = `content/${blocks.push(copyObject(block)) - 1}`;
    const part = decodeBlock(block, this.#reading);
    this.#texts.delete("content");
    if (part.type === "text" || part.type === "reasoning") this.#textOf("content").add(part.text);
    if (isMedia(part)) storeForm(part, this.#reading.context.dialect, "at", "content");
    const { extra } = part;
    const isText = part.type === "text" || part.type === "reasoning";
    if (!isText || part.cache !== undefined) return this.#tellWhole(key, part, out);
    const kind = part.type === "text" ? "text" : "thinking";
    // A block is there also where it is empty.
    this.#tellText(key, kind, part.text, undefined, out, extra, true);
  }

  #tellWhole(key: string, value: Part, out: Delta[]): void {
    this.calls.advance(out);
    this.told.set(key, { key, kind: "whole", tokens: 0 });
    out.push({ kind: "part", payload: { value, part: key, ...this.#at } });
  }

  /** A known field that is not what it must be stays as it is, in a block of its own. */
  tellOdd(field: string, value: JsonValue, out: Delta[]): void {
    const key = `odd/${this.#odd++}`;
    this.#tellWhole(key, opaquePart({ [field]: value }, this.#reading.context), out);
  }

  #readPictures(list: readonly JsonValue[], delta: JsonObject, out: Delta[]): boolean {
    const parts: Part[] = [];
    const isRead = readImages([...list], parts, this.#reading);
    addPiece(this.#message, delta, "images");
    if (isRead && this.#images >= 0) for (const part of parts) this.#tellWhole(`images/${this.#images++}`, part, out);
    else this.#images = -1;
    return true;
  }

  /** The choice as an answer in one piece has it. What a plain chunk leaves out is no deviation. */
  whole(index: number): JsonObject {
    const message: JsonObject = { role: "assistant", refusal: null, annotations: [] };
    for (const key in this.#message) addLater(message, this.#message, key);
    for (const [field, { text }] of this.#texts) message[field] = text;
    message["content"] = this.#blocks ?? (message["content"] || null);
    if (this.#audio.wire !== undefined) message["audio"] = this.#audio.wire;
    const { list } = this.details;
    if (list.length > 0) message[DETAILS] = list;
    const { entries, legacy } = this.calls;
    if (entries.length > 0) message["tool_calls"] = entries.map((entry) => entry.whole());
    if (legacy !== undefined) message["function_call"] = legacy.whole();
    const choice: JsonObject = { index, message, logprobs: null };
    for (const key in this.wire) addLater(choice, this.wire, key);
    if (this.#logprobs !== undefined) choice["logprobs"] = { content: null, refusal: null, ...this.#logprobs };
    if (choice["finish_reason"] === undefined && this.#audio.isOver) choice["finish_reason"] = "stop";
    return choice;
  }

  /** Whether the reasoning was told as a text before its details came, of which there are several. */
  get isRetold(): boolean {
    return this.#lead !== undefined && this.#lead !== DETAILS && this.details.list.length > 1;
  }

  /** Whether parts were told in another order than that of their fields, which only a stream can say. */
  get isMixed(): boolean {
    let last = 0;
    for (const key of this.told.keys()) {
      const at = rankOf(key);
      if (at < last) return true;
      last = at;
    }
    return false;
  }

  /** Where the reasoning was told. */
  get leading(): string | undefined {
    return this.#lead;
  }
}
