// Compares the key order of schemas, verbatim tools (a provider's tools, written unchanged) and call inputs, because
// models read them as text. The objects are located on the wire by their content, because their path depends on the
// dialect.
import { isObject } from "../../model/value-kind.ts";
import type { JsonDifference } from "../json/json-differences.ts";
import { walkJson, readAt } from "../json/json-nodes.ts";

const ORDER_SENSITIVE =
  /^(\/tools\/\d+\/(inputSchema|outputSchema|grammar|value)|\/output\/schema|.*\/parts\/\d+\/input)$/;

/**
 * Returns the wire objects whose keys have another order in `is` than in `was`. Compares only the objects of `was` that
 * are schemas, verbatim tools or call inputs of the decoded `value`.
 */
export function findKeyOrderDifferences(value: unknown, was: unknown, is: unknown): JsonDifference[] {
  const contents = new Set<string>();
  for (const node of walkJson(value)) {
    if (ORDER_SENSITIVE.test(node.path) && isObject(node.value)) contents.add(stringifySorted(node.value));
  }
  if (contents.size === 0) return [];
  const differences: JsonDifference[] = [];
  for (const { path, keys, value: before } of walkJson(was)) {
    if (!isObject(before) || !contents.has(stringifySorted(before))) continue;
    const after = readAt(is, keys);
    if (JSON.stringify(after) !== JSON.stringify(before)) differences.push({ path, was: before, is: after });
  }
  return differences;
}

function stringifySorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringifySorted).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stringifySorted(value[key])}`)
    .join()}}`;
}
