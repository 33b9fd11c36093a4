// Decodes the items of a streamed answer. A finished item is decoded like an item of a response, and content that its
// deltas lacked is emitted then. The items of the final response are compared with the emitted content in the same way.
import { formatArguments } from "../../../model/tool-arguments.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { Part, PartBase, ToolCallPart } from "../../../model/parts.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { DialectError } from "../../errors.ts";
import { ToolCallIds } from "../../kit/tools/tool-call-ids.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { decodeAnyItem } from "../items/decode-items.ts";
import type { ResponsesDecodeState } from "../decode-state.ts";
import { decodeItemId, createDecodeState } from "../decode-state.ts";
import type { StreamedItem } from "./item-index.ts";
import { StreamedItemIndex } from "./item-index.ts";
import type { ResponsesCallIds } from "./decoded-call-ids.ts";
import { FirstDecodingCallIds } from "./decoded-call-ids.ts";
import type { EmittedKind } from "../../openai/emitted-part.ts";
import {
  DELTA_KINDS,
  emitArguments,
  emitCallEnd,
  emitCallStart,
  emitRest,
  EmittedPart,
} from "../../openai/emitted-part.ts";
import { findByCallType } from "../items/tool-item-types.ts";

/** A finished item and its decoded parts. */
interface FinishedItem {
  item: StreamedItem;
  wire: JsonValue;
  parts: Part[];
}

export class ResponsesItemDecoder {
  readonly context: DecodeContext;
  readonly #state: ResponsesDecodeState;
  readonly #ids: ResponsesCallIds;
  readonly index = new StreamedItemIndex();
  /** The part that started last. Only this part can be cut off by the end of the answer. */
  #latestPart: EmittedPart | undefined;
  /** A finished call whose end delta is not emitted yet, because the answer can still turn out to be cut off (B31). */
  #pendingCallEnd: { emitted: EmittedPart; part: ToolCallPart } | undefined;

  constructor(context: DecodeContext, renames: Renames | undefined, seed: string, ids: ResponsesCallIds) {
    this.context = context;
    this.#ids = ids;
    this.#state = {
      ...createDecodeState(context, true, seed, renames),
      calls: new ToolCallIds(context.dialect, seed, ids.usedIds),
    };
  }

  /** Starts a part. `slot` identifies the part within its item, as `partSlot` does. */
  openPart(item: StreamedItem, slot: string, kind: EmittedKind, out: Delta[]): EmittedPart {
    this.#emitPendingCallEnd(out);
    const emitted = new EmittedPart(`${item.serial}.${slot}`, kind);
    item.emittedParts.set(slot, emitted);
    this.#latestPart = emitted;
    return emitted;
  }

  /**
   * Starts a text, refusal or reasoning with an empty delta, so that the seal with the item's id precedes the content.
   */
  openText(item: StreamedItem, slot: string, kind: "text" | "refusal" | "thinking", out: Delta[]): EmittedPart {
    const emitted = this.openPart(item, slot, kind, out);
    const target: PartBase = {};
    // Only the first part of an item stores the item's id. An item whose first event is missing has no fields, so
    // whether it has an id is unknown.
    if (item.emittedParts.size === 1 && Object.keys(item.wire).length > 0) decodeItemId(target, item.wire, this.#state);
    const { seals, extra } = target;
    emitted.seals = seals;
    emitted.extra = extra;
    const payload = { textDelta: "", partKey: emitted.key };
    out.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    for (const seal of seals ?? []) out.push({ kind: "seal", payload: { seal, partKey: emitted.key } });
    return emitted;
  }

  /** Finds or starts the call of an item. Returns undefined if the item has no call, or lacks its id or name. */
  openCall(item: StreamedItem, out: Delta[]): EmittedPart | undefined {
    const known = item.emittedParts.get("call");
    if (known !== undefined || item.done !== undefined) return known;
    const toolType = findByCallType(item.wire["type"]);
    const id = item.wire[toolType?.hasItemIdAsCallId === true ? "id" : "call_id"];
    if (toolType === undefined || typeof id !== "string" || id === "" || item.wire["name"] === "") return undefined;
    const [call] = this.#decodeItem(item, item.wire);
    if (call?.type !== "tool-call") return undefined;
    const isValue = toolType.inputForm === "value" || toolType.inputForm === "field";
    const emitted = this.#startCall(item, call, isValue, out);
    if (item.pendingArguments !== undefined && !isValue) emitArguments(emitted, item.pendingArguments.text, out);
    return emitted;
  }

  /**
   * Emits, at the end of an interrupted answer, the calls that have not started because their items lack an id or name.
   */
  emitUnstartedCalls(out: Delta[]): void {
    for (const item of this.index.items) {
      if (item.pendingArguments === undefined || item.done !== undefined || item.emittedParts.size > 0) continue;
      const [call] = this.#decodeUnfinished(item).parts;
      if (call?.type !== "tool-call") continue;
      emitArguments(this.#startCall(item, call, false, out), formatArguments(call), out);
    }
  }

  #startCall(item: StreamedItem, call: ToolCallPart, isValue: boolean, out: Delta[]): EmittedPart {
    const emitted = this.openPart(item, "call", "call", out);
    const { bare, id } = readForm(call, this.context.dialect);
    const early: PartBase = {};
    if (bare !== undefined) storeForm(early, this.context.dialect, "bare", bare);
    if (id !== undefined) storeForm(early, this.context.dialect, "id", id);
    emitCallStart(emitted, call, isValue, early.extra, out);
    for (const seal of call.seals ?? []) out.push({ kind: "seal", payload: { seal, partKey: emitted.key } });
    emitted.seals = call.seals;
    return emitted;
  }

  /** Decodes an item. An item that cannot be decoded becomes an opaque part. */
  #decodeItem(item: StreamedItem, wire: JsonValue): Part[] {
    const { context } = this;
    const state = this.#state;
    const ids = this.#ids;
    let parts: Part[];
    try {
      const known = item.callIds === undefined ? state : { ...state, calls: item.callIds };
      parts = isObject(wire)
        ? decodeAnyItem(wire, [], known)
        : [{ type: "opaque", dialect: context.dialect, value: wire }];
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      // The cast is safe, because only the decoding of objects throws.
      parts = [toOpaquePart(wire as JsonObject, context)];
    }
    const result = parts.find((part) => part.type === "tool-result");
    const isNew = item.callIds === undefined || !item.parts.some((part) => part.type === "tool-result");
    // A call has only one result, so a second result becomes an opaque part. A repeated decoding of the same item is no
    // second result.
    if (result !== undefined && isNew && ids.answeredIds.has(result.toolCallId) && isObject(wire)) {
      parts = [toOpaquePart(wire, context)];
    } else if (result !== undefined) ids.answeredIds.add(result.toolCallId);
    for (const part of parts) if ("toolCallId" in part) ids.usedIds.add(part.toolCallId);
    item.callIds = new FirstDecodingCallIds(parts, state.calls, context.dialect);
    item.parts = parts;
    return parts;
  }

  /** Emits the content of a finished item that its deltas lacked. */
  finishItem(item: StreamedItem, wire: JsonObject, out: Delta[]): void {
    if (item.done !== undefined && sameJson(item.done, wire)) return;
    const parts = this.#decodeItem(item, wire);
    item.done = wire;
    this.#emitItems([{ item, wire, parts }], [item], out);
  }

  /** Decodes the items of the final response. If the response has no items, returns the items so far. */
  decodeFinalItems(output: unknown): FinishedItem[] {
    const list = Array.isArray(output) && output.length > 0 ? (output as JsonValue[]) : undefined;
    if (list === undefined) return this.index.items.map((item) => this.#decodeUnfinished(item));
    const matched = new Set<StreamedItem>();
    return list.map((wire, index) => {
      const item = this.index.findRepeated(wire, index, matched) ?? this.index.create(isObject(wire) ? wire : {});
      matched.add(item);
      const isSame = item.done !== undefined && sameJson(item.done, wire);
      return { item, wire, parts: isSame ? item.parts : this.#decodeItem(item, wire) };
    });
  }

  /**
   * Returns an item that has no last event. Its parts are decoded from its first event, unless deltas have started its
   * parts.
   */
  #decodeUnfinished(item: StreamedItem): FinishedItem {
    const wire = item.done ?? withPendingArguments(item);
    const isDecoded = item.done !== undefined || item.emittedParts.size > 0 || wire["type"] === undefined;
    return { item, wire, parts: isDecoded ? item.parts : this.#decodeItem(item, wire) };
  }

  /** Emits the remaining content of every item, then the ends of all calls except a call that was cut off. */
  finishAnswer(finished: readonly FinishedItem[], isCutOff: boolean, out: Delta[]): void {
    this.#emitItems(finished, this.index.items, out);
    this.#emitPendingCallEnd(out);
    for (const { emittedParts: emitted } of this.index.items) {
      const call = emitted.get("call");
      if (call?.call === undefined || call.hasEnded || (isCutOff && call === this.#latestPart)) continue;
      const { toolCallId } = call.call;
      call.hasEnded = true;
      out.push({ kind: "tool_call_end", payload: { toolCallId } });
    }
  }

  /**
   * Emits the rest of each finished part: for the emitted part in the same slot of its item (`partSlot`), or else for
   * an emitted part whose text it continues. Any other part is stored as a contradiction if deltas of its item match no
   * finished part, and emitted as new otherwise.
   */
  #emitItems(finished: readonly FinishedItem[], items: readonly StreamedItem[], out: Delta[]): void {
    const open = new Set<EmittedPart>();
    for (const { emittedParts: emitted } of items) for (const each of emitted.values()) open.add(each);
    const unmatched: { part: Part; at: number; from: FinishedItem }[] = [];
    for (const from of finished) {
      from.parts.forEach((part, at) => {
        const emitted = from.item.emittedParts.get(partSlot(part, at));
        if (emitted === undefined || !open.has(emitted)) unmatched.push({ part, at, from });
        else {
          open.delete(emitted);
          this.#emitPartRest(emitted, part, out);
        }
      });
    }
    for (const { part, at, from } of unmatched) {
      const emitted = [...open].find((each) => each.canContinueAs(part));
      const other = [...from.item.emittedParts.values()].find((each) => open.has(each));
      if (emitted !== undefined) {
        open.delete(emitted);
        this.#emitPartRest(emitted, part, out);
      } else if (other !== undefined && part.type !== "tool-call")
        this.#storeContradiction(other, part, from.wire, out);
      else this.#emitWholePart(from.item, part, at, out);
    }
  }

  #emitPartRest(emitted: EmittedPart, part: Part, out: Delta[]): void {
    emitRest(emitted, part, { dialect: this.context.dialect }, out);
    if (part.type !== "tool-call" || emitted.hasEnded) return;
    if (emitted === this.#latestPart) this.#pendingCallEnd = { emitted, part };
    else emitCallEnd(emitted, part.extra, part.invalid === true, out);
  }

  #emitPendingCallEnd(out: Delta[]): void {
    const pending = this.#pendingCallEnd;
    this.#pendingCallEnd = undefined;
    if (pending !== undefined && !pending.emitted.hasEnded)
      emitCallEnd(pending.emitted, pending.part.extra, pending.part.invalid === true, out);
  }

  #emitWholePart(item: StreamedItem, part: Part, at: number, out: Delta[]): void {
    if (part.type === "tool-call") {
      const toolType = findByCallType(item.done?.["type"] ?? item.wire["type"]);
      const isText = toolType?.inputForm === "json" || toolType?.inputForm === "text";
      const isValue = !isText || readForm(part, this.context.dialect)["arguments"] !== undefined;
      return this.#emitPartRest(this.#startCall(item, part, isValue, out), part, out);
    }
    const kind = TEXT_DELTA_KINDS[part.type];
    const emitted = this.openPart(item, partSlot(part, at), kind ?? "whole", out);
    const { seals, extra } = part;
    emitted.seals = seals;
    emitted.extra = extra;
    if (kind === undefined) {
      out.push({ kind: "part", payload: { value: part, partKey: emitted.key } });
      return;
    }
    const payload = { textDelta: "", partKey: emitted.key };
    out.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    for (const seal of seals ?? []) out.push({ kind: "seal", payload: { seal, partKey: emitted.key } });
    this.#emitPartRest(emitted, part, out);
  }

  /** Stores an item that contradicts its deltas as residue. The emitted content is not changed. */
  #storeContradiction(emitted: EmittedPart, part: Part, wire: JsonValue, out: Delta[]): void {
    const target: PartBase = {};
    storeForm(target, this.context.dialect, "said", part.type === "opaque" ? wire : (part as unknown as JsonValue));
    const { extra } = target;
    if (extra === undefined) return;
    const { kind, key } = emitted;
    if (kind === "text" || kind === "refusal" || kind === "thinking")
      out.push({ kind, payload: { textDelta: "", partKey: key, extra } });
    else if (emitted.call !== undefined && !emitted.hasEnded)
      out.push({ kind: "tool_call_args", payload: { toolCallId: emitted.call.toolCallId, argsTextDelta: "", extra } });
  }
}

/** The delta kinds of parts that grow by text. */
const TEXT_DELTA_KINDS: Readonly<Partial<Record<Part["type"], "text" | "refusal" | "thinking">>> = {
  text: "text",
  refusal: "refusal",
  reasoning: "thinking",
};

/** Returns the item as it was in its first event, with the arguments that have arrived since. */
function withPendingArguments({ wire, pendingArguments }: StreamedItem): JsonObject {
  if (pendingArguments === undefined) return wire;
  const { type = pendingArguments.type } = wire;
  return { ...wire, type, [findByCallType(type)?.inputField ?? "arguments"]: pendingArguments.text };
}

/**
 * Returns the key that identifies a part within its item: the kind of the part and, if the item can have several, its
 * index.
 */
function partSlot(part: Part, at: number): string {
  const kind = DELTA_KINDS[part.type];
  if (kind === "text") return `${at}`;
  if (kind === "refusal") return `refusal.${at}`;
  if (kind !== undefined) return kind;
  return part.type === "tool-result" ? "result" : `part.${at}`;
}
