// Decodes and encodes requests: the body of generateContent, the parameters of Google's SDK, and the model and stream
// flag of the URL.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ModelRequest } from "../../../model/request.ts";
import type { DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { STORED_CONTEXT } from "../../kit/losses/stored-context.ts";
import { copyField, isObject, describeKind, readObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { withTextTools } from "../../kit/tools/text-tools.ts";
import { decodeGenerationConfig, encodeGenerationConfig } from "./generation-config.ts";
import { decodeHistory, isContent } from "./decode-messages.ts";
import { encodeHistory, createEncodeState, storeUnsignedCalls } from "./encode-history.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import {
  storeSpelling,
  findWireName,
  addInnerSpelling,
  normalizeFieldNames,
  restoreSpelling,
} from "../content/snake-case-fields.ts";
import { decodeToolConfig, encodeToolConfig } from "./tool-choice.ts";
import { decodeTools, encodeTools } from "./tools.ts";

/** Fields of `config` in the parameters of Google's SDK that are not generation settings. */
const CONFIG_FIELDS: ReadonlySet<string> = new Set(["systemInstruction", "tools", "toolConfig", "cachedContent"]);

export function decodeRequest(wire: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const { dialect, pathTracker } = context;
  const spelling: FieldSpelling = {};
  const request: ModelRequest = { messages: [] };
  let body = normalizeFieldNames(readObject(wire, context), spelling);
  const { config } = body;
  const isSdk =
    isObject(config) && !Object.keys(body).some((key) => key === "generationConfig" || CONFIG_FIELDS.has(key));
  // The snake_case names inside the `config` of SDK parameters are collected separately, because they are stored under
  // the key `config`. A request body has no `config`, so all its names are collected in `spelling`.
  const configSpelling: FieldSpelling = isSdk ? {} : spelling;
  if (isSdk) body = fromSdkParameters(body, normalizeFieldNames(config, configSpelling));
  const decodedKeys = ["contents"];
  const { model = null, systemInstruction, tools, toolConfig, generationConfig } = body;
  if (typeof model === "string") {
    decodedKeys.push("model");
    storeForm(request, dialect, "model", "body");
  }
  const requestedModel = typeof model === "string" ? model : address?.model;
  if (requestedModel !== undefined) request.model = requestedModel;
  if (address?.stream !== undefined) request.stream = address.stream;
  if (isContent(systemInstruction)) decodedKeys.push("systemInstruction");
  const contents = readContents(body, request, context);
  const system = isContent(systemInstruction) ? systemInstruction : undefined;
  const systemKey = findWireName("systemInstruction", configSpelling);
  request.messages = decodeHistory(system, contents, "contents", context, systemKey);
  storeUnsignedCalls(request, dialect);
  if (isSdk) {
    storeForm(request, dialect, "config", true);
    pathTracker.enter("config");
  }
  if (Array.isArray(tools)) {
    decodedKeys.push("tools");
    request.tools = decodeTools(tools, context);
    if (tools.length === 0) storeForm(request, dialect, "tools", "empty");
  }
  if (isSdk) pathTracker.leave();
  if (isObject(toolConfig)) {
    decodedKeys.push("toolConfig");
    const innerSpelling: FieldSpelling = {};
    decodeToolConfig(toolConfig, request, innerSpelling, dialect);
    addInnerSpelling(configSpelling, "toolConfig", innerSpelling);
  }
  if (isObject(generationConfig)) {
    decodedKeys.push("generationConfig");
    const innerSpelling: FieldSpelling = isSdk ? configSpelling : {};
    decodeGenerationConfig(generationConfig, request, innerSpelling, dialect);
    addInnerSpelling(spelling, isSdk ? "config" : "generationConfig", innerSpelling);
  }
  storeUnknownFields(request, body, decodedKeys, dialect);
  storeSpelling(request, dialect, spelling);
  return request;
}

/** Returns the list of contents. A single content is accepted too, as in Google's SDK. */
function readContents({ contents }: JsonObject, request: ModelRequest, context: DecodeContext): readonly JsonValue[] {
  if (Array.isArray(contents)) return contents;
  if (contents === undefined) context.fail("missing-field", 'The field "contents" is missing.', "contents");
  if (!isContent(contents)) context.fail("wrong-type", `Expected a list, found ${describeKind(contents)}.`, "contents");
  storeForm(request, context.dialect, "contents", "one");
  return [contents];
}

/** Converts the parameters of Google's SDK to the body that the SDK sends. */
function fromSdkParameters(wire: JsonObject, config: JsonObject): JsonObject {
  const body = unknownFields(wire, CONFIG_KEY) ?? {};
  const settings: JsonObject = {};
  for (const key of Object.keys(config)) {
    copyField(config, key, CONFIG_FIELDS.has(key) ? body : settings);
  }
  body["generationConfig"] = settings;
  return body;
}
const CONFIG_KEY: ReadonlySet<string> = new Set(["config"]);

function toSdkParameters(wire: JsonObject): JsonObject {
  const body: JsonObject = {};
  const config: JsonObject = {};
  const { generationConfig } = wire;
  for (const key of Object.keys(wire)) {
    if (key !== "generationConfig") copyField(wire, key, CONFIG_FIELDS.has(key) ? config : body);
  }
  if (isObject(generationConfig))
    for (const key of Object.keys(generationConfig)) copyField(generationConfig, key, config);
  body["config"] = config;
  return body;
}

const REQUEST_FIELD_NAMES = [
  "model",
  "messages",
  "tools",
  "toolChoice",
  "output",
  "sampling",
  "reasoning",
  "stream",
  "extra",
];
const REQUEST_FIELDS: ReadonlySet<string> = new Set(REQUEST_FIELD_NAMES);

export function encodeRequest(request: ModelRequest, context: EncodeContext<GeminiLossCode>): Omit<Encoded, "losses"> {
  const { model, tools, stream } = request;
  const { dialect, report } = context;
  const form = readForm(request, dialect);
  const state = createEncodeState(context, false, model);
  let wire: JsonObject = {};
  const history = context.pathTracker.into("messages", () => encodeHistory(request.messages, state, model));
  if (history.systemInstruction !== undefined) wire["systemInstruction"] = history.systemInstruction;
  const [onlyContent] = history.contents;
  const isSingleContent = form["contents"] === "one" && history.contents.length === 1 && onlyContent !== undefined;
  wire["contents"] = isSingleContent ? onlyContent : history.contents;
  if (form["contents"] !== undefined && !isSingleContent)
    report.addLoss("form-stale", ["extra", dialect, "$form", "contents"]);
  const encodedTools = encodeTools(tools ?? [], state);
  // An empty list of tools has no effect. With repairs, it is dropped, unless the decoded Gemini request had an empty
  // list.
  if (encodedTools.length > 0 || (tools?.length === 0 && (!context.repair || form["tools"] === "empty"))) {
    wire["tools"] = encodedTools;
  } else if (tools?.length === 0) report.addLoss("tool-settings-dropped", "tools");
  const toolConfig = encodeToolConfig(request, encodedTools, state);
  if (toolConfig !== undefined) wire["toolConfig"] = toolConfig;
  const config = encodeGenerationConfig(request, context);
  if (config !== undefined) wire["generationConfig"] = config;
  if (form["model"] === "body" && model !== undefined) wire["model"] = model;
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsupported");
  reportNotPortableResidue(request, context, STORED_CONTEXT);
  restoreResidue(wire, request, context, "generationConfig", "thinkingConfig", "toolConfig", "functionCallingConfig");
  if (form["config"] === true) wire = toSdkParameters(wire);
  const renames = withTextTools(state.renameTable.renames, tools);
  return {
    wire: restoreSpelling(wire, request, context),
    address: { ...(model !== undefined && { model }), ...(stream !== undefined && { stream }) },
    ...(renames && { names: renames }),
  };
}
