// Token counts. Cached and reasoning tokens are within the sums here as in the model; what the model has no word for
// stays beside them. Vendors have a few more spellings.
import type { JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { DecodeContext } from "../dialect.ts";
import { noteAbsent } from "../kit/openai-reading.ts";
import { copyField, isObject } from "../kit/read.ts";
import {
  storeResidue,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { keep } from "./reading.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

type Count =
  | "inputTokens"
  | "outputTokens"
  | "totalTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "reasoningTokens";

/** The sums, which every usage has. */
const SUMS = { prompt_tokens: "inputTokens", completion_tokens: "outputTokens", total_tokens: "totalTokens" } as const;
const PROMPT = "prompt_tokens_details";
const COMPLETION = "completion_tokens_details";
const DETAILS: Readonly<Record<string, Readonly<Record<string, Count>>>> = {
  [PROMPT]: { cached_tokens: "cacheReadTokens", cache_write_tokens: "cacheWriteTokens" },
  [COMPLETION]: { reasoning_tokens: "reasoningTokens" },
};
/** Other fields for cached tokens; the details come first. */
const CACHED = ["prompt_cache_hit_tokens", "cached_tokens"] as const;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function decodeUsage(wire: JsonObject, context: DecodeContext): Usage {
  const { dialect } = context;
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  let rest: JsonObject | undefined;
  for (const key in wire) {
    const value = wire[key];
    if (Object.hasOwn(SUMS, key) && isCount(value)) usage[SUMS[key as keyof typeof SUMS]] = value;
    else if (Object.hasOwn(DETAILS, key) && isObject(value)) {
      const others = decodeDetails(value, DETAILS[key] ?? {}, usage);
      // What says nothing that the model knows is kept whole, an empty object too.
      if (others === value) rest = keep(rest, wire, key);
      else storeResidue(usage, dialect, others, key);
    } else if (key === "cost" && typeof value === "number") copyField(wire, key, usage);
    else if (!isCachedElsewhere(wire, key)) rest = keep(rest, wire, key);
  }
  for (const field of CACHED) {
    if (!isCachedElsewhere(wire, field)) continue;
    if (usage.cacheReadTokens === undefined) {
      copyField(wire, field, usage, "cacheReadTokens");
      storeForm(usage, dialect, "cached", field);
    } else rest = keep(rest, wire, field);
  }
  noteAbsent(usage, wire, Object.keys(SUMS), context);
  storeResidue(usage, dialect, rest);
  settleSums(wire, usage, context);
  usage.raw = wire;
  return usage;
}

function isCachedElsewhere(wire: JsonObject, key: string): boolean {
  return (key === CACHED[0] || key === CACHED[1]) && isCount(wire[key]);
}

/** Reads the details that the model knows; the others, or all of them where it knows none. */
function decodeDetails(
  details: JsonObject,
  known: Readonly<Record<string, Count>>,
  usage: Usage,
): JsonObject | undefined {
  let others: JsonObject | undefined;
  let isRead = false;
  for (const key in details) {
    const count = Object.hasOwn(known, key) ? known[key] : undefined;
    const value = details[key];
    if (count !== undefined && isCount(value)) {
      usage[count] = value;
      isRead = true;
    } else others = keep(others, details, key);
  }
  return isRead ? others : details;
}

/** Sums are of all tokens, also where a vendor counts reasoning beside the completion, or gives no total (B63, B66). */
function settleSums(wire: JsonObject, usage: Usage, { dialect }: DecodeContext): void {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens = 0 } = usage;
  if (!isCount(wire["total_tokens"])) usage.totalTokens = inputTokens + outputTokens;
  else if (reasoningTokens > 0 && totalTokens === inputTokens + outputTokens + reasoningTokens) {
    usage.outputTokens += reasoningTokens;
    storeForm(usage, dialect, "reasoning", "beside");
  }
}

const CARRIED: ReadonlySet<string> = new Set([
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

/** The usage on the wire; the trail stands at it. */
export function encodeUsage(usage: Usage, writing: Writing): JsonObject {
  const { context } = writing;
  const wire: JsonObject = {};
  for (const [field, count] of Object.entries(SUMS)) {
    if (isFree(usage, field, writing)) wire[field] = usage[count];
  }
  if (spelling(usage, "reasoning", writing) === "beside" && wire["completion_tokens"] !== undefined) {
    wire["completion_tokens"] = Math.max(0, usage.outputTokens - (usage.reasoningTokens ?? 0));
  }
  for (const [field, counts] of Object.entries(DETAILS)) {
    for (const [name, count] of Object.entries(counts)) {
      const value = usage[count];
      if (value === undefined) continue;
      const elsewhere = count === "cacheReadTokens" ? spelling(usage, "cached", writing) : undefined;
      const details = wire[field];
      if (typeof elsewhere === "string") wire[elsewhere] = value;
      else if (isObject(details)) details[name] = value;
      else wire[field] = { [name]: value };
    }
  }
  if (usage.cost !== undefined) copyField(usage, "cost", wire);
  reportUnsupportedFields(usage, CARRIED, context, "echo-foreign");
  reportNotPortableResidue(usage, context, {}, "echo-foreign");
  restoreResidue(wire, usage, context, PROMPT, COMPLETION);
  return wire;
}
