// Token counts. Gemini counts cached tokens within the prompt, but thoughts beside the answer and what its tools read
// beside the prompt; the model's counts hold all of them (B63, B66).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { EncodeContext } from "../dialect.ts";
import { formOf, keepForm, reportForeignResidue, reportUncarried, restoreResidue } from "../kit/residue.ts";
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

export function decodeUsage(given: JsonObject, dialect: string): Usage {
  const spelling: Spelling = {};
  const wire = readNames(given, spelling);
  const taken: string[] = [];
  const count = (key: string): number => {
    const value = wire[key];
    if (isCount(value)) taken.push(key);
    return isCount(value) ? value : 0;
  };
  const inputTokens = count(PROMPT);
  const outputTokens = count(ANSWER) + count(THOUGHTS);
  // What tools read is kept as a count of its own, too: nothing else tells it from the prompt.
  const tools = isCount(wire[TOOLS]) ? wire[TOOLS] : 0;
  const sum = inputTokens + tools + outputTokens;
  const usage: Usage = {
    inputTokens: inputTokens + tools,
    outputTokens,
    totalTokens: isCount(wire[TOTAL]) ? count(TOTAL) : sum,
  };
  if (isCount(wire[CACHED])) usage.cacheReadTokens = count(CACHED);
  if (isCount(wire[THOUGHTS])) usage.reasoningTokens = wire[THOUGHTS];
  for (const key of [PROMPT, ANSWER, TOTAL]) if (wire[key] === undefined) keepForm(usage, dialect, key, null);
  keepRest(usage, wire, taken, dialect);
  keepNames(usage, dialect, spelling);
  usage.raw = given;
  return usage;
}

const CARRIED_COUNTS = ["inputTokens", "outputTokens", "totalTokens", "cacheReadTokens", "reasoningTokens"];
const CARRIED: ReadonlySet<string> = new Set([...CARRIED_COUNTS, "extra", "raw"]);

export function encodeUsage(usage: Usage, context: EncodeContext<Code>): JsonObject {
  const { dialect } = context;
  const kept = usage.extra?.[dialect] ?? {};
  const form = formOf(usage, dialect);
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
      context.report.lose("field-unsaid", key === PROMPT ? "inputTokens" : "outputTokens", "It is too small.");
    const isImplied = value === (key === TOTAL ? inputTokens + outputTokens : 0);
    if (form[key] !== null || !isImplied) wire[key] = Math.max(0, value);
  }
  // Costs, and how much of the input went into which cache.
  reportUncarried(usage, CARRIED, context, "bookkeeping");
  reportForeignResidue(usage, context, {}, "echo-foreign");
  restoreResidue(wire, usage, context);
  return writeNames(wire, usage, context);
}
