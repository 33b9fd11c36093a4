// Decodes and encodes token counts. As in the canonical usage, input includes cached tokens and output includes
// reasoning.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Usage } from "../../../model/usage.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { wasAbsent } from "../encode-state.ts";
import type { OpenAiUsageCount } from "../../openai/usage-count.ts";

/**
 * For each object with counts, the wire names and canonical names of its counts. The key of the object is undefined for
 * the usage object itself, and the name of a detail object otherwise.
 */
const COUNT_FIELDS = [
  [
    undefined,
    [
      ["input_tokens", "inputTokens"],
      ["output_tokens", "outputTokens"],
      ["total_tokens", "totalTokens"],
    ],
  ],
  [
    "input_tokens_details",
    [
      ["cached_tokens", "cacheReadTokens"],
      ["cache_write_tokens", "cacheWriteTokens"],
    ],
  ],
  ["output_tokens_details", [["reasoning_tokens", "reasoningTokens"]]],
] as const satisfies readonly [string | undefined, readonly (readonly [string, OpenAiUsageCount])[]][];

export function decodeUsage(wire: JsonObject, context: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const absent: string[] = [];
  const details: string[] = [];
  for (const [inner, counts] of COUNT_FIELDS) {
    const group = inner === undefined ? wire : wire[inner];
    const known: string[] = [];
    for (const [name, count] of counts) {
      if (isObject(group) && typeof group[name] === "number") {
        copyField(group, name, usage, count);
        known.push(name);
      } else absent.push(name);
    }
    if (inner === undefined) details.push(...known);
    else if (isObject(group)) {
      details.push(inner);
      storeUnknownFields(usage, group, known, context, inner);
    } else absent.push(inner);
  }
  if (absent.includes("total_tokens")) usage.totalTokens = usage.inputTokens + usage.outputTokens;
  if (absent.length > 0) storeForm(usage, context.dialect, "absent", absent);
  storeUnknownFields(usage, wire, details, context);
  return usage;
}

const SUPPORTED: ReadonlySet<string> = new Set([
  ...COUNT_FIELDS.flatMap(([, counts]) => counts.map(([, count]): string => count)),
  "extra",
  "raw",
]);

export function encodeUsage(usage: Usage, context: EncodeContext<ResponsesLossCode>): JsonObject {
  const wire: JsonObject = {};
  for (const [inner, counts] of COUNT_FIELDS) {
    const group: JsonObject = inner === undefined ? wire : {};
    for (const [name, count] of counts) {
      const isAbsent = wasAbsent(usage, name, context) && (usage[count] ?? 0) === defaultCount(usage, count);
      if (!isAbsent) encodeCount(group, name, usage, count);
    }
    if (inner !== undefined && (!wasAbsent(usage, inner, context) || Object.keys(group).length > 0))
      wire[inner] = group;
  }
  reportUnsupportedFields(usage, SUPPORTED, context, "response-metadata-not-portable");
  reportNotPortableResidue<ResponsesLossCode>(usage, context, {}, "response-metadata-not-portable");
  restoreResidue(wire, usage, context, "input_tokens_details", "output_tokens_details");
  return wire;
}

/** Returns the value that the decoder sets for an absent count. */
function defaultCount(usage: Usage, count: OpenAiUsageCount): number {
  return count === "totalTokens" ? usage.inputTokens + usage.outputTokens : 0;
}

/** Encodes a count. An undefined count is sent as 0, because clients expect every count. */
function encodeCount(group: JsonObject, name: string, usage: Usage, count: OpenAiUsageCount): void {
  if (usage[count] === undefined) group[name] = 0;
  else copyField(usage, count, group, name);
}
