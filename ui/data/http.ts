// Sends HTTP requests to the server: adds the token, converts error replies to `ApiError`, and retries idempotent
// requests after network failures.
import { parseJson, stringifyJson } from "koine";
import { delay, type PageEffects } from "./effects.ts";
import { TokenStore } from "./token-store.ts";

/**
 * A failed request. `code` is "network" if the server was not reached or the connection broke, "timeout" if the server
 * did not answer in time, "token-changed" if the token changed and the reply was therefore discarded, or an error code
 * of the server.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status of the reply; 0 if there was no reply. */
  readonly status: number;
  readonly code: string;
  /** JSON pointer to the invalid value in the request body; absent if the error has no position. */
  readonly path?: string;

  constructor(status: number, code: string, message: string, path?: string) {
    super(message);
    this.status = status;
    this.code = code;
    if (path !== undefined) this.path = path;
  }
}

/**
 * True if the server may have executed the failed request: no reply arrived, or the reply does not prove that the
 * request was rejected.
 */
export function mayHaveSucceeded(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  if (status === 0) return code === "network" || code === "timeout";
  return status === 408 || (status >= 500 && (code === "unknown" || code === "internal"));
}

export interface ApiRequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Idempotency key, which makes retries harmless. */
  key?: string | undefined;
  /** Set if repeating the request is harmless even without a key. */
  isIdempotent?: true;
  /**
   * Called before a retry. If it resolves with true, the request took effect although its reply was lost, and `open`
   * returns an empty reply with status 204.
   */
  isDone?: () => Promise<boolean>;
  signal?: AbortSignal | undefined;
  /** Token that is sent instead of the stored token. */
  token?: string;
}

const RETRY_PAUSES_MS = [300, 1200];
/**
 * Longest wait for the headers of a reply. Requests that write have more time, because the server may have to work
 * before it replies.
 */
const READ_TIMEOUT_MS = 30_000;
const WRITE_TIMEOUT_MS = 120_000;

type HttpEffects = Pick<PageEffects, "fetch" | "storage"> & Partial<Pick<PageEffects, "delay">>;

export class Http {
  readonly token: TokenStore;
  readonly #base: string;
  readonly #effects: HttpEffects;
  readonly #unauthorizedListeners = new Set<(error: ApiError) => void>();
  /**
   * Token epoch (see `TokenStore.epoch`) in which the unauthorized listeners were called last; undefined if they were
   * never called.
   */
  #notifiedEpoch: number | undefined;

  constructor(base: string, effects: HttpEffects) {
    this.#base = base;
    this.#effects = effects;
    this.token = new TokenStore(effects.storage);
  }

  /**
   * Calls the listener when the server answers a request with status 401. For GET requests, which the page repeats in
   * the background, it is called only once until the token changes; for every other request it is called each time.
   */
  onUnauthorized(listener: (error: ApiError) => void): () => void {
    this.#unauthorizedListeners.add(listener);
    return () => void this.#unauthorizedListeners.delete(listener);
  }

  json(path: string, options: ApiRequestOptions = {}): Promise<unknown> {
    return this.#readBody(path, options, async (reply): Promise<unknown> => parseJson(await reply.text()));
  }

  blob(path: string): Promise<Blob> {
    return this.#readBody(path, {}, (reply) => reply.blob());
  }

  /** Sends a request and reads the complete body of the reply with `read`. */
  async #readBody<T>(path: string, options: ApiRequestOptions, read: (reply: Response) => Promise<T>): Promise<T> {
    const { epoch } = this.token;
    const reply = await this.open(path, options);
    try {
      const value = await read(reply);
      this.#assertSameToken(epoch);
      return value;
    } catch (error) {
      throw options.signal?.aborted === true || error instanceof ApiError ? error : networkError(error);
    }
  }

  /**
   * Returns a reply whose headers have arrived; the caller reads the body. Throws an `ApiError` for an error status.
   */
  async open(path: string, options: ApiRequestOptions = {}): Promise<Response> {
    const url = `${this.#base}${path}${toQueryString(options.query)}`;
    const init = this.#toRequestInit(options);
    const { epoch } = this.token;
    for (let attempt = 0; ; attempt++) {
      const pause = this.#canRetry(options) ? RETRY_PAUSES_MS[attempt] : undefined;
      try {
        const reply = await this.#fetchHeaders(url, init);
        if (this.token.epoch !== epoch) await reply.body?.cancel();
        this.#assertSameToken(epoch);
        if (reply.ok) return reply;
        throw await this.#toApiError(reply, options);
      } catch (error) {
        if (options.signal?.aborted === true) throw error;
        const apiError = error instanceof ApiError ? error : networkError(error);
        if (apiError.code !== "network" || pause === undefined) throw apiError;
        await this.pause(pause);
        this.#assertSameToken(epoch);
        if ((await options.isDone?.().catch(() => false)) === true) return new Response(null, { status: 204 });
      }
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void (this.#effects.delay ?? delay)(resolve, ms));
  }

  /** Resolves when the reply's headers have arrived; throws a "timeout" error if they do not arrive in time. */
  async #fetchHeaders(url: string, init: RequestInit): Promise<Response> {
    const { method = "GET", signal } = init;
    const timeout = new AbortController();
    const cancelTimeout = (this.#effects.delay ?? delay)(
      () => timeout.abort(),
      method === "GET" ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS,
    );
    try {
      const both = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
      return await this.#effects.fetch(url, { ...init, signal: both });
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      throw new ApiError(0, "timeout", "The server did not answer in time.");
    } finally {
      cancelTimeout();
    }
  }

  /** Throws if the token has changed: a reply to the previous token must not be shown to the user of the new token. */
  #assertSameToken(epoch: number): void {
    if (this.token.epoch === epoch) return;
    throw new ApiError(
      0,
      "token-changed",
      "The token has changed since this request was sent; its reply was discarded.",
    );
  }

  /**
   * True if a failed request is sent again here: it has no signal (callers that pass a signal retry themselves), and
   * repeating it is harmless.
   */
  #canRetry({ method = "GET", key, isIdempotent: repeats, signal }: ApiRequestOptions): boolean {
    return signal === undefined && (method !== "POST" || key !== undefined || repeats === true);
  }

  #toRequestInit({
    method = "GET",
    body,
    headers,
    key,
    signal,
    token = this.token.get(),
  }: ApiRequestOptions): RequestInit {
    const init: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { "idempotency-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
    };
    if (body !== undefined) init.body = stringifyJson(body);
    if (signal !== undefined) init.signal = signal;
    return init;
  }

  async #toApiError(reply: Response, { method = "GET", token }: ApiRequestOptions): Promise<ApiError> {
    const { epoch } = this.token;
    const error = await readApiError(reply);
    // A caller that passes a token wants to check that token, and handles status 401 itself.
    if (error.status !== 401 || token !== undefined) return error;
    // The page repeats GET requests in the background. So after the listeners were called for the current token, a GET
    // request that fails with status 401 does not call them again.
    if (this.#notifiedEpoch === epoch && method === "GET") return error;
    this.#notifiedEpoch = epoch;
    for (const listener of this.#unauthorizedListeners) listener(error);
    return error;
  }
}

async function readApiError(reply: Response): Promise<ApiError> {
  const { status } = reply;
  const text = await reply.text().catch(() => "");
  try {
    // Errors of this server have the form `{ error: { code, message } }`; errors of a proxy may have another form, so
    // each field is checked.
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; path?: unknown } };
    if (typeof error?.message === "string") {
      const path = typeof error.path === "string" ? error.path : undefined;
      return new ApiError(status, typeof error.code === "string" ? error.code : "unknown", error.message, path);
    }
  } catch {
    // The body is not JSON, so the generic error below is returned.
  }
  return new ApiError(status, "unknown", `The server answered with status ${status}.`);
}

function networkError(cause: unknown): ApiError {
  const error = new ApiError(0, "network", "The server cannot be reached.");
  error.cause = cause;
  return error;
}

function toQueryString(query: ApiRequestOptions["query"] = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, String(value));
  return fields.size === 0 ? "" : `?${fields.toString()}`;
}
