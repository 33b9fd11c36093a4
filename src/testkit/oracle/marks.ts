// Marks every scalar of a value with a unique string or number, so that one encoding shows which scalars are in the
// output.
import type { Encoded } from "../../dialects/dialect.ts";
import { toSearchText } from "./encoded-text.ts";
import type { JsonNode } from "../json/json-nodes.ts";
import { mapScalars } from "../json/json-nodes.ts";
import { isBase64, isUsageCount, isInputText, isReformatted, readLinkKind } from "./model-paths.ts";

/** Matches the mark of a string. Marks have only letters and digits, which are legal in ids, tool names and base64. */
const STRING_MARK = /Qk\d{6}/g;
const NUMBER_MARK = /(?<!\d)7\d{6}(?!\d)/g;

export interface MarkedValue<T> {
  value: T;
  /** The mark of each marked scalar, by the path of the scalar. */
  marks: ReadonlyMap<string, string>;
}

/**
 * True if the encoder must write the scalar unchanged, so that its mark is found in the output. False for values that
 * are written in another notation or as part of a sum, and for booleans, null and empty strings.
 */
function isMarkable({ path, value }: JsonNode): boolean {
  if (isInputText(path) || isReformatted(path) || isUsageCount(path)) return false;
  return typeof value === "string" ? value !== "" : typeof value === "number";
}

/**
 * Returns a copy with a mark at each node for which `isMarkable` is true. Equal call ids and equal tool names get the
 * same mark.
 */
export function markScalars<T>(value: T, nodes: readonly JsonNode[]): MarkedValue<T> {
  const marks = new Map<string, string>();
  const marksByKey = new Map<string, string>();
  for (const node of nodes) {
    if (!isMarkable(node)) continue;
    const number = String(marks.size + 1).padStart(6, "0");
    const mark = typeof node.value === "number" ? `7${number}` : `Qk${number}`;
    const linkKind = readLinkKind(node.path);
    const key = linkKind === undefined ? node.path : `${linkKind} ${String(node.value)}`;
    marksByKey.set(key, marksByKey.get(key) ?? mark);
    marks.set(node.path, marksByKey.get(key) ?? mark);
  }
  const marked = mapScalars(value, (scalar, path) => {
    const mark = marks.get(path);
    if (mark === undefined) return scalar;
    if (typeof scalar === "number") return Number(mark);
    return isBase64(path) ? mark : `${String(scalar)}${mark}`;
  });
  // The cast is safe, because every scalar is replaced by a scalar of the same type.
  return { value: marked as T, marks };
}

/** Returns the marks that the output contains. */
export function findMarks(encoded: Encoded): ReadonlySet<string> {
  const numbers = JSON.stringify([encoded.wire, encoded.address]);
  return new Set(
    [...toSearchText(encoded).matchAll(STRING_MARK), ...numbers.matchAll(NUMBER_MARK)].map(([mark]) => mark),
  );
}
