// Implements the caching middleware, which returns stored answers for calls with the same key.
import { parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import type { Answer, FieldChecks } from "../../calls/index.ts";
import {
  checkFields,
  checkFunction,
  checkPositive,
  checkText,
  configurationError,
  createCheck,
  hasMethods,
  notifyListener,
  orAborted,
  resolveEffects,
} from "../../calls/index.ts";
import { deferStream } from "./defer-stream.ts";
import { replayAnswer } from "./replay-answer.ts";
import { callKey, sha256Hex } from "./call-key.ts";
import type { CallOutcome } from "./tap-stream.ts";
import { tapStream } from "./tap-stream.ts";
import type { Call, Middleware } from "./types.ts";

type StoredText = string | null | undefined;

/** A store of texts by key, such as a `Map`. The store may delete entries at any time. */
export interface AnswerStore {
  /** Returns the stored answer; null or undefined if there is no entry. */
  get(key: string): StoredText | Promise<StoredText>;
  /** Stores an answer. The call to the model does not wait for a promise that this method returns. */
  set(key: string, answer: string): unknown;
}

/** Options of `caching`. */
export interface CachingOptions {
  /** The store of the answers. Default: the 1,000 most recently used answers, in memory. */
  store?: AnswerStore | undefined;
  /**
   * Returns the key of a call; undefined if the call is not cached. Default: `callKey`, which contains everything that
   * the answer depends on.
   */
  key?: ((call: Call) => string | undefined) | undefined;
  /**
   * Separates clients that share a store. A key does not contain the providers, URLs and defaults of a client, so
   * clients with different settings need different namespaces.
   */
  namespace?: string | undefined;
  /**
   * The longest wait for the store in milliseconds; after that, the provider is called. The time limits of the call
   * begin only then. Default: 2 s.
   */
  lookupMs?: number | undefined;
  /** Called with exceptions of the store. If the store fails, the provider is called. */
  onStoreError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldChecks<keyof CachingOptions> = {
  store: createCheck("an object with the methods get and set", hasMethods("get", "set")),
  key: checkFunction,
  namespace: checkText,
  lookupMs: checkPositive,
  onStoreError: checkFunction,
};

/**
 * Creates a middleware that stores answers and returns them for equal calls, complete or as a stream. A cached answer
 * has no attempts. Failed and incomplete answers are not stored, nor are answers of a fallback, because the requested
 * model may be available next time.
 *
 * @example
 * ```ts
 * import { getText, user } from "koine";
 * import { caching, createClient, demo } from "koine/client";
 *
 * const client = createClient({ providers: { demo: demo() }, middleware: [caching()] });
 * const request = { model: "demo/koine", messages: [user("say Hello.")] };
 * const first = await client.complete(request);
 * const second = await client.complete(request);
 * console.log(getText(second.message)); // Hello.
 * console.log([first.attempts.length, second.attempts.length]); // [1,0]
 * await client.close();
 * ```
 */
export function caching(options: CachingOptions = {}): Middleware {
  checkFields(options, OPTIONS, "");
  const cache = new AnswerCache(options);
  return {
    name: "caching",
    async complete(call, next) {
      const key = await cache.computeKey(call);
      const cached = key === undefined ? undefined : await cache.find(key, call.options.signal);
      if (cached !== undefined) return cached;
      const answer = await next(call);
      if (key !== undefined) void cache.store(key, answer);
      return answer;
    },
    stream: (call, next) =>
      deferStream(async () => {
        const key = await cache.computeKey(call);
        if (key === undefined) return next(call);
        const cached = await cache.find(key, call.options.signal);
        if (cached !== undefined) return replayAnswer(cached, call.options.signal);
        const ended = (outcome: CallOutcome): void => {
          if ("answer" in outcome) void cache.store(key, outcome.answer);
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

  /** Returns the key of a call in the store; undefined for a call that is not cached. */
  async computeKey(call: Call): Promise<string | undefined> {
    // An aborted call is not answered from the cache, so that the client throws its "aborted" error.
    if (call.options.signal?.aborted === true) return undefined;
    const key: unknown = this.#key(call);
    if (key === undefined) return undefined;
    // A key that is a promise is an error, because every promise would be converted to the same string.
    if (typeof key !== "string")
      throw configurationError("/key", `must return a string or undefined; it returned ${describeKind(key)}.`);
    // The key is hashed, because requests are long and confidential.
    return `koine-1-${await sha256Hex(JSON.stringify([this.#namespace, key]))}`;
  }

  async find(key: string, signal: AbortSignal | undefined): Promise<Answer | undefined> {
    try {
      const text = await this.#readStore(key, signal);
      if (text === undefined || text === null) return undefined;
      // The text is parsed for each caller, because a caller may change its answer.
      const answer: unknown = parseJson(text);
      if (!isAnswer(answer)) throw new TypeError(`The store's entry "${key}" is not an answer.`);
      return Object.assign(answer, { attempts: [] });
    } catch (error) {
      // The failure of an aborted lookup is not a failure of the store.
      if (signal?.aborted !== true) this.#report(error);
      return undefined;
    }
  }

  async #readStore(key: string, signal: AbortSignal | undefined): Promise<StoredText> {
    const result = this.#store.get(key);
    if (typeof result !== "object" || result === null) return result;
    const finished = new AbortController();
    const throwIfLate = async (): Promise<never> => {
      await resolveEffects().sleep(this.#lookupMs, finished.signal);
      throw new Error(`The store did not answer within ${this.#lookupMs} ms.`);
    };
    try {
      const first = Promise.race([result, throwIfLate()]);
      return await (signal === undefined ? first : orAborted(first, signal));
    } finally {
      finished.abort();
    }
  }

  /**
   * Stores an answer that is complete and comes from the requested model. Calls do not wait for the returned promise.
   */
  async store(key: string, answer: Answer): Promise<void> {
    if (answer.error !== undefined || answer.finishReason.unified === "error" || !isFromFirstTarget(answer)) return;
    try {
      await this.#store.set(key, stringifyJson({ ...answer, attempts: [] }));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    void notifyListener(() => this.#onStoreError?.(error));
  }
}

/** True if the first target answered; false if a fallback answered. */
function isFromFirstTarget({ attempts }: Answer): boolean {
  const [first] = attempts;
  return attempts.every(({ provider, model }) => provider === first?.provider && model === first.model);
}

/** True if a stored value has the shape of an answer. */
function isAnswer(value: unknown): value is Answer {
  return isObject(value) && isObject(value["message"]) && Array.isArray(value["message"]["parts"]);
}

/** Creates a store in memory that drops the least recently used entries. */
export function boundedStore(maxEntries = 1000): AnswerStore {
  checkPositive(maxEntries, "/maxEntries");
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
