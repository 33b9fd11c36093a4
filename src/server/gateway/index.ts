// Creates the gateway module: the routes that the official SDKs call.
import type { Recorder } from "../record/types.ts";
import type { Operation, ServerModule, Route, ServerRequest, Services } from "../types.ts";
import { ModelCatalog } from "./model-catalog.ts";
import { countTokens } from "./count-tokens.ts";
import type { ClientProtocol, ClientProtocolId } from "./protocols.ts";
import { CLIENT_PROTOCOLS } from "./protocols.ts";
import type { GatewayContext } from "./handle-request.ts";
import { handleGatewayRequest, withRequestId } from "./handle-request.ts";
import { toCallFailure, encodeFailureReply } from "./call-failure.ts";
import { Heartbeats } from "./heartbeats.ts";
import { detectListProtocol, showModel, listModels } from "./list-models.ts";

type RoutePaths = Route["paths"];

/**
 * Returns the path with the version, without it, and with it twice, because a base URL may or may not contain the
 * version and an SDK may add it again.
 */
function versionedPaths(path: string, version = "/v1"): RoutePaths {
  return [`${version}${path}`, path, `${version}${version}${path}`];
}

const GEMINI_VERSIONS = ["/v1beta", "/v1", "/v1alpha"];

/**
 * Returns Gemini's paths for a verb, in all versions that Gemini's SDK supports. Paths without "models/" are included,
 * because some clients omit "models/" before a model name with a slash.
 */
function geminiPaths(verb: string): RoutePaths {
  const path = `/models/*model:${verb}`;
  const short = `/*model:${verb}`;
  const others = GEMINI_VERSIONS.flatMap((version) => [version + path, version + short, version + version + path]);
  return [`/v1beta${path}`, ...others.slice(1), path, short];
}

const GATEWAY_HEADERS: NonNullable<Operation["headers"]> = {
  "x-koine-thread": { type: "string", description: "The thread to continue; it is created if it does not exist." },
  "x-koine-record": { type: "string", enum: ["on", "off"], description: "Records the call, or not." },
  "x-koine-on-breaks": {
    type: "string",
    enum: ["refuse", "send"],
    description: "The action if the translation would change the meaning of the request. Default: refuse.",
  },
  "idempotency-key": { type: "string", description: "The same key with the same request calls the model once." },
};

function gatewayOperation(id: string, summary: string, more: Partial<Operation> = {}): Operation {
  const replies: Operation["replies"] = {
    200: { description: "The answer in the protocol's format, whole or streamed.", schema: { type: "object" } },
    400: { description: "An error in the protocol's format.", schema: { type: "object" } },
  };
  return { id, tag: "gateway", summary, headers: GATEWAY_HEADERS, body: { type: "object" }, replies, ...more };
}

export function gatewayModule(services: Services, recorder: Recorder): ServerModule {
  const gateway: GatewayContext = { services, recorder, heartbeats: new Heartbeats(services.config.heartbeatMs) };
  return {
    routes: [...bodyRoutes(gateway), ...geminiRoutes(gateway), ...countRoutes(gateway), ...modelRoutes(gateway)],
  };
}

/** Returns the function that formats the errors of a route in the client's protocol. */
function createErrorFormatter(protocol: ClientProtocol): NonNullable<Route["formatError"]> {
  return (error, request) => withRequestId(protocol, request, encodeFailureReply(protocol, toCallFailure(error)));
}

function postRoute(protocol: ClientProtocol, paths: RoutePaths, about: Operation, run: Route["run"]): Route {
  return {
    method: "POST",
    paths,
    operation: about,
    countsAsOpenCall: true,
    formatError: createErrorFormatter(protocol),
    run,
  };
}

/** Creates the routes of the protocols that have the model in the body. */
function bodyRoutes(gateway: GatewayContext): Route[] {
  const rows: readonly (readonly [ClientProtocolId, path: string, id: string, summary: string])[] = [
    ["openai-chat", "/chat/completions", "createChatCompletion", "OpenAI Chat Completions."],
    ["openai-responses", "/responses", "createResponse", "OpenAI Responses, answered by any provider."],
    ["anthropic", "/messages", "createMessage", "Anthropic Messages."],
  ];
  return rows.map(([id, path, name, summary]) =>
    postRoute(CLIENT_PROTOCOLS[id], versionedPaths(path), gatewayOperation(name, summary), (request, caller) =>
      handleGatewayRequest(gateway, CLIENT_PROTOCOLS[id], request, caller),
    ),
  );
}

function readPathModel({ params }: ServerRequest): string {
  return params["model"] ?? "";
}

function geminiRoutes(gateway: GatewayContext): Route[] {
  const protocol = CLIENT_PROTOCOLS.gemini;
  const about = { id: "generateContent", summary: "Gemini's generateContent." };
  const streamed = {
    id: "streamGenerateContent",
    summary: "Gemini's streamGenerateContent: events with alt=sse, otherwise one growing JSON list.",
    query: { alt: { type: "string", enum: ["sse", "json"] } },
  };
  return [
    postRoute(protocol, geminiPaths("generateContent"), gatewayOperation(about.id, about.summary), (request, caller) =>
      handleGatewayRequest(gateway, protocol, request, caller, { model: readPathModel(request), stream: false }),
    ),
    postRoute(
      protocol,
      geminiPaths("streamGenerateContent"),
      gatewayOperation(streamed.id, streamed.summary, { query: streamed.query }),
      (request, caller) => {
        const isList = request.query.get("alt") !== "sse";
        return handleGatewayRequest(gateway, protocol, request, caller, {
          model: readPathModel(request),
          stream: true,
          isList,
        });
      },
    ),
  ];
}

function countRoutes(gateway: GatewayContext): Route[] {
  const headers = { "anthropic-version": { type: "string" } };
  const { anthropic, gemini } = CLIENT_PROTOCOLS;
  return [
    postRoute(
      anthropic,
      versionedPaths("/messages/count_tokens"),
      gatewayOperation("countMessageTokens", "Tokens of a request, counted by its provider or estimated.", { headers }),
      async (request) => withRequestId(anthropic, request, await countTokens(gateway, anthropic, request)),
    ),
    postRoute(
      gemini,
      geminiPaths("countTokens"),
      gatewayOperation("countTokens", "Tokens of a request, counted by its provider or estimated.", { headers: {} }),
      (request) => countTokens(gateway, gemini, request, readPathModel(request)),
    ),
  ];
}

function useGeminiShape(): ClientProtocolId {
  return "gemini";
}

function modelRoutes({ services }: GatewayContext): Route[] {
  const catalog = new ModelCatalog(services.clientContext, services.log);
  const get = (
    paths: RoutePaths,
    id: string,
    summary: string,
    detectProtocol: (request: ServerRequest) => ClientProtocolId,
  ): Route => {
    const replies: Operation["replies"] = { 200: { description: summary, schema: { type: "object" } } };
    const isOne = paths[0].includes("*");
    return {
      method: "GET",
      paths,
      operation: { id, tag: "gateway", summary, replies },
      formatError: (error, request) =>
        encodeFailureReply(CLIENT_PROTOCOLS[detectProtocol(request)], toCallFailure(error)),
      run: (request) =>
        isOne
          ? showModel(services, detectProtocol(request), readPathModel(request))
          : listModels(services, catalog, detectProtocol(request)),
    };
  };
  return [
    get(
      versionedPaths("/models"),
      "listModels",
      "Available models, in OpenAI's or Anthropic's format.",
      detectListProtocol,
    ),
    get(
      versionedPaths("/models/*model"),
      "getModel",
      "A model, in OpenAI's or Anthropic's format.",
      detectListProtocol,
    ),
    get(
      ["/v1beta/models", "/v1alpha/models"],
      "listGeminiModels",
      "Available models, in Gemini's format.",
      useGeminiShape,
    ),
    get(
      ["/v1beta/models/*model", "/v1alpha/models/*model"],
      "getGeminiModel",
      "A model, in Gemini's format.",
      useGeminiShape,
    ),
  ];
}
