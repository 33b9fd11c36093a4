// Fetches and caches the model lists of the providers. The models of a provider that does not reply in time are missing
// from the list, but can still be called.
import type { ClientContext, HttpAdapter } from "../../calls/index.ts";
import { readClockMs } from "../../calls/index.ts";
import { parseJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Logger } from "../operations/log.ts";
import type { KnownModel } from "./model-router.ts";

/** The time limit for a provider to send its list, in milliseconds. */
const TIMEOUT_MS = 3000;
/** The time for which a list is cached, in milliseconds. */
const CACHE_MS = 600_000;
/** The time after which a failed request is repeated, in milliseconds. */
const RETRY_MS = 30_000;
/** The maximum length of a list; a longer list is treated as empty. */
const MAX_LIST_BYTES = 4_194_304;

interface CachedModelNames {
  names: readonly string[];
  until: number;
}

export class ModelCatalog {
  readonly #clientContext: ClientContext;
  readonly #log: Logger;
  readonly #cache = new Map<string, CachedModelNames>();
  readonly #pending = new Map<string, Promise<readonly string[]>>();

  constructor(clientContext: ClientContext, log: Logger) {
    this.#clientContext = clientContext;
    this.#log = log;
  }

  /** Returns the models of all providers that list them. */
  async models(): Promise<KnownModel[]> {
    const links = [...this.#clientContext.adapters.values()].filter((link) => link.kind === "http");
    const lists = await Promise.all(links.map((link) => this.#modelNames(link)));
    return links.flatMap(({ name: provider }, index) =>
      (lists[index] ?? []).map((name) => ({ id: `${provider}/${name}`, provider })),
    );
  }

  #modelNames(link: HttpAdapter): Promise<readonly string[]> {
    const { name } = link;
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.until > this.#now()) return Promise.resolve(cached.names);
    const pending = this.#pending.get(name) ?? this.#fetchNames(link).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    return pending;
  }

  #now(): number {
    return readClockMs(this.#clientContext.effects);
  }

  async #fetchNames(link: HttpAdapter): Promise<readonly string[]> {
    const { name } = link;
    try {
      const names = await this.#requestList(link);
      this.#cache.set(name, { names, until: this.#now() + CACHE_MS });
      return names;
    } catch (error) {
      // Error messages may contain a key, so only the error's name is logged.
      this.#log.warn("gateway.models", { provider: name, reason: error instanceof Error ? error.name : "unknown" });
      this.#cache.set(name, { names: [], until: this.#now() + RETRY_MS });
      return [];
    }
  }

  async #requestList(link: HttpAdapter): Promise<readonly string[]> {
    const request = link.modelListRequest();
    if (request === undefined) return [];
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reply = await this.#clientContext
      .transport()
      .send(await link.authorize(request), { signal, connectMs: TIMEOUT_MS });
    if (reply.status !== 200) {
      reply.discard();
      return [];
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of reply.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_LIST_BYTES) return [];
    }
    return readModelNames(parseJson(text));
  }
}

/** Returns the model names of a list in the format of any dialect. */
function readModelNames(list: unknown): string[] {
  if (!isObject(list)) return [];
  const { data, models } = list;
  const [entries, field] = Array.isArray(data) ? [data, "id"] : [Array.isArray(models) ? models : [], "name"];
  return entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === "string" && name !== "" ? [name.replace(/^models\//, "")] : [];
  });
}
