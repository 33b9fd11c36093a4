// Answers that were given before, given again: the same question is asked once.
import { parseJson, stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Answer } from "../types.ts";
import { deferStream } from "./defer.ts";
import { replayAnswer } from "./replay.ts";
import { callKey, digestOf } from "./request-key.ts";
import { tapStream } from "./tap.ts";
import type { Call, Middleware } from "./types.ts";

/** Texts by key. A `Map` is one; so is anything that keeps strings elsewhere, for as long as it likes. */
export interface AnswerStore {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, answer: string): unknown;
}

export interface CachingOptions {
  /** Default: the last 1,000 answers, in memory. */
  store?: AnswerStore | undefined;
  /** What makes two calls the same; undefined: this call is not cached. Default: `callKey`, all that the answer depends on. */
  key?: ((call: Call) => string | undefined) | undefined;
  /** Hears what the store throws. A store that fails costs no answer: the provider is asked. */
  onStoreError?: ((error: unknown) => void) | undefined;
}

/**
 * Keeps answers, and gives them again for the same call, whole or as a stream. An answer from the cache has no attempts:
 * nobody was asked. Failed and unfinished answers are not kept.
 */
export function caching(options: CachingOptions = {}): Middleware {
  const cache = new AnswerCache(options);
  return {
    name: "caching",
    async complete(call, next) {
      const key = await cache.keyOf(call);
      const known = key === undefined ? undefined : await cache.find(key);
      if (known !== undefined) return known;
      const answer = await next(call);
      if (key !== undefined) await cache.keep(key, answer);
      return answer;
    },
    stream: (call, next) =>
      deferStream(async () => {
        const key = await cache.keyOf(call);
        if (key === undefined) return next(call);
        const known = await cache.find(key);
        if (known !== undefined) return replayAnswer(known);
        return tapStream(next(call), {
          ended: (outcome) => ("answer" in outcome ? cache.keep(key, outcome.answer) : undefined),
        });
      }),
  };
}

class AnswerCache {
  private readonly store: AnswerStore;
  private readonly key: (call: Call) => string | undefined;
  private readonly onStoreError: ((error: unknown) => void) | undefined;

  constructor({ store = boundedStore(), key = callKey, onStoreError }: CachingOptions) {
    this.store = store;
    this.key = key;
    this.onStoreError = onStoreError;
  }

  /** Where a call's answer is kept; undefined for calls that are none of the cache's business. */
  async keyOf(call: Call): Promise<string | undefined> {
    // Whoever gave up is not answered, from the cache either: the client says so.
    if (call.options.signal?.aborted === true) return undefined;
    const key = this.key(call);
    // Questions are long, and not everybody's to read.
    return key === undefined ? undefined : `koine-1-${await digestOf(key)}`;
  }

  async find(key: string): Promise<Answer | undefined> {
    try {
      const text = await this.store.get(key);
      if (text === undefined) return undefined;
      // Read anew each time: what a caller does to an answer stays with that caller.
      const answer: unknown = parseJson(text);
      if (!isAnswer(answer)) throw new TypeError(`What the store has as "${key}" is no answer.`);
      return Object.assign(answer, { attempts: [] });
    } catch (error) {
      this.onStoreError?.(error);
      return undefined;
    }
  }

  async keep(key: string, answer: Answer): Promise<void> {
    if (answer.error !== undefined || answer.finishReason.unified === "error") return;
    try {
      await this.store.set(key, stringifyJson(answer));
    } catch (error) {
      this.onStoreError?.(error);
    }
  }
}

/** Whether a store gave back what `keep` wrote, as far as that shows. */
function isAnswer(value: unknown): value is Answer {
  return isObject(value) && isObject(value["message"]) && Array.isArray(value["message"]["parts"]);
}

/** A store in memory that forgets what was not asked for the longest time. */
export function boundedStore(maxEntries = 1000): AnswerStore {
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
