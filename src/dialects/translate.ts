// Translates a payload from one dialect to another, with a loss report.
import type { Delta } from "../model/delta.ts";
import type { Loss } from "../model/loss.ts";
import type { ModelRequest } from "../model/request.ts";
import type { RequestEnvelope, Dialect, Encoded, Renames, PayloadKind, WireEvent } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import type { DialectId } from "./registry.ts";
import { dialect, dialects } from "./registry.ts";
import type { TranslateKind, WireOf } from "./wire-types.ts";

/** A dialect, or the id of one. */
export type DialectLike = Dialect | DialectId | (string & {});

/** The kinds of payloads that `translate` accepts. */
const TRANSLATE_KINDS = [
  "request",
  "response",
  "stream",
  "error",
  "messages",
] as const satisfies readonly TranslateKind[];

/** Options of `translate`. */
export interface TranslateOptions<To extends DialectLike = DialectLike, Kind extends TranslateKind = TranslateKind> {
  /** The dialect of the payload. If it is absent, it is detected from the payload. */
  from?: DialectLike | undefined;
  to: To;
  /** The kind of the payload. If it is absent, it is detected from the payload. */
  kind?: Kind | undefined;
  /** The payload to translate: a body, or the list of the events of a stream. */
  wire: unknown;
  /** The model of the translated request, if it differs from the payload's. */
  model?: string | undefined;
  /** The data of the request outside its body, such as headers, or the model in Gemini's URL. */
  address?: RequestEnvelope | undefined;
  /** The `names` that the translation of a request returned, if the payload is the response to that request. */
  names?: Renames | undefined;
  /** The HTTP status of the reply, if the payload is an error. */
  status?: number | undefined;
  /** False turns repairs off; the default is true. */
  repair?: boolean | undefined;
}

/** The translated payload with its losses. */
export interface TranslateResult<Wire = unknown> extends Encoded<Wire> {
  /** The HTTP status to send with a translated error. */
  status?: number;
}

/** Returns the dialect of an id, or the argument if it is a dialect. Throws for a value that is neither. */
export function resolveDialect(like: DialectLike): Dialect {
  if (typeof like === "object" && typeof like?.decodeMessages === "function") return like;
  // The cast is safe: `dialect` throws for every value that is not the id of a dialect.
  return dialect(like as string);
}

/**
 * Translates one payload; `losses` lists the data that the target does not receive unchanged. `from` and `kind` are
 * detected if they are absent and only one dialect matches; otherwise a `DialectError` lists the valid values.
 *
 * @example
 * ```ts
 * import { translate } from "koine";
 *
 * const wire = { model: "gpt-5", max_completion_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
 * const result = translate({ from: "openai-chat", to: "anthropic", kind: "request", wire });
 * console.log(result.wire.messages); // [{"role":"user","content":"Hello"}]
 * console.log(result.losses); // []
 * ```
 */
export function translate<const To extends DialectLike, Kind extends TranslateKind = TranslateKind>(
  options: TranslateOptions<To, Kind>,
): TranslateResult<WireOf<To, Kind>> {
  if (typeof options !== "object" || options === null) {
    throw new DialectError("koine", "", "wrong-type", "translate takes one object with `to` and `wire`.");
  }
  const { from, kind } = detectSource(options);
  // The cast is safe: the encoder of `to` writes `WireOf`, which a type test compares with the official SDK.
  return translatePayload(from, resolveDialect(options.to), kind, options) as TranslateResult<WireOf<To, Kind>>;
}

function translatePayload(from: Dialect, to: Dialect, kind: TranslateKind, options: TranslateOptions): TranslateResult {
  const { wire, names, repair, status } = options;
  switch (kind) {
    case "request":
      return to.encodeRequest(decodeTranslatedRequest(from, options), { repair });
    case "response":
      return to.encodeResponse(from.decodeResponse(wire, { names }), { repair });
    case "error":
      return { ...to.encodeError(from.decodeError(wire, status)), losses: [] };
    case "stream":
      return translateStream(from, to, wire, names);
    case "messages":
      return to.encodeMessages(from.decodeMessages(wire));
    default:
      throw unknownKind(from.id, kind);
  }
}

/**
 * Determines the dialect and the kind of a payload from the options, and where an option is absent, from the payload.
 * Throws if the payload does not determine them.
 */
function detectSource({ from, kind, wire }: TranslateOptions): { from: Dialect; kind: TranslateKind } {
  if (kind !== undefined && !TRANSLATE_KINDS.includes(kind)) throw unknownKind("koine", kind);
  if (from !== undefined && kind !== undefined) return { from: resolveDialect(from), kind };
  // A list that is not a list of messages contains the events of a stream; its first event is sufficient to detect the
  // dialect.
  const sample: unknown = Array.isArray(wire) && kind !== "messages" ? (wire as unknown[])[0] : wire;
  const named = from === undefined ? undefined : resolveDialect(from);
  const detected = named === undefined ? detectDialect(sample) : undefined;
  const source = named ?? (detected && dialect(detected.dialect));
  const detectedKind = kind ?? detected?.kind ?? named?.detectKind(sample);
  if (source === undefined) {
    const message = `The dialect of the payload cannot be detected; set \`from\` to one of ${dialects.join(", ")}.`;
    throw new DialectError("koine", "", "unknown-dialect", message);
  }
  if (detectedKind !== undefined) return { from: source, kind: detectedKind };
  const message = `The kind of the payload cannot be detected; set \`kind\` to one of ${TRANSLATE_KINDS.join(", ")}.`;
  throw new DialectError(source.id, "", "unknown-kind", message);
}

function unknownKind(dialectId: string, kind: unknown): DialectError {
  const message = `There is no payload kind "${String(kind)}". Valid kinds: ${TRANSLATE_KINDS.join(", ")}.`;
  return new DialectError(dialectId, "", "unknown-kind", message);
}

function decodeTranslatedRequest(from: Dialect, { wire, address, model }: TranslateOptions): ModelRequest {
  const request = from.decodeRequest(wire, address === undefined ? {} : { address });
  return model === undefined ? request : { ...request, model };
}

function translateStream(from: Dialect, to: Dialect, wire: unknown, names: Renames | undefined): TranslateResult {
  if (!Array.isArray(wire)) throw new DialectError(from.id, "", "wrong-type", "Expected a list of events.");
  const decoder = from.streamDecoder({ names });
  const encoder = to.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  const write = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) events.push(...encoder.push(delta));
  };
  for (const event of wire as unknown[]) write(decoder.push(event));
  write(decoder.end());
  events.push(...encoder.end());
  return { wire: events, losses: encoder.losses };
}

/**
 * Returns the losses that encoding a request in a dialect would cause. The request is not changed.
 *
 * @example
 * ```ts
 * import { checkRequest, user } from "koine";
 *
 * const request = { model: "claude-opus-4-8", messages: [user("Hello")], sampling: { maxOutputTokens: 100, seed: 7 } };
 * const losses = checkRequest(request, "anthropic");
 * console.log(losses.map(({ level, path }) => `${level} ${path}`)); // ["loss /sampling/seed"]
 * ```
 */
export function checkRequest(request: ModelRequest, target: DialectLike): Loss[] {
  return resolveDialect(target).encodeRequest(request).losses;
}

/**
 * Detects the dialect and the kind of a payload. Returns undefined if no dialect or several dialects match.
 *
 * @example
 * ```ts
 * import { detectDialect } from "koine";
 *
 * const wire = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
 * console.log(detectDialect(wire)); // {"dialect":"gemini","kind":"request"}
 * console.log(detectDialect({ hello: "world" })); // undefined
 * ```
 */
export function detectDialect(wire: unknown): { dialect: DialectId; kind: PayloadKind } | undefined {
  let detected: { dialect: DialectId; kind: PayloadKind } | undefined;
  for (const id of dialects) {
    const kind = dialect(id).detectKind(wire);
    if (kind === undefined) continue;
    if (detected !== undefined) return undefined;
    detected = { dialect: id, kind };
  }
  return detected;
}
