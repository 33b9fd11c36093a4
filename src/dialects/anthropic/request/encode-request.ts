// Encodes Anthropic requests.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest } from "../../../model/request.ts";
import type { EncodeContext, Encoded, RequestEnvelope } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { REQUEST_FIELDS } from "../../kit/fields/supported-fields.ts";
import { STORED_CONTEXT } from "../../kit/losses/stored-context.ts";
import { readForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { closeSchema } from "../../kit/schemas/closed-schema.ts";
import { withTextTools } from "../../kit/tools/text-tools.ts";
import { RenameTable } from "../../kit/tools/tool-renames.ts";
import { createEncodeState } from "../content/encode-block.ts";
import { countCacheControl } from "../content/encode-state.ts";
import type { AnthropicLoss } from "../losses.ts";
import { CALL_ID_RULE, encodeHistory, TOOL_NAME_RULE } from "./encode-history.ts";
import { MODELS_WITHOUT_PREFILL } from "./model-traits.ts";
import { adjustThinking, encodeReasoning, isThinkingEnabled } from "./reasoning.ts";
import { adjustSampling, SAMPLING } from "./sampling.ts";
import { encodeToolChoice, releaseForcedChoice } from "./tool-choice.ts";
import { encodeTools } from "./tool-definitions.ts";

export function encodeRequest(request: ModelRequest, context: EncodeContext<AnthropicLoss>): Omit<Encoded, "losses"> {
  const names = new RenameTable(CALL_ID_RULE, TOOL_NAME_RULE, context);
  const state = createEncodeState(context, names);
  const wire: JsonObject = {};
  const envelope = encodeEnvelope(request, wire, context.dialect);
  countCacheControl(request.extra?.[context.dialect]?.["cache_control"], state);
  if (request.tools !== undefined) {
    const tools = encodeTools(request.tools, state);
    if (tools.length > 0 || request.tools.length === 0) wire["tools"] = tools;
  }
  const { pathTracker } = context;
  pathTracker.enter("messages");
  if (request.messages.at(-1)?.role === "assistant" && MODELS_WITHOUT_PREFILL.test(request.model ?? "")) {
    context.report.addLoss("prefill-unsupported", [request.messages.length - 1, "role"]);
  }
  const { system, messages, endsWithoutThinking } = encodeHistory(request.messages, state);
  pathTracker.leave();
  if (system !== undefined) wire["system"] = system;
  wire["messages"] = messages;
  pathTracker.enter("sampling");
  SAMPLING.encode(request.sampling ?? {}, wire, context);
  pathTracker.leave();
  encodeToolChoice(request, wire, state);
  encodeReasoning(request, wire, state);
  encodeOutput(request, wire, context);
  encodeMetadata(request, wire, context);
  if (context.repair) {
    adjustThinking(request, wire, endsWithoutThinking, state);
    const isThinking = isThinkingEnabled(wire);
    adjustSampling(request, wire, isThinking, state);
    if (isThinking) releaseForcedChoice(wire, state);
  }
  restoreResidue(wire, request, context, "thinking", "output_config", "tool_choice", "metadata");
  if (context.repair) dropIncompleteSettings(wire, context);
  reportNotPortableResidue<AnthropicLoss>(request, context, STORED_CONTEXT);
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsupported");
  const renames = withTextTools(names.renames, request.tools);
  return { wire, ...(envelope && { address: envelope }), ...(renames && { names: renames }) };
}

function encodeEnvelope(request: ModelRequest, wire: JsonObject, dialect: string): RequestEnvelope | undefined {
  const form = readForm(request, dialect);
  const envelope: RequestEnvelope = {};
  if (request.model !== undefined) {
    if (form["model"] === "address") envelope.model = request.model;
    else wire["model"] = request.model;
  }
  if (request.stream !== undefined) {
    if (form["stream"] === "address") envelope.stream = request.stream;
    else wire["stream"] = request.stream;
  }
  // The cast is safe: `decodeEnvelope` stores only an object of strings in the form `headers`.
  if (isObject(form["headers"])) envelope.headers = form["headers"] as Record<string, string>;
  return Object.keys(envelope).length > 0 ? envelope : undefined;
}

function encodeOutput(request: ModelRequest, wire: JsonObject, context: EncodeContext<AnthropicLoss>): void {
  const { output } = request;
  if (output === undefined || output.type === "text") return;
  if (output.type === "json") {
    context.report.addLoss("field-unsupported", "output", "JSON output is supported only with a schema.");
    return;
  }
  for (const field of ["name", "description", "strict"] as const) {
    if (output[field] !== undefined) context.report.addLoss("field-unsupported", ["output", field]);
  }
  const schema = context.repair ? closeSchema(output.schema) : output.schema;
  if (schema !== output.schema) {
    context.report.addLoss("schema-changed", ["output", "schema"], "`additionalProperties: false` was added.");
  }
  // The cast is safe although the caller's schema may be read-only, because the schema is not modified.
  const format: JsonObject = { type: "json_schema", schema: schema as JsonObject };
  if (readForm(request, context.dialect)["output"] === "output_format") wire["output_format"] = format;
  else wire["output_config"] = { ...(wire["output_config"] as JsonObject | undefined), format };
}

function encodeMetadata({ metadata }: ModelRequest, wire: JsonObject, { report }: EncodeContext<AnthropicLoss>): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const encoded: JsonObject = {};
  for (const key of keys) {
    if (key === "user_id" && typeof metadata[key] === "string") copyField(metadata, key, encoded);
    else report.addLoss("field-unsupported", ["metadata", key]);
  }
  if (keys.length === 0 || Object.keys(encoded).length > 0) wire["metadata"] = encoded;
}

/**
 * Deletes `thinking` or `tool_choice` if it consists only of restored residue, because Anthropic rejects these settings
 * without `type`.
 */
function dropIncompleteSettings(wire: JsonObject, { report, dialect }: EncodeContext<AnthropicLoss>): void {
  for (const key of ["thinking", "tool_choice"]) {
    const value = wire[key];
    if (!isObject(value) || value["type"] !== undefined) continue;
    report.addLoss("residue-conflict", ["extra", dialect, key]);
    delete wire[key];
  }
}
