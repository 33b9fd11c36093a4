// Requests, both ways: the body, and what travels in the URL beside it.
import type { JsonObject } from "../../model/json.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { RequestEnvelope, DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../dialect.ts";
import { REQUEST_FIELDS } from "../kit/carried.ts";
import { NameBook } from "../kit/names.ts";
import { STORED_CONTEXT } from "../kit/provider-losses.ts";
import { copyField, isObject, readObject } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { withTextTools } from "../kit/text-tools.ts";
import { startReading } from "./decode-block.ts";
import { decodeHistory, decodeSystem } from "./decode-messages.ts";
import { startWriting } from "./encode-block.ts";
import { encodeHistory, NAMES } from "./encode-history.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";
import { CLAUDE, CONTINUES_NOTHING } from "./models.ts";
import { decodeInference, decodeMore, decodeOutput, encodeSettings, INFERENCE, MORE, OUTPUT } from "./settings.ts";
import { decodeToolConfig, encodeToolConfig, makeTools } from "./tool-config.ts";
import type { Writing } from "./writing.ts";

const METADATA = "requestMetadata";

export function decodeRequest(value: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const { dialect } = context;
  const { system, messages, modelId, [OUTPUT]: output } = wire;
  const reading = startReading(context);
  const leading = system === undefined ? undefined : decodeSystem(system, reading);
  // A stored prompt has messages of its own.
  if (messages === undefined && typeof modelId !== "string" && wire["promptVariables"] === undefined) {
    context.fail("missing-field", "There are no messages.", "messages");
  }
  const request: ModelRequest = {
    messages: decodeHistory(leading ?? [], messages === undefined ? [] : messages, reading),
  };
  if (messages === undefined) storeForm(request, dialect, "messages", "none");
  if (isObject(output)) decodeOutput(output, request, dialect);
  for (const key in wire) {
    if (key === "system" && leading !== undefined) continue;
    if (!decodeField(wire, key, request, context)) keepField(request, wire, key, dialect);
  }
  if (request.model === undefined && address?.model !== undefined) request.model = address.model;
  if (address?.stream !== undefined) request.stream = address.stream;
  return request;
}

/** Reads one field into the request; false where it is of another kind, or has no word. */
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
    case INFERENCE:
      decodeInference(value, request, context.dialect);
      return true;
    case MORE:
      decodeMore(value, request, context.dialect);
      return true;
    case OUTPUT:
      // It was read first.
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
    else keepField(request, wire, key, dialect, [METADATA]);
  }
  request.metadata = metadata;
}

export function encodeRequest(request: ModelRequest, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const { model = "", messages } = request;
  const { pathTracker: trail, repair, dialect } = context;
  const form = readForm(request, dialect);
  const names = new NameBook(NAMES, NAMES, context);
  const writing = startWriting(context, names, CLAUDE.test(model));
  const wire: JsonObject = {};
  const address = writeAddress(request, wire, form);
  encodeToolConfig(request, wire, writing);
  trail.enter("messages");
  const history = encodeHistory(messages, writing, {
    noTrailingSpace: writing.isSigner,
    noPrefill: CONTINUES_NOTHING.test(model),
    isOptional: form["messages"] === "none",
  });
  trail.leave();
  if (history.system !== undefined) wire["system"] = history.system;
  if (history.messages.length > 0 || form["messages"] !== "none") wire["messages"] = history.messages;
  encodeSettings(request, wire, writing);
  encodeMetadata(request, wire, writing);
  if (repair) makeTools(wire, writing);
  restoreResidue(wire, request, context, ...INNER);
  reportNotPortableResidue<Code>(request, context, STORED_CONTEXT);
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsaid");
  const changed = withTextTools(names.names, request.tools);
  return { wire, ...(address && { address }), ...(changed && { names: changed }) };
}

/** Objects of the body that residue mirrors. */
const INNER = [INFERENCE, MORE, OUTPUT, METADATA, "toolConfig", "textFormat", "structure", "jsonSchema"];

/** The model and whether to stream are said by the URL; the SDK's own form has the model beside the rest. */
function writeAddress(
  { model, stream }: ModelRequest,
  wire: JsonObject,
  form: JsonObject,
): RequestEnvelope | undefined {
  const address: RequestEnvelope = {};
  if (model !== undefined) {
    if (form["model"] === "body") wire["modelId"] = model;
    address.model = model;
  }
  if (stream !== undefined) address.stream = stream;
  return Object.keys(address).length > 0 ? address : undefined;
}

function encodeMetadata({ metadata }: ModelRequest, wire: JsonObject, { context }: Writing): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const said: JsonObject = {};
  for (const key of keys) {
    if (typeof metadata[key] === "string") copyField(metadata, key, said);
    else context.report.addLoss("field-unsaid", ["metadata", key]);
  }
  if (keys.length === 0 || Object.keys(said).length > 0) wire[METADATA] = said;
}
