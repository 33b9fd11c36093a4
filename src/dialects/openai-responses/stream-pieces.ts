// The pieces of an answer as they come: texts, refusals, reasoning, arguments, citations, audio; and the items around
// them. Each event of these becomes deltas; everything else about the answer is the decoder's.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Extra, Logprob } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { wholeCharacters } from "../kit/streams.ts";
import { decodeAnnotation } from "./annotations.ts";
import { decodeLogprobs } from "./logprobs.ts";
import type { Item } from "./stream-book.ts";
import type { StreamIds } from "./stream-calls.ts";
import { Items } from "./stream-items.ts";
import type { Said } from "./stream-said.ts";
import { sayArguments, saySummary } from "./stream-said.ts";
import { EVENT_FIELDS } from "./stream-terms.ts";

type Piece = (pieces: Pieces, wire: JsonObject, out: Delta[]) => void;

export class Pieces {
  readonly items: Items;
  readonly #context: DecodeContext;
  /** The text that grows, and the places by which its events name it. */
  #growing: Said | undefined;
  #outputIndex: unknown;
  #contentIndex: unknown;
  /** Whether anything but the answer itself has come. */
  isBegun = false;

  constructor(context: DecodeContext, names: Renames | undefined, seed: string, ids: StreamIds) {
    this.#context = context;
    this.items = new Items(context, names, seed, ids);
  }

  static knows(type: string): boolean {
    return PIECES.has(type);
  }

  /** The deltas of an event; undefined where it is no piece of an answer. */
  read(type: string | undefined, wire: JsonObject): Delta[] | undefined {
    const piece = PIECES.get(type);
    if (piece === undefined) return undefined;
    const out: Delta[] = [];
    this.isBegun = true;
    piece(this, wire, out);
    return out;
  }

  /** A piece of a text. */
  text(wire: JsonObject): Delta[] {
    const { delta, output_index: output, content_index: content, logprobs } = wire;
    if (typeof delta !== "string") return [];
    const said = this.#growing;
    if (said === undefined || output !== this.#outputIndex || content !== this.#contentIndex) {
      const out: Delta[] = [];
      if (this.#textOf("text", wire, out) === undefined) return out;
      for (const piece of this.text(wire)) out.push(piece);
      return out;
    }
    said.add(delta);
    const payload: Extract<Delta, { kind: "text" }>["payload"] = { textDelta: delta, part: said.key };
    if (Array.isArray(logprobs) && logprobs.length > 0) {
      const likely = this.#likely(said, logprobs);
      if (likely !== undefined) payload.logprobs = likely;
    }
    const extra = this.#extraOf(wire);
    if (extra !== undefined) payload.extra = extra;
    return [{ kind: "text", payload }];
  }

  /** The text or refusal that an event is about. What comes when its item is done only repeats it. */
  #textOf(kind: "text" | "refusal", wire: JsonObject, out: Delta[]): Said | undefined {
    const item = this.items.book.find(wire);
    if (item.done !== undefined) return undefined;
    const content = typeof wire["content_index"] === "number" ? wire["content_index"] : 0;
    const slot = kind === "text" ? `${content}` : `refusal.${content}`;
    let said = item.said.get(slot);
    if (said === undefined) said = this.items.openText(item, slot, kind, out);
    if (kind === "refusal") return said;
    this.isBegun = true;
    this.#growing = said;
    this.#outputIndex = wire["output_index"];
    this.#contentIndex = wire["content_index"];
    return said;
  }

  /** Log probabilities go out at once if they say all that they ever will; else with the finished text. */
  #likely(said: Said, list: readonly JsonObject[string][]): Logprob[] | undefined {
    const logprobs = decodeLogprobs(list, this.#context);
    if (logprobs === undefined) return undefined;
    if (said.unsaid === undefined && logprobs.every((each) => isWhole(each) && each.top?.every(isWhole) === true)) {
      said.logprobs += logprobs.length;
      return logprobs;
    }
    said.unsaid = [...(said.unsaid ?? []), ...logprobs];
    return undefined;
  }

  /** What an event says that nobody knows belongs to the part that it is about. */
  #extraOf(wire: JsonObject): Extra | undefined {
    const others = isPlain(wire) ? undefined : othersOf(wire);
    return others === undefined ? undefined : { [this.#context.dialect]: others };
  }

  begin(wire: JsonObject, out: Delta[]): void {
    const { item, output_index: index } = wire;
    if (!isObject(item)) return;
    this.#growing = undefined;
    const begun = this.items.book.begin(item, index);
    if (LIVE_CALLS.has(item["type"])) this.#beginCall(begun, out);
  }

  /** Some give the arguments with the item that begins, and some of these give them again piece by piece. */
  #beginCall(item: Item, out: Delta[]): void {
    const said = this.items.openCall(item, out);
    const { arguments: args } = item.wire;
    if (said !== undefined && typeof args === "string" && args !== "" && !isJson(args)) sayArguments(said, args, out);
  }

  finish(wire: JsonObject, out: Delta[]): void {
    const { item, output_index: index } = wire;
    if (!isObject(item)) return;
    this.#growing = undefined;
    this.items.finish(this.items.book.finished(item, index), item, out);
  }

  /** A block of a message begins. */
  open({ part, ...wire }: JsonObject, out: Delta[]): void {
    const type = isObject(part) ? part["type"] : undefined;
    if (type === "output_text") this.#textOf("text", wire, out);
    else if (type === "refusal") this.#textOf("refusal", wire, out);
  }

  /** A finished text; undefined where it is none. */
  whole(kind: "text" | "refusal", wire: JsonObject, field: string, out: Delta[]): void {
    const text = wire[field];
    if (typeof text !== "string") return;
    const said = this.#textOf(kind, wire, out);
    // To compare two texts takes long, and mostly nothing is missing.
    if (said === undefined || text.length <= said.text.length || !text.startsWith(said.text)) return;
    const textDelta = text.slice(said.text.length);
    said.add(textDelta);
    out.push({ kind, payload: { textDelta, part: said.key } });
  }

  refuse(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const said = this.#textOf("refusal", wire, out);
    if (said === undefined) return;
    said.add(delta);
    const extra = this.#extraOf(wire);
    const payload = { textDelta: delta, part: said.key };
    out.push({ kind: "refusal", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  #reasoningOf(wire: JsonObject, out: Delta[]): Said | undefined {
    const item = this.items.book.find(wire);
    const known = item.said.get("thinking");
    if (known !== undefined || item.done !== undefined) return item.done === undefined ? known : undefined;
    return this.items.openText(item, "thinking", "thinking", out);
  }

  /** Raw reasoning. */
  think(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const said = this.#reasoningOf(wire, out);
    if (said === undefined) return;
    said.add(delta);
    const extra = this.#extraOf(wire);
    const payload = { textDelta: delta, part: said.key };
    out.push({ kind: "thinking", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /** Which summary is meant; those before it have begun, too, though they may be empty. */
  #summaryOf(said: Said, index: unknown, out: Delta[]): number {
    const at = said.summaryAt(index);
    while (said.summary.length < at) out.push(saySummary(said, said.summary.length, ""));
    return at;
  }

  summarise(wire: JsonObject, out: Delta[]): void {
    const { delta, summary_index: index } = wire;
    if (typeof delta !== "string") return;
    const said = this.#reasoningOf(wire, out);
    if (said === undefined) return;
    const piece = saySummary(said, this.#summaryOf(said, index, out), delta);
    const extra = this.#extraOf(wire);
    if (extra !== undefined) piece.payload.extra = extra;
    out.push(piece);
  }

  /** Reasoning that comes in one piece, or the end of what came in several. */
  thought(wire: JsonObject, isSummary: boolean, out: Delta[]): void {
    const { text, summary_index: index } = wire;
    if (typeof text !== "string") return;
    const said = this.#reasoningOf(wire, out);
    if (said === undefined) return;
    const at = isSummary ? this.#summaryOf(said, index, out) : 0;
    const before = isSummary ? (said.summary[at] ?? "") : said.text;
    if (text.length <= before.length || !text.startsWith(before)) return;
    const rest = text.slice(before.length);
    if (isSummary) out.push(saySummary(said, at, rest));
    else this.think({ ...wire, delta: rest }, out);
  }

  /** The call that an event asks something in; where it cannot begin yet, what is asked waits with its item. */
  #callOf(type: string, wire: JsonObject, asked: string, out: Delta[]): Said | undefined {
    const item = this.items.book.find(wire);
    const said = this.items.openCall(item, out);
    if (said === undefined && item.done === undefined) {
      item.asks ??= { type, text: "" };
      item.asks.text += asked;
    }
    return said;
  }

  /** A piece of the arguments of a call. */
  ask(type: string, wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const said = this.#callOf(type, wire, delta, out);
    if (said?.call === undefined || said.isEnded) return;
    said.add(delta);
    const extra = this.#extraOf(wire);
    const payload = { toolCallId: said.call.toolCallId, argsTextDelta: delta };
    out.push({ kind: "tool_call_args", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /** Arguments that come in one piece, or the end of what came in several; some give the name only here. */
  asked(type: string, wire: JsonObject, field: string, out: Delta[]): void {
    const { [field]: text, name } = wire;
    if (typeof text !== "string") return;
    const item = this.items.book.find(wire);
    if (typeof name === "string" && item.done === undefined && (item.wire["name"] ?? "") === "")
      item.wire = { ...item.wire, name };
    const before = item.asks?.text ?? "";
    const said = this.#callOf(type, wire, text.startsWith(before) ? text.slice(before.length) : "", out);
    if (said !== undefined && !said.isEnded) sayArguments(said, text, out);
  }

  /** Code is an argument that the wire shows bare; arguments are JSON. */
  code(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const said = this.#callOf(CODE, wire, delta, out);
    if (said === undefined) return;
    const text = JSON.stringify(wholeCharacters(said, delta)).slice(1, -1);
    this.ask(CODE, { ...wire, delta: said.text === "" ? `{"code":"${text}` : text }, out);
  }

  /** A citation; where it points beyond the text so far, it waits until the text is done. */
  cite(wire: JsonObject, out: Delta[]): void {
    const { annotation, annotation_index: index } = wire;
    if (!isObject(annotation)) return;
    const said = this.#textOf("text", wire, out);
    if (said === undefined) return;
    const points = said.points();
    const { end_index: end } = annotation;
    const isAhead = typeof index === "number" && index !== said.annotations.length;
    if (isAhead || (typeof end === "number" && end > points.count)) return;
    const cited = decodeAnnotation(annotation, points, this.#context);
    said.annotations.push(cited);
    out.push({ kind: "annotation", payload: { annotation: cited, part: said.key } });
  }

  /** Sound belongs to no item. */
  hear({ delta }: JsonObject, field: "dataDelta" | "transcriptDelta", out: Delta[]): void {
    if (typeof delta === "string")
      out.push({ kind: "media", payload: { type: "audio", [field]: delta, part: "audio" } });
  }
}

const CODE = "code_interpreter_call";

/** Calls whose arguments come piece by piece, so that they begin with their item. */
const LIVE_CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "mcp_call"]);

const PIECES: ReadonlyMap<string | undefined, Piece> = new Map<string, Piece>([
  ["response.output_text.delta", (pieces, wire, out) => out.push(...pieces.text(wire))],
  ["response.function_call_arguments.delta", (pieces, wire, out) => pieces.ask("function_call", wire, out)],
  ["response.reasoning_summary_text.delta", (pieces, wire, out) => pieces.summarise(wire, out)],
  ["response.reasoning_text.delta", (pieces, wire, out) => pieces.think(wire, out)],
  ["response.custom_tool_call_input.delta", (pieces, wire, out) => pieces.ask("custom_tool_call", wire, out)],
  ["response.mcp_call_arguments.delta", (pieces, wire, out) => pieces.ask("mcp_call", wire, out)],
  ["response.code_interpreter_call_code.delta", (pieces, wire, out) => pieces.code(wire, out)],
  ["response.refusal.delta", (pieces, wire, out) => pieces.refuse(wire, out)],
  ["response.output_text.annotation.added", (pieces, wire, out) => pieces.cite(wire, out)],
  ["response.output_item.added", (pieces, wire, out) => pieces.begin(wire, out)],
  ["response.output_item.done", (pieces, wire, out) => pieces.finish(wire, out)],
  ["response.content_part.added", (pieces, wire, out) => pieces.open(wire, out)],
  ["response.output_text.done", (pieces, wire, out) => pieces.whole("text", wire, "text", out)],
  ["response.refusal.done", (pieces, wire, out) => pieces.whole("refusal", wire, "refusal", out)],
  ["response.reasoning_text.done", (pieces, wire, out) => pieces.thought(wire, false, out)],
  ["response.reasoning_summary_text.done", (pieces, wire, out) => pieces.thought(wire, true, out)],
  [
    "response.function_call_arguments.done",
    (pieces, wire, out) => pieces.asked("function_call", wire, "arguments", out),
  ],
  ["response.mcp_call_arguments.done", (pieces, wire, out) => pieces.asked("mcp_call", wire, "arguments", out)],
  ["response.custom_tool_call_input.done", (pieces, wire, out) => pieces.asked("custom_tool_call", wire, "input", out)],
  ["response.code_interpreter_call_code.done", () => undefined],
  ["response.audio.delta", (pieces, wire, out) => pieces.hear(wire, "dataDelta", out)],
  ["response.audio.transcript.delta", (pieces, wire, out) => pieces.hear(wire, "transcriptDelta", out)],
]);

function isWhole({ bytes }: Logprob): boolean {
  return bytes !== undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a piece has none but the usual fields: counting those is faster than looking at each. */
function isPlain(wire: JsonObject): boolean {
  const { delta, item_id: item, output_index: output, content_index: content, logprobs, obfuscation } = wire;
  let count = 0;
  for (const _ in wire) count++;
  if (wire["type"] !== undefined) count--;
  if (wire["sequence_number"] !== undefined) count--;
  if (delta !== undefined) count--;
  if (item !== undefined) count--;
  if (output !== undefined) count--;
  if (content !== undefined) count--;
  if (wire["summary_index"] !== undefined) count--;
  if (logprobs !== undefined) count--;
  if (obfuscation !== undefined) count--;
  return count === 0;
}

/** The fields of an event that nobody knows. */
export function othersOf(wire: JsonObject): JsonObject | undefined {
  let others: JsonObject | undefined;
  for (const key in wire) if (!EVENT_FIELDS.has(key)) copyField(wire, key, (others ??= {}));
  return others;
}
