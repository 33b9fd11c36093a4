// Counts the input tokens of a request. A provider with a count endpoint counts them; otherwise the server estimates
// the count, and the reply states that the count is an estimate.
import type { HttpExchange, OpenAttempt, PreparedCall, Target } from "../../calls/index.ts";
import { AttemptFailure, createExchange, readReplyText, runAttempts, sendRequest } from "../../calls/index.ts";
import { countInputTokens } from "../../client/demo/count-tokens.ts";
import type { ModelRequest } from "../../model/index.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/json-body.ts";
import { escapeHeader } from "../http/escape-header.ts";
import type { ServerReply, ServerRequest } from "../types.ts";
import type { ClientProtocol } from "./protocols.ts";
import { pickForwardedHeaders } from "./handle-request.ts";
import type { GatewayContext } from "./handle-request.ts";
import { toCallFailure, encodeFailureReply } from "./call-failure.ts";
import { getModelRouter } from "./model-router.ts";
import { GatewayCall } from "./gateway-call.ts";

/** The wire format of a dialect's token count endpoint. */
interface CountProtocol {
  /** Converts the body of a model request to the body of a count request. */
  toCountBody(wire: JsonObject, model: string): JsonObject;
  /** Returns the client's count body with the given model name. */
  withModel(wire: JsonObject, model: string): JsonObject;
  /** Returns the body of the model request that a count body contains. */
  toRequestBody(wire: JsonObject): JsonObject;
  /** The field of the reply that contains the count. */
  field: string;
}

/** The fields that Anthropic's count endpoint accepts, besides `model`. */
const ANTHROPIC_COUNTED_FIELDS = [
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "cache_control",
];
const GEMINI_WRAPPER = "generateContentRequest";

const COUNT_PROTOCOLS: Readonly<Partial<Record<string, CountProtocol>>> = {
  anthropic: {
    toCountBody: (wire, model) => ({ model, ...pickFields(wire, ANTHROPIC_COUNTED_FIELDS) }),
    withModel: (wire, model) => ({ ...wire, model }),
    toRequestBody: (wire) => wire,
    field: "input_tokens",
  },
  gemini: {
    toCountBody: (wire, model) => ({ [GEMINI_WRAPPER]: { model: `models/${model}`, ...wire } }),
    withModel(wire, model) {
      const wrapped = wire[GEMINI_WRAPPER];
      return isObject(wrapped) ? { ...wire, [GEMINI_WRAPPER]: { ...wrapped, model: `models/${model}` } } : wire;
    },
    toRequestBody(wire) {
      const wrapped = wire[GEMINI_WRAPPER];
      if (!isObject(wrapped)) return wire;
      const { model: _, ...rest } = wrapped;
      return rest;
    },
    field: "totalTokens",
  },
};

function pickFields(wire: JsonObject, names: readonly string[]): JsonObject {
  const fields: JsonObject = {};
  for (const name of names) {
    const value = wire[name];
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function requireCountProtocol(dialect: string): CountProtocol {
  const countProtocol = COUNT_PROTOCOLS[dialect];
  if (countProtocol === undefined) throw new Error(`${dialect} does not count tokens.`);
  return countProtocol;
}

/** Replies with the provider's count, or with an estimate. */
export async function countTokens(
  { services }: GatewayContext,
  protocol: ClientProtocol,
  request: ServerRequest,
  pathModel?: string,
): Promise<ServerReply> {
  const countProtocol = requireCountProtocol(protocol.id);
  try {
    const wire = await readJson(request, services.config.limits);
    if (!isObject(wire)) throw new ServerError("invalid-request", "The body must be a JSON object.");
    const model = pathModel ?? readModelName(wire["model"]);
    const headers = pickForwardedHeaders(protocol, request.headers);
    const decode = (): ModelRequest =>
      protocol.dialect.decodeRequest(countProtocol.toRequestBody(wire), {
        address: { ...(model !== undefined && { model }), headers },
      });
    const call = new GatewayCall(services.clientContext, {
      getRequest: decode,
      forwardable: {
        dialect: protocol.id,
        headers,
        body: (name) => stringifyJson(countProtocol.withModel(wire, name)),
      },
      route: getModelRouter(services).route(model),
      stream: false,
      signal: request.signal,
    });
    try {
      const { value: tokens, target } = await runAttempts(call, (...attempt) => attemptCount(call, ...attempt));
      return createCountReply(
        countProtocol,
        target.info.provider,
        tokens ?? countInputTokens(decode()),
        tokens === undefined,
      );
    } finally {
      call.scope.close();
    }
  } catch (thrown) {
    const failure = toCallFailure(thrown);
    if (failure.code === "internal") throw thrown;
    return encodeFailureReply(protocol, failure);
  }
}

function readModelName(model: JsonValue | undefined): string | undefined {
  return typeof model === "string" ? model : undefined;
}

/** Runs one attempt to count with the provider. Returns undefined if the provider has no count endpoint. */
async function attemptCount(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<number | undefined> {
  const { adapter, info } = target;
  const url = adapter.kind === "http" ? adapter.tokenCountUrl(info.model) : undefined;
  if (adapter.kind !== "http" || ready.kind !== "http" || url === undefined) return undefined;
  const { prepared } = ready;
  const countProtocol = requireCountProtocol(adapter.config.dialect);
  const { body } = prepared.request;
  const countBody = call.isForwarded ? body : stringifyJson(countProtocol.toCountBody(parseObject(body), info.model));
  const counted = { ...prepared, request: { ...prepared.request, url, body: countBody } };
  const exchange = createExchange(call, target, { ...ready, prepared: counted }, attempt);
  if (exchange === undefined) return undefined;
  const text = await readCount(exchange);
  attempt.end({});
  if (text === undefined) return undefined;
  const tokens = parseObject(text)[countProtocol.field];
  if (typeof tokens === "number") return tokens;
  throw new AttemptFailure({ kind: "server", message: `The reply has no ${countProtocol.field}.`, raw: text });
}

/** The HTTP status codes with which a provider replies if it lacks the count endpoint of its dialect. */
const STATUS_WITHOUT_COUNTING: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

async function readCount(exchange: HttpExchange): Promise<string | undefined> {
  try {
    return await readReplyText(await sendRequest(exchange), exchange);
  } catch (thrown) {
    if (thrown instanceof AttemptFailure && STATUS_WITHOUT_COUNTING.has(thrown.error.status)) return undefined;
    throw thrown;
  }
}

function parseObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    // Text that is not JSON is treated as an object without fields, so it contains no count.
    return {};
  }
}

function createCountReply(
  { field }: CountProtocol,
  provider: string,
  tokens: number,
  isEstimated: boolean,
): ServerReply {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-koine-provider": escapeHeader(provider),
  };
  if (!isEstimated) return { status: 200, headers, body: JSON.stringify({ [field]: tokens }) };
  headers["x-koine-estimated"] = "true";
  return { status: 200, headers, body: JSON.stringify({ [field]: tokens, estimated: true }) };
}
