// The items of an answer that is being streamed: each begins, grows and is done. Every item is read by the decoder of
// whole items when it is done, and what its pieces have not said yet is said then. An answer that says its items again
// at its end is compared in the same way.
import { argumentsText } from "../../model/arguments.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Part, PartBase, ToolCallPart } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { DialectError } from "../errors.ts";
import { CallBook } from "../kit/calls.ts";
import { opaquePart } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import { decodeAnyItem } from "./decode.ts";
import type { Reading } from "./reading.ts";
import { readItemId, startReading } from "./reading.ts";
import type { Item } from "./stream-book.ts";
import { ItemBook } from "./stream-book.ts";
import type { StreamIds } from "./stream-calls.ts";
import { KnownCalls } from "./stream-calls.ts";
import type { SaidKind } from "./stream-said.ts";
import { endCall, KINDS, Said, sayArguments, sayRest, startCall } from "./stream-said.ts";
import { rowOfCall } from "./tool-rows.ts";

/** A finished item, and what it was read into. */
interface Finished {
  item: Item;
  wire: JsonValue;
  parts: Part[];
}

export class Items {
  readonly context: DecodeContext;
  readonly #reading: Reading;
  readonly #ids: StreamIds;
  readonly book = new ItemBook();
  /** The part that has begun last: only it can be cut off by the end of the answer. */
  #latest: Said | undefined;
  /** A call that is done, but may still turn out to be cut off (B31). */
  #ending: { said: Said; part: ToolCallPart } | undefined;

  constructor(context: DecodeContext, names: Renames | undefined, seed: string, ids: StreamIds) {
    this.context = context;
    this.#ids = ids;
    this.#reading = {
      ...startReading(context, true, seed, names),
      calls: new CallBook(context.dialect, seed, ids.taken),
    };
  }

  /** A part begins. */
  open(item: Item, slot: string, kind: SaidKind, out: Delta[]): Said {
    this.#endHeld(out);
    const said = new Said(`${item.serial}.${slot}`, kind);
    item.said.set(slot, said);
    this.#latest = said;
    return said;
  }

  /** A text or thought begins with nothing said, so that its item's id goes first: with the item's first part. */
  openText(item: Item, slot: string, kind: "text" | "refusal" | "thinking", out: Delta[]): Said {
    const said = this.open(item, slot, kind, out);
    const carrier: PartBase = {};
    // What nobody announced may still have an id.
    if (item.said.size === 1 && Object.keys(item.wire).length > 0) readItemId(carrier, item.wire, this.#reading);
    const { seals, extra } = carrier;
    said.seals = seals;
    said.extra = extra;
    const payload = { textDelta: "", part: said.key };
    out.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    for (const seal of seals ?? []) out.push({ kind: "seal", payload: { seal, part: said.key } });
    return said;
  }

  /** Begins the call of an item; undefined where the item does not say enough. */
  openCall(item: Item, out: Delta[]): Said | undefined {
    const known = item.said.get("call");
    if (known !== undefined || item.done !== undefined) return known;
    const row = rowOfCall(item.wire["type"]);
    const id = item.wire[row?.byId === true ? "id" : "call_id"];
    if (row === undefined || typeof id !== "string" || id === "" || item.wire["name"] === "") return undefined;
    const [call] = this.#read(item, item.wire);
    if (call?.type !== "tool-call") return undefined;
    const isValue = row.how === "value" || row.how === "field";
    const said = this.#start(item, call, isValue, out);
    if (item.asks !== undefined && !isValue) sayArguments(said, item.asks.text, out);
    return said;
  }

  /** The answer has broken off: calls that could not begin are told as far as they are known. */
  sayAsked(out: Delta[]): void {
    for (const item of this.book.items) {
      if (item.asks === undefined || item.done !== undefined || item.said.size > 0) continue;
      const [call] = this.#asItWas(item).parts;
      if (call?.type !== "tool-call") continue;
      sayArguments(this.#start(item, call, false, out), argumentsText(call), out);
    }
  }

  #start(item: Item, call: ToolCallPart, isValue: boolean, out: Delta[]): Said {
    const said = this.open(item, "call", "call", out);
    const { bare, id } = readForm(call, this.context.dialect);
    const early: PartBase = {};
    if (bare !== undefined) storeForm(early, this.context.dialect, "bare", bare);
    if (id !== undefined) storeForm(early, this.context.dialect, "id", id);
    startCall(said, call, isValue, early.extra, out);
    for (const seal of call.seals ?? []) out.push({ kind: "seal", payload: { seal, part: said.key } });
    said.seals = call.seals;
    return said;
  }

  /** Reads an item; one that cannot be read is kept as it is. */
  #read(item: Item, wire: JsonValue): Part[] {
    const { context } = this;
    const reading = this.#reading;
    const ids = this.#ids;
    let parts: Part[];
    try {
      const known = item.calls === undefined ? reading : { ...reading, calls: item.calls };
      parts = isObject(wire)
        ? decodeAnyItem(wire, [], known)
        : [{ type: "opaque", dialect: context.dialect, value: wire }];
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      parts = [opaquePart(wire as JsonObject, context)]; // Only objects are decoded.
    }
    const answer = parts.find((part) => part.type === "tool-result");
    const isNew = item.calls === undefined || !item.parts.some((part) => part.type === "tool-result");
    // A call has one result.
    if (answer !== undefined && isNew && ids.answered.has(answer.toolCallId) && isObject(wire)) {
      parts = [opaquePart(wire, context)];
    } else if (answer !== undefined) ids.answered.add(answer.toolCallId);
    for (const part of parts) if ("toolCallId" in part) ids.taken.add(part.toolCallId);
    item.calls = new KnownCalls(parts, reading.calls, context.dialect);
    item.parts = parts;
    return parts;
  }

  /** An item is done. */
  finish(item: Item, wire: JsonObject, out: Delta[]): void {
    if (item.done !== undefined && sameJson(item.done, wire)) return;
    const parts = this.#read(item, wire);
    item.done = wire;
    this.#say([{ item, wire, parts }], [item], out);
  }

  /** Reads the items that the end of an answer repeats; those that came before, where it does not. */
  finishAll(output: unknown): Finished[] {
    const list = Array.isArray(output) && output.length > 0 ? (output as JsonValue[]) : undefined;
    if (list === undefined) return this.book.items.map((item) => this.#asItWas(item));
    const taken = new Set<Item>();
    return list.map((wire, index) => {
      const item = this.book.repeated(wire, index, taken) ?? this.book.create(isObject(wire) ? wire : {});
      taken.add(item);
      const isSame = item.done !== undefined && sameJson(item.done, wire);
      return { item, wire, parts: isSame ? item.parts : this.#read(item, wire) };
    });
  }

  /** An item that no event has finished says what it said when it began, unless pieces have said more. */
  #asItWas(item: Item): Finished {
    const wire = item.done ?? withAsked(item);
    const isRead = item.done !== undefined || item.said.size > 0 || wire["type"] === undefined;
    return { item, wire, parts: isRead ? item.parts : this.#read(item, wire) };
  }

  /** Says of every finished item what is left to say; then every call ends, unless the end says that it was cut off. */
  end(finished: readonly Finished[], isCut: boolean, out: Delta[]): void {
    this.#say(finished, this.book.items, out);
    this.#endHeld(out);
    for (const { said } of this.book.items) {
      const call = said.get("call");
      if (call?.call === undefined || call.isEnded || (isCut && call === this.#latest)) continue;
      const { toolCallId } = call.call;
      call.isEnded = true;
      out.push({ kind: "tool_call_end", payload: { toolCallId } });
    }
  }

  /** First what stands in its place, then what stands elsewhere, then what is new. */
  #say(finished: readonly Finished[], items: readonly Item[], out: Delta[]): void {
    const open = new Set<Said>();
    for (const { said } of items) for (const each of said.values()) open.add(each);
    const left: { part: Part; at: number; from: Finished }[] = [];
    for (const from of finished) {
      from.parts.forEach((part, at) => {
        const said = from.item.said.get(slotOf(part, at));
        if (said === undefined || !open.has(said)) left.push({ part, at, from });
        else {
          open.delete(said);
          this.#sayPart(said, part, out);
        }
      });
    }
    for (const { part, at, from } of left) {
      const said = [...open].find((each) => each.beginsLike(part));
      const other = [...from.item.said.values()].find((each) => open.has(each));
      if (said !== undefined) {
        open.delete(said);
        this.#sayPart(said, part, out);
      } else if (other !== undefined && part.type !== "tool-call") this.#contradict(other, part, from.wire, out);
      else this.#sayWhole(from.item, part, at, out);
    }
  }

  #sayPart(said: Said, part: Part, out: Delta[]): void {
    sayRest(said, part, this.context.dialect, out);
    if (part.type !== "tool-call" || said.isEnded) return;
    if (said === this.#latest) this.#ending = { said, part };
    else endCall(said, part, out);
  }

  #endHeld(out: Delta[]): void {
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending !== undefined && !ending.said.isEnded) endCall(ending.said, ending.part, out);
  }

  #sayWhole(item: Item, part: Part, at: number, out: Delta[]): void {
    if (part.type === "tool-call") {
      const row = rowOfCall(item.done?.["type"] ?? item.wire["type"]);
      const isText = row?.how === "json" || row?.how === "text";
      const isValue = !isText || readForm(part, this.context.dialect)["arguments"] !== undefined;
      return this.#sayPart(this.#start(item, part, isValue, out), part, out);
    }
    const kind = GROWING[part.type];
    const said = this.open(item, slotOf(part, at), kind ?? "whole", out);
    const { seals, extra } = part;
    said.seals = seals;
    said.extra = extra;
    if (kind === undefined) {
      out.push({ kind: "part", payload: { value: part, part: said.key } });
      return;
    }
    const payload = { textDelta: "", part: said.key };
    out.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    for (const seal of seals ?? []) out.push({ kind: "seal", payload: { seal, part: said.key } });
    this.#sayPart(said, part, out);
  }

  /** The item is something else than its pieces have said: they stand, and it is kept beside them. */
  #contradict(said: Said, part: Part, wire: JsonValue, out: Delta[]): void {
    const carrier: PartBase = {};
    storeForm(carrier, this.context.dialect, "said", part.type === "opaque" ? wire : (part as unknown as JsonValue));
    const { extra } = carrier;
    if (extra === undefined) return;
    const { kind, key } = said;
    if (kind === "text" || kind === "refusal" || kind === "thinking")
      out.push({ kind, payload: { textDelta: "", part: key, extra } });
    else if (said.call !== undefined && !said.isEnded)
      out.push({ kind: "tool_call_args", payload: { toolCallId: said.call.toolCallId, argsTextDelta: "", extra } });
  }
}

/** Parts that are said by their texts. */
const GROWING: Readonly<Partial<Record<Part["type"], "text" | "refusal" | "thinking">>> = {
  text: "text",
  refusal: "refusal",
  reasoning: "thinking",
};

/** An item as it began, with what was asked since. */
function withAsked({ wire, asks }: Item): JsonObject {
  if (asks === undefined) return wire;
  const { type = asks.type } = wire;
  return { ...wire, type, [rowOfCall(type)?.asks ?? "arguments"]: asks.text };
}

/** Where the part of an item stands in it. */
function slotOf(part: Part, at: number): string {
  const kind = KINDS[part.type];
  if (kind === "text") return `${at}`;
  if (kind === "refusal") return `refusal.${at}`;
  if (kind !== undefined) return kind;
  return part.type === "tool-result" ? "result" : `part.${at}`;
}
