// Encodes the source in one dialect, and finds the position of every loss in the encoded payload.
import type { Delta, Dialect, Encoded, Loss, Message, ModelRequest, ModelResponse, WireEvent } from "koine";
import { dialect, KoineError, user } from "koine";
import type { JsonDocument } from "../../json/json-document.ts";
import { findLine, splitPointer } from "../../json/json-pointers.ts";
import type { TranslatedColumn, PlacedLoss, ColumnTarget } from "../types.ts";
import { listErrorLosses, listRequestLosses, listResponseLosses, listRunLosses } from "./dropped-fields.ts";
import { PositionTokens } from "./position-tokens.ts";
import type { DecodedSource } from "./read-source.ts";
import { toDocument } from "./read-source.ts";
import type { WirePosition } from "./wire-trace.ts";
import { DOCUMENT_HEAD, WireTrace } from "./wire-trace.ts";
import { findSettingPosition } from "./setting-position.ts";

/** An encoded payload, and a function that finds the position of a loss in it. */
interface EncodedColumn {
  wire: unknown;
  losses: Loss[];
  findPosition: (loss: Loss, index: number) => WirePosition;
  envelope?: string[];
  remarks?: string[];
  /** The bytes or text of a stream as sent on the wire; absent if the JSON document itself is sent. */
  raw?: string | Uint8Array;
}

export function encodeColumn(read: DecodedSource, target: ColumnTarget): TranslatedColumn {
  const options = target.vendor === undefined ? undefined : { vendor: target.vendor };
  const dialectCodec = dialect(target.dialect, options);
  const { title } = dialectCodec;
  try {
    const written = encodeCanonical(dialectCodec, read, target);
    const document = toDocument(written.wire);
    const losses = placeLosses(written, document, read.reading.canonical);
    const { envelope = [], remarks = [], raw } = written;
    return { target, title, document, losses, envelope, remarks, ...(raw !== undefined && { wire: raw }) };
  } catch (error) {
    if (!(error instanceof KoineError)) throw error;
    return { target, title, losses: [], envelope: [], remarks: [], failure: error.message };
  }
}

function placeLosses(written: EncodedColumn, document: JsonDocument, canonical: JsonDocument): PlacedLoss[] {
  return written.losses.map((loss, index) => {
    const { pointer, precision } = written.findPosition(loss, index);
    const { line, exact } = findLine(document, pointer);
    const columnPosition = { line: exact ? line : 0, precision: exact ? precision : DOCUMENT_HEAD.precision };
    return Object.assign({ canonicalLine: findLine(canonical, loss.path).line }, columnPosition, loss);
  });
}

function encodeCanonical(
  dialectCodec: Dialect,
  { canonical, reading }: DecodedSource,
  target: ColumnTarget,
): EncodedColumn {
  const tokens = new PositionTokens(reading.canonical.text);
  switch (canonical.kind) {
    case "request":
      return encodeRequest(dialectCodec, withModel(canonical.value, target.model), tokens);
    case "response":
      return encodeResponse(dialectCodec, canonical.value, tokens);
    case "messages":
      return encodeMessages(dialectCodec, canonical.value, "", tokens);
    case "error":
      return encodeError(dialectCodec, canonical.value);
    case "stream":
      if (dialectCodec.supports.has("streams")) return encodeStream(dialectCodec, canonical.deltas);
      if ("message" in canonical.value) return encodeResponse(dialectCodec, canonical.value, tokens);
      return addDroppedLosses(
        encodeMessages(dialectCodec, canonical.value.messages, "/messages", tokens),
        listRunLosses(canonical.value),
      );
  }
}

function withModel(request: ModelRequest, model: string | undefined): ModelRequest {
  return model === undefined || model === "" ? request : { ...request, model };
}

function encodeRequest(target: Dialect, request: ModelRequest, tokens: PositionTokens): EncodedColumn {
  if (!target.supports.has("requests")) {
    const { messages, ...settings } = request;
    return addDroppedLosses(encodeMessages(target, messages, "/messages", tokens), listRequestLosses(settings));
  }
  const encoded = target.encodeRequest(request);
  const trace = new WireTrace(encoded.wire, target.encodeRequest(tokens.request(request)).wire, tokens);
  // The position of a setting is found with a request that has one short message: messages do not affect settings, and
  // a short request is encoded faster.
  const small = { ...request, messages: [user("x")] };
  const find = createFinder(trace, small, (value) => target.encodeRequest({ ...small, ...value }).wire);
  return { ...encoded, findPosition: find, envelope: describeEnvelope(encoded) };
}

function encodeResponse(target: Dialect, response: ModelResponse, tokens: PositionTokens): EncodedColumn {
  if (!target.supports.has("responses")) {
    const { message, ...others } = response;
    return addDroppedLosses(encodeMessages(target, [message], "/message", tokens), listResponseLosses(others));
  }
  const encoded = target.encodeResponse(response);
  const trace = new WireTrace(encoded.wire, target.encodeResponse(tokens.response(response)).wire, tokens);
  const find = createFinder(trace, { ...response }, (value) => target.encodeResponse({ ...response, ...value }).wire);
  return { ...encoded, findPosition: find };
}

/**
 * Encodes only the messages. The dialect reports losses with paths that start with a message index, such as
 * "/0/parts/1"; `prefix`, the path of the message list in the whole payload, is put before these paths.
 */
function encodeMessages(
  target: Dialect,
  messages: readonly Message[],
  prefix: string,
  tokens: PositionTokens,
): EncodedColumn {
  const { wire, losses } = target.encodeMessages(messages);
  const marked = target.encodeMessages(tokens.messages(messages, ""));
  const trace = new WireTrace(wire, marked.wire, tokens);
  const paths = losses.map(({ path }) => path);
  const prefixPattern = prefix === "/message" ? /^\/0/ : /^/;
  return {
    wire,
    losses: losses.map((loss) => Object.assign({}, loss, { path: loss.path.replace(prefixPattern, prefix) })),
    // `paths` has an entry for each loss that the dialect reported. `addDroppedLosses` appends further losses to the
    // list: of fields that the wire value does not contain, so their position is the head of the document.
    findPosition: (_, index) => (paths[index] === undefined ? DOCUMENT_HEAD : trace.find(paths[index])),
  };
}

/**
 * Adds the losses of all fields except the messages, and a remark that names these fields, for dialects that support
 * only messages.
 */
function addDroppedLosses(written: EncodedColumn, droppedLosses: readonly Loss[]): EncodedColumn {
  const names = new Set(droppedLosses.map(({ path }) => splitPointer(path)[0]));
  return {
    ...written,
    losses: [...written.losses, ...droppedLosses],
    remarks: names.size === 0 ? [] : [`This dialect supports only messages. Dropped: ${[...names].join(", ")}.`],
  };
}

function createFinder(
  trace: WireTrace,
  settings: Readonly<Record<string, unknown>>,
  encode: (value: Readonly<Record<string, unknown>>) => unknown,
): EncodedColumn["findPosition"] {
  return ({ path, action }) => {
    if (/^\/(messages|message|alternatives|tools)\b/.test(path)) return trace.find(path);
    const pointer = action === "dropped" ? undefined : findSettingPosition(settings, path, encode);
    return pointer === undefined ? DOCUMENT_HEAD : { pointer, precision: "at" };
  };
}

function describeEnvelope({ address, wire, names }: Encoded): string[] {
  const sentences: string[] = [];
  const isInBody = typeof wire === "object" && wire !== null && "model" in wire;
  if (address?.model !== undefined && !isInBody) sentences.push(`In the URL: model ${address.model}`);
  for (const [name, value] of Object.entries(address?.headers ?? {})) sentences.push(`Header ${name}: ${value}`);
  const renamed = Object.keys({ ...names?.toolNames, ...names?.toolCallIds }).length;
  if (renamed > 0) sentences.push(`${renamed} names or ids changed for this dialect; they are restored in the reply`);
  return sentences;
}

function encodeError(target: Dialect, error: Parameters<Dialect["encodeError"]>[0]): EncodedColumn {
  const { wire, status } = target.encodeError(error);
  const losses = listErrorLosses(error, wire, target.decodeError(wire, status));
  return { wire, losses, findPosition: () => DOCUMENT_HEAD, envelope: [`HTTP status ${status}`] };
}

/** Encodes a stream. The position of a loss is the event that was encoded when the loss was reported. */
function encodeStream(target: Dialect, deltas: readonly Delta[]): EncodedColumn {
  const encoder = target.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  const positions: WirePosition[] = [];
  const step = (written: readonly WireEvent[]): void => {
    const index = Math.max(0, written.length > 0 ? events.length : events.length - 1);
    events.push(...written);
    const position: WirePosition = { pointer: `/${index}`, precision: written.length > 0 ? "at" : "near" };
    while (positions.length < encoder.losses.length) positions.push(position);
  };
  for (const delta of deltas) step(encoder.push(delta));
  step(encoder.end());
  const { losses } = encoder;
  return {
    wire: events,
    losses,
    findPosition: (_, index) => positions[index] ?? DOCUMENT_HEAD,
    raw: encodeRawStream(target, events),
  };
}

function encodeRawStream(target: Dialect, events: readonly WireEvent[]): string | Uint8Array {
  const frames = events.map((event) => target.formatEvent(event));
  if (frames.every((piece) => typeof piece === "string")) return frames.join("");
  const bytes = frames.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const all = new Uint8Array(bytes.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const chunk of bytes) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
