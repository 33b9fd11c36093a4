// Where a call goes: the rules of the configuration, `provider/model`, and bare names that only one provider can mean.
// What nobody has is a 404 that says what there is.
import type { ClientContext } from "../../client/calls/call.ts";
import type { ProviderAdapter, RetryPolicy, Timeouts } from "../../client/types.ts";
import type { ModelRule, ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Services } from "../types.ts";

/** Models to ask in their order, as `provider/model`, and what holds for the call. */
export interface ModelRoute {
  targets: readonly [string, ...string[]];
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** A model that can be named, for lists. */
export interface KnownModel {
  id: string;
  provider: string;
}

/** Families of names whose makers everybody knows, and the dialects that those speak, the likeliest first. */
const FAMILIES: readonly (readonly [RegExp, provider: string, dialects: readonly string[]])[] = [
  [/^claude/, "anthropic", ["anthropic"]],
  [/^(?:gemini|gemma|learnlm)/, "gemini", ["gemini"]],
  [/^(?:gpt|chatgpt|codex|o\d)/, "openai", ["openai-responses", "openai-chat"]],
];

const MOST_KNOWN = 1000;

interface Pattern {
  before: string;
  after: string;
  rule: ModelRule;
}

export class Router {
  readonly #links: ClientContext["links"];
  readonly #exact = new Map<string, ModelRule>();
  /** The longest first. */
  readonly #patterns: readonly Pattern[];
  readonly #fallback: ProviderAdapter | undefined;
  /** The names that were asked for last, and where they lead. */
  readonly #known = new Map<string, ModelRoute>();

  constructor(
    { models, defaultProvider }: Pick<ServerConfig, "models" | "defaultProvider">,
    links: ClientContext["links"],
  ) {
    this.#links = links;
    const patterns: Pattern[] = [];
    for (const rule of models) {
      const star = rule.pattern.indexOf("*");
      if (star >= 0) patterns.push({ before: rule.pattern.slice(0, star), after: rule.pattern.slice(star + 1), rule });
      else if (!this.#exact.has(rule.pattern)) this.#exact.set(rule.pattern, rule);
    }
    this.#patterns = patterns.toSorted((a, b) => b.rule.pattern.length - a.rule.pattern.length);
    this.#fallback = links.get(defaultProvider ?? "") ?? onlyOne(links);
  }

  /** Throws a "not-found" that lists what there is. */
  route(asked: string | undefined): ModelRoute {
    if (asked === undefined || asked.trim() === "") {
      const message = `No model is named; say one, such as "provider/model". ${this.#listed()}`;
      throw new ServerError("invalid-request", message, { path: "/model" });
    }
    const known = this.#known.get(asked);
    if (known !== undefined) return known;
    // Gemini's own clients call a model by its resource.
    const name = asked.startsWith("models/") ? asked.slice("models/".length) : asked;
    const route = this.#byRule(name) ?? this.#byProvider(name) ?? this.#byName(name) ?? this.#refuse(name);
    // Names are what clients say: they must not fill the memory.
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(asked, route);
    return route;
  }

  #byRule(name: string): ModelRoute | undefined {
    const rule = this.#exact.get(name);
    if (rule !== undefined) return this.#routeBy(rule, (target) => target);
    const pattern = this.#patterns.find(
      ({ before, after }) =>
        name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after),
    );
    if (pattern === undefined) return undefined;
    const { before, after } = pattern;
    const meant = name.slice(before.length, name.length - after.length);
    // Alone in a target, "*" is the whole name; what stands before a slash in the pattern is no part of it.
    const whole = name.slice(before.lastIndexOf("/") + 1);
    return this.#routeBy(pattern.rule, (target) =>
      target.endsWith("/*") ? target.slice(0, -1) + whole : target.replace("*", () => meant),
    );
  }

  #routeBy({ pattern, targets, timeouts, retry }: ModelRule, put: (target: string) => string): ModelRoute {
    const [first, ...others] = targets;
    const route: ModelRoute = { targets: [put(first), ...others.map(put)], timeouts, retry };
    const lost = route.targets.find((target) => this.#byProvider(target) === undefined);
    if (lost === undefined) return route;
    const what = `The rule for "${pattern}" leads to "${lost}", which begins with no provider.`;
    throw new ServerError("configuration", `${what} ${this.#listed()}`, { path: "/models" });
  }

  #byProvider(name: string): ModelRoute | undefined {
    const slash = name.indexOf("/");
    if (slash <= 0 || !this.#links.has(name.slice(0, slash))) return undefined;
    if (name.slice(slash + 1).trim() !== "") return { targets: [name] };
    const message = `"${name}" names a provider, but no model of it. ${this.#listed()}`;
    throw new ServerError("not-found", message, { path: "/model" });
  }

  #byName(name: string): ModelRoute | undefined {
    const owner = this.#ownerOf(name) ?? this.#fallback;
    if (owner === undefined || (owner.kind === "local" && owner.config.models?.includes(name) === false))
      return undefined;
    return { targets: [`${owner.name}/${name}`] };
  }

  /** The provider that a bare name can only mean. */
  #ownerOf(name: string): ProviderAdapter | undefined {
    const links = [...this.#links.values()];
    const own = links.filter((link) => link.kind === "local" && link.config.models?.includes(name) === true);
    if (own.length === 1) return own[0];
    const family = FAMILIES.find(([names]) => names.test(name));
    if (family === undefined) return undefined;
    const [, provider, dialects] = family;
    const named = this.#links.get(provider);
    if (named?.kind === "http" && dialects.includes(named.config.dialect)) return named;
    if (this.#fallback !== undefined) return undefined;
    const speakers = links.filter((link) => link.kind === "http" && dialects.includes(link.config.dialect));
    return speakers.length === 1 ? speakers[0] : undefined;
  }

  #refuse(name: string): never {
    const what = name.includes("/") ? "begins with no provider" : "is the name of no model here";
    throw new ServerError("not-found", `The model "${name}" ${what}. ${this.#listed()}`, { path: "/model" });
  }

  #listed(): string {
    const open = [...this.#links.values()].filter(({ kind }) => kind === "http").map(({ name }) => `${name}/…`);
    const patterns = this.#patterns.map(({ rule }) => rule.pattern);
    const there = [...this.models().map(({ id }) => id), ...patterns, ...open];
    return `There is: ${there.join(", ")}.`;
  }

  /** What can be named for certain: aliases, what they lead to, and the models of local providers. */
  models(): KnownModel[] {
    const known = new Map<string, KnownModel>();
    const add = (id: string, target: string): void => {
      if (!known.has(id)) known.set(id, { id, provider: target.slice(0, target.indexOf("/")) });
    };
    for (const [name, { targets }] of this.#exact) add(name, targets[0]);
    for (const { targets } of this.#exact.values()) for (const target of targets) add(target, target);
    for (const link of this.#links.values()) {
      if (link.kind !== "local") continue;
      for (const model of link.config.models ?? []) add(`${link.name}/${model}`, `${link.name}/${model}`);
    }
    return [...known.values()];
  }
}

/** Who is meant where nobody is named: the only provider there is, the local ones apart where there are others. */
function onlyOne(links: ClientContext["links"]): ProviderAdapter | undefined {
  const all = [...links.values()];
  const remote = all.filter(({ kind }) => kind === "http");
  const candidates = remote.length > 0 ? remote : all;
  return candidates.length === 1 ? candidates[0] : undefined;
}

const ROUTERS = new WeakMap<Services, Router>();

/** The router of a server. */
export function routerOf(services: Services): Router {
  const router = ROUTERS.get(services) ?? new Router(services.config, services.session.links);
  ROUTERS.set(services, router);
  return router;
}
