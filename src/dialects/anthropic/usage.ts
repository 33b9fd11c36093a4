// Token counts: disjoint on the wire, inclusive in the model (B63).
import type { JsonObject } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import {
  readForm,
  storeResidue,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";

type Count = Exclude<keyof Usage, "extra" | "raw">;

/** Counts that the wire says as the model does; the second column is the object that they stand in. */
const COUNTS: readonly (readonly [field: Count, within: string, wire: string])[] = [
  ["cacheReadTokens", "", "cache_read_input_tokens"],
  ["cacheWriteTokens", "", "cache_creation_input_tokens"],
  ["cacheWrite5mTokens", "cache_creation", "ephemeral_5m_input_tokens"],
  ["cacheWrite1hTokens", "cache_creation", "ephemeral_1h_input_tokens"],
  ["reasoningTokens", "output_tokens_details", "thinking_tokens"],
];
const WITHIN = ["cache_creation", "output_tokens_details"];
const REQUIRED = ["input_tokens", "output_tokens"] as const;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function decodeUsage(wire: JsonObject, { dialect }: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const taken = new Map<string, Set<string>>(["", ...WITHIN].map((name) => [name, new Set<string>()]));
  for (const [field, within, name] of COUNTS) {
    const holder = within === "" ? wire : wire[within];
    if (!isObject(holder) || !isCount(holder[name])) continue;
    copyField(holder, name, usage, field);
    taken.get(within)?.add(name);
  }
  for (const name of REQUIRED) {
    const value = wire[name];
    if (isCount(value)) taken.get("")?.add(name);
    else storeForm(usage, dialect, name, "none");
  }
  const [fresh, written] = REQUIRED.map((name) => (isCount(wire[name]) ? wire[name] : 0));
  usage.inputTokens = (fresh ?? 0) + cachedTokens(usage);
  usage.outputTokens = written ?? 0;
  usage.totalTokens = usage.inputTokens + usage.outputTokens;
  for (const key in wire) {
    const holder = wire[key];
    const inner = WITHIN.includes(key) ? taken.get(key) : undefined;
    if (inner === undefined || !isObject(holder)) {
      if (taken.get("")?.has(key) !== true) keepField(usage, wire, key, dialect);
    } else storeResidue(usage, dialect, inner.size === 0 ? holder : unknownFields(holder, inner), key);
  }
  return usage;
}

function cachedTokens(usage: Usage): number {
  const { cacheReadTokens = 0, cacheWriteTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  return cacheReadTokens + (cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens);
}

const CARRIED: ReadonlySet<string> = new Set([
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "extra",
  "raw",
  ...COUNTS.map(([field]) => field),
]);

/** Another dialect's counts with those of the cache, which clients add up; the trail stands at the usage. */
export function withCacheCounts(usage: Usage, { report }: EncodeContext<Code>): Usage {
  const { cacheReadTokens, cacheWriteTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  if (cacheReadTokens !== undefined && cacheWriteTokens !== undefined) return usage;
  report.addLoss("usage-made");
  return Object.assign(copyObject(usage), {
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWriteTokens: cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens,
  });
}

/** The counts; the trail stands at the usage. */
export function encodeUsage(usage: Usage, context: EncodeContext<Code>): JsonObject {
  const form = readForm(usage, context.dialect);
  const fresh = usage.inputTokens - cachedTokens(usage);
  if (fresh < 0) context.report.addLoss("usage-odd", "inputTokens");
  if (usage.totalTokens !== usage.inputTokens + usage.outputTokens) context.report.addLoss("usage-odd", "totalTokens");
  const wire: JsonObject = {};
  if (fresh > 0 || form["input_tokens"] !== "none") wire["input_tokens"] = Math.max(0, fresh);
  if (usage.outputTokens > 0 || form["output_tokens"] !== "none") wire["output_tokens"] = usage.outputTokens;
  for (const [field, within, name] of COUNTS) {
    if (usage[field] === undefined) continue;
    if (within === "") copyField(usage, field, wire, name);
    else copyField(usage, field, holderOf(wire, within), name);
  }
  restoreResidue(wire, usage, context, ...WITHIN);
  reportNotPortableResidue<Code>(usage, context, {}, "echo-foreign");
  reportUnsupportedFields(usage, CARRIED, context, "bookkeeping");
  return wire;
}

function holderOf(wire: JsonObject, within: string): JsonObject {
  const holder = wire[within];
  return isObject(holder) ? holder : (wire[within] = {});
}
