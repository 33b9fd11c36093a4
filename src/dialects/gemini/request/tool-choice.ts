// Decodes and encodes `toolConfig`: the function calling mode and the allowed function names.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest, ToolChoice } from "../../../model/request.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { normalizeInnerFieldNames, normalizeFieldNames } from "../content/snake-case-fields.ts";
import { MODEL_BEFORE_3 } from "../terms.ts";
import { declaresFunctions } from "./tools.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

const CONFIG = "functionCallingConfig";
const MODES = new ValueMap<"auto" | "none" | "required", "AUTO" | "NONE" | "ANY" | "VALIDATED">([
  ["auto", "AUTO"],
  ["none", "NONE"],
  ["required", "ANY"],
  ["auto", "VALIDATED"],
]);
const ALLOWED_NAMES = new FieldTable<"names">([["allowedFunctionNames", "names", "strings"]]);

export function decodeToolConfig(
  rawConfig: JsonObject,
  request: ModelRequest,
  spelling: FieldSpelling,
  dialect: string,
): void {
  const wire = normalizeFieldNames(rawConfig, spelling);
  const config = wire[CONFIG];
  if (isObject(config)) {
    const inner = normalizeInnerFieldNames(config, CONFIG, spelling);
    storeUnknownFields(request, inner, decodeChoice(inner, request, dialect), dialect, "toolConfig", CONFIG);
  }
  storeUnknownFields(request, wire, isObject(config) ? [CONFIG] : [], dialect, "toolConfig");
}

/**
 * Sets `toolChoice` of the request; returns the wire fields that the tool choice represents, which is an empty list if
 * the canonical model cannot express the choice.
 */
function decodeChoice(wire: JsonObject, request: ModelRequest, dialect: string): string[] {
  const { mode, allowedFunctionNames } = wire;
  const modelMode = typeof mode === "string" ? MODES.toModel(mode) : undefined;
  const allowed: { names?: string[] } = {};
  const hasNames = ALLOWED_NAMES.decode(wire, "allowedFunctionNames", allowed);
  if (modelMode === undefined || hasNames !== (allowedFunctionNames !== undefined)) return [];
  const choice = toToolChoice(modelMode, allowed.names);
  if (choice === undefined) return [];
  request.toolChoice = choice;
  // The form stores a mode that the encoder would not choose. With allowed names, the encoder chooses VALIDATED instead
  // of AUTO, because Gemini ignores the names in mode AUTO.
  if (mode !== toWireMode(choice)) storeForm(request, dialect, "mode", mode ?? null);
  return hasNames ? ["mode", "allowedFunctionNames"] : ["mode"];
}

function toToolChoice(modelMode: "auto" | "none" | "required", names: string[] | undefined): ToolChoice | undefined {
  if (names === undefined) return modelMode;
  const [toolName] = names;
  if (modelMode === "none") return undefined;
  return modelMode === "required" && names.length === 1 && toolName !== undefined
    ? { toolName }
    : { toolNames: names, mode: modelMode };
}

function toWireMode(choice: ToolChoice): string | undefined {
  if (typeof choice === "string") return MODES.toWire(choice);
  return "toolName" in choice || choice.mode === "required" ? "ANY" : "VALIDATED";
}

/** Encodes `toolConfig`; returns undefined if the request has no tool choice, or if Gemini would reject it. */
export function encodeToolConfig(
  request: ModelRequest,
  encodedTools: readonly JsonObject[],
  { context, renameTable }: GeminiEncodeState,
): JsonObject | undefined {
  const { toolChoice: choice, model = "" } = request;
  if (choice === undefined) return undefined;
  const plainMode = toWireMode(choice);
  if (plainMode === undefined) {
    context.report.addLoss("field-unsupported", "toolChoice");
    return undefined;
  }
  // Without function declarations, Gemini rejects every mode that forces a call. It also rejects the other modes if the
  // request has no tools at all, or if the model is older than generation 3.
  const isForced = plainMode === "ANY";
  const isRejected =
    !declaresFunctions(encodedTools) && (isForced || encodedTools.length === 0 || MODEL_BEFORE_3.test(model));
  if (context.repair && isRejected) {
    context.report.addLoss(isForced ? "tool-choice-dropped" : "tool-settings-dropped", "toolChoice");
    return undefined;
  }
  const { mode } = readForm(request, context.dialect);
  const usesFormMode = typeof mode === "string" && MODES.toModel(mode) === MODES.toModel(plainMode);
  if (mode !== undefined && !usesFormMode)
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "mode"]);
  const config: JsonObject = { mode: usesFormMode ? mode : plainMode };
  if (typeof choice !== "string") {
    config["allowedFunctionNames"] =
      "toolName" in choice
        ? [renameTable.encodeToolName(choice.toolName, ["toolChoice", "toolName"])]
        : choice.toolNames.map((name, at) => renameTable.encodeToolName(name, ["toolChoice", "toolNames", at]));
  }
  return { [CONFIG]: config };
}
