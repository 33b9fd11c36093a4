// Whether and which tools are called: a mode, and the names of the functions it allows.
import type { JsonObject } from "../../model/json.ts";
import type { ModelRequest, ToolChoice } from "../../model/request.ts";
import { FieldTable } from "../kit/fields.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import { Terms } from "../kit/terms.ts";
import { keepRest } from "./reading.ts";
import type { Spelling } from "./snake.ts";
import { readInner, readNames } from "./snake.ts";
import { OLD_MODEL } from "./terms.ts";
import { hasFunctions } from "./tools.ts";
import type { Writing } from "./writing.ts";

const CONFIG = "functionCallingConfig";
const MODES = new Terms<"auto" | "none" | "required", "AUTO" | "NONE" | "ANY" | "VALIDATED">([
  ["auto", "AUTO"],
  ["none", "NONE"],
  ["required", "ANY"],
  ["auto", "VALIDATED"],
]);
const NAMES = new FieldTable<"names">([["allowedFunctionNames", "names", "strings"]]);

export function decodeToolConfig(given: JsonObject, request: ModelRequest, spelling: Spelling, dialect: string): void {
  const wire = readNames(given, spelling);
  const config = wire[CONFIG];
  if (isObject(config)) {
    const inner = readInner(config, CONFIG, spelling);
    keepRest(request, inner, decodeChoice(inner, request, dialect), dialect, "toolConfig", CONFIG);
  }
  keepRest(request, wire, isObject(config) ? [CONFIG] : [], dialect, "toolConfig");
}

/** Sets the choice; gives the fields that it stands in. */
function decodeChoice(wire: JsonObject, request: ModelRequest, dialect: string): string[] {
  const { mode, allowedFunctionNames } = wire;
  const word = typeof mode === "string" ? MODES.ours(mode) : undefined;
  const group: { names?: string[] } = {};
  const hasNames = NAMES.decode(wire, "allowedFunctionNames", group);
  if (word === undefined || hasNames !== (allowedFunctionNames !== undefined)) return [];
  const choice = choiceOf(word, group.names);
  if (choice === undefined) return [];
  request.toolChoice = choice;
  // Only a mode of its own is checked against the names, so that it is the plain one beside them.
  if (mode !== plainMode(choice)) storeForm(request, dialect, "mode", mode ?? null);
  return hasNames ? ["mode", "allowedFunctionNames"] : ["mode"];
}

function choiceOf(word: "auto" | "none" | "required", names: string[] | undefined): ToolChoice | undefined {
  if (names === undefined) return word;
  const [toolName] = names;
  if (word === "none") return undefined;
  return word === "required" && names.length === 1 && toolName !== undefined
    ? { toolName }
    : { toolNames: names, mode: word };
}

function plainMode(choice: ToolChoice): string | undefined {
  if (typeof choice === "string") return MODES.theirs(choice);
  return "toolName" in choice || choice.mode === "required" ? "ANY" : "VALIDATED";
}

/** `toolConfig`; undefined where nothing is chosen, or there is nothing to choose from. */
export function encodeToolConfig(
  request: ModelRequest,
  declared: readonly JsonObject[],
  { context, names }: Writing,
): JsonObject | undefined {
  const { toolChoice: choice, model = "" } = request;
  if (choice === undefined) return undefined;
  const plain = plainMode(choice);
  if (plain === undefined) {
    context.report.addLoss("field-unsaid", "toolChoice");
    return undefined;
  }
  // Beside nothing but Google's own tools, models of today take any mode that forces no call.
  const isForced = plain === "ANY";
  const isUnfit = !hasFunctions(declared) && (isForced || declared.length === 0 || OLD_MODEL.test(model));
  if (context.repair && isUnfit) {
    context.report.addLoss(isForced ? "choice-lost" : "tools-empty", "toolChoice");
    return undefined;
  }
  const { mode } = readForm(request, context.dialect);
  const isKept = typeof mode === "string" && MODES.ours(mode) === MODES.ours(plain);
  if (mode !== undefined && !isKept) context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "mode"]);
  const config: JsonObject = { mode: isKept ? mode : plain };
  if (typeof choice !== "string") {
    config["allowedFunctionNames"] =
      "toolName" in choice
        ? [names.toolName(choice.toolName, ["toolChoice", "toolName"])]
        : choice.toolNames.map((name, at) => names.toolName(name, ["toolChoice", "toolNames", at]));
  }
  return { [CONFIG]: config };
}
