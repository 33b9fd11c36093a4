// One request of an official SDK, from its body to its reply. The steps are the lines of `exchange`.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject, stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { ModelRequest } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { parseBody, readText } from "../http/body.ts";
import { restating } from "../record/responses/restate.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, Reply, ServerRequest, Services } from "../types.ts";
import type { ClientProtocol, DoorId } from "./doors.ts";
import { failureOfCall, failureReply } from "./failure.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { CallSpec, OpenCall, RecordOptions } from "./open-call.ts";
import { openCall } from "./open-call.ts";
import { listFraming, sseFraming } from "./outgoing.ts";
import { recordHeaders } from "./reply-headers.ts";
import type { Streaming } from "./stream-reply.ts";
import { earlierStream, streamReply } from "./stream-reply.ts";
import type { ForwardableRequest } from "./upstream.ts";
import { earlierReply, wholeReply } from "./whole-reply.ts";

export interface Gateway {
  services: Services;
  recorder: Recorder;
  heartbeats: Heartbeats;
}

/** What a protocol says in its path rather than in the body. */
interface PathAddress {
  model?: string;
  stream?: boolean;
  /** Gemini without `alt=sse`: a stream that is one list. */
  isList?: boolean;
}

/** A request as its protocol has it. */
interface ParsedRequest {
  door: ClientProtocol;
  text: string;
  wire: JsonObject;
  model: string | undefined;
  stream: boolean;
  isList: boolean;
  headers: Readonly<Record<string, string>>;
}

export async function exchange(
  gateway: Gateway,
  door: ClientProtocol,
  request: ServerRequest,
  caller: Caller,
  address: PathAddress = {},
): Promise<Reply> {
  let open: OpenCall | undefined;
  try {
    const asked = await readAsked(gateway, door, request, address);
    open = await openCall(gateway.services, gateway.recorder, specOf(gateway, asked, request, caller));
    const work = asked.stream ? answerStream(gateway, open, asked) : answerWhole(open, asked);
    // A recorded call goes on without its client (B89), and a shutdown waits for it.
    if (open.recording !== undefined && !asked.stream) gateway.services.background(work.catch(() => {}));
    return withRequestId(door, request, await work);
  } catch (thrown) {
    const failure = failureOfCall(thrown);
    // Whoever runs the routes logs what nobody foresaw, and asks for the reply to it.
    if (failure.code === "internal") throw thrown;
    const reply = failureReply(door, failure);
    // A failed run is in the record, too.
    if (open !== undefined) Object.assign(reply.headers, recordHeaders(open));
    return withRequestId(door, request, reply);
  }
}

/** Anthropic's SDK looks for the id of a request under a name of its own. */
export function withRequestId({ id }: ClientProtocol, request: ServerRequest, reply: Reply): Reply {
  if (id === "anthropic") reply.headers["request-id"] ??= request.id;
  return reply;
}

async function readAsked(
  { services }: Gateway,
  door: ClientProtocol,
  request: ServerRequest,
  { model, stream, isList = false }: PathAddress,
): Promise<ParsedRequest> {
  const { limits } = services.config;
  const text = await readText(request);
  const wire = parseBody(text, limits);
  if (!isObject(wire)) throw new ServerError("invalid-request", "The body must be a JSON object.");
  return {
    door,
    text,
    wire,
    model: model ?? modelOf(wire["model"]),
    stream: stream ?? wire["stream"] === true,
    isList,
    headers: passedHeaders(door, request.headers),
  };
}

function modelOf(model: JsonValue | undefined): string | undefined {
  if (model === undefined || typeof model === "string") return model;
  throw new ServerError("invalid-request", "The model must be a string.", { path: "/model" });
}

/** The client's headers that a provider of the same dialect should see; never one that authorises. */
export function passedHeaders(
  { forwardedHeaders: passes }: ClientProtocol,
  headers: ServerRequest["headers"],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of passes) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function specOf(gateway: Gateway, asked: ParsedRequest, request: ServerRequest, caller: Caller): CallSpec {
  const { door, wire, stream, model, headers } = asked;
  refuseUnsupported(door, wire);
  const given = request.headers;
  const record = recordWish(gateway, asked, given);
  return {
    caller,
    model,
    request: once(() => decode(asked)),
    dialect: door.id,
    wording: asked.isList ? undefined : wordingOf(asked),
    headers,
    record,
    previousResponse: record === undefined ? previousOf(asked) : undefined,
    stream,
    signal: () => request.signal,
    onBreaks: given["x-koine-on-breaks"] === "send" ? "send" : "refuse",
    traceparent: given["traceparent"],
  };
}

/** What the protocol has and Koine does not: said, rather than answered in another way. */
function refuseUnsupported({ id }: ClientProtocol, wire: JsonObject): void {
  if (id !== "openai-responses" || wire["background"] !== true) return;
  const message = "background is not supported: leave it out, and ask for a stream if the answer takes long.";
  throw new ServerError("unsupported", message, { path: "/background" });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function decode({ door, wire, model, stream, headers }: ParsedRequest): ModelRequest {
  const address = { ...(model !== undefined && { model }), ...(stream && { stream }), headers };
  return door.dialect.decodeRequest(wire, { address });
}

/** The client's own words: the very text where the model's name stays or stands elsewhere, else all of it but the name. */
function wordingOf({ door, text, wire, headers }: ParsedRequest): ForwardableRequest | undefined {
  if (door.id === "anthropic" && UNSIGNED.test(text)) return undefined;
  const isNamed = typeof wire["model"] === "string";
  return {
    dialect: door.id,
    headers,
    body: (model) => (!isNamed || wire["model"] === model ? text : renamed(wire, model)),
  };
}

/** Thoughts of another provider, as this gateway tells them: Anthropic refuses them, and a translation leaves them out. */
const UNSIGNED = /"signature"\s*:\s*""/;

function renamed(wire: JsonObject, model: string): string {
  const copy = copyObject(wire);
  copy["model"] = model;
  return stringifyJson(copy);
}

const OFF: ReadonlySet<string | undefined> = new Set(["off", "false", "no", "0"]);
const ON: ReadonlySet<string | undefined> = new Set(["on", "true", "yes", "1"]);

/** What is recorded, and as what: the header's word first, then the request's, then the configuration's. */
function recordWish(
  { services }: Gateway,
  asked: ParsedRequest,
  headers: ServerRequest["headers"],
): RecordOptions | undefined {
  const { store } = asked.wire;
  const word = headers["x-koine-record"];
  if (OFF.has(word)) return undefined;
  const isStored = store !== false && services.config.record.enabled;
  if (!isStored && !ON.has(word)) return undefined;
  const wish: RecordOptions = {
    thread: headers["x-koine-thread"],
    idempotencyKey: headers["idempotency-key"],
    userAgent: headers["user-agent"],
  };
  if (asked.door.id !== "openai-responses") return wish;
  return { ...wish, referable: true, previousResponse: previousOf(asked) };
}

function previousOf({ door, wire }: ParsedRequest): string | undefined {
  const { previous_response_id: previous } = wire;
  return door.id === "openai-responses" && typeof previous === "string" ? previous : undefined;
}

/** How ids of answers begin. */
const ID_PREFIXES: Readonly<Record<DoorId, string>> = {
  "openai-chat": "chatcmpl-",
  "openai-responses": "resp_",
  anthropic: "msg_",
  gemini: "",
};

/** An id of our own: what a Responses client refers to later must be unique, and local providers' ids are not. */
function responseIdOf({ recording, call, spec }: OpenCall, { door }: ParsedRequest): string | undefined {
  const isLocal = call.targets.every(({ link }) => link.kind === "local");
  if (!isLocal && (recording === undefined || door.id !== "openai-responses")) return undefined;
  const { link } = call.targets[0];
  const isTheirs = call.targets.length === 1 && link.kind === "http" && link.config.dialect === door.id;
  return isTheirs ? undefined : ID_PREFIXES[door.id] + (recording?.runId ?? spec.caller.ledger.newId());
}

/** What answers in another dialect do not say about the request. */
function restateOf({ spec }: OpenCall, { door }: ParsedRequest): Streaming["restate"] {
  if (door.id !== "openai-responses") return undefined;
  // Where the bytes of the upstream go on, it is never asked for.
  const restate = once(() => restating({}, (spec.said ?? spec.request)()));
  return (wire) => restate()(wire);
}

async function answerWhole(open: OpenCall, asked: ParsedRequest): Promise<Reply> {
  const earlier = open.recording?.earlier;
  try {
    if (earlier !== undefined) return earlierReply(open, earlier, asked.door);
    return await wholeReply(open, asked.door, responseIdOf(open, asked));
  } catch (thrown) {
    await open.giveUp(thrown);
    throw thrown;
  }
}

async function answerStream({ heartbeats }: Gateway, open: OpenCall, asked: ParsedRequest): Promise<Reply> {
  const earlier = open.recording?.earlier;
  try {
    const streaming = streamingOf(open, asked);
    if (earlier !== undefined) return earlierStream(open, earlier, streaming);
    return await streamReply(open, streaming, heartbeats);
  } catch (thrown) {
    await open.giveUp(thrown);
    throw thrown;
  }
}

function streamingOf(open: OpenCall, asked: ParsedRequest): Streaming {
  const { door, wire, isList } = asked;
  const options = wire["stream_options"];
  return {
    door,
    framing: isList ? listFraming(door) : sseFraming(door),
    contentType: isList ? "application/json; charset=utf-8" : "text/event-stream; charset=utf-8",
    // White space between the elements of a list says nothing.
    beat: isList ? "\n" : door.heartbeat,
    takesBytes: !isList,
    includeUsage: door.id !== "openai-chat" || (isObject(options) && options["include_usage"] === true),
    responseId: responseIdOf(open, asked),
    now: open.services.clock,
    restate: restateOf(open, asked),
    request: open.spec.request,
  };
}
