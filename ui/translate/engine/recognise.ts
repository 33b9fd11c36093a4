// Whose words a payload is in, and what it is. What the reader says wins; then what the payload shows; then the dialect
// whose reading leaves the least over.
import { detect, dialect, dialects, isObject } from "koine";
import type { Kind, Speaker } from "../types.ts";
import { decode, issuesOf } from "./decode.ts";
import { leftoverOf } from "./leftover.ts";
import type { Payload } from "./payload.ts";
import { PayloadError } from "./payload.ts";
import { nameOf, unwrapValue } from "./records.ts";

export interface Recognised {
  from: Speaker;
  kind: Kind;
  /** It could be of these as well. */
  maybe: Speaker[];
  /** What to decode; of a stream, the list of its events. */
  value: unknown;
  remarks: string[];
}

export interface Wanted {
  from?: Speaker | undefined;
  kind?: Kind | undefined;
}

/** In the order in which a doubt is decided. */
const FIRST: readonly Speaker[] = [
  "openai-chat",
  "anthropic",
  "openai-responses",
  "gemini",
  "bedrock",
  "canonical",
  "koine",
];
const SPEAKERS: readonly Speaker[] = [...FIRST, ...dialects.filter((id) => !FIRST.includes(id))];

const CARGO = {
  request: "requests",
  response: "responses",
  messages: "messages",
  stream: "streams",
  error: "errors",
} as const;

export function recognise(payload: Payload, wanted: Wanted): Recognised {
  const found = recognisePayload(payload, wanted);
  return { ...found, remarks: [...(payload.remarks ?? []), ...found.remarks] };
}

function recognisePayload(payload: Payload, wanted: Wanted): Recognised {
  if (payload.format === "frames") {
    return { from: wanted.from ?? "bedrock", kind: "stream", maybe: [], value: [payload.bytes], remarks: [] };
  }
  if (payload.format === "sse") {
    const values = payload.frames.map(({ data }) => data);
    return { ...streamOf(values, wanted), value: payload.frames, remarks: [] };
  }
  const whole = payload.format === "lines" ? { value: payload.values, remarks: [] } : unwrapValue(payload.value);
  const { value: list, remarks } = whole;
  if (Array.isArray(list) && (wanted.kind ?? "stream") === "stream" && (wanted.kind !== undefined || isStream(list))) {
    return { ...streamOf(list, wanted), value: list, remarks };
  }
  if (payload.format === "json") return recogniseIn(list, wanted, remarks);
  if (payload.values.every(isMessage)) return recogniseValue(payload.values, wanted);
  const first = unwrapValue(payload.values[0] ?? null);
  const count = payload.values.length;
  if (count > 1) first.remarks.push(`The first of ${count} records is shown.`);
  return recogniseIn(first.value, wanted, first.remarks);
}

function recogniseIn(value: unknown, wanted: Wanted, remarks: string[]): Recognised {
  const found = recogniseValue(value, wanted);
  return { ...found, remarks: [...remarks, ...found.remarks] };
}

// ---- Streams ----

/** The dialect of an event, by itself. A delta of Koine's own says its kind and has a payload. */
function speakerOfEvent(event: unknown): { from: Speaker; isEvent: boolean } | undefined {
  if (isObject(event) && typeof event["kind"] === "string" && isObject(event["payload"])) {
    return { from: "run", isEvent: true };
  }
  const found = detect(event);
  return found && { from: found.dialect, isEvent: found.kind === "stream" };
}

/** One event that can be nothing else, or several answers of Gemini's, each of which could be a whole one. */
function isStream(list: readonly unknown[]): boolean {
  const known = list.map(speakerOfEvent);
  return (
    known.some((each) => each?.isEvent === true) || (list.length > 1 && known.every((each) => each?.from === "gemini"))
  );
}

function streamOf(events: readonly unknown[], { from }: Wanted): Pick<Recognised, "from" | "kind" | "maybe"> {
  const told = events.map(speakerOfEvent);
  const shown = from ?? (told.find((each) => each?.isEvent) ?? told.find((each) => each !== undefined))?.from;
  if (shown === undefined) throw new PayloadError("No event shows whose stream it is: choose the dialect.");
  return { from: shown, kind: "stream", maybe: [] };
}

// ---- Values ----

const PAYLOAD_FIELDS = ["messages", "contents", "choices", "candidates", "error", "input"];

/** Whether it is a message, or an item of a conversation, and no body of its own. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || PAYLOAD_FIELDS.some((field) => value[field] !== undefined)) return false;
  if (typeof value["role"] === "string") return detect(value) === undefined;
  const { type } = value;
  return typeof type === "string" && /^(message|reasoning|item_reference|compaction|\w+_call(_output)?)$/.test(type);
}

function recogniseValue(given: unknown, wanted: Wanted): Recognised {
  const value = isMessage(given) && (wanted.kind ?? "messages") === "messages" ? [given] : given;
  if (typeof value !== "object" || value === null) {
    throw new PayloadError("It is JSON, but neither an object nor a list, and so says nothing.");
  }
  const other = wanted.from === undefined && wanted.kind === undefined ? nameOf(value) : undefined;
  if (other !== undefined) throw new PayloadError(other);
  const shown = wanted.from === undefined && wanted.kind === undefined ? detect(value) : undefined;
  if (shown !== undefined)
    return { from: shown.dialect, kind: shown.kind, maybe: [], value: asList(shown.kind, value), remarks: [] };
  return fitting(value, wanted);
}

function asList(kind: Kind, value: unknown): unknown {
  return kind === "stream" && !Array.isArray(value) ? [value] : value;
}

interface Fit {
  from: Speaker;
  kind: Kind;
  /** What it would leave over. */
  left: number;
  /** The same, but for what the name of the model says: the least wins. */
  doubt: number;
}

/** How much more doubtful another reading may be to be told as well, where none is perfect. */
const CLOSE = 1;

/** The least doubtful reading, and those that come close. */
function fitting(value: object, wanted: Wanted): Recognised {
  const fits: Fit[] = [];
  for (const kind of wanted.kind === undefined ? kindsOf(value, wanted.from) : [wanted.kind]) {
    for (const from of wanted.from === undefined ? SPEAKERS : [wanted.from]) {
      if (!carries(from, kind)) continue;
      const left = wanted.from === undefined ? leftIn(from, kind, value) : 0;
      if (left !== undefined) fits.push({ from, kind, left, doubt: left - (isMakers(from, value) ? MAKER : 0) });
    }
  }
  // Of those that are as doubtful, the first.
  fits.sort((one, other) => one.doubt - other.doubt);
  const [best, ...others] = fits;
  if (best === undefined) throw new PayloadError(NOBODY);
  const { from, kind } = best;
  const maybe = others.filter((other) => isClose(best, other)).map((other) => other.from);
  return { from, kind, maybe, value: asList(kind, value), remarks: [] };
}

function isClose(best: Fit, other: Fit): boolean {
  if (other.kind !== best.kind) return false;
  if (other.doubt === best.doubt || other.left < best.left) return true;
  return best.left > 0 && other.doubt - best.doubt <= CLOSE;
}

const NOBODY = "It is JSON, but no request, answer, message, stream or error of any dialect that Koine speaks.";

function carries(from: Speaker, kind: Kind): boolean {
  return from === "koine" ? kind !== "stream" : dialect(from).supports.has(CARGO[kind]);
}

/** What an object may be, by the fields that all dialects have in common. */
function kindsOf(value: object, from: Speaker | undefined): Kind[] {
  if (Array.isArray(value)) return value.some((each) => speakerOfEvent(each)?.isEvent) ? ["stream"] : ["messages"];
  const fields = value as Readonly<Record<string, unknown>>;
  const told = from === undefined || from === "koine" ? undefined : dialect(from).detectKind(value);
  if (told !== undefined) return [told];
  if (["messages", "contents", "input"].some((field) => fields[field] !== undefined)) return ["request", "messages"];
  if (["choices", "candidates", "output", "message"].some((field) => typeof fields[field] === "object")) {
    return ["response", "error"];
  }
  return ["response", "messages", "error"].filter((kind): kind is Kind =>
    kind === "error" ? fields["error"] !== undefined || fields["kind"] !== undefined : fields["content"] !== undefined,
  );
}

/** What one would have no word for; undefined where it cannot be read so at all. */
function leftIn(from: Speaker, kind: Kind, value: unknown): number | undefined {
  if (from === "koine") return issuesOf(kind, value).length === 0 ? 0 : undefined;
  try {
    return leftoverOf(decode(from, kind, value).value);
  } catch {
    return undefined;
  }
}

/** What a known name of a model is worth, in fields that nobody understands: a few new ones are no reason to doubt it. */
const MAKER = 4;
const OPENAI = /^(ft:)?(chatgpt-|gpt-|o\d)/;
const MAKERS: Partial<Record<Speaker, RegExp>> = {
  anthropic: /^claude-/,
  "openai-chat": OPENAI,
  "openai-responses": OPENAI,
  gemini: /^(models\/)?gemini-/,
  bedrock: /^([a-z]{2,4}\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek)\.|^arn:aws:bedrock/,
};

function isMakers(from: Speaker, value: unknown): boolean {
  const model = isObject(value) ? (value["model"] ?? value["modelId"]) : undefined;
  return typeof model === "string" && MAKERS[from]?.test(model) === true;
}
