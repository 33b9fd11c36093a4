// Requests: the body, and what travels in the URL beside it.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../dialect.ts";
import { STORED_CONTEXT } from "../kit/provider-losses.ts";
import { copyField, isObject, kindOf, readObject, unknownFields } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { withTextTools } from "../kit/text-tools.ts";
import { decodeConfig, encodeConfig } from "./config.ts";
import { decodeHistory, isContent } from "./decode.ts";
import { encodeHistory, newWriting, noteUnsigned } from "./encode.ts";
import type { Code } from "./losses.ts";
import { keepRest } from "./reading.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, nameOf, noteInner, readNames, writeNames } from "./snake.ts";
import { decodeToolConfig, encodeToolConfig } from "./tool-choice.ts";
import { decodeTools, encodeTools } from "./tools.ts";

/** What the SDK's `config` holds beside the settings. */
const IN_CONFIG: ReadonlySet<string> = new Set(["systemInstruction", "tools", "toolConfig", "cachedContent"]);

export function decodeRequest(wire: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const { dialect, pathTracker: trail } = context;
  const spelling: Spelling = {};
  const request: ModelRequest = { messages: [] };
  let body = readNames(readObject(wire, context), spelling);
  const { config } = body;
  const isSdk = isObject(config) && !Object.keys(body).some((key) => key === "generationConfig" || IN_CONFIG.has(key));
  // The names of what the SDK's config holds are noted there.
  const within: Spelling = isSdk ? {} : spelling;
  if (isSdk) body = fromSdk(body, readNames(config, within));
  const taken = ["contents"];
  const { model = null, systemInstruction, tools, toolConfig, generationConfig } = body;
  if (typeof model === "string") {
    taken.push("model");
    storeForm(request, dialect, "model", "body");
  }
  const asked = typeof model === "string" ? model : address?.model;
  if (asked !== undefined) request.model = asked;
  if (address?.stream !== undefined) request.stream = address.stream;
  if (isContent(systemInstruction)) taken.push("systemInstruction");
  const contents = readContents(body, request, context);
  const system = isContent(systemInstruction) ? systemInstruction : undefined;
  const systemKey = nameOf("systemInstruction", within);
  request.messages = decodeHistory(system, contents, "contents", context, systemKey);
  noteUnsigned(request, dialect);
  if (isSdk) {
    storeForm(request, dialect, "config", true);
    trail.enter("config");
  }
  if (Array.isArray(tools)) {
    taken.push("tools");
    request.tools = decodeTools(tools, context);
    if (tools.length === 0) storeForm(request, dialect, "tools", "empty");
  }
  if (isSdk) trail.leave();
  if (isObject(toolConfig)) {
    taken.push("toolConfig");
    const inner: Spelling = {};
    decodeToolConfig(toolConfig, request, inner, dialect);
    noteInner(within, "toolConfig", inner);
  }
  if (isObject(generationConfig)) {
    taken.push("generationConfig");
    const inner: Spelling = isSdk ? within : {};
    decodeConfig(generationConfig, request, inner, dialect);
    noteInner(spelling, isSdk ? "config" : "generationConfig", inner);
  }
  keepRest(request, body, taken, dialect);
  keepNames(request, dialect, spelling);
  return request;
}

/** The list of contents; the SDK takes a single one, too. */
function readContents({ contents }: JsonObject, request: ModelRequest, context: DecodeContext): readonly JsonValue[] {
  if (Array.isArray(contents)) return contents;
  if (contents === undefined) context.fail("missing-field", 'The field "contents" is missing.', "contents");
  if (!isContent(contents)) context.fail("wrong-type", `Expected a list, found ${kindOf(contents)}.`, "contents");
  storeForm(request, context.dialect, "contents", "one");
  return [contents];
}

/** The body that the SDK would send for its own parameters. */
function fromSdk(wire: JsonObject, config: JsonObject): JsonObject {
  const body = unknownFields(wire, CONFIG) ?? {};
  const settings: JsonObject = {};
  for (const key of Object.keys(config)) {
    copyField(config, key, IN_CONFIG.has(key) ? body : settings);
  }
  body["generationConfig"] = settings;
  return body;
}
const CONFIG: ReadonlySet<string> = new Set(["config"]);

function toSdk(wire: JsonObject): JsonObject {
  const body: JsonObject = {};
  const config: JsonObject = {};
  const { generationConfig } = wire;
  for (const key of Object.keys(wire)) {
    if (key !== "generationConfig") copyField(wire, key, IN_CONFIG.has(key) ? config : body);
  }
  if (isObject(generationConfig))
    for (const key of Object.keys(generationConfig)) copyField(generationConfig, key, config);
  body["config"] = config;
  return body;
}

const CARRIED_FIELDS = [
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
const CARRIED: ReadonlySet<string> = new Set(CARRIED_FIELDS);

export function encodeRequest(request: ModelRequest, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const { model, tools, stream } = request;
  const { dialect, report } = context;
  const form = readForm(request, dialect);
  const writing = newWriting(context, false, model);
  let wire: JsonObject = {};
  const history = context.pathTracker.into("messages", () => encodeHistory(request.messages, writing, model));
  if (history.systemInstruction !== undefined) wire["systemInstruction"] = history.systemInstruction;
  const [only] = history.contents;
  const isOne = form["contents"] === "one" && history.contents.length === 1 && only !== undefined;
  wire["contents"] = isOne ? only : history.contents;
  if (form["contents"] !== undefined && !isOne) report.addLoss("form-stale", ["extra", dialect, "$form", "contents"]);
  const declared = encodeTools(tools ?? [], writing);
  // Gemini takes an empty list for none, where it was said so.
  if (declared.length > 0 || (tools?.length === 0 && (!context.repair || form["tools"] === "empty"))) {
    wire["tools"] = declared;
  } else if (tools?.length === 0) report.addLoss("tools-empty", "tools");
  const toolConfig = encodeToolConfig(request, declared, writing);
  if (toolConfig !== undefined) wire["toolConfig"] = toolConfig;
  const config = encodeConfig(request, context);
  if (config !== undefined) wire["generationConfig"] = config;
  if (form["model"] === "body" && model !== undefined) wire["model"] = model;
  reportUnsupportedFields(request, CARRIED, context, "field-unsaid");
  reportNotPortableResidue(request, context, STORED_CONTEXT);
  restoreResidue(wire, request, context, "generationConfig", "thinkingConfig", "toolConfig", "functionCallingConfig");
  if (form["config"] === true) wire = toSdk(wire);
  const names = withTextTools(writing.names.names, tools);
  return {
    wire: writeNames(wire, request, context),
    address: { ...(model !== undefined && { model }), ...(stream !== undefined && { stream }) },
    ...(names && { names }),
  };
}
