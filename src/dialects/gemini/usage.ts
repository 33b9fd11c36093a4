// Token counts. Gemini counts cached tokens within the prompt, but thoughts beside the answer and what its tools read
// beside the prompt; the model's counts hold all of them (B63, B66).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { EncodeContext } from "../dialect.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { keepRest } from "./reading.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, readNames, writeNames } from "./snake.ts";

const PROMPT = "promptTokenCount";
const ANSWER = "candidatesTokenCount";
const THOUGHTS = "thoughtsTokenCount";
const TOOLS = "toolUsePromptTokenCount";
const CACHED = "cachedContentTokenCount";
const TOTAL = "totalTokenCount";

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The counts alone, which a stream says again and again. */
export function countsOf(wire: JsonObject): Usage {
  const { [PROMPT]: prompt, [ANSWER]: answer, [THOUGHTS]: thoughts, [TOOLS]: tools, [CACHED]: cached } = wire;
  const inputTokens = (isCount(prompt) ? prompt : 0) + (isCount(tools) ? tools : 0);
  const outputTokens = (isCount(answer) ? answer : 0) + (isCount(thoughts) ? thoughts : 0);
  const total = wire[TOTAL];
  const usage: Usage = { inputTokens, outputTokens, totalTokens: isCount(total) ? total : inputTokens + outputTokens };
  if (isCount(cached)) usage.cacheReadTokens = cached;
  if (isCount(thoughts)) usage.reasoningTokens = thoughts;
  return usage;
}

/** What tools read is kept as a count of its own, too: nothing else tells it from the prompt. */
const TAKEN = [PROMPT, ANSWER, THOUGHTS, CACHED, TOTAL];

export function decodeUsage(given: JsonObject, dialect: string): Usage {
  const spelling: Spelling = {};
  const wire = readNames(given, spelling);
  const usage = countsOf(wire);
  for (const key of [PROMPT, ANSWER, TOTAL]) if (wire[key] === undefined) storeForm(usage, dialect, key, null);
  keepRest(
    usage,
    wire,
    TAKEN.filter((key) => isCount(wire[key])),
    dialect,
  );
  keepNames(usage, dialect, spelling);
  usage.raw = given;
  return usage;
}

/** The counts so far, for an event that is not the last; those that are not known yet stay away. */
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

export const CARRIED_COUNTS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof Usage)[];
const CARRIED: ReadonlySet<string> = new Set([...CARRIED_COUNTS, "extra", "raw"]);

export function encodeUsage(usage: Usage, context: EncodeContext<Code>): JsonObject {
  const { dialect } = context;
  const kept = usage.extra?.[dialect] ?? {};
  const form = readForm(usage, dialect);
  const wire: JsonObject = {};
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens } = usage;
  const tools = isCount(kept[TOOLS]) ? kept[TOOLS] : 0;
  const counts: [string, number | undefined][] = [
    [PROMPT, inputTokens - tools],
    [ANSWER, outputTokens - (reasoningTokens ?? 0)],
    [TOTAL, totalTokens],
    [CACHED, cacheReadTokens],
    [THOUGHTS, reasoningTokens],
  ];
  for (const [key, value] of counts) {
    // A count that the wire did not have stays away, as long as the others make it up.
    if (value === undefined || Object.hasOwn(kept, key)) continue;
    // Never negative, even where counts contradict each other (B66).
    if (value < 0)
      context.report.addLoss("field-unsaid", key === PROMPT ? "inputTokens" : "outputTokens", "It is too small.");
    const isImplied = value === (key === TOTAL ? inputTokens + outputTokens : 0);
    if (form[key] !== null || !isImplied) wire[key] = Math.max(0, value);
  }
  // Costs, and how much of the input went into which cache.
  reportUnsupportedFields(usage, CARRIED, context, "bookkeeping");
  reportNotPortableResidue(usage, context, {}, "echo-foreign");
  restoreResidue(wire, usage, context);
  return writeNames(wire, usage, context);
}
