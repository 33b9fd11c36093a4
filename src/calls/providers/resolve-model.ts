// Resolves a model name to a provider: `provider/model`, split at the first slash. A name that does not begin with a
// registered provider belongs to the default provider.
import { ClientError } from "../errors.ts";
import type { CallDefaults, CallOptions, ProviderAdapter } from "../types.ts";

export interface ResolvedModel {
  adapter: ProviderAdapter;
  /** The model name as the provider receives it. */
  model: string;
}

/**
 * Returns the provider of a model. The text before the first slash is a provider only if a provider is registered under
 * that name. Otherwise the default provider receives the whole name, including slashes. `path` is the position of the
 * model name, for errors.
 */
export function resolveModel(
  adapters: ReadonlyMap<string, ProviderAdapter>,
  defaults: Pick<CallDefaults, "defaultProvider">,
  model: string | undefined,
  callOptions: Pick<CallOptions, "provider"> = {},
  path = "/model",
): ResolvedModel {
  if (typeof model !== "string" || model.trim() === "") throw missingModelError(adapters, path);
  const { provider } = callOptions;
  if (provider !== undefined) {
    const adapter = adapters.get(provider);
    if (adapter === undefined) {
      throw unknownProviderError(adapters, `There is no provider "${provider}"`, "/provider");
    }
    return { adapter, model };
  }
  const slash = model.indexOf("/");
  const named = slash > 0 ? adapters.get(model.slice(0, slash)) : undefined;
  if (named !== undefined) {
    const ownName = model.slice(slash + 1);
    if (ownName.trim() === "") throw missingModelError(adapters, path);
    return { adapter: named, model: ownName };
  }
  const fallback = findDefaultAdapter(adapters, defaults);
  if (fallback !== undefined) return { adapter: fallback, model };
  const fault = `The model "${model}" must start with a provider's name, such as openai/gpt-5`;
  throw unknownProviderError(adapters, `${fault}; there is no default provider`, path);
}

/**
 * Returns the default provider or, if no default is set, the only provider; undefined if no default is set and there
 * are several providers or none.
 */
function findDefaultAdapter(
  adapters: ReadonlyMap<string, ProviderAdapter>,
  { defaultProvider }: Pick<CallDefaults, "defaultProvider">,
): ProviderAdapter | undefined {
  if (defaultProvider !== undefined) {
    const adapter = adapters.get(defaultProvider);
    if (adapter !== undefined) return adapter;
    throw unknownProviderError(adapters, `There is no provider "${defaultProvider}"`, "/defaultProvider");
  }
  const [only, another] = adapters.values();
  return another === undefined ? only : undefined;
}

function missingModelError(adapters: ReadonlyMap<string, ProviderAdapter>, path: string): ClientError {
  const message = `The model is missing; write "provider/model". ${listProviders(adapters)}`;
  return new ClientError("configuration", message, { path });
}

function unknownProviderError(
  adapters: ReadonlyMap<string, ProviderAdapter>,
  fault: string,
  path: string,
): ClientError {
  return new ClientError("unknown-provider", `${fault}. ${listProviders(adapters)}`, { path });
}

/** Returns a sentence that lists the registered providers, and the models of local providers. */
function listProviders(adapters: ReadonlyMap<string, ProviderAdapter>): string {
  if (adapters.size === 0) return "No provider is registered.";
  const names = [...adapters.values()].map((adapter) => {
    const models = adapter.kind === "local" ? (adapter.config.models ?? []) : [];
    return models.length === 0 ? adapter.name : models.map((model) => `${adapter.name}/${model}`).join(", ");
  });
  return `Registered: ${names.join(", ")}.`;
}
