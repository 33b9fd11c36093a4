// Decodes and encodes one candidate of a response: its content, its finish reason, and the metadata of its texts
// (grounding, citations, log probabilities).
import { reportMessageFields } from "../../kit/history/user-assistant-turns.ts";
import type { FinishReason } from "../../../model/finish-reason.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Extra, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { findCutOffCall, hasClientCalls } from "../../kit/tools/cut-off-calls.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { readEmptyTextsBefore, splitIntoPieces } from "../content/split-texts.ts";
import { CitationCollector, decodeCitations } from "./citations.ts";
import { toContent } from "../content/encode-content.ts";
import { decodeAnswerContent } from "../request/decode-messages.ts";
import { encodePart } from "../content/encode-part.ts";
import type { GroundedText } from "./grounding.ts";
import { decodeGrounding, encodeGrounding, selectGroundingAnnotations } from "./grounding.ts";
import { addLogprobs, decodeLogprobs } from "./logprobs.ts";
import type { GeminiLossCode } from "../losses.ts";
import type { GeminiDecodeState } from "../content/decode-state.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { storeSpelling, addInnerSpelling, normalizeFieldNames } from "../content/snake-case-fields.ts";
import { FINISH_REASONS } from "../terms.ts";
import type {
  GeminiCandidate,
  GeminiCitations,
  GeminiContent,
  GeminiGrounding,
  GeminiLogprobs,
  GeminiPart,
} from "../types.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

/** A decoded candidate. The first candidate is the response itself; the others are entries of `alternatives`. */
export interface GeminiChoice {
  message: Message;
  finishReason: FinishReason;
  extra?: Extra;
}

export const GROUNDING = "groundingMetadata";
export const LOGPROBS = "logprobsResult";
export const CITATIONS = "citationMetadata";

/**
 * The path within the residue of the choice at which the residue of the candidate is stored. It is empty for an entry
 * of `alternatives`, and `candidates` for the first candidate, whose choice is the response with residue of its own.
 */
type ResiduePath = string[];

/** Decodes a candidate into `choice`, which is the response itself for the first candidate. */
export function decodeCandidate(
  rawCandidate: JsonObject,
  index: number,
  choice: GeminiChoice,
  residuePath: ResiduePath,
  state: GeminiDecodeState,
): void {
  const { context } = state;
  const { dialect } = context;
  const spelling: FieldSpelling = {};
  const wire = normalizeFieldNames(rawCandidate, spelling);
  const { content } = wire;
  const decodedKeys: string[] = [];
  if (isObject(content)) {
    decodedKeys.push("content");
    choice.message = context.pathTracker.into("content", () => decodeAnswerContent(content, state));
  } else if (content === undefined) storeForm(choice, dialect, "content", null);
  const streamedParts = state.streamedParts?.[index];
  if (streamedParts !== undefined) choice.message.parts = [...streamedParts];
  if (typeof wire[FINISH_REASON] === "string") decodedKeys.push(FINISH_REASON);
  choice.finishReason = decodeFinishReason(wire[FINISH_REASON], choice, dialect);
  const cutOffCall = findCutOffCall(choice.message, choice.finishReason);
  if (cutOffCall !== undefined) cutOffCall.invalid = true;
  if (wire["index"] === index) decodedKeys.push("index");
  else if (wire["index"] === undefined) storeForm(choice, dialect, "index", null);
  for (const [field, decode] of METADATA_DECODERS) {
    const metadata = wire[field];
    if (!isObject(metadata)) continue;
    decodedKeys.push(field);
    storeUnknownFields(choice, metadata, decode(metadata, choice.message, dialect), dialect, ...residuePath, field);
  }
  storeUnknownFields(choice, wire, decodedKeys, dialect, ...residuePath);
  const [step] = residuePath;
  const outerSpelling: FieldSpelling = step === undefined ? spelling : {};
  if (step !== undefined) addInnerSpelling(outerSpelling, step, spelling);
  storeSpelling(choice, dialect, outerSpelling);
}

/**
 * For each metadata field of a candidate, the function that decodes it into the text parts. The function returns the
 * names of the fields of the metadata that the parts represent; the other fields are stored as residue.
 */
const METADATA_DECODERS: readonly [
  field: string,
  decode: (metadata: JsonObject, message: Message, dialect: string) => readonly string[],
][] = [
  [GROUNDING, applyGrounding],
  [LOGPROBS, applyLogprobs],
  [CITATIONS, applyCitations],
];

function applyGrounding(metadata: JsonObject, { parts }: Message, dialect: string): readonly string[] {
  const texts = decodeGrounding(metadata, parts, dialect);
  for (const { part, annotations } of texts ?? []) if (annotations.length > 0) part.annotations = [...annotations];
  return texts === undefined ? [] : ["groundingChunks", "groundingSupports"];
}

function applyLogprobs(result: JsonObject, message: Message): readonly string[] {
  const text = findOnlyText(message);
  const logprobs = text && decodeLogprobs(result);
  if (text === undefined || logprobs === undefined) return [];
  text.logprobs = logprobs;
  return ["chosenCandidates", "topCandidates"];
}

function applyCitations(metadata: JsonObject, message: Message, dialect: string): readonly string[] {
  const text = findOnlyText(message);
  return text === undefined ? [] : decodeCitations(metadata, text, dialect);
}

function findOnlyText({ parts }: Message): TextPart | undefined {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === 1 ? texts[0] : undefined;
}

/** Decodes the finish reason. Gemini returns STOP even if the client must run tool calls (B61). */
function decodeFinishReason(wireReason: JsonValue | undefined, choice: GeminiChoice, dialect: string): FinishReason {
  if (typeof wireReason !== "string") {
    if (wireReason === undefined) storeForm(choice, dialect, FINISH_REASON, null);
    return { unified: "other" };
  }
  const unified = FINISH_REASONS.toModel(wireReason);
  if (unified === undefined) storeForm(choice, dialect, FINISH_REASON, "own");
  return {
    unified: wireReason === "STOP" && hasClientCalls(choice.message) ? "tool-calls" : (unified ?? "other"),
    raw: wireReason,
  };
}
const FINISH_REASON = "finishReason";

/**
 * True if decoding a wire finish reason gives the finish reason of the choice. A failed answer accepts every known wire
 * reason, because its unified reason is always "error".
 */
function matchesFinishReason(
  wireReason: string,
  choice: GeminiChoice,
  isFailed: boolean,
  form: JsonValue | undefined,
): boolean {
  const { unified } = choice.finishReason;
  const decodedReason = FINISH_REASONS.toModel(wireReason) ?? (form === "own" ? "other" : undefined);
  if (decodedReason === undefined) return false;
  return isFailed || decodedReason === unified || (wireReason === "STOP" && awaitsToolResults(choice));
}

/** True if the answer ends with calls that the client must run. */
function awaitsToolResults({ message, finishReason }: GeminiChoice): boolean {
  return finishReason.unified === "tool-calls" && hasClientCalls(message);
}

/**
 * Returns the finish reason for the wire: the raw reason if it still matches the unified reason, otherwise the wire
 * reason for the unified reason. Undefined if the decoded candidate had no finish reason.
 */
function encodeFinishReason(
  choice: GeminiChoice,
  isFailed: boolean,
  context: EncodeContext<GeminiLossCode>,
): string | undefined {
  const { unified, raw } = choice.finishReason;
  const form = readForm(choice, context.dialect)[FINISH_REASON];
  if (raw === undefined && form === null && (unified === "other" || isFailed)) return undefined;
  if (raw !== undefined) {
    if (matchesFinishReason(raw, choice, isFailed, form)) return raw;
    context.report.addLoss("raw-finish-reason-dropped", [FINISH_REASON, "raw"]);
  }
  const wireReason = FINISH_REASONS.toWire(unified) ?? "OTHER";
  if (!matchesFinishReason(wireReason, choice, isFailed, form))
    context.report.addLoss("finish-reason-approximated", [FINISH_REASON, "unified"]);
  return wireReason;
}

/**
 * Encodes a candidate. The caller restores `residue`, so fields that are in `residue` are not written here. The path
 * tracker must be at the choice.
 */
export function encodeCandidate(
  choice: GeminiChoice,
  index: number,
  residue: JsonObject,
  isFailed: boolean,
  state: GeminiEncodeState,
): GeminiCandidate {
  const { context } = state;
  const { message } = choice;
  const form = readForm(choice, context.dialect);
  const wire: GeminiCandidate = {};
  const wireReason = Object.hasOwn(residue, FINISH_REASON) ? undefined : encodeFinishReason(choice, isFailed, context);
  // A decoder of the encoded candidate marks its last call as cut off because of `wireReason`. The `invalid` flag of
  // this call is therefore not reported as lost.
  const end = wireReason === undefined ? undefined : FINISH_REASONS.toModel(wireReason);
  state.cutOffCall = end && findCutOffCall(message, { unified: end });
  context.pathTracker.enter("message");
  const { parts, texts, logprobs, citations } = encodeAnswerParts(message, state);
  reportMessageFields(message, context);
  const content = toContent(parts, message, context, true);
  context.pathTracker.leave();
  const isAbsent = form["content"] === null || Object.hasOwn(residue, "content");
  // The cast is safe: toContent returns a string only for a message that was decoded from a string, which an answer
  // never is.
  if (parts.length > 0 || !isAbsent) wire.content = content as GeminiContent;
  if (wireReason !== undefined) wire.finishReason = wireReason;
  if (form["index"] !== null && !Object.hasOwn(residue, "index")) wire.index = index;
  if (texts.length > 0) wire.groundingMetadata = encodeGrounding(texts, context.dialect) as GeminiGrounding;
  if (logprobs.chosenCandidates.length > 0) wire.logprobsResult = logprobs;
  if (citations !== undefined) wire.citationMetadata = citations;
  return wire;
}

interface EncodedAnswerContent {
  parts: GeminiPart[];
  texts: GroundedText[];
  logprobs: GeminiLogprobs;
  citations?: GeminiCitations | undefined;
}

function encodeAnswerParts(message: Message, state: GeminiEncodeState): EncodedAnswerContent {
  const { context } = state;
  const answer: EncodedAnswerContent = { parts: [], texts: [], logprobs: { chosenCandidates: [] } };
  const citations = new CitationCollector(findOnlyText(message), context);
  context.pathTracker.each("parts", message.parts, (part) => {
    const wire = encodePart(part, state);
    if (wire === undefined) return;
    const emptyTextCount = readEmptyTextsBefore(part, context.dialect).length;
    const index = answer.parts.length + emptyTextCount;
    answer.parts.push(...splitIntoPieces(wire, part, context));
    if (part.type !== "text" && part.type !== "refusal") return;
    if (part.logprobs !== undefined) addLogprobs(part.logprobs, answer.logprobs, context);
    if (part.type !== "text" || part.annotations === undefined) return;
    const annotations = selectGroundingAnnotations(part, citations, context);
    if (annotations.length > 0) answer.texts.push({ index, part, annotations });
  });
  answer.citations = citations.citations;
  return answer;
}
