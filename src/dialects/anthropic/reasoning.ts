// How hard the model thinks: `thinking` and `output_config.effort` on the wire, effort and budget in the model. The
// plain form of an effort is adaptive thinking at that effort.
import type { JsonObject } from "../../model/json.ts";
import type { ReasoningSettings, ModelRequest } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { readForm, storeResidue, storeForm } from "../kit/residue.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";
import { BUDGETED, BUDGETS, TAKES_EFFORT, THOUGHTLESS } from "./models.ts";
import { EFFORT } from "./terms.ts";
import { isForced } from "./tool-choice.ts";
import type { Writing } from "./writing.ts";

const THINKING = "thinking";
const BUDGET = "budget_tokens";
const TYPE: ReadonlySet<string> = new Set(["type"]);
const TYPE_AND_BUDGET: ReadonlySet<string> = new Set(["type", BUDGET]);

/** Reads effort and budget. Thinking that the model has no word for stays as it is. */
export function decodeReasoning(wire: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const { thinking, output_config: config } = wire;
  const effort = isObject(config) ? config["effort"] : undefined;
  const reasoning: ReasoningSettings = {};
  if (typeof effort === "string") {
    reasoning.effort = effort;
    if (EFFORT.theirs(effort) !== effort) storeForm(request, dialect, "effort", "own");
    if (thinking === undefined) storeForm(request, dialect, THINKING, "none");
  }
  const known = takeThinking(thinking, reasoning);
  if (known === undefined) {
    keepField(request, wire, THINKING, dialect);
    if (reasoning.effort !== undefined && thinking !== undefined) storeForm(request, dialect, THINKING, "own");
  } else if (isObject(thinking)) storeResidue(request, dialect, unknownFields(thinking, known), THINKING);
  if (reasoning.effort !== undefined || reasoning.budget !== undefined) request.reasoning = reasoning;
}

/** Takes over what thinking says; the fields that are thereby said, or undefined where there is no word for it. */
function takeThinking(thinking: unknown, reasoning: ReasoningSettings): ReadonlySet<string> | undefined {
  if (!isObject(thinking)) return undefined;
  const { type } = thinking;
  if (type === "enabled" && typeof thinking[BUDGET] === "number") {
    copyField(thinking, BUDGET, reasoning, "budget");
    return TYPE_AND_BUDGET;
  }
  if (type === "adaptive" && reasoning.effort !== undefined) return TYPE;
  if (type !== "disabled" || reasoning.effort !== undefined) return undefined;
  reasoning.effort = "none";
  return TYPE;
}

/** Writes effort and budget; the trail stands at the request. */
export function encodeReasoning(request: ModelRequest, wire: JsonObject, { context }: Writing): void {
  const { reasoning, model = "" } = request;
  if (reasoning === undefined) return;
  const { effort, budget, summary } = reasoning;
  const form = readForm(request, context.dialect);
  const lose = (code: Code, field: string): void => context.report.addLoss(code, ["reasoning", field]);
  const isOff = effort === "none" && form["effort"] !== "own";
  if (context.repair && THOUGHTLESS.test(model) && !isOff) {
    for (const field of Object.keys(reasoning)) lose("thinking-unfit", field);
    return;
  }
  let thinking: JsonObject | undefined;
  if (isOff) thinking = { type: "disabled" };
  else if (budget !== undefined) {
    thinking = { type: "enabled" };
    copyField(reasoning, "budget", thinking, BUDGET);
  } else if (effort !== undefined && form[THINKING] === undefined) thinking = { type: "adaptive" };
  if (isOff && budget !== undefined) lose("field-unsaid", "budget");
  const isBudgeted = context.repair && BUDGETED.test(model);
  if (isBudgeted && effort !== undefined && thinking?.["type"] === "adaptive") {
    lose("effort-as-budget", "effort");
    thinking = { type: "enabled", [BUDGET]: BUDGETS[effort] ?? BUDGETS["medium"] ?? 0 };
  } else if (isBudgeted && thinking?.["type"] === "enabled" && effort !== undefined && !TAKES_EFFORT.test(model)) {
    lose("field-unsaid", "effort");
  } else if (effort !== undefined && !isOff) {
    const word = form["effort"] === "own" ? effort : (EFFORT.theirs(effort) ?? "medium");
    if (word !== effort) lose("setting-approximated", "effort");
    wire["output_config"] = { effort: word };
  }
  if (summary !== undefined) {
    const shown = isOff ? undefined : thinking;
    if (shown !== undefined) shown["display"] = "summarized";
    lose(shown === undefined ? "field-unsaid" : "setting-approximated", "summary");
  }
  if (thinking !== undefined) wire[THINKING] = thinking;
}

const DEFAULT_MAX = 4096;
const MIN_BUDGET = 1024;
/** With this, thinking between calls may take more than one answer's tokens. */
const INTERLEAVED = "interleaved-thinking";

/** Whether the model is asked to think, as far as this encoder has asked it. */
export function isThinking(wire: JsonObject): boolean {
  const thinking = wire[THINKING];
  return isObject(thinking) && (thinking["type"] === "enabled" || thinking["type"] === "adaptive");
}

/** Makes thinking, the model, the length of the answer and the history fit together (B8, B55, B56). */
export function fitThinking(request: ModelRequest, wire: JsonObject, isUnsigned: boolean, { context }: Writing): void {
  const { report } = context;
  const thinking = wire[THINKING];
  const { effort, budget: asked } = request.reasoning ?? {};
  const path = ["reasoning", asked === undefined ? "effort" : "budget"];
  const isEnabled = isObject(thinking) && thinking["type"] === "enabled";
  let budget = isEnabled ? Number(thinking[BUDGET]) : 0;
  // Who hardly wants thinking would rather have the call.
  const isMinor = asked === undefined && effort === "minimal" && isForced(wire["tool_choice"]);
  if ((isEnabled && isUnsigned) || (isMinor && isThinking(wire))) {
    report.addLoss("thinking-unfit", path);
    delete wire[THINKING];
    budget = 0;
  } else if (isEnabled && budget <= 0) {
    report.addLoss("budget-adjusted", path);
    wire[THINKING] = { type: budget === 0 ? "disabled" : "adaptive" };
    budget = 0;
  }
  if (wire["max_tokens"] === undefined) {
    report.addLoss("max-tokens-default", ["sampling", "maxOutputTokens"]);
    wire["max_tokens"] = Math.max(budget, 0) + DEFAULT_MAX;
  }
  if (isEnabled && budget > 0) fitBudget(request, wire, thinking, budget, (code) => report.addLoss(code, path));
}

/** A budget within the limits: at least the least, less than all of the answer. */
function fitBudget(
  request: ModelRequest,
  wire: JsonObject,
  thinking: JsonObject,
  budget: number,
  lose: (code: Code) => void,
): void {
  const max = Number(wire["max_tokens"]);
  const isFree = JSON.stringify(request.extra ?? {}).includes(INTERLEAVED);
  let fitting = Math.max(budget, MIN_BUDGET);
  if (fitting >= max && !isFree) fitting = Math.max(MIN_BUDGET, Math.floor(max / 2));
  if (fitting >= max && !isFree) {
    lose("thinking-unfit");
    delete wire[THINKING];
  } else if (fitting !== budget) {
    lose("budget-adjusted");
    wire[THINKING] = { ...thinking, [BUDGET]: fitting };
  }
}
