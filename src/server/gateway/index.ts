// The gateway: the endpoints that the official SDKs call, in front of every provider. The routes stand here; what
// happens to a request is exchange.ts.
import type { Recorder } from "../record/types.ts";
import type { Operation, ServerModule, Route, ServerRequest, Services } from "../types.ts";
import { ModelCatalog } from "./catalogue.ts";
import { countTokens } from "./count.ts";
import type { ClientProtocol, DoorId } from "./doors.ts";
import { DOORS } from "./doors.ts";
import type { Gateway } from "./exchange.ts";
import { exchange, withRequestId } from "./exchange.ts";
import { failureOfCall, failureReply } from "./failure.ts";
import { Heartbeats } from "./heartbeats.ts";
import { askerOf, findModel, listModels } from "./models.ts";

type Paths = Route["paths"];

/** Base URLs have a version or not, and SDKs add theirs: the same path with one, without, and with two. */
function versioned(path: string, version = "/v1"): Paths {
  return [`${version}${path}`, path, `${version}${version}${path}`];
}

const GEMINI_VERSIONS = ["/v1beta", "/v1", "/v1alpha"];

/** Gemini's paths, in the versions that its SDK may be told to use; some leave out "models" before a name with a slash. */
function geminiPaths(verb: string): Paths {
  const path = `/models/*model:${verb}`;
  const short = `/*model:${verb}`;
  const others = GEMINI_VERSIONS.flatMap((version) => [version + path, version + short, version + version + path]);
  return [`/v1beta${path}`, ...others.slice(1), path, short];
}

const HEADERS: NonNullable<Operation["headers"]> = {
  "x-koine-thread": { type: "string", description: "The thread to go on with; one that is not there is made." },
  "x-koine-record": { type: "string", enum: ["on", "off"], description: "Whether the call is recorded." },
  "x-koine-on-breaks": {
    type: "string",
    enum: ["refuse", "send"],
    description: "What to do where the model would be asked another question than was said. Default: refuse.",
  },
  "idempotency-key": { type: "string", description: "The same key with the same request is answered once." },
};

function operation(id: string, summary: string, more: Partial<Operation> = {}): Operation {
  const replies: Operation["replies"] = {
    200: { description: "As the protocol has it, whole or as a stream.", schema: { type: "object" } },
    400: { description: "In the protocol's own shape of an error.", schema: { type: "object" } },
  };
  return { id, tag: "gateway", summary, headers: HEADERS, body: { type: "object" }, replies, ...more };
}

export function gatewayModule(services: Services, recorder: Recorder): ServerModule {
  const gateway: Gateway = { services, recorder, heartbeats: new Heartbeats(services.config.heartbeatMs) };
  return {
    routes: [...bodyRoutes(gateway), ...geminiRoutes(gateway), ...countRoutes(gateway), ...modelRoutes(gateway)],
  };
}

/** In the words of the protocol, whatever failed. */
function failureFor(door: ClientProtocol): NonNullable<Route["formatError"]> {
  return (error, request) => withRequestId(door, request, failureReply(door, failureOfCall(error)));
}

function post(door: ClientProtocol, paths: Paths, about: Operation, run: Route["run"]): Route {
  return { method: "POST", paths, operation: about, countsAsOpenCall: true, formatError: failureFor(door), run };
}

/** The protocols that name the model in the body. */
function bodyRoutes(gateway: Gateway): Route[] {
  const rows: readonly (readonly [DoorId, path: string, id: string, summary: string])[] = [
    ["openai-chat", "/chat/completions", "createChatCompletion", "OpenAI Chat Completions."],
    ["openai-responses", "/responses", "createResponse", "OpenAI Responses, answered by any provider."],
    ["anthropic", "/messages", "createMessage", "Anthropic Messages."],
  ];
  return rows.map(([id, path, name, summary]) =>
    post(DOORS[id], versioned(path), operation(name, summary), (request, caller) =>
      exchange(gateway, DOORS[id], request, caller),
    ),
  );
}

function modelIn({ params }: ServerRequest): string {
  return params["model"] ?? "";
}

function geminiRoutes(gateway: Gateway): Route[] {
  const door = DOORS.gemini;
  const about = { id: "generateContent", summary: "Gemini's generateContent." };
  const streamed = {
    id: "streamGenerateContent",
    summary: "Gemini's streamGenerateContent: events with alt=sse, else one list that grows.",
    query: { alt: { type: "string", enum: ["sse", "json"] } },
  };
  return [
    post(door, geminiPaths("generateContent"), operation(about.id, about.summary), (request, caller) =>
      exchange(gateway, door, request, caller, { model: modelIn(request), stream: false }),
    ),
    post(
      door,
      geminiPaths("streamGenerateContent"),
      operation(streamed.id, streamed.summary, { query: streamed.query }),
      (request, caller) => {
        const isList = request.query.get("alt") !== "sse";
        return exchange(gateway, door, request, caller, { model: modelIn(request), stream: true, isList });
      },
    ),
  ];
}

function countRoutes(gateway: Gateway): Route[] {
  const headers = { "anthropic-version": { type: "string" } };
  const { anthropic, gemini } = DOORS;
  return [
    post(
      anthropic,
      versioned("/messages/count_tokens"),
      operation("countMessageTokens", "Tokens of a request, counted by its provider or estimated.", { headers }),
      async (request) => withRequestId(anthropic, request, await countTokens(gateway, anthropic, request)),
    ),
    post(
      gemini,
      geminiPaths("countTokens"),
      operation("countTokens", "Tokens of contents, counted by their provider or estimated.", { headers: {} }),
      (request) => countTokens(gateway, gemini, request, modelIn(request)),
    ),
  ];
}

function geminiAsker(): DoorId {
  return "gemini";
}

function modelRoutes({ services }: Gateway): Route[] {
  const catalogue = new ModelCatalog(services.session, services.log);
  const get = (paths: Paths, id: string, summary: string, askerFor: (request: ServerRequest) => DoorId): Route => {
    const replies: Operation["replies"] = { 200: { description: summary, schema: { type: "object" } } };
    const isOne = paths[0].includes("*");
    return {
      method: "GET",
      paths,
      operation: { id, tag: "gateway", summary, replies },
      formatError: (error, request) => failureReply(DOORS[askerFor(request)], failureOfCall(error)),
      run: (request) =>
        isOne
          ? findModel(services, askerFor(request), modelIn(request))
          : listModels(services, catalogue, askerFor(request)),
    };
  };
  return [
    get(versioned("/models"), "listModels", "Models that can be named, in OpenAI's or Anthropic's shape.", askerOf),
    get(versioned("/models/*model"), "getModel", "A model, in OpenAI's or Anthropic's shape.", askerOf),
    get(
      ["/v1beta/models", "/v1alpha/models"],
      "listGeminiModels",
      "Models that can be named, in Gemini's shape.",
      geminiAsker,
    ),
    get(
      ["/v1beta/models/*model", "/v1alpha/models/*model"],
      "getGeminiModel",
      "A model, in Gemini's shape.",
      geminiAsker,
    ),
  ];
}
