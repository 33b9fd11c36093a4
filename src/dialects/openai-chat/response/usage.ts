// Decodes and encodes token counts. As in the canonical usage, totals include cached and reasoning tokens. Counts
// without a canonical field become residue. Some fields are used by vendors only.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Usage } from "../../../model/usage.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeAbsentFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { collectField } from "../decode-state.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue } from "../encode-state.ts";
import type { OpenAiUsageCount } from "../../openai/usage-count.ts";

/** Wire names (keys) and canonical names (values) of the total counts, which every canonical usage has. */
const TOTALS = {
  prompt_tokens: "inputTokens",
  completion_tokens: "outputTokens",
  total_tokens: "totalTokens",
} as const;
const PROMPT_DETAILS = "prompt_tokens_details";
const COMPLETION_DETAILS = "completion_tokens_details";
const DETAILS: Readonly<Record<string, Readonly<Record<string, OpenAiUsageCount>>>> = {
  [PROMPT_DETAILS]: { cached_tokens: "cacheReadTokens", cache_write_tokens: "cacheWriteTokens" },
  [COMPLETION_DETAILS]: { reasoning_tokens: "reasoningTokens" },
};
/** Vendors' fields for cached tokens; `prompt_tokens_details` takes precedence. */
const CACHED_FIELDS = ["prompt_cache_hit_tokens", "cached_tokens"] as const;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function decodeUsage(wire: JsonObject, context: DecodeContext): Usage {
  const { dialect } = context;
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  let rest: JsonObject | undefined;
  for (const key in wire) {
    const value = wire[key];
    if (Object.hasOwn(TOTALS, key) && isCount(value)) usage[TOTALS[key as keyof typeof TOTALS]] = value;
    else if (Object.hasOwn(DETAILS, key) && isObject(value)) {
      const unknownDetails = decodeDetails(value, DETAILS[key] ?? {}, usage);
      // Details without a known count become residue completely, even if they are empty.
      if (unknownDetails === value) rest = collectField(rest, wire, key);
      else storeResidue(usage, dialect, unknownDetails, key);
    } else if (key === "cost" && typeof value === "number") copyField(wire, key, usage);
    else if (!isCachedCount(wire, key)) rest = collectField(rest, wire, key);
  }
  for (const field of CACHED_FIELDS) {
    if (!isCachedCount(wire, field)) continue;
    if (usage.cacheReadTokens === undefined) {
      copyField(wire, field, usage, "cacheReadTokens");
      storeForm(usage, dialect, "cached", field);
    } else rest = collectField(rest, wire, field);
  }
  storeAbsentFields(usage, wire, Object.keys(TOTALS), context);
  storeResidue(usage, dialect, rest);
  completeTotals(wire, usage, context);
  usage.raw = wire;
  return usage;
}

function isCachedCount(wire: JsonObject, key: string): boolean {
  return (key === CACHED_FIELDS[0] || key === CACHED_FIELDS[1]) && isCount(wire[key]);
}

/** Decodes the known counts into `usage`. Returns the other details; returns `details` itself if no count is known. */
function decodeDetails(
  details: JsonObject,
  known: Readonly<Record<string, OpenAiUsageCount>>,
  usage: Usage,
): JsonObject | undefined {
  let unknownDetails: JsonObject | undefined;
  let hasKnownCount = false;
  for (const key in details) {
    const count = Object.hasOwn(known, key) ? known[key] : undefined;
    const value = details[key];
    if (count !== undefined && isCount(value)) {
      usage[count] = value;
      hasKnownCount = true;
    } else unknownDetails = collectField(unknownDetails, details, key);
  }
  return hasKnownCount ? unknownDetails : details;
}

/**
 * Corrects the totals if a vendor does not count reasoning tokens as completion tokens, or sends no total (B63, B66).
 */
function completeTotals(wire: JsonObject, usage: Usage, { dialect }: DecodeContext): void {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens = 0 } = usage;
  if (!isCount(wire["total_tokens"])) usage.totalTokens = inputTokens + outputTokens;
  else if (reasoningTokens > 0 && totalTokens === inputTokens + outputTokens + reasoningTokens) {
    usage.outputTokens += reasoningTokens;
    storeForm(usage, dialect, "reasoning", "beside");
  }
}

const SUPPORTED: ReadonlySet<string> = new Set([
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
  "extra",
  "raw",
]);

/** Encodes the usage. The path tracker must be at the usage. */
export function encodeUsage(usage: Usage, state: ChatEncodeState): JsonObject {
  const { context } = state;
  const wire: JsonObject = {};
  for (const [field, count] of Object.entries(TOTALS)) {
    if (canFillField(usage, field, state)) wire[field] = usage[count];
  }
  if (readFormValue(usage, "reasoning", state) === "beside" && wire["completion_tokens"] !== undefined) {
    wire["completion_tokens"] = Math.max(0, usage.outputTokens - (usage.reasoningTokens ?? 0));
  }
  for (const [field, counts] of Object.entries(DETAILS)) {
    for (const [name, count] of Object.entries(counts)) {
      const value = usage[count];
      if (value === undefined) continue;
      const cachedField = count === "cacheReadTokens" ? readFormValue(usage, "cached", state) : undefined;
      const details = wire[field];
      if (typeof cachedField === "string") wire[cachedField] = value;
      else if (isObject(details)) details[name] = value;
      else wire[field] = { [name]: value };
    }
  }
  if (usage.cost !== undefined) copyField(usage, "cost", wire);
  reportUnsupportedFields(usage, SUPPORTED, context, "response-metadata-not-portable");
  reportNotPortableResidue(usage, context, {}, "response-metadata-not-portable");
  restoreResidue(wire, usage, context, PROMPT_DETAILS, COMPLETION_DETAILS);
  return wire;
}
