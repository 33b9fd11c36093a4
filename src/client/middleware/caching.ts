// Answers that were given before, given again: the same question is asked once.
import { parseJson, stringifyJson } from "../../model/json.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import { orAborted } from "../calls/or-aborted.ts";
import type { Checks } from "../checks.ts";
import { aboveZero, aFunction, aText, checkFields, expecting, fault, hasMethods } from "../checks.ts";
import { resolveEffects } from "../effects.ts";
import type { Answer } from "../types.ts";
import { deferStream } from "./defer.ts";
import { replayAnswer } from "./replay.ts";
import { callKey, digestOf } from "./request-key.ts";
import type { CallOutcome } from "./tap.ts";
import { tapStream } from "./tap.ts";
import { tell } from "../tell.ts";
import type { Call, Middleware } from "./types.ts";

type Stored = string | null | undefined;

/** Texts by key. A `Map` is one; so is anything that keeps strings elsewhere, for as long as it likes. */
export interface AnswerStore {
  /** Null or undefined: there is none. */
  get(key: string): Stored | Promise<Stored>;
  /** No answer waits for it. */
  set(key: string, answer: string): unknown;
}

export interface CachingOptions {
  /** Default: the last 1,000 answers, in memory. */
  store?: AnswerStore | undefined;
  /** What makes two calls the same; undefined: this call is not cached. Default: `callKey`, all that the answer depends on. */
  key?: ((call: Call) => string | undefined) | undefined;
  /**
   * Whose answers these are, where several clients share a store. A key does not know a client's providers, addresses
   * and defaults: where these differ, so must the namespace.
   */
  namespace?: string | undefined;
  /**
   * How long the store is waited for, in milliseconds; then the provider is asked, and the limits of the call begin.
   * Default 2 s.
   */
  lookupMs?: number | undefined;
  /** Hears what the store throws. A store that fails costs no answer: the provider is asked. */
  onStoreError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: Checks<keyof CachingOptions> = {
  store: expecting("an object with the methods get and set", hasMethods("get", "set")),
  key: aFunction,
  namespace: aText,
  lookupMs: aboveZero,
  onStoreError: aFunction,
};

/**
 * Keeps answers, and gives them again for the same call, whole or as a stream. An answer from the cache has no attempts:
 * nobody was asked. Failed and unfinished answers are not kept, nor those of a fallback: the model that was asked for may
 * be there again next time.
 */
export function caching(options: CachingOptions = {}): Middleware {
  checkFields(options, OPTIONS, "");
  const cache = new AnswerCache(options);
  return {
    name: "caching",
    async complete(call, next) {
      const key = await cache.keyOf(call);
      const known = key === undefined ? undefined : await cache.find(key, call.options.signal);
      if (known !== undefined) return known;
      const answer = await next(call);
      if (key !== undefined) void cache.keep(key, answer);
      return answer;
    },
    stream: (call, next) =>
      deferStream(async () => {
        const key = await cache.keyOf(call);
        if (key === undefined) return next(call);
        const known = await cache.find(key, call.options.signal);
        if (known !== undefined) return replayAnswer(known, call.options.signal);
        const ended = (outcome: CallOutcome): void => {
          if ("answer" in outcome) void cache.keep(key, outcome.answer);
        };
        return tapStream(next(call), { ended }, call.options.signal);
      }, call.options.signal),
  };
}

const LOOKUP_MS = 2000;

class AnswerCache {
  readonly #store: AnswerStore;
  readonly #key: (call: Call) => string | undefined;
  readonly #namespace: string;
  readonly #lookupMs: number;
  readonly #onStoreError: ((error: unknown) => void) | undefined;

  constructor(options: CachingOptions) {
    const { store = boundedStore(), key = callKey, namespace = "", lookupMs = LOOKUP_MS, onStoreError } = options;
    this.#store = store;
    this.#key = key;
    this.#namespace = namespace;
    this.#lookupMs = lookupMs;
    this.#onStoreError = onStoreError;
  }

  /** Where a call's answer is kept; undefined for calls that are none of the cache's business. */
  async keyOf(call: Call): Promise<string | undefined> {
    // Whoever gave up is not answered, from the cache either: the client says so.
    if (call.options.signal?.aborted === true) return undefined;
    const key: unknown = this.#key(call);
    if (key === undefined) return undefined;
    // Taken as text, every promise would be the same question.
    if (typeof key !== "string") throw fault("/key", `must give a string or undefined; it gave ${kindOf(key)}.`);
    // Questions are long, and not everybody's to read.
    return `koine-1-${await digestOf(JSON.stringify([this.#namespace, key]))}`;
  }

  async find(key: string, signal: AbortSignal | undefined): Promise<Answer | undefined> {
    try {
      const text = await this.#look(key, signal);
      if (text === undefined || text === null) return undefined;
      // Read anew each time: what a caller does to an answer stays with that caller.
      const answer: unknown = parseJson(text);
      if (!isAnswer(answer)) throw new TypeError(`What the store has as "${key}" is no answer.`);
      return Object.assign(answer, { attempts: [] });
    } catch (error) {
      // Whoever gave up meanwhile is told so by the client.
      if (signal?.aborted !== true) this.#report(error);
      return undefined;
    }
  }

  async #look(key: string, signal: AbortSignal | undefined): Promise<Stored> {
    const found = this.#store.get(key);
    if (typeof found !== "object" || found === null) return found;
    const over = new AbortController();
    const late = async (): Promise<never> => {
      await resolveEffects().sleep(this.#lookupMs, over.signal);
      throw new Error(`The store did not answer within ${this.#lookupMs} ms.`);
    };
    try {
      const first = Promise.race([found, late()]);
      return await (signal === undefined ? first : orAborted(first, signal));
    } finally {
      over.abort();
    }
  }

  /** Nobody waits for it: an answer that is there is given. */
  async keep(key: string, answer: Answer): Promise<void> {
    if (answer.error !== undefined || answer.finishReason.unified === "error" || !isOfFirst(answer)) return;
    try {
      await this.#store.set(key, stringifyJson({ ...answer, attempts: [] }));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    void tell(() => this.#onStoreError?.(error));
  }
}

/** Whether the model that was asked first has answered. */
function isOfFirst({ attempts }: Answer): boolean {
  const [first] = attempts;
  return attempts.every(({ provider, model }) => provider === first?.provider && model === first.model);
}

/** Whether a store gave back what `keep` wrote, as far as that shows. */
function isAnswer(value: unknown): value is Answer {
  return isObject(value) && isObject(value["message"]) && Array.isArray(value["message"]["parts"]);
}

/** A store in memory that forgets what was not asked for the longest time. */
export function boundedStore(maxEntries = 1000): AnswerStore {
  aboveZero(maxEntries, "/maxEntries");
  const entries = new Map<string, string>();
  const put = (key: string, answer: string): void => {
    entries.delete(key);
    entries.set(key, answer);
  };
  return {
    get(key) {
      const answer = entries.get(key);
      if (answer !== undefined) put(key, answer);
      return answer;
    },
    set(key, answer) {
      put(key, answer);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
  };
}
