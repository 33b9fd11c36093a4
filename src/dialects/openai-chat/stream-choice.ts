// One choice of a streamed answer. What it says is told as it comes, and put together as an answer in one piece would
// have it: when the choice has ended, that is read like any other answer, and what was not told yet is told then.
import type { Delta, PartKey, PayloadBase } from "../../model/delta.ts";
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Extra, Logprob, Part, Seal } from "../../model/parts.ts";
import { opaquePart } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { keepForm } from "../kit/residue.ts";
import { decodeBlock, thinkingOf } from "./content.ts";
import { readImages } from "./decode-message.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { isMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { DETAILS, TEXT_FIELDS } from "./reasoning.ts";
import type { RunCalls } from "./stream-calls.ts";
import { CallReader } from "./stream-calls.ts";
import { DetailReader } from "./stream-details.ts";
import { addLater, addPiece } from "./stream-merge.ts";

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

export class ChoiceReader {
  /** Fields of the choice beside what it says. */
  readonly wire: JsonObject = {};
  /** What is told of each part, by where it stands in the message. */
  readonly told = new Map<string, Told>();
  readonly calls: CallReader;
  readonly details: DetailReader;
  /** The message as an answer in one piece has it, its texts and calls apart. */
  private readonly message: JsonObject = {};
  private content = "";
  private blocks: JsonObject[] | undefined;
  private images = 0;
  private odd = 0;
  /** The field that tells the reasoning: others may repeat it. */
  private lead: string | undefined;
  private readonly reading: Reading;
  private readonly at: PayloadBase;

  constructor(position: number, reading: Reading, run: RunCalls) {
    this.reading = reading;
    this.at = position === 0 ? {} : { choice: position };
    this.calls = new CallReader(reading, run, this.at);
    this.details = new DetailReader(reading, this.told, this.at);
  }

  /** Whether the choice has said how it ended; spoken answers may just tell when the audio expires. */
  get isOver(): boolean {
    return typeof this.wire["finish_reason"] === "string" || this.isSpoken;
  }

  private get isSpoken(): boolean {
    const { audio } = this.message;
    return (
      isObject(audio) && ["id", "data", "transcript", "expires_at"].every((field) => (audio[field] ?? null) !== null)
    );
  }

  read(choice: JsonObject, out: Delta[]): void {
    const { delta, message, logprobs } = choice;
    let tokens: JsonObject | undefined;
    if (isObject(logprobs)) {
      tokens = logprobs;
      addPiece(this.wire, choice, "logprobs");
    }
    if (isObject(delta)) this.readDelta(delta, tokens, out);
    else if (delta !== undefined && delta !== null) this.tellOdd("delta", delta, out);
    if (isObject(message)) this.readDelta(this.newIn(message), tokens, out);
    else if (message !== undefined) addLater(this.wire, choice, "message");
    for (const key in choice) {
      if (key === "delta" || key === "message" || key === "index" || (key === "logprobs" && tokens !== undefined))
        continue;
      const value = choice[key];
      if (value !== null || !(key === "finish_reason" || key === "logprobs")) addLater(this.wire, choice, key);
    }
  }

  /** What a snapshot of the message says that no delta has said (B77). */
  private newIn(message: JsonObject): JsonObject {
    const fresh: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      const known = key === "content" ? this.content : this.message[key];
      if (typeof value === "string" && typeof known === "string") {
        if (value.length > known.length && value.startsWith(known)) setOwn(fresh, key, value.slice(known.length));
      } else if (key === "content" ? this.blocks === undefined : !this.hasSaid(key)) addPiece(fresh, message, key);
    }
    return fresh;
  }

  private hasSaid(key: string): boolean {
    if (key === "tool_calls") return this.calls.entries.length > 0;
    if (key === "function_call") return this.calls.legacy !== undefined;
    if (key === DETAILS) return this.details.list.length > 0;
    return (this.message[key] ?? null) !== null;
  }

  private readDelta(delta: JsonObject, tokens: JsonObject | undefined, out: Delta[]): void {
    let said = 0;
    for (const key in delta) {
      if (SAID_SET.has(key)) said++;
      else if (key !== "role") addPiece(this.message, delta, key);
      else if ((delta[key] ?? null) !== null || this.message[key] === undefined) this.message[key] = delta[key] ?? null;
    }
    const { content } = delta;
    if (typeof content === "string") {
      if (said === 1) return this.readText(content, tokens, out);
    } else if (said === 0 && tokens === undefined) return;
    for (const field of FIELDS) {
      const value = delta[field];
      if (value === undefined) continue;
      if (value === null) this.message[field] ??= null;
      else if (!this.readField(field, value, delta, tokens, out)) this.tellOdd(field, value, out);
    }
  }

  /** Reads a field; false where it is not what it must be. */
  private readField(
    field: string,
    value: JsonValue,
    delta: JsonObject,
    tokens: JsonObject | undefined,
    out: Delta[],
  ): boolean {
    switch (field) {
      case "content":
        if (typeof value === "string") this.readText(value, tokens, out);
        else if (Array.isArray(value)) this.readBlocks(value, tokens, out);
        else return false;
        return true;
      case "refusal":
        return typeof value === "string" && this.grow("refusal", "refusal", value, tokens, out);
      case DETAILS:
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.message[field] ??= value;
        else this.lead ??= field;
        this.details.read(value, this.lead === field, out);
        return true;
      case "audio":
        return isObject(value) && this.readAudio(delta, out);
      case "images":
        return Array.isArray(value) && this.readPictures(value, delta, out);
      case "tool_calls":
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.message[field] ??= value;
        else this.calls.read(value, out);
        return true;
      case "function_call":
        if (isObject(value)) this.calls.readLegacy(value, out);
        return isObject(value);
      default:
        return typeof value === "string" && this.readReasoning(field, value, out);
    }
  }

  private readText(text: string, tokens: JsonObject | undefined, out: Delta[]): void {
    if (this.blocks !== undefined) {
      if (text !== "") this.readBlocks([{ type: "text", text }], tokens, out);
      return;
    }
    this.content += text;
    this.tellText("content", "text", text, tokens, out);
  }

  /** Adds to a text of the message, and tells it. */
  private grow(
    field: string,
    kind: "refusal" | "thinking",
    text: string,
    tokens: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
  ): boolean {
    const before = this.message[field] ?? "";
    if (typeof before !== "string") return false;
    this.message[field] = before + text;
    this.tellText(field, kind, text, tokens, out, extra);
    return true;
  }

  private readReasoning(field: string, text: string, out: Delta[]): boolean {
    if (text !== "") this.lead ??= field;
    if (this.lead === field) return this.grow(field, "thinking", text, undefined, out, this.placed(field));
    const before = this.message[field] ?? "";
    if (typeof before !== "string") return false;
    this.message[field] = before + text;
    return true;
  }

  private placed(place: string): Extra {
    return { [this.reading.context.dialect]: { $form: { in: place } } };
  }

  private tellText(
    key: string,
    kind: "text" | "refusal" | "thinking",
    textDelta: string,
    tokens: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
    opens = textDelta !== "",
  ): void {
    const logprobs = tokens === undefined || kind === "thinking" ? undefined : this.tokensOf(tokens, kind);
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
    if (this.at.choice !== undefined) payload.choice = this.at.choice;
    if (extra !== undefined) payload.extra = extra;
    if (logprobs !== undefined) {
      payload.logprobs = logprobs;
      told.tokens += logprobs.length;
    }
    out.push({ kind, payload });
  }

  /** The log probabilities of a chunk, where all before them have been told. */
  private tokensOf(tokens: JsonObject, kind: "text" | "refusal"): Logprob[] | undefined {
    const field = kind === "text" ? "content" : "refusal";
    const list = tokens[field];
    const all = isObject(this.wire["logprobs"]) ? this.wire["logprobs"][field] : undefined;
    if (!Array.isArray(list) || !Array.isArray(all) || list.length === 0) return undefined;
    const before = this.told.get(kind === "text" ? "content" : kind)?.tokens ?? 0;
    return before + list.length === all.length ? decodeLogprobs(list, this.reading) : undefined;
  }

  /** Blocks of content: the first of a list goes on with the last one, if it is a text like it. */
  private readBlocks(list: readonly JsonValue[], tokens: JsonObject | undefined, out: Delta[]): void {
    const { blocks, content } = this;
    if (blocks === undefined) {
      this.blocks = [];
      if (content !== "") {
        this.blocks.push({ type: "text", text: content });
        const told = this.told.get("content");
        if (told !== undefined) this.told.set("content/0", told);
      }
    }
    list.forEach((block, at) => {
      if (!isObject(block)) this.tellOdd("content", [block], out);
      else if (at > 0 || !this.goOn(block, tokens, out)) this.addBlock(block, tokens, out);
    });
  }

  private goOn(block: JsonObject, tokens: JsonObject | undefined, out: Delta[]): boolean {
    const blocks = this.blocks ?? [];
    const last = blocks.at(-1);
    if (last === undefined || Object.keys(block).length !== 2 || block["type"] !== last["type"]) return false;
    const key = `content/${blocks.length - 1}`;
    const { text } = block;
    if (block["type"] === "text" && typeof text === "string" && typeof last["text"] === "string") {
      last["text"] += text;
      this.tellText(key, "text", text, tokens, out);
      return true;
    }
    const [before, more] = [thinkingOf(last["thinking"]), thinkingOf(block["thinking"])];
    if (block["type"] !== "thinking" || before === undefined || more === undefined) return false;
    last["thinking"] = [{ type: "text", text: before + more }];
    this.tellText(key, "thinking", more, undefined, out);
    return true;
  }

  private addBlock(block: JsonObject, tokens: JsonObject | undefined, out: Delta[]): void {
    const blocks = this.blocks ?? [];
    const key = `content/${blocks.push(copyObject(block)) - 1}`;
    const part = decodeBlock(block, this.reading);
    if (isMedia(part)) keepForm(part, this.reading.context.dialect, "at", "content");
    const { extra } = part;
    const isText = part.type === "text" || part.type === "reasoning";
    if (!isText || part.cache !== undefined) return this.tellWhole(key, part, out);
    const kind = part.type === "text" ? "text" : "thinking";
    // A block is there also where it is empty.
    this.tellText(key, kind, part.text, tokens, out, extra, true);
  }

  private tellWhole(key: string, value: Part, out: Delta[]): void {
    this.calls.advance(out);
    this.told.set(key, { key, kind: "whole", tokens: 0 });
    out.push({ kind: "part", payload: { value, part: key, ...this.at } });
  }

  /** A known field that is not what it must be stays as it is, in a block of its own. */
  tellOdd(field: string, value: JsonValue, out: Delta[]): void {
    const key = `odd/${this.odd++}`;
    this.tellWhole(key, opaquePart({ [field]: value }, this.reading.context), out);
  }

  /** Audio is told when it is known to be more than an id. */
  private readAudio(delta: JsonObject, out: Delta[]): boolean {
    const piece = delta["audio"];
    const before = this.message["audio"] ?? {};
    if (!isObject(piece) || !isObject(before)) return false;
    const audio = copyObject(before);
    for (const key in piece) {
      if (key === "data" || key === "transcript") addPiece(audio, piece, key);
      else addLater(audio, piece, key);
    }
    this.message["audio"] = audio;
    const { id, data, transcript } = audio;
    if (typeof id !== "string" || typeof data !== "string") return true;
    const isNew = !this.told.has("audio");
    const [said, spoken] = isNew ? [data, transcript] : [piece["data"], piece["transcript"]];
    const payload: Extract<Delta, { kind: "media" }>["payload"] = { type: "audio", part: "audio", ...this.at };
    if (typeof said === "string") payload.dataDelta = said;
    if (typeof spoken === "string") payload.transcriptDelta = spoken;
    if (payload.dataDelta === undefined && payload.transcriptDelta === undefined) return true;
    if (isNew) this.told.set("audio", { key: "audio", kind: "media", tokens: 0 });
    out.push({ kind: "media", payload });
    return true;
  }

  private readPictures(list: readonly JsonValue[], delta: JsonObject, out: Delta[]): boolean {
    const parts: Part[] = [];
    const isRead = readImages([...list], parts, this.reading);
    addPiece(this.message, delta, "images");
    if (isRead && this.images >= 0) for (const part of parts) this.tellWhole(`images/${this.images++}`, part, out);
    else this.images = -1;
    return true;
  }

  /** The choice as an answer in one piece has it. What a plain chunk leaves out is no deviation. */
  whole(index: number): JsonObject {
    const message: JsonObject = { role: "assistant", refusal: null, annotations: [] };
    for (const key in this.message) addLater(message, this.message, key);
    message["content"] = this.blocks ?? (this.content === "" ? null : this.content);
    const { list } = this.details;
    if (list.length > 0) message[DETAILS] = list;
    const { entries, legacy } = this.calls;
    if (entries.length > 0) message["tool_calls"] = entries.map((entry) => entry.whole());
    if (legacy !== undefined) message["function_call"] = legacy.whole();
    const choice: JsonObject = { index, message, logprobs: null };
    for (const key in this.wire) addLater(choice, this.wire, key);
    if (isObject(choice["logprobs"])) choice["logprobs"] = { content: null, refusal: null, ...choice["logprobs"] };
    if (choice["finish_reason"] === undefined && this.isSpoken) choice["finish_reason"] = "stop";
    return choice;
  }

  /** Whether the reasoning was told as a text before its details came, of which there are several. */
  get isRetold(): boolean {
    return this.lead !== undefined && this.lead !== DETAILS && this.details.list.length > 1;
  }

  /** Where the reasoning was told. */
  get leading(): string | undefined {
    return this.lead;
  }
}
