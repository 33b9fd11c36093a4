// Finds the item of an event by its output index, item id or call id. Vendors omit, repeat or change any of them (B18,
// B76, B77).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import type { FixedCallIds } from "./call-ids.ts";
import type { EmittedPart } from "../../openai/emitted-part.ts";

/** An item whose first event has arrived. */
export interface StreamedItem {
  readonly serial: number;
  /** The item as it started, and as it was when it was done. */
  wire: JsonObject;
  done: JsonObject | undefined;
  /** The parts of its last decoding. */
  parts: Part[];
  /** The started parts, by slot. */
  readonly emittedParts: Map<string, EmittedPart>;
  callIds: FixedCallIds | undefined;
  /** The arguments of a call that lacks the fields to start. */
  pendingArguments: { readonly type: string; text: string } | undefined;
}

export class StreamedItemIndex {
  readonly items: StreamedItem[] = [];
  readonly #byIndex = new Map<unknown, StreamedItem>();
  readonly #byId = new Map<unknown, StreamedItem>();
  readonly #byCall = new Map<unknown, StreamedItem>();

  create(wire: JsonObject): StreamedItem {
    const item: StreamedItem = {
      serial: this.items.length,
      wire,
      done: undefined,
      parts: [],
      emittedParts: new Map(),
      callIds: undefined,
      pendingArguments: undefined,
    };
    this.items.push(item);
    return item;
  }

  /** Registers the index and the ids of an item. */
  #register(item: StreamedItem, { id, call_id: call }: JsonObject, index: unknown): StreamedItem {
    if (typeof index === "number") this.#byIndex.set(index, item);
    if (typeof id === "string") this.#byId.set(id, item);
    if (typeof call === "string" && !this.#byCall.has(call)) this.#byCall.set(call, item);
    return item;
  }

  /** Starts an item. If two items have one index, later events mean the second one. */
  findOrStart(wire: JsonObject, index: unknown): StreamedItem {
    const { id } = wire;
    const known = typeof index === "number" ? this.#byIndex.get(index) : this.#byId.get(id);
    const isSame =
      known?.done === undefined &&
      (known?.wire["type"] === undefined || (known.wire["id"] === id && canBeSameItem(known.wire, wire)));
    const item = known !== undefined && isSame ? known : this.create(wire);
    item.wire = wire;
    return this.#register(item, wire, index);
  }

  /** Returns the item of an event: by its index, else its id, else the last item; an unknown item is created. */
  findForEvent({ output_index: index, item_id: id }: JsonObject): StreamedItem {
    if (typeof index !== "number") return this.#byId.get(id) ?? this.items.at(-1) ?? this.create({});
    let item = this.#byIndex.get(index);
    if (item === undefined) this.#byIndex.set(index, (item = this.create({})));
    return item;
  }

  /** Returns the item that is done; an item without a first event is created. */
  findFinished(wire: JsonObject, index: unknown): StreamedItem {
    const item = this.#findOpen(wire, index) ?? this.create(wire);
    if (item.wire["type"] === undefined) item.wire = wire;
    return this.#register(item, wire, index);
  }

  #findOpen(wire: JsonObject, index: unknown): StreamedItem | undefined {
    const { id, call_id: call } = wire;
    const placed = typeof index === "number";
    const known = placed ? this.#byIndex.get(index) : this.#byId.get(id);
    if (known !== undefined && canBeSameItem(known.wire, wire) && (known.done === undefined || known.done["id"] === id))
      return known;
    if (placed) return undefined;
    for (const open of [this.#byCall.get(call), this.items.at(-1)]) {
      if (open?.done !== undefined || open === undefined || !canBeSameItem(open.wire, wire)) continue;
      if (id === undefined || open.wire["id"] === undefined) return open;
    }
    return undefined;
  }

  /** Returns the item that the final answer repeats at an index; call ids take precedence over the index (B77). */
  findRepeated(wire: JsonValue, index: number, matched: ReadonlySet<StreamedItem>): StreamedItem | undefined {
    if (!isObject(wire)) return undefined;
    const { id, call_id: call } = wire;
    const placed = this.#byIndex.get(index);
    const isUnmatched = (known: StreamedItem | undefined): known is StreamedItem =>
      known !== undefined && !matched.has(known);
    const named = this.#byId.get(id);
    if (isUnmatched(named) && hasSameType(named.wire, wire)) return named;
    if (
      isUnmatched(placed) &&
      canBeSameItem(placed.wire, wire) &&
      (call === undefined || placed.wire["call_id"] === call)
    )
      return placed;
    const called = call === undefined ? undefined : this.#byCall.get(call);
    if (isUnmatched(called) && hasSameType(called.wire, wire)) return called;
    return isUnmatched(placed) && (canBeSameItem(placed.wire, wire) || hasSameCall(placed, wire)) ? placed : undefined;
  }
}

/** True if two versions of an item have one type, as far as it is known. */
function hasSameType({ type }: JsonObject, wire: JsonObject): boolean {
  return type === undefined || type === wire["type"];
}

/** True if two versions can be the same item: one type, and not two call ids. */
function canBeSameItem(known: JsonObject, wire: JsonObject): boolean {
  const [one, other] = [known["call_id"], wire["call_id"]];
  return hasSameType(known, wire) && (typeof one !== "string" || typeof other !== "string" || one === other);
}

/** True if a call with another id has the same name and input. */
function hasSameCall({ wire, done, emittedParts }: StreamedItem, other: JsonObject): boolean {
  const { arguments: args, input = args, name, type } = other;
  const knownInput = done?.["arguments"] ?? done?.["input"] ?? emittedParts.get("call")?.text;
  return wire["type"] === type && wire["name"] === name && input !== undefined && knownInput === input;
}
