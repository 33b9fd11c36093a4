// Handles one HTTP request of the gateway: reads the body, opens the call, and creates the reply in the client's
// protocol.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { copyObject, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { ModelRequest } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { parseBody, readText } from "../http/json-body.ts";
import { echoSettings } from "../record/responses/echo-settings.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerReply, ServerRequest, Services } from "../types.ts";
import type { ClientProtocol, ClientProtocolId } from "./protocols.ts";
import { toCallFailure, encodeFailureReply } from "./call-failure.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { CallSpec, OpenCall, RecordOptions } from "./open-call.ts";
import { openCall } from "./open-call.ts";
import { createListFraming, createSseFraming } from "./client-stream.ts";
import { recordHeaders } from "./reply-headers.ts";
import type { StreamReplyOptions } from "./stream-reply.ts";
import { replayStreamReply, streamReply } from "./stream-reply.ts";
import type { ForwardableRequest } from "./gateway-call.ts";
import { replayWholeReply, wholeReply } from "./whole-reply.ts";

export interface GatewayContext {
  services: Services;
  recorder: Recorder;
  heartbeats: Heartbeats;
}

/** The fields of a Gemini request that the URL contains instead of the body. */
interface PathFields {
  model?: string;
  stream?: boolean;
  /** True for a Gemini stream without `alt=sse`, whose body is one JSON list. */
  isList?: boolean;
}

/** The parsed HTTP request: the body as text and as JSON (`wire`), and the fields that every protocol needs. */
interface ParsedRequest {
  protocol: ClientProtocol;
  text: string;
  wire: JsonObject;
  model: string | undefined;
  stream: boolean;
  isList: boolean;
  headers: Readonly<Record<string, string>>;
}

export async function handleGatewayRequest(
  gateway: GatewayContext,
  protocol: ClientProtocol,
  request: ServerRequest,
  caller: Caller,
  address: PathFields = {},
): Promise<ServerReply> {
  let open: OpenCall | undefined;
  try {
    const parsed = await parseRequest(gateway, protocol, request, address);
    open = await openCall(gateway.services, gateway.recorder, toCallSpec(gateway, parsed, request, caller));
    const work = parsed.stream ? answerStream(gateway, open, parsed) : answerWhole(open, parsed);
    // A recorded call continues if its client disconnects (B89), and shutdown waits for the call.
    if (open.recording !== undefined && !parsed.stream) gateway.services.background(work.catch(() => {}));
    return withRequestId(protocol, request, await work);
  } catch (thrown) {
    const failure = toCallFailure(thrown);
    // Internal errors are thrown, because the exchange logs them and formats their reply.
    if (failure.code === "internal") throw thrown;
    const reply = encodeFailureReply(protocol, failure);
    // A failed call is also recorded, so the error reply has the ids of its thread and run.
    if (open !== undefined) Object.assign(reply.headers, recordHeaders(open));
    return withRequestId(protocol, request, reply);
  }
}

/** Adds the request id to an Anthropic reply as `request-id`, the header that Anthropic's SDK reads. */
export function withRequestId({ id }: ClientProtocol, request: ServerRequest, reply: ServerReply): ServerReply {
  if (id === "anthropic") reply.headers["request-id"] ??= request.id;
  return reply;
}

async function parseRequest(
  { services }: GatewayContext,
  protocol: ClientProtocol,
  request: ServerRequest,
  { model, stream, isList = false }: PathFields,
): Promise<ParsedRequest> {
  const { limits } = services.config;
  const text = await readText(request);
  const wire = parseBody(text, limits);
  if (!isObject(wire)) throw new ServerError("invalid-request", "The body must be a JSON object.");
  return {
    protocol,
    text,
    wire,
    model: model ?? readModelName(wire["model"]),
    stream: stream ?? wire["stream"] === true,
    isList,
    headers: pickForwardedHeaders(protocol, request.headers),
  };
}

function readModelName(model: JsonValue | undefined): string | undefined {
  if (model === undefined || typeof model === "string") return model;
  throw new ServerError("invalid-request", "The model must be a string.", { path: "/model" });
}

/**
 * Returns the client's headers that are forwarded to a provider of the same dialect. Credentials are never forwarded.
 */
export function pickForwardedHeaders(
  { forwardedHeaders: names }: ClientProtocol,
  headers: ServerRequest["headers"],
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) forwarded[name] = value;
  }
  return forwarded;
}

function toCallSpec(gateway: GatewayContext, parsed: ParsedRequest, request: ServerRequest, caller: Caller): CallSpec {
  const { protocol, wire, stream, model, headers } = parsed;
  refuseUnsupported(protocol, wire);
  const requestHeaders = request.headers;
  const record = readRecordOptions(gateway, parsed, requestHeaders);
  return {
    caller,
    model,
    getRequest: once(() => decodeParsedRequest(parsed)),
    dialect: protocol.id,
    forwardable: parsed.isList ? undefined : toForwardableRequest(parsed),
    headers,
    record,
    previousResponse: record === undefined ? readPreviousResponseId(parsed) : undefined,
    stream,
    signal: () => request.signal,
    onBreaks: requestHeaders["x-koine-on-breaks"] === "send" ? "send" : "refuse",
    traceparent: requestHeaders["traceparent"],
  };
}

/**
 * Throws if the request uses a feature of the protocol that Koine does not support, instead of ignoring the feature.
 */
function refuseUnsupported({ id }: ClientProtocol, wire: JsonObject): void {
  if (id !== "openai-responses" || wire["background"] !== true) return;
  const message = "background is not supported: remove it, and use a stream for long answers.";
  throw new ServerError("unsupported", message, { path: "/background" });
}

function once<T>(create: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: create() }).value;
}

function decodeParsedRequest({ protocol, wire, model, stream, headers }: ParsedRequest): ModelRequest {
  const address = { ...(model !== undefined && { model }), ...(stream && { stream }), headers };
  return protocol.dialect.decodeRequest(wire, { address });
}

/**
 * Returns the client's body for forwarding; undefined if the body cannot be forwarded. The text is unchanged if the
 * provider uses the same model name or the body has no model; otherwise the model name is replaced.
 */
function toForwardableRequest({ protocol, text, wire, headers }: ParsedRequest): ForwardableRequest | undefined {
  if (protocol.id === "anthropic" && EMPTY_SIGNATURE.test(text)) return undefined;
  const hasModelInBody = typeof wire["model"] === "string";
  return {
    dialect: protocol.id,
    headers,
    body: (model) => (!hasModelInBody || wire["model"] === model ? text : replaceModel(wire, model)),
  };
}

/**
 * Matches reasoning with an empty signature. This gateway encodes reasoning of other providers with such a signature,
 * but Anthropic rejects it. The request is therefore translated instead of forwarded, which drops the block.
 */
const EMPTY_SIGNATURE = /"signature"\s*:\s*""/;

function replaceModel(wire: JsonObject, model: string): string {
  const copy = copyObject(wire);
  copy["model"] = model;
  return stringifyJson(copy);
}

const OFF: ReadonlySet<string | undefined> = new Set(["off", "false", "no", "0"]);
const ON: ReadonlySet<string | undefined> = new Set(["on", "true", "yes", "1"]);

/**
 * Returns the options of the recording; undefined if the call is not recorded. The header `x-koine-record` has priority
 * over `store: false` in the body, which has priority over the configuration.
 */
function readRecordOptions(
  { services }: GatewayContext,
  parsed: ParsedRequest,
  headers: ServerRequest["headers"],
): RecordOptions | undefined {
  const { store } = parsed.wire;
  const recordHeader = headers["x-koine-record"];
  if (OFF.has(recordHeader)) return undefined;
  const isStored = store !== false && services.config.record.enabled;
  if (!isStored && !ON.has(recordHeader)) return undefined;
  const options: RecordOptions = {
    thread: headers["x-koine-thread"],
    idempotencyKey: headers["idempotency-key"],
    userAgent: headers["user-agent"],
  };
  if (parsed.protocol.id !== "openai-responses") return options;
  return { ...options, referable: true, previousResponse: readPreviousResponseId(parsed) };
}

function readPreviousResponseId({ protocol, wire }: ParsedRequest): string | undefined {
  const { previous_response_id: previous } = wire;
  return protocol.id === "openai-responses" && typeof previous === "string" ? previous : undefined;
}

/** The prefix of a new response id in each protocol. */
const RESPONSE_ID_PREFIXES: Readonly<Record<ClientProtocolId, string>> = {
  "openai-chat": "chatcmpl-",
  "openai-responses": "resp_",
  anthropic: "msg_",
  gemini: "",
};

/**
 * Creates the response id for the client; returns undefined if the provider's id is used. A new id is needed if all
 * targets are local providers, whose ids repeat. It is also needed if the answer of a recorded Responses call may come
 * from another dialect, because clients refer to the id later.
 */
function createResponseId({ recording, call, spec }: OpenCall, { protocol }: ParsedRequest): string | undefined {
  const isLocal = call.targets.every(({ adapter }) => adapter.kind === "local");
  if (!isLocal && (recording === undefined || protocol.id !== "openai-responses")) return undefined;
  const { adapter } = call.targets[0];
  const isProviderId = call.targets.length === 1 && adapter.kind === "http" && adapter.config.dialect === protocol.id;
  return isProviderId
    ? undefined
    : RESPONSE_ID_PREFIXES[protocol.id] + (recording?.runId ?? spec.caller.ledger.newId());
}

/** Returns the function that adds the request's settings to a Responses object; undefined for other protocols. */
function createSettingsEcho({ spec }: OpenCall, { protocol }: ParsedRequest): StreamReplyOptions["echoSettings"] {
  if (protocol.id !== "openai-responses") return undefined;
  // The request is decoded only when the function is called, because pass-through streams never call it.
  const echo = once(() => echoSettings({}, (spec.getOriginalRequest ?? spec.getRequest)()));
  return (wire) => echo()(wire);
}

async function answerWhole(open: OpenCall, parsed: ParsedRequest): Promise<ServerReply> {
  const earlierAnswer = open.recording?.earlierAnswer;
  try {
    if (earlierAnswer !== undefined) return replayWholeReply(open, earlierAnswer, parsed.protocol);
    return await wholeReply(open, parsed.protocol, createResponseId(open, parsed));
  } catch (thrown) {
    await open.giveUp(thrown);
    throw thrown;
  }
}

async function answerStream(
  { heartbeats }: GatewayContext,
  open: OpenCall,
  parsed: ParsedRequest,
): Promise<ServerReply> {
  const earlierAnswer = open.recording?.earlierAnswer;
  try {
    const streaming = toStreamReplyOptions(open, parsed);
    if (earlierAnswer !== undefined) return replayStreamReply(open, earlierAnswer, streaming);
    return await streamReply(open, streaming, heartbeats);
  } catch (thrown) {
    await open.giveUp(thrown);
    throw thrown;
  }
}

function toStreamReplyOptions(open: OpenCall, parsed: ParsedRequest): StreamReplyOptions {
  const { protocol, wire, isList } = parsed;
  const options = wire["stream_options"];
  return {
    protocol,
    framing: isList ? createListFraming(protocol) : createSseFraming(protocol),
    contentType: isList ? "application/json; charset=utf-8" : "text/event-stream; charset=utf-8",
    // The heartbeat of a list is a line break, because JSON parsers ignore white space between list elements.
    heartbeat: isList ? "\n" : protocol.heartbeat,
    canPassBytes: !isList,
    includeUsage: protocol.id !== "openai-chat" || (isObject(options) && options["include_usage"] === true),
    responseId: createResponseId(open, parsed),
    now: open.services.clock,
    echoSettings: createSettingsEcho(open, parsed),
    getRequest: open.spec.getRequest,
  };
}
