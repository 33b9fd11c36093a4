// Decodes and encodes token counts. The wire's input count excludes cached tokens; the canonical input count includes
// them (B63).
import type { JsonObject } from "../../../model/json/index.ts";
import type { Usage } from "../../../model/usage.ts";
import { isTokenCount, sumCachedTokens } from "../../blocks/usage.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { storeRest } from "../content/cache-point.ts";
import type { BedrockLoss } from "../losses.ts";

const INPUT = "inputTokens";
const OUTPUT = "outputTokens";
const TOTAL = "totalTokens";
const CACHE_DETAILS = "cacheDetails";

/** Canonical fields and wire fields of the cache counts, which have the same meaning on both sides. */
const CACHE_COUNTS = [
  ["cacheReadTokens", "cacheReadInputTokens"],
  ["cacheWriteTokens", "cacheWriteInputTokens"],
] as const;
/**
 * Times to live and canonical fields of cache writes, in the order in which Bedrock lists them in `cacheDetails` (B64).
 */
const CACHE_WRITES = [
  ["1h", "cacheWrite1hTokens"],
  ["5m", "cacheWrite5mTokens"],
] as const;

export function decodeUsage(wire: JsonObject, { dialect }: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const decoded: string[] = [];
  for (const [field, wireField] of CACHE_COUNTS) {
    if (!isTokenCount(wire[wireField])) continue;
    copyField(wire, wireField, usage, field);
    decoded.push(wireField);
  }
  if (decodeCacheDetails(wire[CACHE_DETAILS], usage)) decoded.push(CACHE_DETAILS);
  for (const field of [INPUT, OUTPUT, TOTAL] as const) {
    const value = wire[field];
    if (isTokenCount(value)) {
      usage[field] = value;
      decoded.push(field);
    } else storeForm(usage, dialect, field, "none");
  }
  usage.inputTokens += sumCachedTokens(usage);
  if (!decoded.includes(TOTAL)) usage.totalTokens = usage.inputTokens + usage.outputTokens;
  return storeRest(usage, wire, dialect, [], ...decoded);
}

/**
 * Decodes the cache writes by time to live. Returns false if the list has unknown entries or another order than the
 * encoder's.
 */
function decodeCacheDetails(details: unknown, usage: Usage): boolean {
  if (!Array.isArray(details) || details.length === 0 || details.length > CACHE_WRITES.length) return false;
  const counts: Partial<Usage> = {};
  let next = 0;
  for (const detail of details as unknown[]) {
    if (!isObject(detail) || Object.keys(detail).length !== 2 || !isTokenCount(detail[INPUT])) return false;
    const position = CACHE_WRITES.findIndex(([ttl]) => ttl === detail["ttl"]);
    const field = CACHE_WRITES[position]?.[1];
    if (field === undefined || position < next) return false;
    next = position + 1;
    counts[field] = detail[INPUT];
  }
  Object.assign(usage, counts);
  return true;
}

const SUPPORTED: ReadonlySet<string> = new Set([
  INPUT,
  OUTPUT,
  TOTAL,
  "extra",
  "raw",
  ...CACHE_COUNTS.map(([field]) => field),
  ...CACHE_WRITES.map(([, field]) => field),
]);

/** Encodes the token counts of a response; the path tracker is at the usage. */
export function encodeUsage(usage: Usage, context: EncodeContext<BedrockLoss>): JsonObject {
  const form = readForm(usage, context.dialect);
  const { inputTokens, outputTokens, totalTokens } = usage;
  const uncached = inputTokens - sumCachedTokens(usage);
  if (uncached < 0) context.report.addLoss("usage-inconsistent", INPUT);
  const wire: JsonObject = {};
  if (uncached > 0 || form[INPUT] !== "none") wire[INPUT] = Math.max(0, uncached);
  if (outputTokens > 0 || form[OUTPUT] !== "none") wire[OUTPUT] = outputTokens;
  if (form[TOTAL] !== "none" || totalTokens !== inputTokens + outputTokens) wire[TOTAL] = totalTokens;
  for (const [field, wireField] of CACHE_COUNTS) {
    if (usage[field] !== undefined) copyField(usage, field, wire, wireField);
  }
  const details = CACHE_WRITES.flatMap(([ttl, field]) =>
    usage[field] === undefined ? [] : [{ ttl, [INPUT]: usage[field] }],
  );
  if (details.length > 0) wire[CACHE_DETAILS] = details;
  restoreResidue(wire, usage, context);
  reportNotPortableResidue<BedrockLoss>(usage, context, {}, "response-metadata-not-portable");
  reportUnsupportedFields(usage, SUPPORTED, context, "metadata-dropped");
  return wire;
}

/** Zero counts for a response of another dialect that has no usage, because Bedrock's clients require the counts. */
export const NO_USAGE = { [INPUT]: 0, [OUTPUT]: 0, [TOTAL]: 0 };
