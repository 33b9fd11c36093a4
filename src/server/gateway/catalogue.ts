// The names of the providers' models, asked for when somebody wants a list, and kept for a while. A provider that does
// not tell them in time is left out of the list: what can be called does not depend on it.
import type { ClientContext } from "../../client/calls/call.ts";
import { millisecondsOf } from "../../client/effects.ts";
import type { HttpAdapter } from "../../client/types.ts";
import { parseJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Logger } from "../operations/log.ts";
import type { KnownModel } from "./routing.ts";

/** How long a provider has, and how long its names are kept. */
const TIME_MS = 3000;
const KEPT_MS = 600_000;
/** One that failed is asked again sooner. */
const RETRY_MS = 30_000;
/** A list that is longer is none. */
const MOST_BYTES = 4_194_304;

interface Kept {
  names: readonly string[];
  until: number;
}

export class ModelCatalog {
  readonly #session: ClientContext;
  readonly #log: Logger;
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<readonly string[]>>();

  constructor(session: ClientContext, log: Logger) {
    this.#session = session;
    this.#log = log;
  }

  /** What every provider has, as far as they say it. */
  async models(): Promise<KnownModel[]> {
    const links = [...this.#session.links.values()].filter((link) => link.kind === "http");
    const lists = await Promise.all(links.map((link) => this.#namesOf(link)));
    return links.flatMap(({ name: provider }, index) =>
      (lists[index] ?? []).map((name) => ({ id: `${provider}/${name}`, provider })),
    );
  }

  #namesOf(link: HttpAdapter): Promise<readonly string[]> {
    const { name } = link;
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > this.#now()) return Promise.resolve(kept.names);
    const asking = this.#asking.get(name) ?? this.#ask(link).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  #now(): number {
    return millisecondsOf(this.#session.effects);
  }

  async #ask(link: HttpAdapter): Promise<readonly string[]> {
    const { name } = link;
    try {
      const names = await this.#list(link);
      this.#kept.set(name, { names, until: this.#now() + KEPT_MS });
      return names;
    } catch (error) {
      // What an error says may hold a key: its kind is enough.
      this.#log.warn("gateway.models", { provider: name, reason: error instanceof Error ? error.name : "unknown" });
      this.#kept.set(name, { names: [], until: this.#now() + RETRY_MS });
      return [];
    }
  }

  async #list(link: HttpAdapter): Promise<readonly string[]> {
    const request = link.list();
    if (request === undefined) return [];
    const signal = AbortSignal.timeout(TIME_MS);
    const reply = await this.#session.transport().send(await link.authorise(request), { signal, connectMs: TIME_MS });
    if (reply.status !== 200) {
      reply.discard();
      return [];
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of reply.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MOST_BYTES) return [];
    }
    return namesIn(parseJson(text));
  }
}

/** The names in a list of any of the dialects. */
function namesIn(list: unknown): string[] {
  if (!isObject(list)) return [];
  const { data, models } = list;
  const [entries, field] = Array.isArray(data) ? [data, "id"] : [Array.isArray(models) ? models : [], "name"];
  return entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === "string" && name !== "" ? [name.replace(/^models\//, "")] : [];
  });
}
