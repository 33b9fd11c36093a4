// One column: what was read, in the words of one dialect, with every loss at the place where it happened.
import type { Delta, Dialect, Encoded, Loss, Message, ModelRequest, Response, WireEvent } from "koine";
import { dialect, KoineError, user } from "koine";
import type { JsonDocument } from "../../json/document.ts";
import { lineAt, stepsOf } from "../../json/pointers.ts";
import type { Column, PlacedLoss, Target } from "../types.ts";
import { leftOfError, leftOfRequest, leftOfResponse, leftOfRun } from "./left-behind.ts";
import { Marker } from "./marking.ts";
import type { Read } from "./read.ts";
import { documentOf } from "./read.ts";
import type { Place } from "./trace.ts";
import { HEAD, Trace } from "./trace.ts";
import { placeOfSetting } from "./variation.ts";

/** What an encoder gave, and how to find the place of a loss in it. */
interface Written {
  wire: unknown;
  losses: Loss[];
  find: (loss: Loss, index: number) => Place;
  beside?: string[];
  remarks?: string[];
  /** As it goes over the wire, where that is no JSON document. */
  raw?: string | Uint8Array;
}

export function encodeColumn(read: Read, target: Target): Column {
  const options = target.vendor === undefined ? undefined : { vendor: target.vendor };
  const speaker = dialect(target.dialect, options);
  const { title } = speaker;
  try {
    const written = write(speaker, read, target);
    const document = documentOf(written.wire);
    const losses = placed(written, document, read.reading.canonical);
    const { beside = [], remarks = [], raw } = written;
    return { target, title, document, losses, beside, remarks, ...(raw !== undefined && { wire: raw }) };
  } catch (error) {
    if (!(error instanceof KoineError)) throw error;
    return { target, title, losses: [], beside: [], remarks: [], failure: error.message };
  }
}

function placed(written: Written, document: JsonDocument, canonical: JsonDocument): PlacedLoss[] {
  return written.losses.map((loss, index) => {
    const { pointer, standing } = written.find(loss, index);
    const { line, exact } = lineAt(document, pointer);
    const own = { line: exact ? line : 0, standing: exact ? standing : HEAD.standing };
    return Object.assign({ canonicalLine: lineAt(canonical, loss.path).line }, own, loss);
  });
}

function write(speaker: Dialect, { canonical, reading }: Read, target: Target): Written {
  const marker = new Marker(reading.canonical.text);
  switch (canonical.kind) {
    case "request":
      return writeRequest(speaker, withModel(canonical.value, target.model), marker);
    case "response":
      return writeResponse(speaker, canonical.value, marker);
    case "messages":
      return writeMessages(speaker, canonical.value, "", marker);
    case "error":
      return writeError(speaker, canonical.value);
    case "stream":
      if (speaker.supports.has("streams")) return writeStream(speaker, canonical.deltas);
      if ("message" in canonical.value) return writeResponse(speaker, canonical.value, marker);
      return withBehind(
        writeMessages(speaker, canonical.value.messages, "/messages", marker),
        leftOfRun(canonical.value),
      );
  }
}

function withModel(request: ModelRequest, model: string | undefined): ModelRequest {
  return model === undefined || model === "" ? request : { ...request, model };
}

function writeRequest(speaker: Dialect, request: ModelRequest, marker: Marker): Written {
  if (!speaker.supports.has("requests")) {
    const { messages, ...settings } = request;
    return withBehind(writeMessages(speaker, messages, "/messages", marker), leftOfRequest(settings));
  }
  const encoded = speaker.encodeRequest(request);
  const trace = new Trace(encoded.wire, speaker.encodeRequest(marker.request(request)).wire, marker);
  // What the messages say does not matter to the settings, and there may be a great many of them.
  const small = { ...request, messages: [user("x")] };
  const find = finder(trace, small, (value) => speaker.encodeRequest({ ...small, ...value }).wire);
  return { ...encoded, find, beside: besideOf(encoded) };
}

function writeResponse(speaker: Dialect, response: Response, marker: Marker): Written {
  if (!speaker.supports.has("responses")) {
    const { message, ...others } = response;
    return withBehind(writeMessages(speaker, [message], "/message", marker), leftOfResponse(others));
  }
  const encoded = speaker.encodeResponse(response);
  const trace = new Trace(encoded.wire, speaker.encodeResponse(marker.response(response)).wire, marker);
  const find = finder(trace, { ...response }, (value) => speaker.encodeResponse({ ...response, ...value }).wire);
  return { ...encoded, find };
}

/** Losses of messages by themselves begin with an index; `prefix` is where the messages stand in the whole. */
function writeMessages(speaker: Dialect, messages: readonly Message[], prefix: string, marker: Marker): Written {
  const { wire, losses } = speaker.encodeMessages(messages);
  const marked = speaker.encodeMessages(marker.messages(messages, ""));
  const trace = new Trace(wire, marked.wire, marker);
  const paths = losses.map(({ path }) => path);
  const whole = prefix === "/message" ? /^\/0/ : /^/;
  return {
    wire,
    losses: losses.map((loss) => Object.assign({}, loss, { path: loss.path.replace(whole, prefix) })),
    // Losses of what stands beside messages come after these, and nothing stands for them.
    find: (_, index) => (paths[index] === undefined ? HEAD : trace.find(paths[index])),
  };
}

/** What stays behind where a dialect carries messages only. */
function withBehind(written: Written, left: readonly Loss[]): Written {
  const names = new Set(left.map(({ path }) => stepsOf(path)[0]));
  return {
    ...written,
    losses: [...written.losses, ...left],
    remarks: names.size === 0 ? [] : [`Only messages are carried; left behind: ${[...names].join(", ")}.`],
  };
}

function finder(
  trace: Trace,
  settings: Readonly<Record<string, unknown>>,
  encode: (value: Readonly<Record<string, unknown>>) => unknown,
): Written["find"] {
  return ({ path, action }) => {
    if (/^\/(messages|message|alternatives|tools)\b/.test(path)) return trace.find(path);
    const pointer = action === "dropped" ? undefined : placeOfSetting(settings, path, encode);
    return pointer === undefined ? HEAD : { pointer, standing: "at" };
  };
}

function besideOf({ address, wire, names }: Encoded): string[] {
  const words: string[] = [];
  const isSaid = typeof wire === "object" && wire !== null && "model" in wire;
  if (address?.model !== undefined && !isSaid) words.push(`In the address: the model ${address.model}`);
  for (const [name, value] of Object.entries(address?.headers ?? {})) words.push(`Header ${name}: ${value}`);
  const renamed = Object.keys({ ...names?.toolNames, ...names?.toolCallIds }).length;
  if (renamed > 0) words.push(`${renamed} renamed for this dialect; the reply gets the old names back`);
  return words;
}

function writeError(speaker: Dialect, error: Parameters<Dialect["encodeError"]>[0]): Written {
  const { wire, status } = speaker.encodeError(error);
  const losses = leftOfError(error, wire, speaker.decodeError(wire, status));
  return { wire, losses, find: () => HEAD, beside: [`HTTP status ${status}`] };
}

/** A loss of a stream happened when its event was written: that is its place. */
function writeStream(speaker: Dialect, deltas: readonly Delta[]): Written {
  const encoder = speaker.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  const places: Place[] = [];
  const step = (written: readonly WireEvent[]): void => {
    const index = Math.max(0, written.length > 0 ? events.length : events.length - 1);
    events.push(...written);
    const place: Place = { pointer: `/${index}`, standing: written.length > 0 ? "at" : "near" };
    while (places.length < encoder.losses.length) places.push(place);
  };
  for (const delta of deltas) step(encoder.push(delta));
  step(encoder.end());
  const { losses } = encoder;
  return { wire: events, losses, find: (_, index) => places[index] ?? HEAD, raw: rawStream(speaker, events) };
}

function rawStream(speaker: Dialect, events: readonly WireEvent[]): string | Uint8Array {
  const pieces = events.map((event) => speaker.formatEvent(event));
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  const bytes = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const all = new Uint8Array(bytes.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of bytes) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
