// The AI SDK's words for how an answer ended, and its counts of tokens, both ways.
import type { FinishReason, UnifiedFinishReason } from "../../model/finish.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "./read.ts";
import { storeResidue } from "./residue.ts";

/** The SDK's own words; the model's others have none. */
const REASONS: ReadonlySet<string> = new Set<UnifiedFinishReason>([
  "stop",
  "length",
  "tool-calls",
  "content-filter",
  "error",
  "other",
]);

/** What the nearest word is. */
const NEAREST: Readonly<Partial<Record<UnifiedFinishReason, UnifiedFinishReason>>> = {
  refusal: "content-filter",
  pause: "other",
};

/** A word that is not known is `other`, and stays readable as it was (B62). */
export function decodeFinish(word: unknown, raw: unknown): FinishReason {
  const known = typeof word === "string" && REASONS.has(word);
  // The set holds nothing but the model's words.
  const reason: FinishReason = { unified: known ? (word as UnifiedFinishReason) : "other" };
  if (typeof raw === "string") reason.raw = raw;
  else if (!known && typeof word === "string") reason.raw = word;
  return reason;
}

/** The SDK's word for a provider's stream that broke off and was taken for an answer all the same. */
const INTERRUPTED = "interrupted";

export function encodeFinish(
  { unified, raw }: FinishReason,
  { report }: EncodeContext<"finish-approximated">,
): UnifiedFinishReason | typeof INTERRUPTED {
  if (unified === "other" && raw === INTERRUPTED) return INTERRUPTED;
  const nearest = NEAREST[unified];
  if (nearest !== undefined) report.addLoss("finish-approximated", ["finishReason", "unified"]);
  return nearest ?? unified;
}

/** The model's counts, and where the SDK's usage has them: in it, or in one of its two details. */
const COUNTS = [
  ["inputTokens", "inputTokens"],
  ["outputTokens", "outputTokens"],
  ["totalTokens", "totalTokens"],
  ["cacheReadTokens", "inputTokenDetails", "cacheReadTokens"],
  ["cacheWriteTokens", "inputTokenDetails", "cacheWriteTokens"],
  ["reasoningTokens", "outputTokenDetails", "reasoningTokens"],
] as const satisfies readonly (readonly [keyof Usage, string, string?])[];

/** What the SDK derives from the other counts. */
const DERIVED = { inputTokenDetails: "noCacheTokens", outputTokenDetails: "textTokens" } as const;

/** The counts of a call; null where the wire's value has none. */
export function decodeUsage(wire: JsonObject, dialect: string): Partial<Usage> {
  const usage: Partial<Usage> = {};
  const taken = new Set<string>(["raw"]);
  for (const [field, outer, inner] of COUNTS) {
    const holder = inner === undefined ? wire : wire[outer];
    if (inner === undefined) taken.add(outer);
    if (isObject(holder) && typeof holder[inner ?? outer] === "number") copyField(holder, inner ?? outer, usage, field);
  }
  for (const key of Object.keys(wire)) {
    if (taken.has(key) || wire[key] === undefined) continue;
    const details = wire[key];
    const isDetails = (key === "inputTokenDetails" || key === "outputTokenDetails") && isObject(details);
    if (!isDetails) storeResidue(usage, dialect, { [key]: wire[key] });
    else keepDetails(usage, key, details, dialect);
  }
  if (isObject(wire["raw"])) usage.raw = wire["raw"];
  return usage;
}

/** What the details say beyond the model's counts and what follows from them. */
function keepDetails(usage: Partial<Usage>, key: keyof typeof DERIVED, details: JsonObject, dialect: string): void {
  const rest: JsonObject = {};
  for (const inner of Object.keys(details)) {
    const isCounted = COUNTS.some(([field, outer, name]) => outer === key && name === inner && field in usage);
    if (isCounted || details[inner] === undefined || details[inner] === derived(usage, key, inner)) continue;
    copyField(details, inner, rest);
  }
  if (Object.keys(rest).length > 0) storeResidue(usage, dialect, rest, key);
}

function derived(usage: Partial<Usage>, key: keyof typeof DERIVED, inner: string): number | undefined {
  if (inner !== DERIVED[key]) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  if (key === "inputTokenDetails") return inputTokens && Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return outputTokens && Math.max(0, outputTokens - reasoningTokens);
}

/** Only the counts that the SDK has a field for. */
export function encodeUsage(usage: Partial<Usage>): JsonObject {
  const wire: JsonObject = { inputTokenDetails: {}, outputTokenDetails: {} };
  for (const [field, outer, inner] of COUNTS) {
    const holder = inner === undefined ? wire : wire[outer];
    if (usage[field] !== undefined && isObject(holder)) copyField(usage, field, holder, inner ?? outer);
  }
  for (const key of ["inputTokenDetails", "outputTokenDetails"] as const) {
    const count = derived(usage, key, DERIVED[key]);
    const details = wire[key];
    if (count !== undefined && isObject(details)) details[DERIVED[key]] = count;
  }
  return wire;
}

/** The counts that have no field here. */
export const UNCOUNTED = [
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "cost",
] as const satisfies readonly (keyof Usage)[];
