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
/** The time in milliseconds for which a failed request is not repeated. */
const RETRY_MS = 30_000;
/** The maximum length of a provider's reply, in characters; a longer list is treated as empty. */
const MAX_LIST_LENGTH = 4_194_304;

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
    const adapters = [...this.#clientContext.adapters.values()].filter((adapter) => adapter.kind === "http");
    const lists = await Promise.all(adapters.map((adapter) => this.#modelNames(adapter)));
    return adapters.flatMap(({ name: provider }, index) =>
      (lists[index] ?? []).map((name) => ({ id: `${provider}/${name}`, provider })),
    );
  }

  #modelNames(adapter: HttpAdapter): Promise<readonly string[]> {
    const { name } = adapter;
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.until > this.#now()) return Promise.resolve(cached.names);
    const pending = this.#pending.get(name) ?? this.#fetchNames(adapter).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    return pending;
  }

  #now(): number {
    return readClockMs(this.#clientContext.effects);
  }

  async #fetchNames(adapter: HttpAdapter): Promise<readonly string[]> {
    const { name } = adapter;
    try {
      const names = await this.#requestList(adapter);
      this.#cache.set(name, { names, until: this.#now() + CACHE_MS });
      return names;
    } catch (error) {
      this.#log.warn("gateway.models", { provider: name, reason: describeReason(error) });
      this.#cache.set(name, { names: [], until: this.#now() + RETRY_MS });
      return [];
    }
  }

  async #requestList(adapter: HttpAdapter): Promise<readonly string[]> {
    const request = adapter.modelListRequest();
    if (request === undefined) return [];
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reply = await this.#clientContext
      .transport()
      .send(await adapter.authorize(request), { signal, connectMs: TIMEOUT_MS });
    if (reply.status !== 200) {
      reply.discard();
      // A provider without a list of models gets its next request only after `CACHE_MS`. Every other error status may
      // be temporary, so the request is repeated after `RETRY_MS`.
      if (reply.status === 404 || reply.status === 405) return [];
      throw new ModelListError(`status ${reply.status}`);
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of reply.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_LIST_LENGTH) throw new ModelListError(`longer than ${MAX_LIST_LENGTH} characters`);
    }
    return readModelNames(parseJson(text));
  }
}

/** A reply without a readable list of models. Its message never contains text of the provider. */
class ModelListError extends Error {}

/**
 * Returns the reason of a failed request, for the log. The message of any error other than `ModelListError` may contain
 * a key, so only the name of that error is returned.
 */
function describeReason(error: unknown): string {
  if (error instanceof ModelListError) return error.message;
  return error instanceof Error ? error.name : "unknown";
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
