// The public face of the client: what goes in and what comes out of its methods, and the seams inside it.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Clock, Snapshot } from "../assembly/index.ts";
import type { Dialect, DialectId, Names } from "../dialects/index.ts";
import type {
  Delta,
  Extra,
  Loss,
  Metadata,
  ProviderError,
  ModelRequest,
  Response,
  SchemaObject,
  Usage,
} from "../model/index.ts";
import type { Middleware } from "./middleware/types.ts";
import type { PriceTable } from "./prices.ts";
import type { AnySchema, InferSchema } from "./schema/types.ts";

// ---- What providers are: data ----

/** The dialects that a provider over HTTP may speak. */
export type HttpDialect = Extract<DialectId, "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock">;

/** Headers as callers have them: an object, `Headers`, a `Map`, or a list of pairs. */
export type HeadersInput = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** A request on its way to a provider; what a signer sees. */
export interface HttpRequest {
  /** GET for what is only looked up, without a body. */
  method: "POST" | "GET";
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A provider that is reached over HTTP. */
export interface HttpProvider {
  dialect: HttpDialect;
  /** Default: the official one of the dialect. With or without its version (`/v1`, `/v1beta`). */
  baseUrl?: string | undefined;
  /** A key, or what fetches one for each attempt. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Whose habits the wire has: "ollama", "deepseek", "openrouter" … */
  vendor?: string | undefined;
  /** What seals are stamped with and go back to; default: the name it is registered under. */
  issuer?: string | undefined;
  /** Sent with every request; they win over Koine's own. */
  headers?: HeadersInput | undefined;
  /** Added to every URL, such as Azure's `api-version`. */
  query?: Readonly<Record<string, string>> | undefined;
  /** Gives the headers that authorise a request, for providers that want it signed (Bedrock). Called for each attempt. */
  sign?: ((request: HttpRequest) => HeadersInput | Promise<HeadersInput>) | undefined;
  /** Bedrock: part of its official address. */
  region?: string | undefined;
  /**
   * Responses: "resend" (default) sends the whole history each time; "previous-response" sends only what came after the
   * last answer that this provider gave and stored (B14).
   */
  state?: "resend" | "previous-response" | undefined;
  /** Responses: whether the provider keeps what it answers. With false, reasoning comes encrypted (B13). Absent: its own default. */
  store?: boolean | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

/** A provider that is a function: a scripted model, a local runtime. It is given what its issuer may see. */
export interface LocalProvider {
  /** Deltas of one answer, `start` to `done` or `error`. What it throws ends the answer. */
  answer(request: ModelRequest, context: { signal: AbortSignal }): Iterable<Delta> | AsyncIterable<Delta>;
  /** What it calls itself in seals; default: the name it is registered under. */
  issuer?: string | undefined;
  /** The names of its models, for lists. */
  models?: readonly string[] | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
}

export type ProviderConfig = HttpProvider | LocalProvider;

// ---- How calls behave ----

/** In milliseconds; Infinity: no limit. */
export interface Timeouts {
  /** Until a connection stands. Default 10 s. `fetch` cannot tell when it does: there, `replyMs` is the limit. */
  connectMs: number;
  /**
   * From sending a request to the headers of its reply; of a local provider, to its first delta. Default: 5 minutes for
   * `stream`, and none for `complete`, where a provider sends its headers when the answer is finished. Where another model
   * is left to ask, it is asked next, without a retry.
   */
  replyMs: number;
  /**
   * From the first attempt's beginning until the answer is whole, retries and waits included. Default 10 minutes, and
   * what providers have of their own comes on top. The call's and the client's end the call; a provider's own, which
   * the call's replaces, ends the work with that provider only: a fallback is asked then. As long as fallbacks are left,
   * a provider without a limit of its own may take its share of the time that is left, the same for each, until it
   * answers: `complete` until the answer is whole, `stream` until its first delta.
   */
  totalMs: number;
  /** The longest silence within a reply: from its headers to its first byte, and from one read to the next. Default 60 s. */
  gapMs: number;
}

export interface RetryPolicy {
  /** How often a provider is asked at most, the first time included. Default 3. */
  attempts: number;
  /** The first wait is about this long, the next ones twice as long each. Default 500 ms. */
  baseMs: number;
  /** No wait of our own is longer. Default 8 s. */
  maxMs: number;
  /** A provider that wants us to wait longer is not waited for: the error says how long. Default 60 s. */
  retryAfterCapMs: number;
}

/** What a single call may say beside its request. */
export interface CallOptions {
  /** The provider, where the model does not name it. The model is then taken as it is. */
  provider?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Sent with the request: beta flags, trace ids. */
  headers?: HeadersInput | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** Models to ask in this order where the one before cannot answer, as `provider/model`. Never after the first delta. */
  fallbacks?: readonly string[] | undefined;
  /** What to do where the provider would answer another question: refuse (default), or send all the same. */
  onBreaks?: "refuse" | "send" | undefined;
  /** false: what the provider would refuse is sent as it is. */
  repair?: boolean | undefined;
  /** The caller's own facts, for middleware. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** One try at one provider. */
export interface Attempt {
  /** As registered. */
  provider: string;
  /** As it was asked. */
  model: string;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  /** The wait before it. */
  waitedMs: number;
  status?: number;
  /** The provider's own id of the exchange, from its headers. */
  requestId?: string;
  /** What it cost, also where it failed (B67). */
  usage?: Usage;
  error?: ProviderError;
  /** The caller ended it. */
  aborted?: true;
  /**
   * It timed out, was ended or broke off when its request had gone out, without a refusal: it may have cost something,
   * also where nobody said what. A connection that breaks before any reply counts as nothing.
   */
  mayBeBilled?: true;
  /** What did not arrive as it was. */
  losses: Loss[];
}

/** A response, and how it came about. */
export interface Answer extends Response {
  /** Who answered, as registered. */
  provider: string;
  /** What did not arrive at that provider as it was. */
  losses: Loss[];
  /** Every try, the last one is the one that answered. */
  attempts: Attempt[];
}

/**
 * An answer as it arrives. Nothing is sent before somebody reads. Leaving the loop ends the exchange; so do `cancel` and
 * `await using`. One reader: whoever iterates goes on where the last one was.
 *
 * An answer that fails before its first delta throws. One that fails later gives its `error` delta, then throws: what had
 * arrived is on the error, as `partial`. Whoever reads on is thrown the same again; only whoever left is at an end.
 */
export interface AnswerStream extends AsyncIterableIterator<Delta>, AsyncDisposable {
  /** The whole answer, at its end. Reads on by itself; what it reads stays for the iterator. May be asked again. */
  response(): Promise<Answer>;
  /** The deltas as they came in together: one promise per read of the wire instead of one per delta. */
  batches(): AsyncIterableIterator<readonly Delta[]>;
  /** What has arrived so far. */
  snapshot(): Snapshot | undefined;
  /**
   * Ends the exchange. Deltas that nobody has taken are dropped, and whoever reads on is thrown "aborted"; an answer that
   * was whole by then is still the response. The call's signal does the same.
   */
  cancel(reason?: unknown): void;
}

export interface ObjectRequest<Schema extends AnySchema> extends Omit<ModelRequest, "output" | "stream"> {
  /** A JSON Schema, or a Standard Schema (Zod, Valibot, ArkType …) that can say its JSON Schema. */
  schema: Schema;
  /** What to show to the model instead, for Standard Schemas that cannot say their JSON Schema. */
  jsonSchema?: SchemaObject | undefined;
  name?: string;
  description?: string;
}
export interface ObjectAnswer<Value> {
  object: Value;
  answer: Answer;
}

/** Time, chance and waiting, so that tests can hold them. */
export interface Effects {
  clock: Clock;
  /** 0 ≤ n < 1 */
  random(): number;
  /** Rejects with the signal's reason where that comes first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ClientOptions {
  providers: Readonly<Record<string, ProviderConfig>>;
  /** Asked for models that name no provider. Default: the only provider there is; with several, none. */
  defaultProvider?: string | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** For every call that names none. */
  fallbacks?: readonly string[] | undefined;
  /** The first one is outermost. */
  middleware?: readonly Middleware[] | undefined;
  /** Sets `usage.cost` where the provider does not say it. */
  prices?: PriceTable | undefined;
  /** Hears of every attempt when it has ended. It only listens: what it throws changes no call, and is told to nobody. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** How bytes travel. Default: undici pools on Node, `fetch` elsewhere. */
  transport?: Transport | undefined;
  effects?: Partial<Effects> | undefined;
}

export interface Client extends AsyncDisposable {
  /** The names of the providers. */
  readonly providers: readonly string[];
  complete(request: ModelRequest, options?: CallOptions): Promise<Answer>;
  stream(request: ModelRequest, options?: CallOptions): AnswerStream;
  generateObject<Schema extends AnySchema>(
    request: ObjectRequest<Schema>,
    options?: CallOptions,
  ): Promise<ObjectAnswer<InferSchema<Schema>>>;
  /** Ends idle connections; calls under way go on. */
  close(): Promise<void>;
}

// ---- Seams inside the client ----

/** What a transport is told beside the request. */
export interface SendOptions {
  signal: AbortSignal;
  connectMs: number;
  /** To be called when the request goes out: one that is ended before that has cost nothing. */
  onSent?: (() => void) | undefined;
}

/** A reply whose headers have arrived. */
export interface HttpReply {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body as it comes, read once. Leaving the loop frees the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Frees the connection without reading (on). May be called again. */
  discard(): void;
  /** The end is read for the connection's sake only: from here on it is no reason for a process to live. */
  unref?(): void;
}

/**
 * Sends a request, and resolves with the headers of whatever is answered, errors included. An abort rejects with the
 * signal's reason, here and in the body; everything else that goes wrong is a `TransportError`.
 */
export interface Transport {
  send(request: HttpRequest, limits: SendOptions): Promise<HttpReply>;
  close(): Promise<void>;
}

/** A request in a provider's words. Made once per call and provider: every attempt sends the same bytes. */
export interface PreparedRequest {
  request: HttpRequest;
  dialect: Dialect;
  names: Names | undefined;
  losses: Loss[];
  /** What is noted in the answer's message beside what is noted in every one; `said` is the residue of the answer. */
  facts?: (said: Extra | undefined) => Metadata;
}

/** A provider over HTTP, ready to be asked. */
export interface HttpAdapter {
  readonly kind: "http";
  readonly name: string;
  readonly config: HttpProvider;
  /** Encodes. Throws a `DialectError` for what cannot be said; breaking losses are reported, not thrown. */
  prepare(request: ModelRequest, model: string, stream: boolean, options: CallOptions): PreparedRequest;
  /** A request whose body is in this provider's words already: nothing in it is looked at. */
  forward(body: string, model: string, stream: boolean, headers?: Readonly<Record<string, string>>): PreparedRequest;
  /** Where it counts the tokens of a request instead of answering it; undefined where it cannot. */
  countUrl(model: string): string | undefined;
  /** Asks for the names of its models; undefined where there is no such list. */
  list(): HttpRequest | undefined;
  /** Adds the key or the signature, for one attempt. */
  authorise(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
}
export interface LocalAdapter {
  readonly kind: "local";
  readonly name: string;
  readonly config: LocalProvider;
  /** The request as this provider may see it: seals of others are left out, and reported. */
  prepare(request: ModelRequest, model: string): { request: ModelRequest; losses: Loss[] };
}
export type ProviderAdapter = HttpAdapter | LocalAdapter;
