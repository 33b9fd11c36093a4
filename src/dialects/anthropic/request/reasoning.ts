// Decodes and encodes reasoning settings: `thinking` and `output_config.effort` on the wire, effort and budget in the
// canonical model. By default, an effort is written as adaptive thinking with that effort.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest, ReasoningSettings } from "../../../model/request.ts";
import { storeField } from "../../blocks/fields.ts";
import type { DecodeContext } from "../../dialect.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm, storeResidue } from "../../kit/residue/residue.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import type { AnthropicLoss } from "../losses.ts";
import { EFFORTS } from "../terms.ts";
import { BUDGET_MODEL_WITH_EFFORT, BUDGET_MODELS, EFFORT_BUDGETS, MODELS_WITHOUT_THINKING } from "./model-traits.ts";
import { isForced } from "./tool-choice.ts";

const THINKING = "thinking";
const BUDGET = "budget_tokens";
const TYPE: ReadonlySet<string> = new Set(["type"]);
const TYPE_AND_BUDGET: ReadonlySet<string> = new Set(["type", BUDGET]);

/** Decodes effort and budget. A `thinking` object that neither of them can express is stored as residue. */
export function decodeReasoning(wire: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const { thinking, output_config: config } = wire;
  const effort = isObject(config) ? config["effort"] : undefined;
  const reasoning: ReasoningSettings = {};
  if (typeof effort === "string") {
    reasoning.effort = effort;
    if (EFFORTS.toWire(effort) !== effort) storeForm(request, dialect, "effort", "own");
    if (thinking === undefined) storeForm(request, dialect, THINKING, "none");
  }
  const decoded = decodeThinking(thinking, reasoning);
  if (decoded === undefined) {
    storeField(request, wire, THINKING, dialect);
    if (reasoning.effort !== undefined && thinking !== undefined) storeForm(request, dialect, THINKING, "own");
  } else if (isObject(thinking)) storeResidue(request, dialect, unknownFields(thinking, decoded), THINKING);
  if (reasoning.effort !== undefined || reasoning.budget !== undefined) request.reasoning = reasoning;
}

/**
 * Decodes `thinking`; returns the names of the decoded fields, or undefined if the canonical settings cannot express
 * it.
 */
function decodeThinking(thinking: unknown, reasoning: ReasoningSettings): ReadonlySet<string> | undefined {
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

/** Encodes effort and budget. The path tracker must be at the request. */
export function encodeReasoning(request: ModelRequest, wire: JsonObject, { context }: AnthropicEncodeState): void {
  const { reasoning, model = "" } = request;
  if (reasoning === undefined) return;
  const { effort, budget, summary } = reasoning;
  const form = readForm(request, context.dialect);
  const addLoss = (code: AnthropicLoss, field: string): void => {
    context.report.addLoss(code, ["reasoning", field]);
  };
  const isOff = effort === "none" && form["effort"] !== "own";
  if (context.repair && MODELS_WITHOUT_THINKING.test(model) && !isOff) {
    for (const field of Object.keys(reasoning)) addLoss("reasoning-disabled", field);
    return;
  }
  let thinking: JsonObject | undefined;
  if (isOff) thinking = { type: "disabled" };
  else if (budget !== undefined) {
    thinking = { type: "enabled" };
    copyField(reasoning, "budget", thinking, BUDGET);
  } else if (effort !== undefined && form[THINKING] === undefined) thinking = { type: "adaptive" };
  if (isOff && budget !== undefined) addLoss("field-unsupported", "budget");
  const needsBudget = context.repair && BUDGET_MODELS.test(model);
  const type = thinking?.["type"];
  if (needsBudget && effort !== undefined && type === "adaptive") {
    addLoss("effort-as-budget", "effort");
    thinking = { type: "enabled", [BUDGET]: EFFORT_BUDGETS[effort] ?? EFFORT_BUDGETS["medium"] ?? 0 };
  } else if (needsBudget && type === "enabled" && effort !== undefined && !BUDGET_MODEL_WITH_EFFORT.test(model)) {
    addLoss("field-unsupported", "effort");
  } else if (effort !== undefined && !isOff) {
    const wireEffort = form["effort"] === "own" ? effort : (EFFORTS.toWire(effort) ?? "medium");
    if (wireEffort !== effort) addLoss("setting-approximated", "effort");
    wire["output_config"] = { effort: wireEffort };
  }
  if (summary !== undefined) {
    const canShow = !isOff && thinking !== undefined;
    if (canShow && thinking !== undefined) thinking["display"] = "summarized";
    addLoss(canShow ? "setting-approximated" : "field-unsupported", "summary");
  }
  if (thinking !== undefined) wire[THINKING] = thinking;
}

const DEFAULT_MAX_TOKENS = 4096;
const MIN_BUDGET = 1024;
/**
 * A part of the value of the header `anthropic-beta` that allows thinking between tool calls. The budget may then
 * exceed `max_tokens`, because it covers the thinking of several answers.
 */
const INTERLEAVED_THINKING = "interleaved-thinking";

/** True if the encoded request enables thinking. Residue is not considered, because it is restored later. */
export function isThinkingEnabled(wire: JsonObject): boolean {
  const thinking = wire[THINKING];
  return isObject(thinking) && (thinking["type"] === "enabled" || thinking["type"] === "adaptive");
}

/**
 * Adjusts `thinking` to `max_tokens`, the tool choice and the history (B8, B55, B56), and sets a missing `max_tokens`.
 */
export function adjustThinking(
  request: ModelRequest,
  wire: JsonObject,
  endsWithoutThinking: boolean,
  { context }: AnthropicEncodeState,
): void {
  const { report } = context;
  const thinking = wire[THINKING];
  const { effort, budget: requestedBudget } = request.reasoning ?? {};
  const path = ["reasoning", requestedBudget === undefined ? "effort" : "budget"];
  const isEnabled = isObject(thinking) && thinking["type"] === "enabled";
  let budget = isEnabled ? Number(thinking[BUDGET]) : 0;
  // Anthropic rejects thinking together with a forced tool call. If only minimal effort is requested, thinking is
  // disabled; otherwise `releaseForcedChoice` changes the tool choice.
  const yieldsToCall = requestedBudget === undefined && effort === "minimal" && isForced(wire["tool_choice"]);
  if ((isEnabled && endsWithoutThinking) || (yieldsToCall && isThinkingEnabled(wire))) {
    report.addLoss("reasoning-disabled", path);
    delete wire[THINKING];
    budget = 0;
  } else if (isEnabled && budget <= 0) {
    report.addLoss("budget-adjusted", path);
    wire[THINKING] = { type: budget === 0 ? "disabled" : "adaptive" };
    budget = 0;
  }
  if (wire["max_tokens"] === undefined) {
    report.addLoss("max-tokens-default", ["sampling", "maxOutputTokens"]);
    wire["max_tokens"] = Math.max(budget, 0) + DEFAULT_MAX_TOKENS;
  }
  if (isEnabled && budget > 0) adjustBudget(request, wire, thinking, budget, (code) => report.addLoss(code, path));
}

/**
 * Raises the budget to MIN_BUDGET, and reduces it below `max_tokens` unless the request allows interleaved thinking.
 * Disables thinking if no budget is possible.
 */
function adjustBudget(
  request: ModelRequest,
  wire: JsonObject,
  thinking: JsonObject,
  budget: number,
  addLoss: (code: AnthropicLoss) => void,
): void {
  const maxTokens = Number(wire["max_tokens"]);
  const isUnlimited = JSON.stringify(request.extra ?? {}).includes(INTERLEAVED_THINKING);
  let adjusted = Math.max(budget, MIN_BUDGET);
  if (adjusted >= maxTokens && !isUnlimited) adjusted = Math.max(MIN_BUDGET, Math.floor(maxTokens / 2));
  if (adjusted >= maxTokens && !isUnlimited) {
    addLoss("reasoning-disabled");
    delete wire[THINKING];
  } else if (adjusted !== budget) {
    addLoss("budget-adjusted");
    wire[THINKING] = { ...thinking, [BUDGET]: adjusted };
  }
}
