// Lists the available models in the format that the client expects: OpenAI, Anthropic or Gemini.
import { ServerError } from "../errors.ts";
import type { ServerReply, ServerRequest, Services } from "../types.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import type { ClientProtocolId } from "./protocols.ts";
import type { KnownModel } from "./model-router.ts";
import { getModelRouter } from "./model-router.ts";

interface ModelListShape {
  one(model: KnownModel): object;
  all(models: readonly KnownModel[]): object;
}

/**
 * The creation time of every model, because the real time is unknown but OpenAI's and Anthropic's formats require it.
 */
const UNKNOWN_CREATED = 0;

function openaiModel({ id, provider }: KnownModel): object {
  return { id, object: "model", created: UNKNOWN_CREATED, owned_by: provider };
}

function anthropicModel({ id }: KnownModel): object {
  return { type: "model", id, display_name: id, created_at: new Date(UNKNOWN_CREATED).toISOString() };
}

function geminiModel({ id }: KnownModel): object {
  const supportedGenerationMethods = ["generateContent", "streamGenerateContent", "countTokens"];
  return { name: `models/${id}`, version: "001", displayName: id, supportedGenerationMethods };
}

const OPENAI: ModelListShape = {
  one: openaiModel,
  all: (models) => ({ object: "list", data: models.map(openaiModel) }),
};

const SHAPES: Readonly<Record<ClientProtocolId, ModelListShape>> = {
  "openai-chat": OPENAI,
  "openai-responses": OPENAI,
  anthropic: {
    one: anthropicModel,
    all: (models) => ({
      data: models.map(anthropicModel),
      has_more: false,
      first_id: models[0]?.id ?? null,
      last_id: models.at(-1)?.id ?? null,
    }),
  },
  gemini: { one: geminiModel, all: (models) => ({ models: models.map(geminiModel) }) },
};

/** Returns the protocol of a request to a path that OpenAI's and Anthropic's SDKs share. */
export function detectListProtocol({ headers }: Pick<ServerRequest, "headers">): ClientProtocolId {
  return headers["anthropic-version"] === undefined ? "openai-chat" : "anthropic";
}

/** Replies with the models of the configuration, followed by the models that the providers list. */
export async function listModels(
  services: Services,
  catalog: ModelCatalog,
  protocolId: ClientProtocolId,
): Promise<ServerReply> {
  const known = new Map(
    getModelRouter(services)
      .models()
      .map((model) => [model.id, model]),
  );
  for (const model of await catalog.models()) if (!known.has(model.id)) known.set(model.id, model);
  return okReply(SHAPES[protocolId].all([...known.values()]));
}

/**
 * Replies with the description of a model. Throws "not-found" if no route accepts the name, or if the name is routed to
 * a local provider that does not have the model.
 */
export function showModel(services: Services, protocolId: ClientProtocolId, name: string): ServerReply {
  const router = getModelRouter(services);
  const { targets } = router.route(name);
  const [first] = targets;
  const id = name.startsWith("models/") ? name.slice("models/".length) : name;
  const known = router.models().find((model) => model.id === id || model.id === first);
  const isLocal = services.clientContext.adapters.get(first.slice(0, first.indexOf("/")))?.kind === "local";
  if (known === undefined && isLocal)
    throw new ServerError("not-found", `The model "${id}" does not exist. GET /v1/models lists the available models.`, {
      path: "model",
    });
  return okReply(SHAPES[protocolId].one({ id, provider: first.slice(0, first.indexOf("/")) }));
}

function okReply(body: object): ServerReply {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
