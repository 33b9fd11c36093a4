// Results: of functions, whose response is an object, and of what Google ran itself. An output that is no object, and an
// error, stand in an envelope: `{ output }`, `{ error }`.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import { wireCallId } from "../kit/calls.ts";
import { isAskedOfClient } from "../kit/approvals.ts";
import { restoreName } from "../kit/names.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm, reportUnsupportedFields } from "../kit/residue.ts";
import { outputText } from "../kit/results.ts";
import { CODE } from "./calls.ts";
import type { Reading } from "./reading.ts";
import { keepRest } from "./reading.ts";
import type { GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

type ResultKey = "functionResponse" | "toolResponse" | "codeExecutionResult";

/** How the media within a result are read. */
type DecodePart = (wire: JsonObject, reading: Reading) => Part;
/** How the parts within a result are written, which is how all parts are. */
type EncodePart = (part: Part, writing: Writing) => GeminiPart | undefined;

function onlyKey(value: JsonObject): string | undefined {
  let only: string | undefined;
  for (const key in value) {
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}

/** Whether a response says its output, or its error, in an envelope. An object that looks like one is put into one. */
function isEnvelope(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const key = onlyKey(value);
  if (key === "error") return true;
  const inner = key === "output" ? value[key] : undefined;
  return inner !== undefined && (!isObject(inner) || isEnvelope(inner));
}

export function decodeResult(data: JsonObject, key: string, reading: Reading, decodePart: DecodePart): ToolResultPart {
  const { dialect } = reading.context;
  const taken: string[] = [];
  const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  if (key === "codeExecutionResult") readOutcome(data, part, taken, dialect);
  else {
    const nameField = key === "functionResponse" ? "name" : "toolType";
    const name = data[nameField];
    if (typeof name === "string") {
      taken.push(nameField);
      part.toolName = key === "functionResponse" ? restoreName(name, reading.names?.toolNames) : name;
    }
    // The call it answers may give it a name.
    if (part.toolName === "") storeForm(part, dialect, "name", name === "" ? "" : null);
    readResponse(data, part, taken, dialect);
  }
  if (key !== "functionResponse") Object.assign(part, { executor: "provider", tool: key });
  const { id, parts } = data;
  if (typeof id === "string") taken.push("id");
  if (key === "functionResponse" && Array.isArray(parts) && parts.every(isObject)) {
    taken.push("parts");
    part.content = parts.map((each) => decodePart(each, reading));
  }
  reading.book.answer(part, typeof id === "string" ? id : undefined);
  keepRest(part, data, taken, dialect, key);
  return part;
}

function readResponse(data: JsonObject, part: ToolResultPart, taken: string[], dialect: string): void {
  const { response } = data;
  if (!isObject(response)) {
    if (response === undefined) storeForm(part, dialect, "response", null);
    return;
  }
  taken.push("response");
  if (!isEnvelope(response)) part.output = response;
  else {
    const field = onlyKey(response) ?? "";
    part.isError = field === "error";
    copyField(response, field, part, "output");
  }
}

/** The outcome that goes without saying, of success and of failure. */
const OUTCOMES = ["OUTCOME_OK", "OUTCOME_FAILED"] as const;

function readOutcome(data: JsonObject, part: ToolResultPart, taken: string[], dialect: string): void {
  const { outcome, output } = data;
  part.toolName = CODE;
  if (typeof output === "string") {
    taken.push("output");
    part.output = output;
  }
  if (typeof outcome !== "string") {
    if (outcome === undefined) storeForm(part, dialect, "outcome", null);
    return;
  }
  taken.push("outcome");
  part.isError = outcome !== OUTCOMES[0];
  if (outcome !== OUTCOMES[Number(part.isError)]) storeForm(part, dialect, "outcome", outcome);
}

const RESULT_FIELDS = ["type", "extra", "seals", "toolCallId", "toolName", "isError", "output", "executor"];
const RESULT: ReadonlySet<string> = new Set([...RESULT_FIELDS, "content", "format"]);
const OWN_RESULT: ReadonlySet<string> = new Set([...RESULT_FIELDS, "tool"]);

function ownField({ executor, tool }: ToolResultPart): ResultKey | undefined {
  if (executor !== "provider") return undefined;
  return tool === "codeExecutionResult" || tool === "toolResponse" ? tool : undefined;
}

/** The field and what stands in it; undefined where the result is left out. */
export function encodeResult(
  part: ToolResultPart,
  writing: Writing,
  encodePart: EncodePart,
): [key: ResultKey, data: JsonObject] | undefined {
  const { context, names, calls } = writing;
  const own = ownField(part);
  if (own === undefined && !isAskedOfClient(part, context)) return undefined;
  reportUnsupportedFields(part, own === undefined ? RESULT : OWN_RESULT, context, "field-unsaid", {
    cache: "bookkeeping",
  });
  const form = readForm(part, context.dialect);
  const call = calls.get(part.toolCallId);
  const data: JsonObject = {};
  // A call that went out without an id is answered without one.
  const id =
    call !== undefined && call.id === undefined && form["id"] === undefined
      ? undefined
      : wireCallId(part, names, context);
  if (id !== undefined) data["id"] = id;
  if (own === "codeExecutionResult") {
    writeOutcome(part, form, data, context.dialect);
    return [own, data];
  }
  // As it came, else that of its call (B29).
  const name = part.toolName === "" ? (call?.name ?? "") : part.toolName;
  if (form["name"] === undefined) data[own === undefined ? "name" : "toolType"] = own ? name : names.toolName(name);
  else if (form["name"] === "") data[own === undefined ? "name" : "toolType"] = "";
  if (own !== undefined) writeResponse(part, form, data, [], own, writing);
  else {
    const { texts, parts } = encodeContent(part, writing, encodePart);
    writeResponse(part, form, data, texts, "functionResponse", writing);
    if (parts !== undefined) data["parts"] = parts;
  }
  return [own ?? "functionResponse", data];
}

function writeOutcome(part: ToolResultPart, form: JsonObject, data: JsonObject, dialect: string): void {
  const { outcome } = form;
  const kept = part.extra?.[dialect]?.["codeExecutionResult"];
  const isOdd = isObject(kept) && Object.hasOwn(kept, "outcome");
  if (typeof outcome === "string" && part.isError) data["outcome"] = outcome;
  else if (part.isError || (outcome !== null && !isOdd)) data["outcome"] = OUTCOMES[Number(part.isError)] ?? "";
  if (part.output !== undefined) data["output"] = outputText(part);
}

function writeResponse(
  part: ToolResultPart,
  form: JsonObject,
  data: JsonObject,
  texts: readonly string[],
  key: string,
  { context }: Writing,
): void {
  const { output, isError } = part;
  const field = isError ? "error" : "output";
  if (texts.length > 0) {
    if (output !== undefined && typeof output !== "string") context.report.addLoss("output-as-text", "output");
    data["response"] = { [field]: [...(output === undefined ? [] : [outputText(part)]), ...texts].join("\n") };
  } else if (output === undefined) {
    const kept = part.extra?.[context.dialect]?.[key];
    if (!isError && (form["response"] === null || (isObject(kept) && Object.hasOwn(kept, "response")))) return;
    context.report.addLoss("result-empty", "output");
    data["response"] = { [field]: "" };
  } else if (!isError && isObject(output) && !isEnvelope(output)) data["response"] = output;
  else {
    const response: JsonObject = (data["response"] = {});
    copyField(part, "output", response, field);
  }
}

/** Texts join the output, media stand beside it (B45). */
function encodeContent(
  part: ToolResultPart,
  writing: Writing,
  encodePart: EncodePart,
): { texts: string[]; parts: GeminiPart[] | undefined } {
  const { context, moved } = writing;
  const texts: string[] = [];
  let parts: GeminiPart[] | undefined = part.content?.length === 0 ? [] : undefined;
  context.pathTracker.each("content", part.content ?? [], (piece) => {
    if (/^(?:tool-|reas)/.test(piece.type)) {
      context.report.addLoss("part-unsayable");
      return;
    }
    const wire = encodePart(piece, writing);
    if (wire === undefined) return;
    if (piece.type === "text" || piece.type === "refusal") {
      texts.push(piece.text);
      context.report.addLoss("result-text-joined");
    } else if (moved === undefined || piece.type === "opaque") (parts ??= []).push(wire);
    else {
      moved.push(wire);
      context.report.addLoss("media-moved");
    }
  });
  return { texts, parts };
}
