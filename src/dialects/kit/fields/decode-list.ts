// The loop that decodes a list of wire objects; without a closure per list, because it runs for every message.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { DecodeContext } from "../../dialect.ts";
import { readObject } from "./read-wire.ts";

/** Decodes the objects of the list in the field `key` of the current wire object. */
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
