// Requests on their way out.
import { REQUEST_FIELDS } from "../kit/carried.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { RequestEnvelope, EncodeContext, Encoded } from "../dialect.ts";
import { closedSchema } from "../kit/closed-schema.ts";
import { NameBook } from "../kit/names.ts";
import { STORED_CONTEXT } from "../kit/provider-losses.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { withTextTools } from "../kit/text-tools.ts";
import { startWriting } from "./encode-block.ts";
import { CALL_IDS, encodeHistory, TOOL_NAMES } from "./encode-history.ts";
import type { Code } from "./losses.ts";
import { CONTINUES_NOTHING } from "./models.ts";
import { encodeReasoning, fitThinking, isThinking } from "./reasoning.ts";
import { fitSampling, SAMPLING } from "./sampling.ts";
import { encodeChoice, freeChoice } from "./tool-choice.ts";
import { encodeTools } from "./tools.ts";
import { countCache } from "./writing.ts";

export function encodeRequest(request: ModelRequest, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const names = new NameBook(CALL_IDS, TOOL_NAMES, context);
  const writing = startWriting(context, names);
  const wire: JsonObject = {};
  const address = writeAddress(request, wire, context.dialect);
  countCache(request.extra?.[context.dialect]?.["cache_control"], writing);
  if (request.tools !== undefined) {
    const tools = encodeTools(request.tools, writing);
    if (tools.length > 0 || request.tools.length === 0) wire["tools"] = tools;
  }
  const { pathTracker: trail } = context;
  trail.enter("messages");
  if (request.messages.at(-1)?.role === "assistant" && CONTINUES_NOTHING.test(request.model ?? "")) {
    context.report.addLoss("prefill", [request.messages.length - 1, "role"]);
  }
  const { system, messages, isUnsigned } = encodeHistory(request.messages, writing);
  trail.leave();
  if (system !== undefined) wire["system"] = system;
  wire["messages"] = messages;
  trail.enter("sampling");
  SAMPLING.encode(request.sampling ?? {}, wire, context);
  trail.leave();
  encodeChoice(request, wire, writing);
  encodeReasoning(request, wire, writing);
  encodeOutput(request, wire, context);
  encodeMetadata(request, wire, context);
  if (context.repair) {
    fitThinking(request, wire, isUnsigned, writing);
    const isOn = isThinking(wire);
    fitSampling(request, wire, isOn, writing);
    if (isOn) freeChoice(wire, writing);
  }
  restoreResidue(wire, request, context, "thinking", "output_config", "tool_choice", "metadata");
  if (context.repair) dropRemnants(wire, context);
  reportNotPortableResidue<Code>(request, context, STORED_CONTEXT);
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsaid");
  const changed = withTextTools(names.names, request.tools);
  return { wire, ...(address && { address }), ...(changed && { names: changed }) };
}

function writeAddress(request: ModelRequest, wire: JsonObject, dialect: string): RequestEnvelope | undefined {
  const form = readForm(request, dialect);
  const address: RequestEnvelope = {};
  if (request.model !== undefined) {
    if (form["model"] === "address") address.model = request.model;
    else wire["model"] = request.model;
  }
  if (request.stream !== undefined) {
    if (form["stream"] === "address") address.stream = request.stream;
    else wire["stream"] = request.stream;
  }
  // Kept as read, which was a record of strings.
  if (isObject(form["headers"])) address.headers = form["headers"] as Record<string, string>;
  return Object.keys(address).length > 0 ? address : undefined;
}

function encodeOutput(request: ModelRequest, wire: JsonObject, context: EncodeContext<Code>): void {
  const { output } = request;
  if (output === undefined || output.type === "text") return;
  if (output.type === "json") {
    context.report.addLoss("field-unsaid", "output", "JSON needs a schema here.");
    return;
  }
  for (const field of ["name", "description", "strict"] as const) {
    if (output[field] !== undefined) context.report.addLoss("field-unsaid", ["output", field]);
  }
  const schema = context.repair ? closedSchema(output.schema) : output.schema;
  if (schema !== output.schema)
    context.report.addLoss("schema-changed", ["output", "schema"], "Its objects were closed.");
  // A schema is a JSON object that a caller may have made read-only.
  const format: JsonObject = { type: "json_schema", schema: schema as JsonObject };
  if (readForm(request, context.dialect)["output"] === "output_format") wire["output_format"] = format;
  else wire["output_config"] = { ...(wire["output_config"] as JsonObject | undefined), format };
}

function encodeMetadata({ metadata }: ModelRequest, wire: JsonObject, { report }: EncodeContext<Code>): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const said: JsonObject = {};
  for (const key of keys) {
    if (key === "user_id" && typeof metadata[key] === "string") copyField(metadata, key, said);
    else report.addLoss("field-unsaid", ["metadata", key]);
  }
  if (keys.length === 0 || Object.keys(said).length > 0) wire["metadata"] = said;
}

/** What was kept of a setting that is gone says nothing by itself, and is refused. */
function dropRemnants(wire: JsonObject, { report, dialect }: EncodeContext<Code>): void {
  for (const key of ["thinking", "tool_choice"]) {
    const value = wire[key];
    if (!isObject(value) || value["type"] !== undefined) continue;
    report.addLoss("residue-clash", ["extra", dialect, key]);
    delete wire[key];
  }
}
