// Token counts: those of the cache stand beside the input on the wire, and count as input in the model (B63).
import type { JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { keepRest } from "./fields.ts";
import type { Code } from "./losses.ts";

const INPUT = "inputTokens";
const OUTPUT = "outputTokens";
const TOTAL = "totalTokens";
const DETAILS = "cacheDetails";

/** Counts that the wire says as the model does. */
const COUNTS = [
  ["cacheReadTokens", "cacheReadInputTokens"],
  ["cacheWriteTokens", "cacheWriteInputTokens"],
] as const;
/** Cache writes by how long they last, in the wire's order (B64). */
const SPLIT = [
  ["1h", "cacheWrite1hTokens"],
  ["5m", "cacheWrite5mTokens"],
] as const;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function decodeUsage(wire: JsonObject, { dialect }: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const taken: string[] = [];
  for (const [field, name] of COUNTS) {
    if (!isCount(wire[name])) continue;
    copyField(wire, name, usage, field);
    taken.push(name);
  }
  if (readDetails(wire[DETAILS], usage)) taken.push(DETAILS);
  for (const name of [INPUT, OUTPUT, TOTAL] as const) {
    const value = wire[name];
    if (isCount(value)) {
      usage[name] = value;
      taken.push(name);
    } else storeForm(usage, dialect, name, "none");
  }
  usage.inputTokens += cachedTokens(usage);
  if (!taken.includes(TOTAL)) usage.totalTokens = usage.inputTokens + usage.outputTokens;
  return keepRest(usage, wire, dialect, [], ...taken);
}

/** Reads the writes by how long they last; false where they say anything else. */
function readDetails(details: unknown, usage: Usage): boolean {
  if (!Array.isArray(details) || details.length === 0 || details.length > SPLIT.length) return false;
  const read: Partial<Usage> = {};
  let next = 0;
  for (const detail of details as unknown[]) {
    if (!isObject(detail) || Object.keys(detail).length !== 2 || !isCount(detail[INPUT])) return false;
    const at = SPLIT.findIndex(([ttl]) => ttl === detail["ttl"]);
    const field = SPLIT[at]?.[1];
    if (field === undefined || at < next) return false;
    next = at + 1;
    read[field] = detail[INPUT];
  }
  Object.assign(usage, read);
  return true;
}

function cachedTokens(usage: Usage): number {
  const { cacheReadTokens = 0, cacheWriteTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  return cacheReadTokens + (cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens);
}

const CARRIED: ReadonlySet<string> = new Set([
  INPUT,
  OUTPUT,
  TOTAL,
  "extra",
  "raw",
  ...COUNTS.map(([field]) => field),
  ...SPLIT.map(([, field]) => field),
]);

/** The counts; the trail stands at the usage. */
export function encodeUsage(usage: Usage, context: EncodeContext<Code>): JsonObject {
  const form = readForm(usage, context.dialect);
  const { inputTokens, outputTokens, totalTokens } = usage;
  const fresh = inputTokens - cachedTokens(usage);
  if (fresh < 0) context.report.addLoss("usage-odd", INPUT);
  const wire: JsonObject = {};
  if (fresh > 0 || form[INPUT] !== "none") wire[INPUT] = Math.max(0, fresh);
  if (outputTokens > 0 || form[OUTPUT] !== "none") wire[OUTPUT] = outputTokens;
  if (form[TOTAL] !== "none" || totalTokens !== inputTokens + outputTokens) wire[TOTAL] = totalTokens;
  for (const [field, name] of COUNTS) if (usage[field] !== undefined) copyField(usage, field, wire, name);
  const details = SPLIT.flatMap(([ttl, field]) => (usage[field] === undefined ? [] : [{ ttl, [INPUT]: usage[field] }]));
  if (details.length > 0) wire[DETAILS] = details;
  restoreResidue(wire, usage, context);
  reportNotPortableResidue<Code>(usage, context, {}, "echo-foreign");
  reportUnsupportedFields(usage, CARRIED, context, "bookkeeping");
  return wire;
}

/** What clients count on, where an answer of another dialect has no counts. */
export const NO_USAGE = { [INPUT]: 0, [OUTPUT]: 0, [TOTAL]: 0 };
