// Decodes a list of wire objects. The loop runs for every list of messages and parts, so, for speed, it creates no
// closure.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { DecodeContext } from "../../dialect.ts";
import { readObject } from "./read-wire.ts";

/** Decodes the objects of a list, which is the value of the field `key` of the current wire object. */
export function decodeObjectList<State extends { readonly context: DecodeContext }, Item>(
  list: readonly JsonValue[],
  key: string,
  state: State,
  decodeItem: (wire: JsonObject, state: State) => Item,
): Item[] {
  const { context } = state;
  const items: Item[] = [];
  context.pathTracker.enter(key);
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    items.push(decodeItem(readObject(list[index], context), state));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return items;
}
