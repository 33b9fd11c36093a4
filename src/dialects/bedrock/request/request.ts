// Decodes and encodes Bedrock requests: the body, and the envelope with the model and the stream flag.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest } from "../../../model/request.ts";
import { storeField } from "../../blocks/fields.ts";
import type { DecodeContext, DecodeRequestOptions, EncodeContext, Encoded, RequestEnvelope } from "../../dialect.ts";
import { copyField, isObject, readObject } from "../../kit/fields/read-wire.ts";
import { REQUEST_FIELDS } from "../../kit/fields/supported-fields.ts";
import { STORED_CONTEXT } from "../../kit/losses/stored-context.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { withTextTools } from "../../kit/tools/text-tools.ts";
import { RenameTable } from "../../kit/tools/tool-renames.ts";
import { createDecodeState } from "../content/decode-block.ts";
import { createEncodeState } from "../content/encode-block.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import type { BedrockLoss } from "../losses.ts";
import { decodeHistory, decodeSystem } from "./decode-messages.ts";
import { encodeHistory, NAME_RULE } from "./encode-history.ts";
import { CLAUDE_MODELS, MODELS_WITHOUT_PREFILL } from "./model-traits.ts";
import {
  ADDITIONAL_FIELDS,
  decodeAdditionalFields,
  decodeInferenceConfig,
  decodeOutputConfig,
  encodeSettings,
  INFERENCE_CONFIG,
  OUTPUT_CONFIG,
} from "./settings.ts";
import { addCalledTools, decodeToolConfig, encodeToolConfig } from "./tool-config.ts";

const METADATA = "requestMetadata";

export function decodeRequest(
  value: unknown,
  context: DecodeContext,
  { address: envelope }: DecodeRequestOptions,
): ModelRequest {
  const wire = readObject(value, context);
  const { dialect } = context;
  const { system, messages, modelId, [OUTPUT_CONFIG]: output } = wire;
  const state = createDecodeState(context);
  const leading = system === undefined ? undefined : decodeSystem(system, state);
  // A request without messages is valid if it uses a stored prompt, which the model id or `promptVariables` indicate.
  if (messages === undefined && typeof modelId !== "string" && wire["promptVariables"] === undefined) {
    context.fail("missing-field", "The request has no messages.", "messages");
  }
  const request: ModelRequest = {
    messages: decodeHistory(leading ?? [], messages === undefined ? [] : messages, state),
  };
  if (messages === undefined) storeForm(request, dialect, "messages", "none");
  if (isObject(output)) decodeOutputConfig(output, request, dialect);
  for (const key in wire) {
    if (key === "system" && leading !== undefined) continue;
    if (!decodeField(wire, key, request, context)) storeField(request, wire, key, dialect);
  }
  if (request.model === undefined && envelope?.model !== undefined) request.model = envelope.model;
  if (envelope?.stream !== undefined) request.stream = envelope.stream;
  return request;
}

/** Decodes one field of the body into the request; returns false if the field is unknown or has an unexpected type. */
function decodeField(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const value = wire[key];
  if (key === "messages") return true;
  if (key === "modelId" && typeof value === "string") {
    request.model = value;
    storeForm(request, context.dialect, "model", "body");
    return true;
  }
  if (!isObject(value)) return false;
  switch (key) {
    case INFERENCE_CONFIG:
      decodeInferenceConfig(value, request, context.dialect);
      return true;
    case ADDITIONAL_FIELDS:
      decodeAdditionalFields(value, request, context.dialect);
      return true;
    case OUTPUT_CONFIG:
      // `decodeRequest` has decoded this field before the other fields.
      return true;
    case "toolConfig":
      decodeToolConfig(value, request, context);
      return true;
    case METADATA:
      decodeMetadata(value, request, context);
      return true;
    default:
      return false;
  }
}

function decodeMetadata(wire: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const metadata: Record<string, unknown> = {};
  for (const key in wire) {
    if (typeof wire[key] === "string") copyField(wire, key, metadata);
    else storeField(request, wire, key, dialect, [METADATA]);
  }
  request.metadata = metadata;
}

export function encodeRequest(request: ModelRequest, context: EncodeContext<BedrockLoss>): Omit<Encoded, "losses"> {
  const { model = "", messages } = request;
  const { pathTracker, repair, dialect } = context;
  const form = readForm(request, dialect);
  const names = new RenameTable(NAME_RULE, NAME_RULE, context);
  const state = createEncodeState(context, names, CLAUDE_MODELS.test(model));
  const wire: JsonObject = {};
  const envelope = encodeEnvelope(request, wire, form);
  encodeToolConfig(request, wire, state);
  pathTracker.enter("messages");
  const history = encodeHistory(messages, state, {
    noTrailingSpace: state.signsReasoning,
    noPrefill: MODELS_WITHOUT_PREFILL.test(model),
    isOptional: form["messages"] === "none",
  });
  pathTracker.leave();
  if (history.system !== undefined) wire["system"] = history.system;
  if (history.messages.length > 0 || form["messages"] !== "none") wire["messages"] = history.messages;
  encodeSettings(request, wire, state);
  encodeMetadata(request, wire, state);
  if (repair) addCalledTools(wire, state);
  restoreResidue(wire, request, context, ...INNER_OBJECTS);
  reportNotPortableResidue<BedrockLoss>(request, context, STORED_CONTEXT);
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsupported");
  const renames = withTextTools(names.renames, request.tools);
  return { wire, ...(envelope && { address: envelope }), ...(renames && { names: renames }) };
}

/** Objects within the body whose unknown fields are stored as residue of the request, under the objects' keys. */
const INNER_OBJECTS = [
  INFERENCE_CONFIG,
  ADDITIONAL_FIELDS,
  OUTPUT_CONFIG,
  METADATA,
  "toolConfig",
  "textFormat",
  "structure",
  "jsonSchema",
];

/**
 * Returns the envelope with model and stream flag, which are in the URL. The model is also written to the body if it
 * was decoded from there, as in the SDK's input.
 */
function encodeEnvelope(
  { model, stream }: ModelRequest,
  wire: JsonObject,
  form: JsonObject,
): RequestEnvelope | undefined {
  const envelope: RequestEnvelope = {};
  if (model !== undefined) {
    if (form["model"] === "body") wire["modelId"] = model;
    envelope.model = model;
  }
  if (stream !== undefined) envelope.stream = stream;
  return Object.keys(envelope).length > 0 ? envelope : undefined;
}

function encodeMetadata({ metadata }: ModelRequest, wire: JsonObject, { context }: BedrockEncodeState): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const encoded: JsonObject = {};
  for (const key of keys) {
    if (typeof metadata[key] === "string") copyField(metadata, key, encoded);
    else context.report.addLoss("field-unsupported", ["metadata", key]);
  }
  if (keys.length === 0 || Object.keys(encoded).length > 0) wire[METADATA] = encoded;
}
