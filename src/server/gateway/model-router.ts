// Routes a model name to targets: by the rules of the configuration, by a `provider/` prefix, or by a name without a
// prefix that only one provider can have. For an unknown name, the error lists the available models.
import type { ClientContext, ProviderAdapter, RetryPolicy, Timeouts } from "../../calls/index.ts";
import type { ModelRule, ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Services } from "../types.ts";

/** The targets in order of preference, as `provider/model`, and the options of the call. */
export interface ModelRoute {
  targets: readonly [string, ...string[]];
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** An entry of a model list. */
export interface KnownModel {
  id: string;
  provider: string;
}

/**
 * Patterns of well-known model names, each with the usual name of its provider and the provider's possible dialects.
 */
const FAMILIES: readonly (readonly [RegExp, provider: string, dialects: readonly string[]])[] = [
  [/^claude/, "anthropic", ["anthropic"]],
  [/^(?:gemini|gemma|learnlm)/, "gemini", ["gemini"]],
  [/^(?:gpt|chatgpt|codex|o\d)/, "openai", ["openai-responses", "openai-chat"]],
];

const MAX_CACHED_ROUTES = 1000;

interface ModelPattern {
  before: string;
  after: string;
  rule: ModelRule;
}

export class ModelRouter {
  readonly #adapters: ClientContext["adapters"];
  readonly #exact = new Map<string, ModelRule>();
  /** The rules whose pattern has a "*", longest pattern first. */
  readonly #patterns: readonly ModelPattern[];
  readonly #fallback: ProviderAdapter | undefined;
  /** The routes of earlier calls, by the model name that the client sent. */
  readonly #routeCache = new Map<string, ModelRoute>();

  constructor(
    { models, defaultProvider }: Pick<ServerConfig, "models" | "defaultProvider">,
    adapters: ClientContext["adapters"],
  ) {
    this.#adapters = adapters;
    const patterns: ModelPattern[] = [];
    for (const rule of models) {
      const star = rule.pattern.indexOf("*");
      if (star >= 0) patterns.push({ before: rule.pattern.slice(0, star), after: rule.pattern.slice(star + 1), rule });
      else if (!this.#exact.has(rule.pattern)) this.#exact.set(rule.pattern, rule);
    }
    this.#patterns = patterns.toSorted((a, b) => b.rule.pattern.length - a.rule.pattern.length);
    this.#fallback = adapters.get(defaultProvider ?? "") ?? findOnlyProvider(adapters);
  }

  /**
   * Returns the route of a model name. If the name is unknown, throws "not-found" with a list of the available models.
   */
  route(modelName: string | undefined): ModelRoute {
    if (modelName === undefined || modelName.trim() === "") {
      const message = `The request has no model: set one, such as openai/gpt-5. ${this.#listAvailable()}`;
      throw new ServerError("invalid-request", message, { path: "/model" });
    }
    const known = this.#routeCache.get(modelName);
    if (known !== undefined) return known;
    // Gemini's SDK sends the resource name of a model, which starts with "models/".
    const name = modelName.startsWith("models/") ? modelName.slice("models/".length) : modelName;
    const route =
      this.#routeByRule(name) ??
      this.#routeByProvider(name) ??
      this.#routeByBareName(name) ??
      this.#throwUnknownModel(name);
    // The size of the cache is limited, because clients can send any number of different names.
    if (this.#routeCache.size >= MAX_CACHED_ROUTES) this.#routeCache.clear();
    this.#routeCache.set(modelName, route);
    return route;
  }

  #routeByRule(name: string): ModelRoute | undefined {
    const rule = this.#exact.get(name);
    if (rule !== undefined) return this.#applyRule(rule, (target) => target);
    const pattern = this.#patterns.find(
      ({ before, after }) =>
        name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after),
    );
    if (pattern === undefined) return undefined;
    const { before, after } = pattern;
    const matched = name.slice(before.length, name.length - after.length);
    // A target that ends in "/*" receives the name without the prefix up to the last slash of the pattern: the pattern
    // "my/gpt-*" and the target "openai/*" route "my/gpt-5" to "openai/gpt-5".
    const whole = name.slice(before.lastIndexOf("/") + 1);
    return this.#applyRule(pattern.rule, (target) =>
      target.endsWith("/*") ? target.slice(0, -1) + whole : target.replace("*", () => matched),
    );
  }

  #applyRule({ pattern, targets, timeouts, retry }: ModelRule, substitute: (target: string) => string): ModelRoute {
    const [first, ...others] = targets;
    const route: ModelRoute = { targets: [substitute(first), ...others.map(substitute)], timeouts, retry };
    const unroutable = route.targets.find((target) => this.#routeByProvider(target) === undefined);
    if (unroutable === undefined) return route;
    const what = `The rule for "${pattern}" has the target "${unroutable}", which does not start with a provider's name.`;
    throw new ServerError("configuration", `${what} ${this.#listAvailable()}`, { path: "/models" });
  }

  #routeByProvider(name: string): ModelRoute | undefined {
    const slash = name.indexOf("/");
    if (slash <= 0 || !this.#adapters.has(name.slice(0, slash))) return undefined;
    if (name.slice(slash + 1).trim() !== "") return { targets: [name] };
    const message = `"${name}" has a provider's name, but no model after it. ${this.#listAvailable()}`;
    throw new ServerError("not-found", message, { path: "/model" });
  }

  #routeByBareName(name: string): ModelRoute | undefined {
    const owner = this.#findOwner(name) ?? this.#fallback;
    if (owner === undefined || (owner.kind === "local" && owner.config.models?.includes(name) === false))
      return undefined;
    return { targets: [`${owner.name}/${name}`] };
  }

  /**
   * Returns the provider that a model name identifies: the only local provider with this model or, for a well-known
   * name (`FAMILIES`), the usual provider. If that is missing and there is no default provider (`#fallback`), the only
   * provider with a dialect of the family is returned. Otherwise undefined.
   */
  #findOwner(name: string): ProviderAdapter | undefined {
    const adapters = [...this.#adapters.values()];
    const own = adapters.filter(
      (adapter) => adapter.kind === "local" && adapter.config.models?.includes(name) === true,
    );
    if (own.length === 1) return own[0];
    const family = FAMILIES.find(([names]) => names.test(name));
    if (family === undefined) return undefined;
    const [, provider, dialects] = family;
    const named = this.#adapters.get(provider);
    if (named?.kind === "http" && dialects.includes(named.config.dialect)) return named;
    if (this.#fallback !== undefined) return undefined;
    const candidates = adapters.filter(
      (adapter) => adapter.kind === "http" && dialects.includes(adapter.config.dialect),
    );
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  #throwUnknownModel(name: string): never {
    const fault = name.includes("/")
      ? "does not start with the name of a provider, such as openai/gpt-5"
      : "is unknown";
    throw new ServerError("not-found", `The model "${name}" ${fault}. ${this.#listAvailable()}`, { path: "/model" });
  }

  #listAvailable(): string {
    const open = [...this.#adapters.values()].filter(({ kind }) => kind === "http").map(({ name }) => `${name}/…`);
    const patterns = this.#patterns.map(({ rule }) => rule.pattern);
    const there = [...this.models().map(({ id }) => id), ...patterns, ...open];
    return `Available: ${there.join(", ")}.`;
  }

  /**
   * Lists the models that are known without a request to a provider: the rules without a "*", the targets of these
   * rules, and the models of local providers.
   */
  models(): KnownModel[] {
    const known = new Map<string, KnownModel>();
    const add = (id: string, target: string): void => {
      if (!known.has(id)) known.set(id, { id, provider: target.slice(0, target.indexOf("/")) });
    };
    for (const [name, { targets }] of this.#exact) add(name, targets[0]);
    for (const { targets } of this.#exact.values()) for (const target of targets) add(target, target);
    for (const adapter of this.#adapters.values()) {
      if (adapter.kind !== "local") continue;
      for (const model of adapter.config.models ?? []) add(`${adapter.name}/${model}`, `${adapter.name}/${model}`);
    }
    return [...known.values()];
  }
}

/**
 * Returns the provider for model names without a provider prefix: the only remote provider, or the only local provider
 * if there is no remote provider. Returns undefined if there are several candidates.
 */
function findOnlyProvider(adapters: ClientContext["adapters"]): ProviderAdapter | undefined {
  const all = [...adapters.values()];
  const remote = all.filter(({ kind }) => kind === "http");
  const candidates = remote.length > 0 ? remote : all;
  return candidates.length === 1 ? candidates[0] : undefined;
}

const ROUTERS = new WeakMap<Services, ModelRouter>();

export function getModelRouter(services: Services): ModelRouter {
  const router = ROUTERS.get(services) ?? new ModelRouter(services.config, services.clientContext.adapters);
  ROUTERS.set(services, router);
  return router;
}
