// What a client is sent of a stream, a piece for each read of the upstream: translated event by event, or the upstream's
// own bytes while a copy is read for the record, or those bytes alone.
import type { Clock } from "../../assembly/index.ts";
import { inputTokens } from "../../client/demo/tokens.ts";
import type { StreamEncoder, WireEvent } from "../../dialects/index.ts";
import type { Delta, ProviderError, ModelRequest } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { ClientProtocol, DoorId } from "./doors.ts";
import type { LiveAnswer } from "./live.ts";

export type OutputChunk = string | Uint8Array;

export interface ClientStream {
  /** The next piece, perhaps an empty one; undefined at the end. Never rejects but for faults of our own. */
  next(): Promise<OutputChunk | undefined>;
}

/** How events lie in a body. */
interface Framing {
  event(event: WireEvent): OutputChunk;
  failure(error: ProviderError): OutputChunk;
  /** What ends the body. */
  end(): string;
}

export function sseFraming(door: ClientProtocol): Framing {
  const { dialect } = door;
  return { event: (event) => dialect.formatEvent(event), failure: (error) => door.failureEvent(error), end: () => "" };
}

/** An event with what its answer says about the request. */
export function restated(event: WireEvent, { restate }: StreamEncodingOptions): WireEvent {
  const { data } = event;
  if (restate === undefined || !isObject(data) || !isObject(data["response"])) return event;
  return { ...event, data: { ...data, response: restate(data["response"]) } };
}

/** Gemini's streams without `alt=sse`: one JSON list that grows. */
export function listFraming({ dialect }: ClientProtocol): Framing {
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

/** How the answer is put in the client's words. */
export interface StreamEncodingOptions {
  door: ClientProtocol;
  framing: Framing;
  /** Chat: whether the client asked for the usage chunk (B84). */
  includeUsage: boolean;
  /** The id that the client knows the answer by, where it is not the provider's. */
  responseId?: string | undefined;
  now: Clock;
  /** Responses: puts what the request said into what an answer says about it. */
  restate?: ((wire: JsonObject) => JsonObject) | undefined;
  /** For an estimate of what it costs, where a client expects that at the beginning (B82). */
  request: () => ModelRequest;
}

/** Deltas of an answer, in the client's dialect. */
export class TranslatedStream implements ClientStream {
  readonly #live: LiveAnswer;
  readonly #telling: StreamEncodingOptions;
  readonly #encoder: StreamEncoder;
  #hasBegun = false;
  #isOver = false;

  constructor(live: LiveAnswer, telling: StreamEncodingOptions) {
    this.#live = live;
    this.#telling = telling;
    const { includeUsage } = telling;
    this.#encoder = telling.door.dialect.streamEncoder({ includeUsage });
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    const live = this.#live;
    const telling = this.#telling;
    const { framing } = telling;
    const piece = this.#encode(await live.read());
    if (!live.isOver) return piece;
    this.#isOver = true;
    const refused = await live.conclude(this.#encoder.losses, telling.responseId);
    return joined([refused === undefined ? piece : framing.failure(refused), framing.end()]);
  }

  /** All that a batch says, in one piece. */
  #encode(batch: readonly Delta[]): OutputChunk {
    const encoder = this.#encoder;
    const telling = this.#telling;
    const deltas = this.#hasBegun ? batch : this.#begin(batch);
    let text = "";
    let pieces: OutputChunk[] | undefined;
    for (const delta of deltas) {
      for (const event of encoder.push(delta)) {
        const piece = telling.framing.event(restated(event, telling));
        if (typeof piece === "string" && pieces === undefined) text += piece;
        else (pieces ??= [text]).push(piece);
      }
    }
    return pieces === undefined ? text : joined(pieces);
  }

  #begin(batch: readonly Delta[]): readonly Delta[] {
    this.#hasBegun = true;
    return firstWords(this.#telling, batch);
  }
}

/**
 * The first words of an answer: the id that the client knows, when it was made, and what it costs as far as that is known
 * by then.
 */
export function firstWords(
  { door, responseId, request, now }: StreamEncodingOptions,
  batch: readonly Delta[],
): readonly Delta[] {
  const first = batch.findIndex(({ kind }) => kind === "start");
  // An answer that failed before it began still begins, so that its end can be told.
  if (first < 0) return [{ kind: "start", payload: { modelId: "", requestId: responseId ?? "" } }, ...batch];
  const deltas = [...batch];
  const start = deltas[first];
  if (start?.kind === "start") {
    const named = responseId === undefined ? start.payload : { ...start.payload, requestId: responseId };
    deltas[first] = { ...start, payload: dated(door, named, now) };
  }
  const said = deltas.find(({ kind }) => kind === "usage");
  if (said !== undefined && TELLS_USAGE_FIRST.has(door.id)) deltas.splice(first + 1, 0, said);
  else if (door.id === "anthropic") {
    deltas.splice(first + 1, 0, { kind: "usage", payload: { inputTokens: inputTokens(request()) } });
  }
  return deltas;
}

/** What an answer costs is said from its beginning on, as far as it is known. */
const TELLS_USAGE_FIRST: ReadonlySet<DoorId> = new Set<DoorId>(["anthropic", "gemini"]);

/** The protocols whose answers always say when they were made, in whole seconds. */
const TELLS_TIME: ReadonlySet<DoorId> = new Set<DoorId>(["openai-chat", "openai-responses"]);

/** With the time, where the provider gave none and the client expects one. */
export function dated<Dated extends { createdAt?: string }>(
  { id }: Pick<ClientProtocol, "id">,
  answer: Dated,
  now: Clock,
): Dated {
  if (answer.createdAt !== undefined || !TELLS_TIME.has(id)) return answer;
  const seconds = Math.floor(new Date(now()).getTime() / 1000);
  return { ...answer, createdAt: new Date(seconds * 1000).toISOString() };
}

/** The upstream's own bytes, in the client's dialect already; a copy has been read for the record. */
export class RecordedPassThrough implements ClientStream {
  readonly #live: LiveAnswer;
  readonly #door: ClientProtocol;
  #isOver = false;

  constructor(live: LiveAnswer, door: ClientProtocol) {
    this.#live = live;
    this.#door = door;
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    const live = this.#live;
    const door = this.#door;
    await live.read();
    if (!live.isOver) return live.bytes?.take() ?? "";
    this.#isOver = true;
    const refused = await live.conclude([]);
    if (refused !== undefined) return door.failureEvent(refused);
    const { error } = live;
    if (error === undefined) return live.bytes?.drain() ?? "";
    // What the upstream itself said of its failure is among its bytes.
    if (isObject(error.raw)) return live.lastBytes() ?? "";
    return joined([live.bytes?.take() ?? "", door.failureEvent(error)]);
  }
}

export function joined(pieces: readonly OutputChunk[]): OutputChunk {
  const said = pieces.filter((piece) => piece.length > 0);
  const [first = "", ...others] = said;
  if (others.length === 0) return first;
  if (said.every((piece) => typeof piece === "string")) return said.join("");
  return Buffer.concat(said.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}
