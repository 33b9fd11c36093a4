// Decodes and encodes token counts. Gemini's prompt count includes cached tokens but no tool tokens, and its answer
// count includes no thoughts. The canonical input and output counts include all of these (B63, B66).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Usage } from "../../../model/usage.ts";
import type { EncodeContext } from "../../dialect.ts";
import { readForm, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { storeSpelling, normalizeFieldNames, restoreSpelling } from "../content/snake-case-fields.ts";

const PROMPT = "promptTokenCount";
const ANSWER = "candidatesTokenCount";
const THOUGHTS = "thoughtsTokenCount";
const TOOLS = "toolUsePromptTokenCount";
const CACHED = "cachedContentTokenCount";
const TOTAL = "totalTokenCount";

function isTokenCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Decodes only the token counts, without storing residue, for each event of a stream. */
export function decodeCounts(wire: JsonObject): Usage {
  const { [PROMPT]: prompt, [ANSWER]: answer, [THOUGHTS]: thoughts, [TOOLS]: tools, [CACHED]: cached } = wire;
  const inputTokens = (isTokenCount(prompt) ? prompt : 0) + (isTokenCount(tools) ? tools : 0);
  const outputTokens = (isTokenCount(answer) ? answer : 0) + (isTokenCount(thoughts) ? thoughts : 0);
  const total = wire[TOTAL];
  const usage: Usage = {
    inputTokens,
    outputTokens,
    totalTokens: isTokenCount(total) ? total : inputTokens + outputTokens,
  };
  if (isTokenCount(cached)) usage.cacheReadTokens = cached;
  if (isTokenCount(thoughts)) usage.reasoningTokens = thoughts;
  return usage;
}

/**
 * Counts that the canonical usage represents. The count of tool tokens is not in the list: the canonical input count
 * does not separate it from the prompt, so it is also stored as residue.
 */
const DECODED_COUNTS = [PROMPT, ANSWER, THOUGHTS, CACHED, TOTAL];

export function decodeUsage(rawUsage: JsonObject, dialect: string): Usage {
  const spelling: FieldSpelling = {};
  const wire = normalizeFieldNames(rawUsage, spelling);
  const usage = decodeCounts(wire);
  for (const key of [PROMPT, ANSWER, TOTAL]) if (wire[key] === undefined) storeForm(usage, dialect, key, null);
  storeUnknownFields(
    usage,
    wire,
    DECODED_COUNTS.filter((key) => isTokenCount(wire[key])),
    dialect,
  );
  storeSpelling(usage, dialect, spelling);
  usage.raw = rawUsage;
  return usage;
}

/** Encodes the counts known so far, for an event that is not the last. A count of 0 means unknown and is omitted. */
export function encodeCounts(usage: Partial<Usage>): JsonObject {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cacheReadTokens = 0, reasoningTokens = 0 } = usage;
  const wire: JsonObject = {};
  if (inputTokens > 0) wire[PROMPT] = inputTokens;
  if (outputTokens > reasoningTokens) wire[ANSWER] = outputTokens - reasoningTokens;
  if (totalTokens > 0) wire[TOTAL] = totalTokens;
  if (cacheReadTokens > 0) wire[CACHED] = cacheReadTokens;
  if (reasoningTokens > 0) wire[THOUGHTS] = reasoningTokens;
  return wire;
}

export const COUNT_FIELDS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof Usage)[];
const USAGE_FIELDS: ReadonlySet<string> = new Set([...COUNT_FIELDS, "extra", "raw"]);

export function encodeUsage(usage: Usage, context: EncodeContext<GeminiLossCode>): JsonObject {
  const { dialect } = context;
  const residue = usage.extra?.[dialect] ?? {};
  const form = readForm(usage, dialect);
  const wire: JsonObject = {};
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens } = usage;
  const tools = isTokenCount(residue[TOOLS]) ? residue[TOOLS] : 0;
  const counts: [string, number | undefined][] = [
    [PROMPT, inputTokens - tools],
    [ANSWER, outputTokens - (reasoningTokens ?? 0)],
    [TOTAL, totalTokens],
    [CACHED, cacheReadTokens],
    [THOUGHTS, reasoningTokens],
  ];
  for (const [key, value] of counts) {
    // A count that the wire had with an invalid value is restored from the residue below.
    if (value === undefined || Object.hasOwn(residue, key)) continue;
    // A count is never written as negative, even if the counts contradict each other (B66).
    if (value < 0)
      context.report.addLoss(
        "field-unsupported",
        key === PROMPT ? "inputTokens" : "outputTokens",
        "The count is smaller than the counts that it includes.",
      );
    // A count that was missing on the wire is not written as long as it has the implied value: the sum of input and
    // output for the total, and 0 for any other count.
    const isImplied = value === (key === TOTAL ? inputTokens + outputTokens : 0);
    if (form[key] !== null || !isImplied) wire[key] = Math.max(0, value);
  }
  // Gemini has no fields for costs and for counts of cache writes.
  reportUnsupportedFields(usage, USAGE_FIELDS, context, "metadata-dropped");
  reportNotPortableResidue(usage, context, {}, "response-metadata-not-portable");
  restoreResidue(wire, usage, context);
  return restoreSpelling(wire, usage, context);
}
