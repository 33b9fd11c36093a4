// Which provider a model belongs to: `provider/model`, split at the first slash. A name that begins with no provider is
// the default provider's own, as it is.
import { ClientError } from "../errors.ts";
import type { CallOptions, ClientOptions, ProviderAdapter } from "../types.ts";

export interface Resolved {
  link: ProviderAdapter;
  /** As the provider calls it. */
  model: string;
}

/**
 * Finds the provider of a model. What stands before the first slash is a provider only if one of that name is
 * registered. Else the whole name goes to the default provider, slashes and all: only it knows its models, and it says
 * so where it has none of that name. `path` is where the model was named.
 */
export function resolveModel(
  links: ReadonlyMap<string, ProviderAdapter>,
  options: Pick<ClientOptions, "defaultProvider">,
  model: string | undefined,
  callOptions: Pick<CallOptions, "provider"> = {},
  path = "/model",
): Resolved {
  if (typeof model !== "string" || model.trim() === "") throw noModel(links, path);
  const { provider } = callOptions;
  if (provider !== undefined) {
    const link = links.get(provider);
    if (link === undefined) throw unknown(links, `There is no provider "${provider}"`, "/provider");
    return { link, model };
  }
  const slash = model.indexOf("/");
  const named = slash > 0 ? links.get(model.slice(0, slash)) : undefined;
  if (named !== undefined) {
    const own = model.slice(slash + 1);
    if (own.trim() === "") throw noModel(links, path);
    return { link: named, model: own };
  }
  const fallback = defaultOf(links, options);
  if (fallback !== undefined) return { link: fallback, model };
  const what = slash > 0 ? `"${model}" begins with no provider` : `"${model}" names no provider`;
  throw unknown(links, `${what}, and there is no default`, path);
}

function defaultOf(
  links: ReadonlyMap<string, ProviderAdapter>,
  { defaultProvider }: Pick<ClientOptions, "defaultProvider">,
): ProviderAdapter | undefined {
  if (defaultProvider !== undefined) {
    const link = links.get(defaultProvider);
    if (link !== undefined) return link;
    throw unknown(links, `There is no provider "${defaultProvider}"`, "/defaultProvider");
  }
  const [only, another] = links.values();
  return another === undefined ? only : undefined;
}

function noModel(links: ReadonlyMap<string, ProviderAdapter>, path: string): ClientError {
  return new ClientError("configuration", `No model is named; say "provider/model". ${listed(links)}`, { path });
}

function unknown(links: ReadonlyMap<string, ProviderAdapter>, what: string, path: string): ClientError {
  return new ClientError("unknown-provider", `${what}. ${listed(links)}`, { path });
}

/** What there is, in a sentence. */
function listed(links: ReadonlyMap<string, ProviderAdapter>): string {
  if (links.size === 0) return "No provider is registered.";
  const names = [...links.values()].map((link) => {
    const models = link.kind === "local" ? (link.config.models ?? []) : [];
    return models.length === 0 ? link.name : models.map((model) => `${link.name}/${model}`).join(", ");
  });
  return `There is: ${names.join(", ")}.`;
}
