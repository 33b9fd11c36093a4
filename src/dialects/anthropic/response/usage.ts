// Decodes and encodes token counts. The wire counts cached input tokens separately; the canonical input count includes
// them (B63).
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { Usage } from "../../../model/usage.ts";
import { storeField } from "../../blocks/fields.ts";
import { isTokenCount, sumCachedTokens } from "../../blocks/usage.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm, restoreResidue, storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { AnthropicLoss } from "../losses.ts";

type CountField = Exclude<keyof Usage, "extra" | "raw">;

/**
 * Counts that have the same meaning in the canonical usage. `container` is the field of the usage that contains the
 * count; "" if the usage itself contains it.
 */
const COUNTS: readonly (readonly [field: CountField, container: string, wireField: string])[] = [
  ["cacheReadTokens", "", "cache_read_input_tokens"],
  ["cacheWriteTokens", "", "cache_creation_input_tokens"],
  ["cacheWrite5mTokens", "cache_creation", "ephemeral_5m_input_tokens"],
  ["cacheWrite1hTokens", "cache_creation", "ephemeral_1h_input_tokens"],
  ["reasoningTokens", "output_tokens_details", "thinking_tokens"],
];
const CONTAINERS = ["cache_creation", "output_tokens_details"];
const REQUIRED = ["input_tokens", "output_tokens"] as const;

export function decodeUsage(wire: JsonObject, { dialect }: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const decoded = new Map<string, Set<string>>(["", ...CONTAINERS].map((name) => [name, new Set<string>()]));
  for (const [field, container, wireField] of COUNTS) {
    const counts = container === "" ? wire : wire[container];
    if (!isObject(counts) || !isTokenCount(counts[wireField])) continue;
    copyField(counts, wireField, usage, field);
    decoded.get(container)?.add(wireField);
  }
  for (const field of REQUIRED) {
    if (isTokenCount(wire[field])) decoded.get("")?.add(field);
    else storeForm(usage, dialect, field, "none");
  }
  const [uncached, output] = REQUIRED.map((field) => (isTokenCount(wire[field]) ? wire[field] : 0));
  usage.inputTokens = (uncached ?? 0) + sumCachedTokens(usage);
  usage.outputTokens = output ?? 0;
  usage.totalTokens = usage.inputTokens + usage.outputTokens;
  for (const key in wire) {
    const counts = wire[key];
    const inner = CONTAINERS.includes(key) ? decoded.get(key) : undefined;
    if (inner === undefined || !isObject(counts)) {
      if (decoded.get("")?.has(key) !== true) storeField(usage, wire, key, dialect);
    } else storeResidue(usage, dialect, inner.size === 0 ? counts : unknownFields(counts, inner), key);
  }
  return usage;
}

const SUPPORTED: ReadonlySet<string> = new Set([
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "extra",
  "raw",
  ...COUNTS.map(([field]) => field),
]);

/**
 * Adds missing cache counts to the usage of another dialect, because clients add the counts up. The path tracker must
 * be at the usage.
 */
export function addCacheCounts(usage: Usage, { report }: EncodeContext<AnthropicLoss>): Usage {
  const { cacheReadTokens, cacheWriteTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  if (cacheReadTokens !== undefined && cacheWriteTokens !== undefined) return usage;
  report.addLoss("usage-synthesized");
  return Object.assign(copyObject(usage), {
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWriteTokens: cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens,
  });
}

/** Encodes token counts. The path tracker must be at the usage. */
export function encodeUsage(usage: Usage, context: EncodeContext<AnthropicLoss>): JsonObject {
  const form = readForm(usage, context.dialect);
  const uncached = usage.inputTokens - sumCachedTokens(usage);
  if (uncached < 0) context.report.addLoss("usage-inconsistent", "inputTokens");
  if (usage.totalTokens !== usage.inputTokens + usage.outputTokens)
    context.report.addLoss("usage-inconsistent", "totalTokens");
  const wire: JsonObject = {};
  if (uncached > 0 || form["input_tokens"] !== "none") wire["input_tokens"] = Math.max(0, uncached);
  if (usage.outputTokens > 0 || form["output_tokens"] !== "none") wire["output_tokens"] = usage.outputTokens;
  for (const [field, container, wireField] of COUNTS) {
    if (usage[field] === undefined) continue;
    copyField(usage, field, container === "" ? wire : getContainer(wire, container), wireField);
  }
  restoreResidue(wire, usage, context, ...CONTAINERS);
  reportNotPortableResidue<AnthropicLoss>(usage, context, {}, "response-metadata-not-portable");
  reportUnsupportedFields(usage, SUPPORTED, context, "metadata-dropped");
  return wire;
}

function getContainer(wire: JsonObject, container: string): JsonObject {
  const counts = wire[container];
  return isObject(counts) ? counts : (wire[container] = {});
}
