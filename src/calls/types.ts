// The types of calls to models: providers and call options as callers write them, answers as they receive them, and the
// interfaces between a call, its provider adapter and its transport.
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

/** Headers in any form that callers have: an object, `Headers`, a `Map`, or a list of pairs. */
export type HeadersInput = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** An HTTP request to a provider, as the signer and the transport receive it. */
export interface HttpRequest {
  /** GET requests, such as the list of models, have no body. */
  method: "POST" | "GET";
  url: string;
  /** Names are in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  dialect: HttpDialect;
  /** Default: the official URL of the dialect. With or without its version (`/v1`, `/v1beta`). */
  baseUrl?: string | undefined;
  /** The key, or a function that fetches one for each attempt. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The vendor whose deviations from the dialect apply: "ollama", "deepseek", "openrouter" … */
  vendor?: string | undefined;
  /** The issuer of this provider's seals: they are sent back only to it. Default: the provider's registered name. */
  issuer?: string | undefined;
  /** Sent with every request. They override Koine's own headers. */
  headers?: HeadersInput | undefined;
  /** Added to every URL, such as Azure's `api-version`. */
  query?: Readonly<Record<string, string>> | undefined;
  /** Returns the headers that authorize a request, for providers with signed requests (Bedrock). Called for each attempt. */
  sign?: ((request: HttpRequest) => HeadersInput | Promise<HeadersInput>) | undefined;
  /** Bedrock: the region of the official URL. */
  region?: string | undefined;
  /**
   * Responses: "resend" (default) sends the whole history each time; "previous-response" sends only the messages after
   * the last answer that this provider stored (B14).
   */
  state?: "resend" | "previous-response" | undefined;
  /** Responses: true if the provider stores its answers. With false, reasoning arrives encrypted (B13). Default: the provider's own. */
  store?: boolean | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** A provider that is a function: a scripted model or a local runtime. Seals of other issuers are removed from its requests. */
export interface LocalProvider {
  /** Returns the deltas of one answer, from `start` to `done` or `error`. An exception ends the answer. */
  answer(request: ModelRequest, context: { signal: AbortSignal }): Iterable<Delta> | AsyncIterable<Delta>;
  /** The issuer of its seals. Default: the provider's registered name. */
  issuer?: string | undefined;
  /** The names of its models, for lists. */
  models?: readonly string[] | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** A provider as configured: over HTTP, or a function. */
export type ProviderConfig = HttpProvider | LocalProvider;

// ---- Call options ----

/** Time limits in milliseconds. Infinity: no limit. */
export interface Timeouts {
  /** Time to open a connection. Default 10 s. `fetch` does not report connections; there, `replyMs` is the limit. */
  connectMs: number;
  /**
   * Time from sending a request to the headers of its reply; for a local provider, to its first delta. Default: 5 minutes
   * for `stream`, none for `complete`, because a provider sends the headers of a whole answer when the answer is finished.
   * If a fallback is left, it is attempted next, without a retry.
   */
  replyMs: number;
  /**
   * Time from the first attempt to the end of the answer, with retries and waits. Default: 10 minutes plus the `totalMs`
   * of the providers involved. The limit of the call or the client ends the call. The limit of a provider, which the
   * call's limit replaces, ends the attempts at that provider only; the next fallback follows. As long as fallbacks are
   * left, a provider without its own limit may use an equal share of the remaining time: with `complete` until the answer
   * is complete, with `stream` until its first delta.
   */
  totalMs: number;
  /** The longest silence within a reply: from its headers to its first byte, and between two reads. Default 60 s. */
  gapMs: number;
}

/** The rules for repeating a failed attempt. */
export interface RetryPolicy {
  /** Maximum attempts per provider, including the first. Default 3. */
  attempts: number;
  /** The approximate first wait; each further wait is twice as long. Default 500 ms. */
  baseMs: number;
  /** The longest wait that Koine chooses itself. Default 8 s. */
  maxMs: number;
  /** If a provider requests a longer wait, the call fails at once with an error that states the wait. Default 60 s. */
  retryAfterCapMs: number;
}

/** Options of a single call. */
export interface CallOptions {
  /** The provider, if the model name does not contain it. The model name is then sent unchanged. */
  provider?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Sent with the request: beta flags, trace ids. */
  headers?: HeadersInput | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** Models as `provider/model`, attempted in this order if the one before fails. Never used after the first delta. */
  fallbacks?: readonly string[] | undefined;
  /** A request with a breaking loss is rejected ("refuse", the default) or sent anyway ("send"). */
  onBreaks?: "refuse" | "send" | undefined;
  /** false: the request is sent without repairs, even if the provider will reject it. */
  repair?: boolean | undefined;
  /** The caller's own data, for middleware. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

// ---- Answers ----

/** One exchange with one provider. */
export interface Attempt {
  /** The provider's registered name. */
  provider: string;
  /** The requested model. */
  model: string;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  /** The wait before this attempt. */
  waitedMs: number;
  status?: number;
  /** The provider's own id of the exchange, from its headers. */
  requestId?: string;
  /** Tokens and cost, also of a failed attempt (B67). */
  usage?: Usage;
  error?: ProviderError;
  /** The caller ended the attempt. */
  aborted?: true;
  /**
   * The request was sent, and the attempt timed out, was aborted or broke off without an error reply. The provider may
   * bill it although no usage is known. A connection that breaks before any reply does not count.
   */
  mayBeBilled?: true;
  /** The losses of the request as this provider received it. */
  losses: Loss[];
}

/** A response, with its provider, losses and attempts. */
export interface Answer extends ModelResponse {
  /** The registered name of the provider that answered. */
  provider: string;
  /** The losses of the request as that provider received it. */
  losses: Loss[];
  /** All attempts; the last one is the one that answered. */
  attempts: Attempt[];
}

/**
 * An answer that is being streamed. The request is sent when the first read begins. Leaving the loop ends the exchange; so
 * do `cancel` and `await using`. All iterators share one position.
 *
 * An answer that fails before its first delta throws. An answer that fails later yields its `error` delta, then throws;
 * the error has the partial answer as `partial`. Further reads throw the same error. After the reader left, reads return
 * `done` instead.
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
  /** Returns the complete answer. Reads to the end by itself; the deltas it reads stay available to the iterator. May be called repeatedly. */
  response(): Promise<Answer>;
  /** Iterates over the deltas in batches as they arrived: one promise per read of the wire instead of one per delta. */
  batches(): AsyncIterableIterator<readonly Delta[]>;
  /** Returns the answer as assembled so far. */
  snapshot(): Snapshot | undefined;
  /**
   * Ends the exchange. Unread deltas are dropped, and further reads throw "aborted"; an answer that was already complete
   * is still returned by `response`. The call's signal has the same effect.
   */
  cancel(reason?: unknown): void;
}

// ---- The environment of calls ----

/** Time, randomness and waiting, replaceable in tests. */
export interface Effects {
  clock: Clock;
  /** 0 ≤ n < 1 */
  random(): number;
  /** Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms` by `clock`; used for the time limits of a call. The returned function cancels the timer. */
  timer(callback: () => void, ms: number): () => void;
}

/** Providers and the defaults for every call. */
export interface CallDefaults {
  providers: Readonly<Record<string, ProviderConfig>>;
  /** The provider of models without a provider name. Default: the only provider; with several providers, none. */
  defaultProvider?: string | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** The fallbacks of calls that have none of their own. */
  fallbacks?: readonly string[] | undefined;
  /** Used to compute `usage.cost` if the provider does not report it. */
  prices?: PriceTable | undefined;
  /** Called at the end of every attempt. Its exceptions are ignored. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** Default: undici pools on Node, `fetch` elsewhere. */
  transport?: Transport | undefined;
  effects?: Partial<Effects> | undefined;
}

// ---- Transports and provider adapters ----

/** Options of one request of a transport. */
export interface SendOptions {
  signal: AbortSignal;
  connectMs: number;
  /** The transport calls it when the request goes out. A request that ends before that is not billed. */
  onSent?: (() => void) | undefined;
}

/** A reply whose headers have arrived. */
export interface HttpReply {
  status: number;
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body, readable once. Leaving the loop frees the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Frees the connection without reading the rest. May be called repeatedly. */
  discard(): void;
  /** Stops this reply from keeping the process alive; its rest is read only to reuse the connection. */
  unref?(): void;
}

/**
 * Sends HTTP requests. `send` resolves with the headers of any reply, error statuses included. An abort rejects with the
 * signal's reason, also while the body is read; every other failure is a `TransportError`.
 */
export interface Transport {
  send(request: HttpRequest, options: SendOptions): Promise<HttpReply>;
  close(): Promise<void>;
}

/** A request, encoded for a provider. Made once per call and provider: every attempt sends the same bytes. */
export interface PreparedRequest {
  request: HttpRequest;
  dialect: Dialect;
  renames: Renames | undefined;
  losses: Loss[];
  /** Returns provider-specific metadata for the answer's message; `extra` is the residue of the answer. */
  answerMetadata?: (extra: Extra | undefined) => Metadata;
}

/** A provider over HTTP with its checked configuration: makes and authorizes requests. */
export interface HttpAdapter {
  readonly kind: "http";
  readonly name: string;
  readonly config: HttpProvider;
  /** Encodes a request. Throws a `DialectError` for content that the dialect cannot express; breaking losses are only reported. */
  prepare(request: ModelRequest, model: string, stream: boolean, options: CallOptions): PreparedRequest;
  /** Prepares a request whose body is already in the wire format of this provider; the body is not inspected. */
  forward(body: string, model: string, stream: boolean, headers?: Readonly<Record<string, string>>): PreparedRequest;
  /** Returns the URL that counts the tokens of a request; undefined if the provider has none. */
  tokenCountUrl(model: string): string | undefined;
  /** Returns the request for the list of models; undefined if the provider has no such list. */
  modelListRequest(): HttpRequest | undefined;
  /** Adds the key or the signature for one attempt. */
  authorize(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
}

/** A local provider with its checked configuration. */
export interface LocalAdapter {
  readonly kind: "local";
  readonly name: string;
  readonly config: LocalProvider;
  /** Removes the seals of other issuers from a request, with a loss for each. */
  prepare(request: ModelRequest, model: string): { request: ModelRequest; losses: Loss[] };
}

/** A provider, ready for calls. */
export type ProviderAdapter = HttpAdapter | LocalAdapter;
