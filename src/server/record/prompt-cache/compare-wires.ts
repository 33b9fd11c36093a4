// Compares two JSON values of wire requests and finds the first position at which they differ. Cache breakpoints are
// ignored, and a text is equal to a list with one text block.
import type { JsonObject, JsonValue } from "../../../model/index.ts";
import { findExactText } from "../../../model/json/exact-numbers.ts";
import { isObject } from "../../../model/value-kind.ts";
import { BREAKPOINT_KEYS, TOOL_DATA_KEYS } from "./prompt-layout.ts";

/** The first position at which two values differ. A value that is absent in one of the two requests is undefined. */
export interface ValueDifference {
  steps: (string | number)[];
  previous: JsonValue | undefined;
  current: JsonValue | undefined;
}

interface CompareOptions {
  /** True inside of a schema, of arguments or of a result of a tool. */
  isToolData?: boolean;
  /**
   * "items" if the current list may have more items than the previous list; "content" if the content of the current
   * message may have more blocks than the content of the previous message.
   */
  appendable?: "items" | "content";
}

type Value = JsonValue | undefined;

/** Returns the first difference, with steps relative to the compared values; undefined if the values are equal. */
export function compareValues(previous: Value, current: Value, options: CompareOptions): ValueDifference | undefined {
  if (previous === current) return undefined;
  if (Array.isArray(previous) && Array.isArray(current)) return compareLists(previous, current, options);
  if (isObject(previous) && isObject(current)) return compareObjects(previous, current, options);
  if (options.isToolData !== true && isSameText(previous, current, options)) return undefined;
  return { steps: [], previous, current };
}

function compareLists(
  previous: readonly JsonValue[],
  current: readonly JsonValue[],
  { isToolData = false, appendable }: CompareOptions,
): ValueDifference | undefined {
  const left = isToolData ? [...previous.keys()] : listContentIndexes(previous);
  const right = isToolData ? [...current.keys()] : listContentIndexes(current);
  for (const [position, index] of left.entries()) {
    const currentIndex = right[position];
    // An item that the current list lacks is reported at the position at which the current list ends.
    if (currentIndex === undefined) return { steps: [current.length], previous: previous[index], current: undefined };
    const isLast = position === left.length - 1;
    const options: CompareOptions = isLast && appendable === "items" ? { appendable: "content" } : { isToolData };
    const difference = compareItems(previous, index, current, currentIndex, options);
    if (difference !== undefined) return difference;
  }
  const added = right[left.length];
  if (added === undefined || appendable !== undefined) return undefined;
  return { steps: [added], previous: undefined, current: current[added] };
}

/** Compares two items of lists. Items of different types are reported as a whole, not by their field `type`. */
function compareItems(
  previous: readonly JsonValue[],
  index: number,
  current: readonly JsonValue[],
  currentIndex: number,
  options: CompareOptions,
): ValueDifference | undefined {
  const [left, right] = [previous[index], current[currentIndex]];
  const difference =
    compareValues(left, right, options) ?? compareDigits(previous, index, current, currentIndex, left, right);
  if (difference === undefined) return undefined;
  const [key] = difference.steps;
  const isOtherItem =
    options.isToolData !== true && difference.steps.length === 1 && (key === "type" || key === "role");
  return isOtherItem
    ? { steps: [currentIndex], previous: left, current: right }
    : { ...difference, steps: [currentIndex, ...difference.steps] };
}

/** Returns the indexes of the items that are content, without Bedrock's cache points, which are items of their own. */
function listContentIndexes(list: readonly JsonValue[]): number[] {
  return [...list.keys()].filter((index) => !isCachePoint(list[index]));
}

function isCachePoint(item: Value): boolean {
  return isObject(item) && item["cachePoint"] !== undefined && Object.keys(item).length === 1;
}

function compareObjects(
  previous: JsonObject,
  current: JsonObject,
  { isToolData = false, appendable }: CompareOptions,
): ValueDifference | undefined {
  const keys = listKeys(previous, current, isToolData);
  for (const key of keys) {
    const options: CompareOptions = { isToolData: isToolData || TOOL_DATA_KEYS.has(key) };
    if (appendable === "content" && (key === "content" || key === "parts")) options.appendable = "content";
    const [left, right] = [readField(previous, key), readField(current, key)];
    const difference = compareValues(left, right, options) ?? compareDigits(previous, key, current, key, left, right);
    if (difference !== undefined) return { ...difference, steps: [key, ...difference.steps] };
  }
  return isToolData ? compareKeyOrder(previous, current) : undefined;
}

/** Returns the keys of both objects, those that identify an item first. */
function listKeys(previous: JsonObject, current: JsonObject, isToolData: boolean): Iterable<string> {
  const keys = new Set([...Object.keys(current), ...Object.keys(previous)]);
  if (isToolData) return keys;
  const contentKeys = [...keys].filter((key) => !BREAKPOINT_KEYS.has(key));
  const identifying = contentKeys.filter((key) => key === "type" || key === "role");
  return new Set([...identifying, ...contentKeys]);
}

/** Returns the value of a field. The Responses API has "message" as the default type of an item with a role. */
function readField(object: JsonObject, key: string): Value {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return value === undefined && key === "type" && Object.hasOwn(object, "role") ? "message" : value;
}

/** Finds a difference in the order of keys, which changes the prompt although the values are equal. */
function compareKeyOrder(previous: JsonObject, current: JsonObject): ValueDifference | undefined {
  const order = Object.keys(previous);
  return Object.keys(current).every((key, index) => key === order[index])
    ? undefined
    : { steps: [], previous, current };
}

/** Finds a difference between two numbers that are the same double, but have different digits in the JSON text. */
function compareDigits(
  previous: object,
  key: string | number,
  current: object,
  currentKey: string | number,
  left: Value,
  right: Value,
): ValueDifference | undefined {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  const previousDigits = findExactText(previous, String(key), left);
  const currentDigits = findExactText(current, String(currentKey), right);
  if (previousDigits === currentDigits) return undefined;
  return { steps: [], previous: previousDigits ?? left, current: currentDigits ?? right };
}

/** True if one value is a text, and the other is a list whose first block is that text. */
function isSameText(previous: Value, current: Value, { appendable }: CompareOptions): boolean {
  if (typeof previous === "string" && Array.isArray(current)) {
    const blocks = listContentIndexes(current);
    return isTextBlock(current[blocks[0] ?? 0], previous) && (blocks.length === 1 || appendable !== undefined);
  }
  if (typeof current !== "string" || !Array.isArray(previous)) return false;
  const blocks = listContentIndexes(previous);
  return blocks.length === 1 && isTextBlock(previous[blocks[0] ?? 0], current);
}

const TEXT_BLOCK_KEYS: ReadonlySet<string> = new Set(["type", "text"]);

/** True if the item is a block with this text and without further fields, except cache breakpoints. */
function isTextBlock(item: Value, text: string): boolean {
  if (!isObject(item) || item["text"] !== text) return false;
  return Object.keys(item).every((key) => TEXT_BLOCK_KEYS.has(key) || BREAKPOINT_KEYS.has(key));
}
