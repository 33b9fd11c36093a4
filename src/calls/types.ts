// Defines the types of calls to models: providers and call options that callers write, answers that they receive, and
// the interfaces between a call, its provider adapter and its transport.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Clock, Snapshot } from "../assembly/index.ts";
import type { Dialect, DialectId, Renames } from "../dialects/index.ts";
import type {
  Delta,
  Extra,
  Loss,
  Metadata,
  ProviderError,
  ModelRequest,
  ModelResponse,
  Usage,
} from "../model/index.ts";
import type { PriceTable } from "./prices.ts";

// ---- Providers ----

/** The dialects that a provider over HTTP can use. */
export type HttpDialect = Extract<DialectId, "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock">;

/** Headers in any form that a caller may have: an object, `Headers`, a `Map`, or a list of pairs. */
export type HeadersInput = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** An HTTP request to a provider, as the signer and the transport receive it. */
export interface HttpRequest {
  /** The HTTP method. GET requests, such as the request for the list of models, have no body. */
  method: "POST" | "GET";
  url: string;
  /** Names are in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  dialect: HttpDialect;
  /** The base URL, with or without a version (`/v1`, `/v1beta`). Default: the official URL of the dialect or vendor. */
  baseUrl?: string | undefined;
  /** The key, or a function that returns a key and is called for each attempt. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The vendor whose deviations from the dialect apply: "ollama", "deepseek", "openrouter" … */
  vendor?: string | undefined;
  /**
   * The issuer of this provider's seals, which are sent back only to the same issuer. Default: the provider's
   * registered name.
   */
  issuer?: string | undefined;
  /** Headers of every request. They override Koine's own headers. */
  headers?: HeadersInput | undefined;
  /** Query parameters of every URL, such as Azure's `api-version`. */
  query?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the headers that authorize a request, for providers with signed requests (Bedrock). Called for each
   * attempt.
   */
  sign?: ((request: HttpRequest) => HeadersInput | Promise<HeadersInput>) | undefined;
  /** The region in the official URL of Bedrock. Only for Bedrock. */
  region?: string | undefined;
  /**
   * The way in which the Responses API receives the history: "resend" (default) sends all messages each time;
   * "previous-response" sends only the messages after the last answer that this provider stored (B14).
   */
  state?: "resend" | "previous-response" | undefined;
  /**
   * True if the provider of the Responses API stores its answers. If false, reasoning arrives encrypted (B13). Default:
   * the provider's own default.
   */
  store?: boolean | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/**
 * A provider that is a function, such as a scripted model or a local runtime. Seals of other issuers are removed from
 * its requests.
 */
export interface LocalProvider {
  /** Returns the deltas of one answer, from `start` to `done` or `error`. An exception ends the answer. */
  answer(request: ModelRequest, context: { signal: AbortSignal }): Iterable<Delta> | AsyncIterable<Delta>;
  /** The issuer of the provider's seals. Default: the provider's registered name. */
  issuer?: string | undefined;
  /** The names of the provider's models, for lists and error messages. */
  models?: readonly string[] | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** The configuration of a provider: over HTTP, or as a function. */
export type ProviderConfig = HttpProvider | LocalProvider;

// ---- Call options ----

/** Time limits in milliseconds; Infinity means no limit. */
export interface Timeouts {
  /**
   * Time to open a connection. Default: 10 s. It has no effect with `fetch`, which does not report when a connection
   * opens; there, only `replyMs` limits the wait.
   */
  connectMs: number;
  /**
   * Time from sending a request to the headers of its reply; for a local provider, to its first delta. Default: 5
   * minutes for `stream`, none for `complete`, because a provider sends the headers of a complete answer when the
   * answer is finished. When the limit is reached, the next fallback follows without a retry.
   */
  replyMs: number;
  /**
   * Time from the first attempt to the end of the answer, including retries and waits. Default: 10 minutes plus the
   * `totalMs` of the call's providers. The limit of the call or the client ends the call. The limit of a provider ends
   * only the attempts at that provider; the next fallback follows. A limit of the call replaces the limits of
   * providers. While fallbacks are left, a provider without a limit may use an equal share of the remaining time: with
   * `complete` until the answer is complete, with `stream` until its first delta.
   */
  totalMs: number;
  /**
   * The longest time within a reply in which no data arrives: from the headers to the first byte, and between two
   * chunks. Default: 60 s.
   */
  gapMs: number;
}

/** The rules for repeating a failed attempt. */
export interface RetryPolicy {
  /** Maximum attempts per provider, including the first. Default 3. */
  attempts: number;
  /** The approximate first wait in milliseconds; each further wait is twice as long. Default: 500 ms. */
  baseMs: number;
  /** The longest wait in milliseconds that Koine chooses itself. Default: 8 s. */
  maxMs: number;
  /**
   * The longest wait in milliseconds that a provider may request. If it requests a longer one, the attempts at this
   * provider end at once, with an error that contains the wait. Default: 60 s.
   */
  retryAfterCapMs: number;
}

/** Options of a single call. */
export interface CallOptions {
  /** The provider, if the model name does not contain it. The model name is then sent without changes. */
  provider?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Headers of the request, such as beta flags and trace ids. */
  headers?: HeadersInput | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /**
   * Models as `provider/model`, attempted in this order, each if the previous model fails. No fallback follows after
   * the first delta with content.
   */
  fallbacks?: readonly string[] | undefined;
  /**
   * The treatment of a request with a breaking loss: it is rejected ("refuse", the default) or sent anyway ("send").
   */
  onBreaks?: "refuse" | "send" | undefined;
  /**
   * True if the request is repaired for the provider. If false, it is sent even if the provider will reject it.
   * Default: true.
   */
  repair?: boolean | undefined;
  /** The caller's own data, which middleware can read. It is not sent. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

// ---- Answers ----

/** One exchange with one target, with its times, usage and error. */
export interface Attempt {
  /** The provider's registered name. */
  provider: string;
  /** The model that the attempt requested. */
  model: string;
  /** The time at which the attempt started, in ISO 8601 format. */
  startedAt: string;
  durationMs: number;
  /** The wait before this attempt, in milliseconds; 0 for the first attempt at a target. */
  waitedMs: number;
  status?: number;
  /** The provider's request id, from the headers of the reply. */
  requestId?: string;
  /** Token counts and cost of the attempt; also set for a failed attempt if its usage is known (B67). */
  usage?: Usage;
  error?: ProviderError;
  /** Set if the caller ended the attempt. */
  aborted?: true;
  /**
   * Set if the provider may bill a failed attempt: content arrived, or the request was sent and the attempt timed out,
   * was aborted or broke off without an error reply. Not set if the connection broke before any reply.
   */
  mayBeBilled?: true;
  /** The losses of encoding the request for this provider. */
  losses: Loss[];
}

/** A complete response with its provider, losses and attempts. */
export interface Answer extends ModelResponse {
  /** The registered name of the provider that answered. */
  provider: string;
  /** The losses of encoding the request for that provider. */
  losses: Loss[];
  /** All attempts of the call; the last attempt returned this answer. */
  attempts: Attempt[];
}

/**
 * An answer that is being streamed. The request is sent when the first read begins. Leaving the loop ends the exchange,
 * as do `cancel` and `await using`. All iterators share one position.
 *
 * An answer that fails before its first delta throws. An answer that fails later yields its `error` delta, then throws;
 * the error has the partial answer as `partial`. Further reads throw the same error. After the reader has left, reads
 * return `done` instead.
 *
 * @example
 * ```ts
 * import { user } from "koine";
 * import { createClient, demo } from "koine/client";
 *
 * const client = createClient({ providers: { demo: demo() } });
 * const stream = client.stream({ model: "demo/koine", messages: [user("say Hello.")] });
 * for await (const delta of stream) if (delta.kind === "text") process.stdout.write(delta.payload.textDelta);
 * const { finishReason } = await stream.response();
 * console.log(finishReason.unified); // stop
 * await client.close();
 * ```
 */
export interface AnswerStream extends AsyncIterableIterator<Delta>, AsyncDisposable {
  /**
   * Returns the complete answer. Reads to the end without an iterator; the deltas stay available to the iterator. May
   * be called repeatedly.
   */
  response(): Promise<Answer>;
  /**
   * Iterates over the deltas in the batches in which they arrived, with one promise per read of the reply instead of
   * one per delta.
   */
  batches(): AsyncIterableIterator<readonly Delta[]>;
  /** Returns the answer as it is assembled so far; undefined before the `start` delta. */
  snapshot(): Snapshot | undefined;
  /**
   * Ends the exchange. Unread deltas are dropped, and further reads throw an "aborted" error. If the answer was already
   * complete, `response` still returns it. The call's signal has the same effect.
   */
  cancel(reason?: unknown): void;
}

// ---- The environment of calls ----

/** Time, randomness and waiting, which tests can replace. */
export interface Effects {
  clock: Clock;
  /** Returns a random number n with 0 ≤ n < 1. */
  random(): number;
  /** Waits `ms` milliseconds. Rejects with the reason of the signal if the signal is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Calls `callback` once after `ms` milliseconds of `clock`; used for the time limits of a call. Returns a function
   * that cancels the timer.
   */
  timer(callback: () => void, ms: number): () => void;
}

/** The providers of a client, and the defaults of every call. */
export interface CallDefaults {
  providers: Readonly<Record<string, ProviderConfig>>;
  /**
   * The provider of models without a provider name. Default: the only provider; if there are several, such models are
   * an error.
   */
  defaultProvider?: string | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** The fallbacks of calls whose options have none. */
  fallbacks?: readonly string[] | undefined;
  /** The prices from which `usage.cost` is computed if the provider does not report it. */
  prices?: PriceTable | undefined;
  /** Called at the end of every attempt. Exceptions of the function are ignored. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** The transport of HTTP requests. Default: undici's connection pools on Node, `fetch` elsewhere. */
  transport?: Transport | undefined;
  effects?: Partial<Effects> | undefined;
}

// ---- Transports and provider adapters ----

/** Options of one request that a transport sends. */
export interface SendOptions {
  signal: AbortSignal;
  connectMs: number;
  /**
   * Called by the transport when the request is sent. An attempt that fails before that is not marked as `mayBeBilled`.
   */
  onSent?: (() => void) | undefined;
}

/** A reply whose headers have arrived. */
export interface HttpReply {
  status: number;
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body, which can be read once. Leaving the loop frees the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Frees the connection without reading the rest of the body. May be called repeatedly. */
  discard(): void;
  /**
   * Allows the process to exit before this reply has ended. Called when the rest is read only to reuse the connection.
   */
  unref?(): void;
}

/**
 * Sends HTTP requests. `send` resolves with the headers of any reply, including error statuses. After an abort, `send`
 * and the body reject with the reason of the signal; every other failure is a `TransportError`.
 */
export interface Transport {
  send(request: HttpRequest, options: SendOptions): Promise<HttpReply>;
  close(): Promise<void>;
}

/**
 * A request that is encoded for a provider. It is created once per call and provider, so every attempt sends the same
 * bytes.
 */
export interface PreparedRequest {
  request: HttpRequest;
  dialect: Dialect;
  renames: Renames | undefined;
  losses: Loss[];
  /** Returns provider-specific metadata for the message of the answer; `extra` is the residue of the answer. */
  answerMetadata?: (extra: Extra | undefined) => Metadata;
}

/** A provider over HTTP with its checked configuration. Creates and authorizes requests. */
export interface HttpAdapter {
  readonly kind: "http";
  readonly name: string;
  readonly config: HttpProvider;
  /**
   * Encodes a request. Throws a `DialectError` for content that the dialect cannot express; breaking losses are only
   * reported.
   */
  prepare(request: ModelRequest, model: string, stream: boolean, options: CallOptions): PreparedRequest;
  /** Prepares a request whose body is already in the wire format of this provider; the body is not inspected. */
  forward(body: string, model: string, stream: boolean, headers?: Readonly<Record<string, string>>): PreparedRequest;
  /** Returns the URL that counts the tokens of a request; undefined if the provider cannot count tokens. */
  tokenCountUrl(model: string): string | undefined;
  /** Returns the request for the list of models; undefined if the provider has no such list. */
  modelListRequest(): HttpRequest | undefined;
  /** Returns the request with the key or the signature for one attempt. */
  authorize(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
}

/** A local provider with its checked configuration. */
export interface LocalAdapter {
  readonly kind: "local";
  readonly name: string;
  readonly config: LocalProvider;
  /** Removes the seals and opaque parts of other issuers from a request and reports a loss for each. */
  prepare(request: ModelRequest, model: string): { request: ModelRequest; losses: Loss[] };
}

/** A provider with its checked configuration: over HTTP, or local. */
export type ProviderAdapter = HttpAdapter | LocalAdapter;
