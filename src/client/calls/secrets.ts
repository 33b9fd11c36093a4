// What must not be in any error, attempt or log: the keys that a request was sent with, whoever put them there. Servers
// repeat them in their complaints, in headers, bodies and streams alike.
import type { Delta, ProviderError, Response } from "../../model/index.ts";
import { isSecretName, splitHeaders } from "../providers/headers.ts";
import type { HttpRequest } from "../types.ts";
import { AttemptFailure, failureOf } from "./failure.ts";

/** Shorter ones would be found in any text. */
const SHORTEST_KEY = 8;

/** A word of letters alone may be a word of any text, unless it is long. */
const WORD = /^\p{L}{1,15}$/u;

/** What a signer adds, or what sounds like a key, that is no secret and is needed to understand an error. */
const PLAIN: ReadonlySet<string> = new Set(["date", "host", "idempotency-key", "x-amz-content-sha256", "x-amz-date"]);

/** What a URL calls its secrets, beside the names that headers have for them. */
const SECRET_QUERY = /sig|signature|credential|code/i;

const INSTEAD = "[key]";

/** Causes may be endless. */
const MOST_CAUSES = 4;

/** The secrets of one attempt. */
export class Secrets {
  readonly #sent: HttpRequest | undefined;
  readonly #prepared: HttpRequest | undefined;
  #known: readonly string[] | undefined;

  /** `sent`: the request with its key; `prepared`: as it was before. */
  constructor(sent?: HttpRequest, prepared?: HttpRequest) {
    this.#sent = sent;
    this.#prepared = prepared;
  }

  /** Found out when something is to be told: most attempts tell nothing. */
  get #texts(): readonly string[] {
    const sent = this.#sent;
    const prepared = this.#prepared;
    return (this.#known ??= sent === undefined ? [] : knownForms(secretsOf(sent, prepared)));
  }

  /** A failure of the attempt, of whatever kind, without them. */
  failure(error: ProviderError, options: { partial?: Response | undefined; cause?: unknown } = {}): AttemptFailure {
    const { cause, partial } = options;
    // A cause that tells one is left out: the message says the same.
    const isKept = cause !== undefined && !this.#isTold(cause);
    return new AttemptFailure(this.redact(error), isKept ? { partial, cause } : { partial });
  }

  #isTold(cause: unknown, depth = 0): boolean {
    if (!(cause instanceof Error) || depth > MOST_CAUSES) return false;
    return this.redact(cause.message) !== cause.message || this.#isTold(cause.cause, depth + 1);
  }

  /** Whatever was thrown on the way, as a failure without them. */
  failureOf(thrown: unknown): AttemptFailure {
    const { error, partial, cause } = failureOf(thrown);
    return this.failure(error, { partial, cause });
  }

  /** The same deltas; an `error` among them without secrets. */
  deltas(deltas: readonly Delta[]): readonly Delta[] {
    if (!deltas.some(({ kind }) => kind === "error")) return deltas;
    return deltas.map((delta) => (delta.kind === "error" ? this.redact(delta) : delta));
  }

  /** The same value without secrets, in names and texts at any depth. */
  redact<T>(value: T): T {
    // Only texts change, into other texts.
    return value === undefined || this.#texts.length === 0 ? value : (this.#replace(value) as T);
  }

  /** The same bytes; others where one of them is told in it. */
  bytes(chunk: Uint8Array): Uint8Array {
    const texts = this.#texts;
    if (texts.length === 0) return chunk;
    const text = new TextDecoder().decode(chunk);
    return texts.some((secret) => text.includes(secret)) ? new TextEncoder().encode(this.redact(text)) : chunk;
  }

  #replace(value: unknown): unknown {
    if (typeof value === "string") return this.#texts.reduce((text, secret) => text.replaceAll(secret, INSTEAD), value);
    if (Array.isArray(value)) return value.map((each: unknown) => this.#replace(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.#replace(name), this.#replace(each)]));
  }
}

/** The headers whose names say so, those that the provider's key or signer added, and what the URL holds. */
function secretsOf({ headers, url }: HttpRequest, prepared: HttpRequest | undefined): string[] {
  const [told, secret] = splitHeaders(headers);
  const added = Object.entries(told).filter(([name, value]) => prepared?.headers[name] !== value);
  const params = url.includes("?") ? [...new URL(url).searchParams] : [];
  const query = params.filter(([name]) => isSecretName(name) || SECRET_QUERY.test(name));
  return [...Object.entries(secret), ...added, ...query]
    .filter(([name]) => !PLAIN.has(name.toLowerCase()))
    .flatMap(([, value]) => valuesIn(value));
}

/** A value, and those within one that is made of several: cookies, a signature with its terms. */
function valuesIn(value: string): string[] {
  const within = value.split(/[;,]/).filter((part) => part.includes("="));
  return [value, ...within.map((part) => part.slice(part.indexOf("=") + 1).trim())];
}

/** The forms of secrets that were asked for last: a provider has one key for many calls. */
const FORMS = new Map<string, readonly string[]>();
const MOST_FORMS = 64;

function knownForms(secrets: readonly string[]): readonly string[] {
  const key = JSON.stringify(secrets);
  const known = FORMS.get(key);
  if (known !== undefined) return known;
  const forms = formsOf(secrets);
  // Keys that change with every call must not fill the memory.
  if (FORMS.size >= MOST_FORMS) FORMS.clear();
  FORMS.set(key, forms);
  return forms;
}

/** Every form in which they may come back, the longest first: one may be a part of another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    // "Bearer", "Basic" and the like are no part of the secret.
    .flatMap((secret) => [secret, secret.replace(/^[\w-]+ +/, "")])
    .filter((secret) => secret.length >= SHORTEST_KEY && !WORD.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}
