// Detects the dialect and kind of a payload. The user's choice takes precedence, then the library's detection, and then
// the dialect whose decoder leaves the fewest values unrecognized.
import { detectDialect, dialect, dialects, isObject } from "koine";
import type { SourceKind, SourceDialect } from "../types.ts";
import { decodePayload, listIssues } from "./decode-payload.ts";
import { countUnrecognized } from "./count-unrecognized.ts";
import type { ParsedPayload } from "./parse-payload.ts";
import { PayloadError } from "./parse-payload.ts";
import { describeOtherRecord, unwrapValue } from "./unwrap-records.ts";

export interface DetectedPayload {
  from: SourceDialect;
  kind: SourceKind;
  /** Other dialects that fit the payload as well or almost as well. */
  alternatives: SourceDialect[];
  /** The value to decode; for a stream, the list of its events. */
  value: unknown;
  remarks: string[];
}

export interface DetectOptions {
  from?: SourceDialect | undefined;
  kind?: SourceKind | undefined;
}

/** The dialects that are preferred to all others if several fit a payload equally well, the most preferred first. */
const PREFERRED_DIALECTS: readonly SourceDialect[] = [
  "openai-chat",
  "anthropic",
  "openai-responses",
  "gemini",
  "bedrock",
  "canonical",
  "koine",
];
const CANDIDATE_DIALECTS: readonly SourceDialect[] = [
  ...PREFERRED_DIALECTS,
  ...dialects.filter((id) => !PREFERRED_DIALECTS.includes(id)),
];

const CAPABILITY_OF_KIND = {
  request: "requests",
  response: "responses",
  messages: "messages",
  stream: "streams",
  error: "errors",
} as const;

export function detectPayload(payload: ParsedPayload, options: DetectOptions): DetectedPayload {
  const detected = detectFormat(payload, options);
  return { ...detected, remarks: [...(payload.remarks ?? []), ...detected.remarks] };
}

function detectFormat(payload: ParsedPayload, options: DetectOptions): DetectedPayload {
  if (payload.format === "frames") {
    return { from: options.from ?? "bedrock", kind: "stream", alternatives: [], value: [payload.bytes], remarks: [] };
  }
  if (payload.format === "sse") {
    const values = payload.frames.map(({ data }) => data);
    return { ...detectStream(values, options), value: payload.frames, remarks: [] };
  }
  const unwrapped = payload.format === "lines" ? { value: payload.values, remarks: [] } : unwrapValue(payload.value);
  const { value: list, remarks } = unwrapped;
  if (
    Array.isArray(list) &&
    (options.kind ?? "stream") === "stream" &&
    (options.kind !== undefined || isStream(list))
  ) {
    return { ...detectStream(list, options), value: list, remarks };
  }
  if (payload.format === "json") return detectWithRemarks(list, options, remarks);
  if (payload.values.every(isMessage)) return detectValue(payload.values, options);
  const first = unwrapValue(payload.values[0] ?? null);
  const count = payload.values.length;
  if (count > 1) first.remarks.push(`Only the first of ${count} records is shown.`);
  return detectWithRemarks(first.value, options, first.remarks);
}

function detectWithRemarks(value: unknown, options: DetectOptions, remarks: string[]): DetectedPayload {
  const detected = detectValue(value, options);
  return { ...detected, remarks: [...remarks, ...detected.remarks] };
}

// ---- Streams ----

/**
 * Detects the dialect of a single event; undefined if it is unknown. A value with a kind and a payload is a canonical
 * delta. `isEvent` is true if the value can only be a stream event, not a complete payload.
 */
function detectEvent(event: unknown): { from: SourceDialect; isEvent: boolean } | undefined {
  if (isObject(event) && typeof event["kind"] === "string" && isObject(event["payload"])) {
    return { from: "run", isEvent: true };
  }
  const detected = detectDialect(event);
  return detected && { from: detected.dialect, isEvent: detected.kind === "stream" };
}

/**
 * True if one of the values can only be a stream event, or if there are several Gemini responses: Gemini's stream
 * events have the same form as its responses.
 */
function isStream(list: readonly unknown[]): boolean {
  const detectedEvents = list.map(detectEvent);
  return (
    detectedEvents.some((each) => each?.isEvent === true) ||
    (list.length > 1 && detectedEvents.every((each) => each?.from === "gemini"))
  );
}

function detectStream(
  events: readonly unknown[],
  { from }: DetectOptions,
): Pick<DetectedPayload, "from" | "kind" | "alternatives"> {
  const detectedEvents = events.map(detectEvent);
  const dialectId =
    from ?? (detectedEvents.find((each) => each?.isEvent) ?? detectedEvents.find((each) => each !== undefined))?.from;
  if (dialectId === undefined) throw new PayloadError("The dialect of this stream cannot be detected. Choose it.");
  return { from: dialectId, kind: "stream", alternatives: [] };
}

// ---- Values ----

const PAYLOAD_FIELDS = ["messages", "contents", "choices", "candidates", "error", "input"];

/** True if the value is a single message or conversation item, not a request or a response. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || PAYLOAD_FIELDS.some((field) => value[field] !== undefined)) return false;
  if (typeof value["role"] === "string") return detectDialect(value) === undefined;
  const { type } = value;
  return typeof type === "string" && /^(message|reasoning|item_reference|compaction|\w+_call(_output)?)$/.test(type);
}

function detectValue(input: unknown, options: DetectOptions): DetectedPayload {
  const value = isMessage(input) && (options.kind ?? "messages") === "messages" ? [input] : input;
  if (typeof value !== "object" || value === null) {
    throw new PayloadError("The JSON value is neither an object nor a list.");
  }
  const hint = options.from === undefined && options.kind === undefined ? describeOtherRecord(value) : undefined;
  if (hint !== undefined) throw new PayloadError(hint);
  const detected = options.from === undefined && options.kind === undefined ? detectDialect(value) : undefined;
  if (detected !== undefined)
    return {
      from: detected.dialect,
      kind: detected.kind,
      alternatives: [],
      value: asList(detected.kind, value),
      remarks: [],
    };
  return findBestFit(value, options);
}

function asList(kind: SourceKind, value: unknown): unknown {
  return kind === "stream" && !Array.isArray(value) ? [value] : value;
}

interface DialectFit {
  from: SourceDialect;
  kind: SourceKind;
  /** Number of values that the decoder did not recognize, weighted by `countUnrecognized`. */
  unrecognized: number;
  /** `unrecognized`, reduced if the model name fits the dialect; the dialect with the lowest score is chosen. */
  score: number;
}

/**
 * If even the best dialect leaves values unrecognized, every dialect whose score exceeds the best score by at most this
 * number is reported as an alternative.
 */
const CLOSE_SCORE_DISTANCE = 1;

/**
 * Decodes the value with every dialect and kind that the options allow. Returns the dialect with the lowest score, and
 * as alternatives the dialects that fit as well or almost as well.
 */
function findBestFit(value: object, options: DetectOptions): DetectedPayload {
  const fits: DialectFit[] = [];
  for (const kind of options.kind === undefined ? listPossibleKinds(value, options.from) : [options.kind]) {
    for (const from of options.from === undefined ? CANDIDATE_DIALECTS : [options.from]) {
      if (!supportsKind(from, kind)) continue;
      const unrecognized = options.from === undefined ? countUnrecognizedIn(from, kind, value) : 0;
      if (unrecognized !== undefined)
        fits.push({
          from,
          kind,
          unrecognized,
          score: unrecognized - (hasMatchingModel(from, value) ? MODEL_NAME_WEIGHT : 0),
        });
    }
  }
  // The sort is stable: of dialects with equal scores, the one that is earlier in `CANDIDATE_DIALECTS` stays first.
  fits.sort((one, other) => one.score - other.score);
  const [best, ...others] = fits;
  if (best === undefined) throw new PayloadError(UNKNOWN_PAYLOAD_MESSAGE);
  const { from, kind } = best;
  const alternatives = others.filter((other) => isClose(best, other)).map((other) => other.from);
  return { from, kind, alternatives, value: asList(kind, value), remarks: [] };
}

function isClose(best: DialectFit, other: DialectFit): boolean {
  if (other.kind !== best.kind) return false;
  if (other.score === best.score || other.unrecognized < best.unrecognized) return true;
  return best.unrecognized > 0 && other.score - best.score <= CLOSE_SCORE_DISTANCE;
}

const UNKNOWN_PAYLOAD_MESSAGE =
  "The JSON is no request, answer, message, stream or error of any dialect that Koine supports.";

function supportsKind(from: SourceDialect, kind: SourceKind): boolean {
  return from === "koine" ? kind !== "stream" : dialect(from).supports.has(CAPABILITY_OF_KIND[kind]);
}

/**
 * Returns the kinds that a payload with these top-level fields can have; `findBestFit` tries to decode it as each of
 * them.
 */
function listPossibleKinds(value: object, from: SourceDialect | undefined): SourceKind[] {
  if (Array.isArray(value)) return value.some((each) => detectEvent(each)?.isEvent) ? ["stream"] : ["messages"];
  const fields = value as Readonly<Record<string, unknown>>;
  const detectedKind = from === undefined || from === "koine" ? undefined : dialect(from).detectKind(value);
  if (detectedKind !== undefined) return [detectedKind];
  if (["messages", "contents", "input"].some((field) => fields[field] !== undefined)) return ["request", "messages"];
  if (["choices", "candidates", "output", "message"].some((field) => typeof fields[field] === "object")) {
    return ["response", "error"];
  }
  return ["response", "messages", "error"].filter((kind): kind is SourceKind =>
    kind === "error" ? fields["error"] !== undefined || fields["kind"] !== undefined : fields["content"] !== undefined,
  );
}

/**
 * Returns the weighted number of values that the decoder did not recognize; undefined if the dialect cannot decode the
 * value.
 */
function countUnrecognizedIn(from: SourceDialect, kind: SourceKind, value: unknown): number | undefined {
  if (from === "koine") return listIssues(kind, value).length === 0 ? 0 : undefined;
  try {
    return countUnrecognized(decodePayload(from, kind, value).value);
  } catch {
    return undefined;
  }
}

/**
 * Number that is subtracted from a dialect's count of unrecognized values if the model name belongs to the dialect's
 * provider.
 */
const MODEL_NAME_WEIGHT = 4;
const OPENAI_MODELS = /^(ft:)?(chatgpt-|gpt-|o\d)/;
const MODEL_NAME_PATTERNS: Partial<Record<SourceDialect, RegExp>> = {
  anthropic: /^claude-/,
  "openai-chat": OPENAI_MODELS,
  "openai-responses": OPENAI_MODELS,
  gemini: /^(models\/)?gemini-/,
  bedrock: /^([a-z]{2,4}\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek)\.|^arn:aws:bedrock/,
};

function hasMatchingModel(from: SourceDialect, value: unknown): boolean {
  const model = isObject(value) ? (value["model"] ?? value["modelId"]) : undefined;
  return typeof model === "string" && MODEL_NAME_PATTERNS[from]?.test(model) === true;
}
