// What a request costs in tokens: counted by the provider where it counts, else estimated, and said so.
import { runAttempts } from "../../client/calls/ask.ts";
import type { OpenAttempt } from "../../client/calls/attempts.ts";
import type { PreparedCall, Target } from "../../client/calls/call.ts";
import { AttemptFailure } from "../../client/calls/failure.ts";
import type { HttpExchange } from "../../client/calls/http.ts";
import { readAnswer, send } from "../../client/calls/http.ts";
import { exchangeOf } from "../../client/calls/open.ts";
import { inputTokens } from "../../client/demo/tokens.ts";
import type { ModelRequest } from "../../model/index.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { parseJson, stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/body.ts";
import { headerText } from "../http/header-text.ts";
import type { Reply, ServerRequest } from "../types.ts";
import type { ClientProtocol } from "./doors.ts";
import { passedHeaders } from "./exchange.ts";
import type { Gateway } from "./exchange.ts";
import { failureOfCall, failureReply } from "./failure.ts";
import { routerOf } from "./routing.ts";
import { GatewayCall } from "./upstream.ts";

/** How each dialect that counts says what is to be counted, and the count. */
interface Counting {
  /** From the body of a request for an answer. */
  body(wire: JsonObject, model: string): JsonObject;
  /** The client's own body, with another name of the model. */
  renamed(wire: JsonObject, model: string): JsonObject;
  /** The body of a request for an answer, within one that is to be counted. */
  counted(wire: JsonObject): JsonObject;
  field: string;
}

/** What Anthropic counts; everything else it refuses there. */
const COUNTED = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"];
const WHOLE = "generateContentRequest";

const COUNTING: Readonly<Partial<Record<string, Counting>>> = {
  anthropic: {
    body: (wire, model) => ({ model, ...picked(wire, COUNTED) }),
    renamed: (wire, model) => ({ ...wire, model }),
    counted: (wire) => wire,
    field: "input_tokens",
  },
  gemini: {
    body: (wire, model) => ({ [WHOLE]: { model: `models/${model}`, ...wire } }),
    renamed(wire, model) {
      const whole = wire[WHOLE];
      return isObject(whole) ? { ...wire, [WHOLE]: { ...whole, model: `models/${model}` } } : wire;
    },
    counted(wire) {
      const whole = wire[WHOLE];
      if (!isObject(whole)) return wire;
      const { model: _, ...rest } = whole;
      return rest;
    },
    field: "totalTokens",
  },
};

function picked(wire: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of names) {
    const value = wire[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

function countingOf(dialect: string): Counting {
  const counting = COUNTING[dialect];
  if (counting === undefined) throw new Error(`${dialect} does not count tokens.`);
  return counting;
}

/** A count, or undefined where nobody counted. */
export async function countTokens(
  { services }: Gateway,
  door: ClientProtocol,
  request: ServerRequest,
  named?: string,
): Promise<Reply> {
  const counting = countingOf(door.id);
  try {
    const wire = await readJson(request, services.config.limits);
    if (!isObject(wire)) throw new ServerError("invalid-request", "The body must be a JSON object.");
    const model = named ?? modelOf(wire["model"]);
    const headers = passedHeaders(door, request.headers);
    const decode = (): ModelRequest =>
      door.dialect.decodeRequest(counting.counted(wire), {
        address: { ...(model !== undefined && { model }), headers },
      });
    const call = new GatewayCall(services.session, {
      request: decode,
      wording: { dialect: door.id, headers, body: (name) => stringifyJson(counting.renamed(wire, name)) },
      route: routerOf(services).route(model),
      stream: false,
      signal: request.signal,
    });
    try {
      const { value: tokens, target } = await runAttempts(call, (...tried) => tryCount(call, ...tried));
      return reply(counting, target.asked.provider, tokens ?? inputTokens(decode()), tokens === undefined);
    } finally {
      call.scope.close();
    }
  } catch (thrown) {
    const failure = failureOfCall(thrown);
    if (failure.code === "internal") throw thrown;
    return failureReply(door, failure);
  }
}

function modelOf(model: JsonValue | undefined): string | undefined {
  return typeof model === "string" ? model : undefined;
}

async function tryCount(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<number | undefined> {
  const { link, asked } = target;
  const url = link.kind === "http" ? link.countUrl(asked.model) : undefined;
  if (link.kind !== "http" || ready.kind !== "http" || url === undefined) return undefined;
  const { prepared } = ready;
  const counting = countingOf(link.config.dialect);
  const { body } = prepared.request;
  const said = call.isForwarded ? body : stringifyJson(counting.body(objectOf(body), asked.model));
  const counted = { ...prepared, request: { ...prepared.request, url, body: said } };
  const exchange = exchangeOf(call, target, { ...ready, prepared: counted }, attempt);
  if (exchange === undefined) return undefined;
  const text = await readCount(exchange);
  attempt.end({});
  if (text === undefined) return undefined;
  const tokens = objectOf(text)[counting.field];
  if (typeof tokens === "number") return tokens;
  throw new AttemptFailure({ kind: "server", message: `The reply has no ${counting.field}.`, raw: text });
}

/** What providers that do not count say, as some that speak a dialect which does. */
const NOT_COUNTING: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

async function readCount(exchange: HttpExchange): Promise<string | undefined> {
  try {
    return await readAnswer(await send(exchange), exchange);
  } catch (thrown) {
    if (thrown instanceof AttemptFailure && NOT_COUNTING.has(thrown.error.status)) return undefined;
    throw thrown;
  }
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    // It says nothing that could be read; whoever looks for a field finds none.
    return {};
  }
}

function reply({ field }: Counting, provider: string, tokens: number, isEstimated: boolean): Reply {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-koine-provider": headerText(provider),
  };
  if (!isEstimated) return { status: 200, headers, body: JSON.stringify({ [field]: tokens }) };
  headers["x-koine-estimated"] = "true";
  return { status: 200, headers, body: JSON.stringify({ [field]: tokens, estimated: true }) };
}
