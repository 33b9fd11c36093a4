// Decodes and encodes finish reasons and token counts of the AI SDK.
import type { FinishReason, UnifiedFinishReason } from "../../model/finish-reason.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Usage } from "../../model/usage.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";

/** Finish reasons that the AI SDK and the canonical model have in common. */
const KNOWN_REASONS: ReadonlySet<string> = new Set<UnifiedFinishReason>([
  "stop",
  "length",
  "tool-calls",
  "content-filter",
  "error",
  "other",
]);

/** The nearest AI SDK finish reason for canonical reasons that the AI SDK does not have. */
const NEAREST_REASONS: Readonly<Partial<Record<UnifiedFinishReason, UnifiedFinishReason>>> = {
  refusal: "content-filter",
  pause: "other",
};

/** Decodes a finish reason; an unknown reason becomes `other` with the wire value as `raw` (B62). */
export function decodeFinishReason(wireReason: unknown, raw: unknown): FinishReason {
  const known = typeof wireReason === "string" && KNOWN_REASONS.has(wireReason);
  // The cast is safe, because `KNOWN_REASONS` contains only unified finish reasons.
  const reason: FinishReason = { unified: known ? (wireReason as UnifiedFinishReason) : "other" };
  if (typeof raw === "string") reason.raw = raw;
  else if (!known && typeof wireReason === "string") reason.raw = wireReason;
  return reason;
}

/**
 * The AI SDK's finish reason for a partial answer that was accepted although the provider's stream was interrupted. The
 * decoder stores it as `other` with this value as `raw`.
 */
const INTERRUPTED = "interrupted";

export function encodeFinishReason(
  { unified, raw }: FinishReason,
  { report }: EncodeContext<"finish-reason-approximated">,
): UnifiedFinishReason | typeof INTERRUPTED {
  if (unified === "other" && raw === INTERRUPTED) return INTERRUPTED;
  const nearest = NEAREST_REASONS[unified];
  if (nearest !== undefined) report.addLoss("finish-reason-approximated", ["finishReason", "unified"]);
  return nearest ?? unified;
}

/**
 * Each row has a canonical count and its AI SDK field: a field at the top level, or a detail object and a field in it.
 */
const COUNT_FIELDS = [
  ["inputTokens", "inputTokens"],
  ["outputTokens", "outputTokens"],
  ["totalTokens", "totalTokens"],
  ["cacheReadTokens", "inputTokenDetails", "cacheReadTokens"],
  ["cacheWriteTokens", "inputTokenDetails", "cacheWriteTokens"],
  ["reasoningTokens", "outputTokenDetails", "reasoningTokens"],
] as const satisfies readonly (readonly [keyof Usage, string, string?])[];

/**
 * For each detail object, the count in it that is the difference of other counts: input tokens without cached tokens,
 * and output tokens without reasoning tokens.
 */
const DERIVED_COUNTS = { inputTokenDetails: "noCacheTokens", outputTokenDetails: "textTokens" } as const;

/** Decodes the token counts of one model call; missing counts stay undefined. */
export function decodeUsage(wire: JsonObject, dialect: string): Partial<Usage> {
  const usage: Partial<Usage> = {};
  const decodedKeys = new Set<string>(["raw"]);
  for (const [field, outer, inner] of COUNT_FIELDS) {
    const holder = inner === undefined ? wire : wire[outer];
    if (inner === undefined) decodedKeys.add(outer);
    if (isObject(holder) && typeof holder[inner ?? outer] === "number") copyField(holder, inner ?? outer, usage, field);
  }
  for (const key of Object.keys(wire)) {
    if (decodedKeys.has(key) || wire[key] === undefined) continue;
    const details = wire[key];
    const isDetails = (key === "inputTokenDetails" || key === "outputTokenDetails") && isObject(details);
    if (!isDetails) storeResidue(usage, dialect, { [key]: wire[key] });
    else storeDetails(usage, key, details, dialect);
  }
  if (isObject(wire["raw"])) usage.raw = wire["raw"];
  return usage;
}

/**
 * Stores as residue those counts of the detail object `key` that are not decoded as canonical counts and that the
 * encoder cannot derive.
 */
function storeDetails(
  usage: Partial<Usage>,
  key: keyof typeof DERIVED_COUNTS,
  details: JsonObject,
  dialect: string,
): void {
  const rest: JsonObject = {};
  for (const inner of Object.keys(details)) {
    const isCounted = COUNT_FIELDS.some(([field, outer, name]) => outer === key && name === inner && field in usage);
    if (isCounted || details[inner] === undefined || details[inner] === deriveCount(usage, key, inner)) continue;
    copyField(details, inner, rest);
  }
  if (Object.keys(rest).length > 0) storeResidue(usage, dialect, rest, key);
}

/**
 * Returns the value that the AI SDK derives for the count `inner` in the detail object `key`; undefined if `inner` is
 * not the derived count, or if `inputTokens` or `outputTokens`, from which it is derived, is missing.
 */
function deriveCount(usage: Partial<Usage>, key: keyof typeof DERIVED_COUNTS, inner: string): number | undefined {
  if (inner !== DERIVED_COUNTS[key]) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  if (key === "inputTokenDetails") return inputTokens && Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return outputTokens && Math.max(0, outputTokens - reasoningTokens);
}

/** Encodes the counts for which the AI SDK has fields. */
export function encodeUsage(usage: Partial<Usage>): JsonObject {
  const wire: JsonObject = { inputTokenDetails: {}, outputTokenDetails: {} };
  for (const [field, outer, inner] of COUNT_FIELDS) {
    const holder = inner === undefined ? wire : wire[outer];
    if (usage[field] !== undefined && isObject(holder)) copyField(usage, field, holder, inner ?? outer);
  }
  for (const key of ["inputTokenDetails", "outputTokenDetails"] as const) {
    const count = deriveCount(usage, key, DERIVED_COUNTS[key]);
    const details = wire[key];
    if (count !== undefined && isObject(details)) details[DERIVED_COUNTS[key]] = count;
  }
  return wire;
}

/** Canonical counts for which the AI SDK has no field. */
export const UNSUPPORTED_COUNTS = [
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "cost",
] as const satisfies readonly (keyof Usage)[];
