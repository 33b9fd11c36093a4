// Produces one chunk of a streamed reply for each read of the upstream. `TranslatedStream` encodes the deltas of the
// answer; `RecordedPassThrough` forwards the upstream's bytes and decodes a copy of them for the record.
import type { Clock } from "../../assembly/index.ts";
import { countInputTokens } from "../../client/demo/count-tokens.ts";
import type { StreamEncoder, WireEvent } from "../../dialects/index.ts";
import type { Delta, ProviderError, ModelRequest } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject } from "../../model/json/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { ClientProtocol, ClientProtocolId } from "./protocols.ts";
import type { LiveAnswer } from "./live-answer.ts";

export type OutputChunk = string | Uint8Array;

export interface ClientStream {
  /** Returns the next chunk, which may be empty; undefined after the last chunk. Rejects only for internal errors. */
  next(): Promise<OutputChunk | undefined>;
}

/**
 * Converts the events of a stream to the chunks of the reply's body: as SSE, or as one JSON list (Gemini without
 * `alt=sse`).
 */
interface StreamFraming {
  event(event: WireEvent): OutputChunk;
  failure(error: ProviderError): OutputChunk;
  /** Returns the text that ends the body. */
  end(): string;
}

export function createSseFraming(protocol: ClientProtocol): StreamFraming {
  const { dialect } = protocol;
  return {
    event: (event) => dialect.formatEvent(event),
    failure: (error) => protocol.failureEvent(error),
    end: () => "",
  };
}

/** Adds the request's settings to the `response` object of an event, if the event has one and settings are echoed. */
export function withEchoedSettings(event: WireEvent, { echoSettings }: StreamEncodingOptions): WireEvent {
  const { data } = event;
  if (echoSettings === undefined || !isObject(data) || !isObject(data["response"])) return event;
  return { ...event, data: { ...data, response: echoSettings(data["response"]) } };
}

/** Returns the framing of a Gemini stream without `alt=sse`, whose body is one JSON list with an element per event. */
export function createListFraming({ dialect }: ClientProtocol): StreamFraming {
  let hasBegun = false;
  const element = (value: unknown): string => {
    const before = hasBegun ? ",\r\n" : "[";
    hasBegun = true;
    return before + stringifyJson(value);
  };
  return {
    event: ({ data }) => element(data),
    failure: (error) => element(dialect.encodeError(error).wire),
    end: () => (hasBegun ? "]" : "[]"),
  };
}

/** Options for encoding an answer in the client's protocol. */
export interface StreamEncodingOptions {
  protocol: ClientProtocol;
  framing: StreamFraming;
  /** True if the usage is sent. Chat clients receive the usage only if they request it (B84). */
  includeUsage: boolean;
  /** The id that the client receives for the answer; undefined if the client receives the provider's id. */
  responseId?: string | undefined;
  now: Clock;
  /** Adds the request's settings to a response object; defined for the Responses protocol only. */
  echoSettings?: ((wire: JsonObject) => JsonObject) | undefined;
  /**
   * Returns the request. Its input tokens are estimated, because Anthropic's first event contains their count (B82).
   */
  getRequest: () => ModelRequest;
}

/** Encodes the deltas of an answer in the client's dialect. */
export class TranslatedStream implements ClientStream {
  readonly #live: LiveAnswer;
  readonly #options: StreamEncodingOptions;
  readonly #encoder: StreamEncoder;
  #hasBegun = false;
  #isOver = false;

  constructor(live: LiveAnswer, options: StreamEncodingOptions) {
    this.#live = live;
    this.#options = options;
    const { includeUsage } = options;
    this.#encoder = options.protocol.dialect.streamEncoder({ includeUsage });
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    const live = this.#live;
    const options = this.#options;
    const { framing } = options;
    const chunk = this.#encode(await live.read());
    if (!live.isOver) return chunk;
    this.#isOver = true;
    const recordError = await live.conclude(this.#encoder.losses, options.responseId);
    return joinChunks([recordError === undefined ? chunk : framing.failure(recordError), framing.end()]);
  }

  /** Encodes all deltas of a batch into one chunk. */
  #encode(batch: readonly Delta[]): OutputChunk {
    const encoder = this.#encoder;
    const options = this.#options;
    const deltas = this.#hasBegun ? batch : this.#completeFirst(batch);
    let text = "";
    let chunks: OutputChunk[] | undefined;
    for (const delta of deltas) {
      for (const event of encoder.push(delta)) {
        const chunk = options.framing.event(withEchoedSettings(event, options));
        if (typeof chunk === "string" && chunks === undefined) text += chunk;
        else (chunks ??= [text]).push(chunk);
      }
    }
    return chunks === undefined ? text : joinChunks(chunks);
  }

  #completeFirst(batch: readonly Delta[]): readonly Delta[] {
    this.#hasBegun = true;
    return completeFirstDeltas(this.#options, batch);
  }
}

/** Adds the client's response id, the creation time and the usage known so far to the first deltas of an answer. */
export function completeFirstDeltas(
  { protocol, responseId, getRequest, now }: StreamEncodingOptions,
  batch: readonly Delta[],
): readonly Delta[] {
  const first = batch.findIndex(({ kind }) => kind === "start");
  // If the answer failed before its start delta, a start delta is added, because encoders require one before an error.
  if (first < 0) return [{ kind: "start", payload: { modelId: "", requestId: responseId ?? "" } }, ...batch];
  const deltas = [...batch];
  const start = deltas[first];
  if (start?.kind === "start") {
    const payload = responseId === undefined ? start.payload : { ...start.payload, requestId: responseId };
    deltas[first] = { ...start, payload: withCreatedAt(protocol, payload, now) };
  }
  const usage = deltas.find(({ kind }) => kind === "usage");
  if (usage !== undefined && SENDS_USAGE_FIRST.has(protocol.id)) deltas.splice(first + 1, 0, usage);
  else if (protocol.id === "anthropic") {
    deltas.splice(first + 1, 0, { kind: "usage", payload: { inputTokens: countInputTokens(getRequest()) } });
  }
  return deltas;
}

/** Protocols whose first event contains the usage known so far. */
const SENDS_USAGE_FIRST: ReadonlySet<ClientProtocolId> = new Set<ClientProtocolId>(["anthropic", "gemini"]);

/** Protocols whose answers always contain their creation time, in whole seconds. */
const SENDS_CREATED_AT: ReadonlySet<ClientProtocolId> = new Set<ClientProtocolId>(["openai-chat", "openai-responses"]);

/** Returns the answer with `now` as its creation time if the provider sent no time and the protocol requires one. */
export function withCreatedAt<Answer extends { createdAt?: string }>(
  { id }: Pick<ClientProtocol, "id">,
  answer: Answer,
  now: Clock,
): Answer {
  if (answer.createdAt !== undefined || !SENDS_CREATED_AT.has(id)) return answer;
  const seconds = Math.floor(new Date(now()).getTime() / 1000);
  return { ...answer, createdAt: new Date(seconds * 1000).toISOString() };
}

/** Forwards the upstream's bytes, which are in the client's dialect, and decodes a copy of them for the record. */
export class RecordedPassThrough implements ClientStream {
  readonly #live: LiveAnswer;
  readonly #protocol: ClientProtocol;
  #isOver = false;

  constructor(live: LiveAnswer, protocol: ClientProtocol) {
    this.#live = live;
    this.#protocol = protocol;
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    const live = this.#live;
    const protocol = this.#protocol;
    await live.read();
    if (!live.isOver) return live.bytes?.take() ?? "";
    this.#isOver = true;
    const recordError = await live.conclude([]);
    if (recordError !== undefined) return protocol.failureEvent(recordError);
    const { error } = live;
    if (error === undefined) return live.bytes?.drain() ?? "";
    // An error with raw data was decoded from an error event of the upstream. That event is forwarded, so no new error
    // event is created.
    if (isObject(error.raw)) return live.lastBytes() ?? "";
    return joinChunks([live.bytes?.take() ?? "", protocol.failureEvent(error)]);
  }
}

export function joinChunks(chunks: readonly OutputChunk[]): OutputChunk {
  const nonEmpty = chunks.filter((chunk) => chunk.length > 0);
  const [first = "", ...others] = nonEmpty;
  if (others.length === 0) return first;
  if (nonEmpty.every((chunk) => typeof chunk === "string")) return nonEmpty.join("");
  return Buffer.concat(nonEmpty.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}
