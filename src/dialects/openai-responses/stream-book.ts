// Which item of an answer an event is about. Items have a place, an id, and calls an id of the call; vendors leave out
// any of these, use them twice, or change them on the way (B18, B76, B77).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { isObject } from "../kit/read.ts";
import type { KnownCalls } from "./stream-calls.ts";
import type { Said } from "./stream-said.ts";

/** An item that has begun to arrive. */
export interface Item {
  readonly serial: number;
  /** As it began, and as it was when it was done. */
  wire: JsonObject;
  done: JsonObject | undefined;
  /** What it was read into last. */
  parts: Part[];
  /** Its parts that have begun, by their slots. */
  readonly said: Map<string, Said>;
  calls: KnownCalls | undefined;
  /** What is asked, while the item does not say enough for the call to begin. */
  asks: { readonly type: string; text: string } | undefined;
}

export class ItemBook {
  readonly items: Item[] = [];
  readonly #byIndex = new Map<unknown, Item>();
  readonly #byId = new Map<unknown, Item>();
  readonly #byCall = new Map<unknown, Item>();

  create(wire: JsonObject): Item {
    const item: Item = {
      serial: this.items.length,
      wire,
      done: undefined,
      parts: [],
      said: new Map(),
      calls: undefined,
      asks: undefined,
    };
    this.items.push(item);
    return item;
  }

  /** From now on these are the item's names. */
  #note(item: Item, { id, call_id: call }: JsonObject, index: unknown): Item {
    if (typeof index === "number") this.#byIndex.set(index, item);
    if (typeof id === "string") this.#byId.set(id, item);
    if (typeof call === "string" && !this.#byCall.has(call)) this.#byCall.set(call, item);
    return item;
  }

  /** An item begins. Of two that claim one place, the later is meant from then on. */
  begin(wire: JsonObject, index: unknown): Item {
    const { id } = wire;
    const known = typeof index === "number" ? this.#byIndex.get(index) : this.#byId.get(id);
    const isSame =
      known?.done === undefined &&
      (known?.wire["type"] === undefined || (known.wire["id"] === id && isAlike(known.wire, wire)));
    const item = known !== undefined && isSame ? known : this.create(wire);
    item.wire = wire;
    return this.#note(item, wire, index);
  }

  /** The item that an event is about: by its place, else by its id, else the last one; one that nobody knows begins. */
  find({ output_index: index, item_id: id }: JsonObject): Item {
    if (typeof index !== "number") return this.#byId.get(id) ?? this.items.at(-1) ?? this.create({});
    let item = this.#byIndex.get(index);
    if (item === undefined) this.#byIndex.set(index, (item = this.create({})));
    return item;
  }

  /** The item that is done: one that nobody has announced begins and ends at once. */
  finished(wire: JsonObject, index: unknown): Item {
    const item = this.#openFor(wire, index) ?? this.create(wire);
    if (item.wire["type"] === undefined) item.wire = wire;
    return this.#note(item, wire, index);
  }

  #openFor(wire: JsonObject, index: unknown): Item | undefined {
    const { id, call_id: call } = wire;
    const placed = typeof index === "number";
    const known = placed ? this.#byIndex.get(index) : this.#byId.get(id);
    if (known !== undefined && isAlike(known.wire, wire) && (known.done === undefined || known.done["id"] === id))
      return known;
    if (placed) return undefined;
    for (const open of [this.#byCall.get(call), this.items.at(-1)]) {
      if (open?.done !== undefined || open === undefined || !isAlike(open.wire, wire)) continue;
      if (id === undefined || open.wire["id"] === undefined) return open;
    }
    return undefined;
  }

  /** The item that the end of the answer repeats at a place. Calls are told by their ids before their places (B77). */
  repeated(wire: JsonValue, index: number, taken: ReadonlySet<Item>): Item | undefined {
    if (!isObject(wire)) return undefined;
    const { id, call_id: call } = wire;
    const placed = this.#byIndex.get(index);
    const isIt = (known: Item | undefined): known is Item => known !== undefined && !taken.has(known);
    const named = this.#byId.get(id);
    if (isIt(named) && isOf(named.wire, wire)) return named;
    if (isIt(placed) && isAlike(placed.wire, wire) && (call === undefined || placed.wire["call_id"] === call))
      return placed;
    const called = call === undefined ? undefined : this.#byCall.get(call);
    if (isIt(called) && isOf(called.wire, wire)) return called;
    return isIt(placed) && (isAlike(placed.wire, wire) || asksAlike(placed, wire)) ? placed : undefined;
  }
}

/** Whether two forms of an item are of one type, as far as they say. */
function isOf({ type }: JsonObject, wire: JsonObject): boolean {
  return type === undefined || type === wire["type"];
}

/** Whether they may be one item: of one type, and not of two calls. */
function isAlike(known: JsonObject, wire: JsonObject): boolean {
  const [one, other] = [known["call_id"], wire["call_id"]];
  return isOf(known, wire) && (typeof one !== "string" || typeof other !== "string" || one === other);
}

/** Whether a call under another id asks the same of the same. */
function asksAlike({ wire, done, said }: Item, other: JsonObject): boolean {
  const { arguments: args, input = args, name, type } = other;
  const asked = done?.["arguments"] ?? done?.["input"] ?? said.get("call")?.text;
  return wire["type"] === type && wire["name"] === name && input !== undefined && asked === input;
}
