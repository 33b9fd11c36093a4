// Requests to the server: the token goes along, refusals become errors with words, and what can be said again is said again
// where the network fails.
import { parseJson, stringifyJson } from "koine";
import { delay, type PageEffects } from "./effects.ts";
import { TokenKeeper } from "./token.ts";

/** `network`: the server was not reached, or broke off. Else a code of the server's. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Of the reply; 0 where there was none. */
  readonly status: number;
  readonly code: string;
  /** What of the request it is about. */
  readonly path?: string;

  constructor(status: number, code: string, message: string, path?: string) {
    super(message);
    this.status = status;
    this.code = code;
    if (path !== undefined) this.path = path;
  }
}

/** Whether what was refused may have come about all the same: nobody knows, unless the server itself has said no. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  if (status === 0) return code === "network" || code === "timeout";
  return status === 408 || (status >= 500 && (code === "unknown" || code === "internal"));
}

export interface Asked {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  /** The same key makes saying it again harmless. */
  key?: string | undefined;
  /** Saying it again is harmless by itself. */
  repeats?: true;
  /** Whether it has come about although its reply was lost: then it is not said again, and the reply is empty. */
  isDone?: () => Promise<boolean>;
  signal?: AbortSignal | undefined;
  /** Tried in the place of the one that is kept. */
  token?: string;
}

/** How long is waited before something is said again. */
const PAUSES = [300, 1200];
/** How long the beginning of a reply is waited for; of what is done by the server, longer. */
const READ_MS = 30_000;
const WORK_MS = 120_000;

type HttpEffects = Pick<PageEffects, "fetch" | "storage"> & Partial<Pick<PageEffects, "delay">>;

export class Http {
  readonly token: TokenKeeper;
  readonly #base: string;
  readonly #effects: HttpEffects;
  readonly #refused = new Set<(error: ApiError) => void>();
  /** The epoch in which readers were told last that a token is wanted. */
  #toldIn: number | undefined;

  constructor(base: string, effects: HttpEffects) {
    this.#base = base;
    this.#effects = effects;
    this.token = new TokenKeeper(effects.storage);
  }

  /** Told when the server wants a token, or another one: once in an epoch, and whenever a reader wants something done. */
  onUnauthorized(listener: (error: ApiError) => void): () => void {
    this.#refused.add(listener);
    return () => void this.#refused.delete(listener);
  }

  json(path: string, asked: Asked = {}): Promise<unknown> {
    return this.#whole(path, asked, async (reply): Promise<unknown> => parseJson(await reply.text()));
  }

  blob(path: string): Promise<Blob> {
    return this.#whole(path, {}, (reply) => reply.blob());
  }

  /** What a reply holds. */
  async #whole<T>(path: string, asked: Asked, read: (reply: Response) => Promise<T>): Promise<T> {
    const { epoch } = this.token;
    const reply = await this.open(path, asked);
    try {
      const value = await read(reply);
      this.#demandSameToken(epoch);
      return value;
    } catch (error) {
      throw asked.signal?.aborted === true || error instanceof ApiError ? error : unreachable(error);
    }
  }

  /** A reply whose headers are there; its body is the caller's. Throws an `ApiError` for one that refuses. */
  async open(path: string, asked: Asked = {}): Promise<Response> {
    const url = `${this.#base}${path}${queryOf(asked.query)}`;
    const init = this.#initOf(asked);
    const { epoch } = this.token;
    for (let tries = 0; ; tries++) {
      const pause = this.#mayRepeat(asked) ? PAUSES[tries] : undefined;
      try {
        const reply = await this.#begun(url, init);
        if (this.token.epoch !== epoch) await reply.body?.cancel();
        this.#demandSameToken(epoch);
        if (reply.ok) return reply;
        throw await this.#refusal(reply, asked);
      } catch (error) {
        if (asked.signal?.aborted === true) throw error;
        const told = error instanceof ApiError ? error : unreachable(error);
        if (told.code !== "network" || pause === undefined) throw told;
        await this.pause(pause);
        this.#demandSameToken(epoch);
        if ((await asked.isDone?.().catch(() => false)) === true) return new Response(null, { status: 204 });
      }
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void (this.#effects.delay ?? delay)(resolve, ms));
  }

  /** The reply as soon as it begins; a server that never answers is not waited for. */
  async #begun(url: string, init: RequestInit): Promise<Response> {
    const { method = "GET", signal } = init;
    const limit = new AbortController();
    const end = (this.#effects.delay ?? delay)(() => limit.abort(), method === "GET" ? READ_MS : WORK_MS);
    try {
      const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
      return await this.#effects.fetch(url, { ...init, signal: both });
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      throw new ApiError(0, "timeout", "The server does not answer.");
    } finally {
      end();
    }
  }

  /** What was asked with one token is nobody's to see with another. */
  #demandSameToken(epoch: number): void {
    if (this.token.epoch === epoch) return;
    throw new ApiError(0, "token-changed", "Another token is used now; this was asked with the one before.");
  }

  /** Events are read by those who connect again themselves. */
  #mayRepeat({ method = "GET", key, repeats, signal }: Asked): boolean {
    return signal === undefined && (method !== "POST" || key !== undefined || repeats === true);
  }

  #initOf({ method = "GET", body, headers, key, signal, token = this.token.get() }: Asked): RequestInit {
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

  async #refusal(reply: Response, { method = "GET", token }: Asked): Promise<ApiError> {
    const { epoch } = this.token;
    const error = await errorOf(reply);
    // Whoever tries a token hears of it anyway.
    if (error.status !== 401 || token !== undefined) return error;
    // What the page reads by itself, again and again, is no reason to ask again.
    if (this.#toldIn === epoch && method === "GET") return error;
    this.#toldIn = epoch;
    for (const listener of this.#refused) listener(error);
    return error;
  }
}

async function errorOf(reply: Response): Promise<ApiError> {
  const { status } = reply;
  const text = await reply.text().catch(() => "");
  try {
    // The server's errors have this form; a proxy's may have any.
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; path?: unknown } };
    if (typeof error?.message === "string") {
      const path = typeof error.path === "string" ? error.path : undefined;
      return new ApiError(status, typeof error.code === "string" ? error.code : "unknown", error.message, path);
    }
  } catch {
    // No JSON: it is told below.
  }
  return new ApiError(status, "unknown", `The server answered with status ${status}.`);
}

function unreachable(cause: unknown): ApiError {
  const error = new ApiError(0, "network", "The server cannot be reached.");
  error.cause = cause;
  return error;
}

function queryOf(query: Asked["query"] = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, String(value));
  return fields.size === 0 ? "" : `?${fields.toString()}`;
}
