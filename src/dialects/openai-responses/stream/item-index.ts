// Finds the item of an event by its output index, item id or call id. Vendors omit, repeat or change any of these (B18,
// B76, B77).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import type { FirstDecodingCallIds } from "./decoded-call-ids.ts";
import type { EmittedPart } from "../../openai/emitted-part.ts";

/** An item of which an event has arrived. */
export interface StreamedItem {
  /** The position of the item in the order of arrival. */
  readonly serial: number;
  /** The item as its first event (`response.output_item.added`) contains it; empty if that event is missing. */
  wire: JsonObject;
  /** The item as its last event (`response.output_item.done`) contains it; undefined until that event arrives. */
  done: JsonObject | undefined;
  /** The parts of the item's latest decoding. */
  parts: Part[];
  /** The parts that have been started, by the key of `partSlot`, which identifies a part within its item. */
  readonly emittedParts: Map<string, EmittedPart>;
  /**
   * Assigns the call ids of the previous decoding when the item is decoded again; undefined until the first decoding.
   */
  callIds: FirstDecodingCallIds | undefined;
  /**
   * The arguments of a call that cannot start yet, because its item lacks an id or name; `type` is the item type that
   * the events imply.
   */
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

  /**
   * Finds or creates the item of its first event (`response.output_item.added`). If another item already has this
   * index, later events with the index belong to the new item.
   */
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

  /**
   * Returns the item of an event: by its output index, or else by its item id, or else the last item. Creates the item
   * if there is none.
   */
  findForEvent({ output_index: index, item_id: id }: JsonObject): StreamedItem {
    if (typeof index !== "number") return this.#byId.get(id) ?? this.items.at(-1) ?? this.create({});
    let item = this.#byIndex.get(index);
    if (item === undefined) this.#byIndex.set(index, (item = this.create({})));
    return item;
  }

  /**
   * Returns the item of its last event (`response.output_item.done`). Creates the item if its first event is missing.
   */
  findFinished(wire: JsonObject, index: unknown): StreamedItem {
    const item = this.#findOpen(wire, index) ?? this.create(wire);
    if (item.wire["type"] === undefined) item.wire = wire;
    return this.#register(item, wire, index);
  }

  #findOpen(wire: JsonObject, index: unknown): StreamedItem | undefined {
    const { id, call_id: call } = wire;
    const hasIndex = typeof index === "number";
    const known = hasIndex ? this.#byIndex.get(index) : this.#byId.get(id);
    if (known !== undefined && canBeSameItem(known.wire, wire) && (known.done === undefined || known.done["id"] === id))
      return known;
    if (hasIndex) return undefined;
    for (const open of [this.#byCall.get(call), this.items.at(-1)]) {
      if (open?.done !== undefined || open === undefined || !canBeSameItem(open.wire, wire)) continue;
      if (id === undefined || open.wire["id"] === undefined) return open;
    }
    return undefined;
  }

  /**
   * Returns the streamed item that `wire`, the item at `index` of the final response, repeats; undefined if there is
   * none. The item id takes precedence over the index, and so does the call id if the item at the index has another
   * call id (B77).
   */
  findRepeated(wire: JsonValue, index: number, matched: ReadonlySet<StreamedItem>): StreamedItem | undefined {
    if (!isObject(wire)) return undefined;
    const { id, call_id: call } = wire;
    const atIndex = this.#byIndex.get(index);
    const isUnmatched = (known: StreamedItem | undefined): known is StreamedItem =>
      known !== undefined && !matched.has(known);
    const byId = this.#byId.get(id);
    if (isUnmatched(byId) && hasSameType(byId.wire, wire)) return byId;
    if (
      isUnmatched(atIndex) &&
      canBeSameItem(atIndex.wire, wire) &&
      (call === undefined || atIndex.wire["call_id"] === call)
    )
      return atIndex;
    const byCallId = call === undefined ? undefined : this.#byCall.get(call);
    if (isUnmatched(byCallId) && hasSameType(byCallId.wire, wire)) return byCallId;
    return isUnmatched(atIndex) && (canBeSameItem(atIndex.wire, wire) || hasSameCall(atIndex, wire))
      ? atIndex
      : undefined;
  }
}

/** True if two versions of an item have the same type, or if the type of the known version is unknown. */
function hasSameType({ type }: JsonObject, wire: JsonObject): boolean {
  return type === undefined || type === wire["type"];
}

/** True if two versions can be the same item: they have the same type, and not two different call ids. */
function canBeSameItem(known: JsonObject, wire: JsonObject): boolean {
  const [one, other] = [known["call_id"], wire["call_id"]];
  return hasSameType(known, wire) && (typeof one !== "string" || typeof other !== "string" || one === other);
}

/** True if an item repeats a known call under another call id: it has the same type, name and input. */
function hasSameCall({ wire, done, emittedParts }: StreamedItem, other: JsonObject): boolean {
  const { arguments: args, input = args, name, type } = other;
  const knownInput = done?.["arguments"] ?? done?.["input"] ?? emittedParts.get("call")?.text;
  return wire["type"] === type && wire["name"] === name && input !== undefined && knownInput === input;
}
