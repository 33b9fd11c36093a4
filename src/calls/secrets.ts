// Removes the keys of a request from errors, attempts, deltas and logs, because servers repeat keys in the headers,
// bodies and streams of error replies.
import type { Delta, ProviderError, ModelResponse } from "../model/index.ts";
import { mapStrings } from "../model/json/index.ts";
import { AttemptFailure, toAttemptFailure } from "./attempt-failure.ts";
import { isSecretName, splitHeaders } from "./providers/headers.ts";
import type { HttpRequest } from "./types.ts";

/** The length from which a value is redacted; shorter values occur in ordinary text. */
const MIN_KEY_LENGTH = 8;

/** Matches a short value of letters only, which may be an ordinary word and is not redacted. */
const LETTERS_ONLY = /^\p{L}{1,15}$/u;

/**
 * Headers that are not secret although a signer adds them or their names resemble the name of a key. They help to
 * understand an error.
 */
const NOT_SECRET: ReadonlySet<string> = new Set([
  "date",
  "host",
  "idempotency-key",
  "x-amz-content-sha256",
  "x-amz-date",
]);

/** Matches the names of secret query parameters, in addition to the names of secret headers. */
const SECRET_QUERY = /sig|signature|credential|code/i;

const REPLACEMENT = "[key]";

/** The number of nested causes that are searched for secrets; limited because causes can be cyclic. */
const MAX_SECRET_CAUSES = 4;

/** The secrets of one attempt, with functions that replace them by "[key]". */
export class Secrets {
  readonly #sent: HttpRequest | undefined;
  readonly #prepared: HttpRequest | undefined;
  #cachedTexts: readonly string[] | undefined;

  /** `sent` is the request with its key; `prepared` is the same request without the key. */
  constructor(sent?: HttpRequest, prepared?: HttpRequest) {
    this.#sent = sent;
    this.#prepared = prepared;
  }

  /** The texts to redact, computed on the first use because most attempts have nothing to redact. */
  get #texts(): readonly string[] {
    const sent = this.#sent;
    const prepared = this.#prepared;
    return (this.#cachedTexts ??= sent === undefined ? [] : cachedForms(findSecrets(sent, prepared)));
  }

  /** Creates a failure without secrets. A cause whose message contains a secret is left out. */
  createFailure(
    error: ProviderError,
    options: { partial?: ModelResponse | undefined; cause?: unknown } = {},
  ): AttemptFailure {
    const { cause, partial } = options;
    const hasCause = cause !== undefined && !this.#isExposed(cause);
    return new AttemptFailure(this.redact(error), hasCause ? { partial, cause } : { partial });
  }

  /** Returns true if the message of the exception, or of one of its causes, contains a secret. */
  #isExposed(cause: unknown, depth = 0): boolean {
    if (!(cause instanceof Error) || depth > MAX_SECRET_CAUSES) return false;
    return this.redact(cause.message) !== cause.message || this.#isExposed(cause.cause, depth + 1);
  }

  /** Converts any exception to a failure without secrets. */
  toFailure(thrown: unknown): AttemptFailure {
    const { error, partial, cause } = toAttemptFailure(thrown);
    return this.createFailure(error, { partial, cause });
  }

  /** Redacts `error` deltas. All other deltas are content of the model and stay unchanged. */
  redactDeltas(deltas: readonly Delta[]): readonly Delta[] {
    if (!deltas.some(({ kind }) => kind === "error")) return deltas;
    return deltas.map((delta) => (delta.kind === "error" ? this.redact(delta) : delta));
  }

  /** Replaces secrets in all keys and strings of a value, at any depth. */
  redact<T>(value: T): T {
    // The cast is safe, because only the text of strings and keys changes; objects and lists keep their shape.
    return value === undefined || this.#texts.length === 0 ? value : (this.#replace(value) as T);
  }

  /** Replaces secrets in a chunk of UTF-8 text; returns the same chunk if it contains no secret. */
  redactBytes(chunk: Uint8Array): Uint8Array {
    const texts = this.#texts;
    if (texts.length === 0) return chunk;
    const text = new TextDecoder().decode(chunk);
    return texts.some((secret) => text.includes(secret)) ? new TextEncoder().encode(this.redact(text)) : chunk;
  }

  #replace(value: unknown): unknown {
    return mapStrings(value, (text) =>
      this.#texts.reduce((redacted, secret) => redacted.replaceAll(secret, REPLACEMENT), text),
    );
  }
}

/**
 * Lists the values of headers with secret names, of headers that the key or the signer added, and of secret query
 * parameters.
 */
function findSecrets({ headers, url }: HttpRequest, prepared: HttpRequest | undefined): string[] {
  const [visible, secret] = splitHeaders(headers);
  const added = Object.entries(visible).filter(([name, value]) => prepared?.headers[name] !== value);
  const params = url.includes("?") ? [...new URL(url).searchParams] : [];
  const query = params.filter(([name]) => isSecretName(name) || SECRET_QUERY.test(name));
  return [...Object.entries(secret), ...added, ...query]
    .filter(([name]) => !NOT_SECRET.has(name.toLowerCase()))
    .flatMap(([, value]) => splitSecretValues(value));
}

/** Returns a value and, for composite values such as cookies and signatures, each value in it. */
function splitSecretValues(value: string): string[] {
  const assignments = value.split(/[;,]/).filter((part) => part.includes("="));
  return [value, ...assignments.map((part) => part.slice(part.indexOf("=") + 1).trim())];
}

/**
 * The forms in which a reply can contain recent secrets (see `listForms`), cached because a provider uses the same key
 * for many calls.
 */
const FORMS_CACHE = new Map<string, readonly string[]>();
const MAX_CACHED_FORMS = 64;

function cachedForms(secrets: readonly string[]): readonly string[] {
  const key = JSON.stringify(secrets);
  const cached = FORMS_CACHE.get(key);
  if (cached !== undefined) return cached;
  const forms = listForms(secrets);
  // Signed requests have a new secret each time, so the size of the cache is limited.
  if (FORMS_CACHE.size >= MAX_CACHED_FORMS) FORMS_CACHE.clear();
  FORMS_CACHE.set(key, forms);
  return forms;
}

/**
 * Lists the forms in which a reply can contain secrets: plain, JSON-escaped and URL-encoded. The longest form is first,
 * because a form may contain another one.
 */
function listForms(secrets: readonly string[]): string[] {
  const forms = secrets
    // The value is also listed without a scheme such as "Bearer" or "Basic".
    .flatMap((secret) => [secret, secret.replace(/^[\w-]+ +/, "")])
    .filter((secret) => secret.length >= MIN_KEY_LENGTH && !LETTERS_ONLY.test(secret))
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}
