// The list of models, in the shape of whoever asks: OpenAI's, Anthropic's or Gemini's.
import { ServerError } from "../errors.ts";
import type { Reply, ServerRequest, Services } from "../types.ts";
import type { ModelCatalog } from "./catalogue.ts";
import type { DoorId } from "./doors.ts";
import type { KnownModel } from "./routing.ts";
import { routerOf } from "./routing.ts";

interface Shape {
  one(model: KnownModel): object;
  all(models: readonly KnownModel[]): object;
}

/** When a model was made is not known; this is what providers say then. */
const CREATED = 0;

function openaiModel({ id, provider }: KnownModel): object {
  return { id, object: "model", created: CREATED, owned_by: provider };
}

function anthropicModel({ id }: KnownModel): object {
  return { type: "model", id, display_name: id, created_at: new Date(CREATED).toISOString() };
}

function geminiModel({ id }: KnownModel): object {
  const supportedGenerationMethods = ["generateContent", "streamGenerateContent", "countTokens"];
  return { name: `models/${id}`, version: "001", displayName: id, supportedGenerationMethods };
}

const OPENAI: Shape = { one: openaiModel, all: (models) => ({ object: "list", data: models.map(openaiModel) }) };

const SHAPES: Readonly<Record<DoorId, Shape>> = {
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

/** Whose list is wanted at a path that OpenAI and Anthropic share. */
export function askerOf({ headers }: Pick<ServerRequest, "headers">): DoorId {
  return headers["anthropic-version"] === undefined ? "openai-chat" : "anthropic";
}

/** What is known for certain, then what providers say that they have. */
export async function listModels(services: Services, catalogue: ModelCatalog, asker: DoorId): Promise<Reply> {
  const known = new Map(
    routerOf(services)
      .models()
      .map((model) => [model.id, model]),
  );
  for (const model of await catalogue.models()) if (!known.has(model.id)) known.set(model.id, model);
  return json(SHAPES[asker].all([...known.values()]));
}

/** Any name that would be routed is a model; only what nobody has is not found. */
export function findModel(services: Services, asker: DoorId, name: string): Reply {
  const router = routerOf(services);
  const { targets } = router.route(name);
  const [first] = targets;
  const id = name.startsWith("models/") ? name.slice("models/".length) : name;
  const known = router.models().find((model) => model.id === id || model.id === first);
  const isLocal = services.session.links.get(first.slice(0, first.indexOf("/")))?.kind === "local";
  if (known === undefined && isLocal)
    throw new ServerError("not-found", `There is no model "${id}".`, { path: "model" });
  return json(SHAPES[asker].one({ id, provider: first.slice(0, first.indexOf("/")) }));
}

function json(body: object): Reply {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
