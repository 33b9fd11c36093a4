// One candidate of an answer: its content, how it ended, and what is said of the whole of it.
import type { FinishReason } from "../../model/finish.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { cutCall, hasClientCalls } from "../kit/endings.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import { framingOf, inPieces } from "./chunks.ts";
import { CitationWriter, decodeCitations } from "./citations.ts";
import { reportMessage, spelled } from "./content.ts";
import { decodeAnswer } from "./decode.ts";
import { encodePart } from "./encode-part.ts";
import type { GroundedText } from "./grounding.ts";
import { decodeGrounding, groundingOf, sayableAnnotations } from "./grounding.ts";
import { addLogprobs, decodeLogprobs } from "./logprobs.ts";
import type { Code } from "./losses.ts";
import type { Reading } from "./reading.ts";
import { keepRest } from "./reading.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, noteInner, readNames } from "./snake.ts";
import { FINISH } from "./terms.ts";
import type {
  GeminiCandidate,
  GeminiCitations,
  GeminiContent,
  GeminiGrounding,
  GeminiLogprobs,
  GeminiPart,
} from "./types.ts";
import type { Writing } from "./writing.ts";

/** What a candidate becomes: the answer itself, or an alternative to it. */
export interface Choice {
  message: Message;
  finishReason: FinishReason;
  extra?: Extra;
}

export const GROUNDING = "groundingMetadata";
export const LOGPROBS = "logprobsResult";
export const CITATIONS = "citationMetadata";

/** What a choice keeps of its candidate stands in its residue, or (the answer itself) within it, by these steps. */
type Steps = string[];

/** Reads a candidate into a choice, which may be a whole response. */
export function decodeCandidate(
  given: JsonObject,
  index: number,
  choice: Choice,
  steps: Steps,
  reading: Reading,
): void {
  const { context } = reading;
  const { dialect } = context;
  const spelling: Spelling = {};
  const wire = readNames(given, spelling);
  const { content } = wire;
  const taken: string[] = [];
  if (isObject(content)) {
    taken.push("content");
    choice.message = context.pathTracker.into("content", () => decodeAnswer(content, reading));
  } else if (content === undefined) storeForm(choice, dialect, "content", null);
  const streamed = reading.streamed?.[index];
  if (streamed !== undefined) choice.message.parts = [...streamed];
  if (typeof wire[FINISHED] === "string") taken.push(FINISHED);
  choice.finishReason = readFinish(wire[FINISHED], choice, dialect);
  const cut = cutCall(choice.message, choice.finishReason);
  if (cut !== undefined) cut.invalid = true;
  if (wire["index"] === index) taken.push("index");
  else if (wire["index"] === undefined) storeForm(choice, dialect, "index", null);
  for (const [field, decode] of ABOUT_TEXT) {
    const metadata = wire[field];
    if (!isObject(metadata)) continue;
    taken.push(field);
    keepRest(choice, metadata, decode(metadata, choice.message, dialect), dialect, ...steps, field);
  }
  keepRest(choice, wire, taken, dialect, ...steps);
  const [step] = steps;
  const noted: Spelling = step === undefined ? spelling : {};
  if (step !== undefined) noteInner(noted, step, spelling);
  keepNames(choice, dialect, noted);
}

/** What is said of the texts of an answer: each reader gives the fields that these say now. */
const ABOUT_TEXT: readonly [
  field: string,
  decode: (metadata: JsonObject, message: Message, dialect: string) => readonly string[],
][] = [
  [GROUNDING, readGrounding],
  [LOGPROBS, readLogprobs],
  [CITATIONS, readCitations],
];

function readGrounding(metadata: JsonObject, { parts }: Message, dialect: string): readonly string[] {
  const texts = decodeGrounding(metadata, parts, dialect);
  for (const { part, annotations } of texts ?? []) if (annotations.length > 0) part.annotations = [...annotations];
  return texts === undefined ? [] : ["groundingChunks", "groundingSupports"];
}

function readLogprobs(result: JsonObject, message: Message): readonly string[] {
  const text = onlyText(message);
  const logprobs = text && decodeLogprobs(result);
  if (text === undefined || logprobs === undefined) return [];
  text.logprobs = logprobs;
  return ["chosenCandidates", "topCandidates"];
}

function readCitations(metadata: JsonObject, message: Message, dialect: string): readonly string[] {
  const text = onlyText(message);
  return text === undefined ? [] : decodeCitations(metadata, text, dialect);
}

function onlyText({ parts }: Message): TextPart | undefined {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === 1 ? texts[0] : undefined;
}

/** How an answer ended: with calls, STOP means that they are to be run (B61). */
function readFinish(word: JsonValue | undefined, choice: Choice, dialect: string): FinishReason {
  if (typeof word !== "string") {
    if (word === undefined) storeForm(choice, dialect, FINISHED, null);
    return { unified: "other" };
  }
  const unified = FINISH.ours(word);
  if (unified === undefined) storeForm(choice, dialect, FINISHED, "own");
  return {
    unified: word === "STOP" && hasClientCalls(choice.message) ? "tool-calls" : (unified ?? "other"),
    raw: word,
  };
}
const FINISHED = "finishReason";

/** Whether a word of the wire still says how an answer ended; one that failed ended otherwise than it says. */
function says(word: string, choice: Choice, isFailed: boolean, form: JsonValue | undefined): boolean {
  const { unified } = choice.finishReason;
  const meant = FINISH.ours(word) ?? (form === "own" ? "other" : undefined);
  if (meant === undefined) return false;
  return isFailed || meant === unified || (word === "STOP" && isWaiting(choice));
}

/** Whether an answer waits for its calls to be run. */
function isWaiting({ message, finishReason }: Choice): boolean {
  return finishReason.unified === "tool-calls" && hasClientCalls(message);
}

/** The word for how an answer ended: the wire's own while it still says so, else the plain one; undefined for none. */
function writeFinish(choice: Choice, isFailed: boolean, context: EncodeContext<Code>): string | undefined {
  const { unified, raw } = choice.finishReason;
  const form = readForm(choice, context.dialect)[FINISHED];
  if (raw === undefined && form === null && (unified === "other" || isFailed)) return undefined;
  if (raw !== undefined) {
    if (says(raw, choice, isFailed, form)) return raw;
    context.report.addLoss("finish-raw", [FINISHED, "raw"]);
  }
  const word = FINISH.theirs(unified) ?? "OTHER";
  if (!says(word, choice, isFailed, form)) context.report.addLoss("finish-approximated", [FINISHED, "unified"]);
  return word;
}

/** The candidate without what was kept of it, which is `residue`. The trail stands at the choice. */
export function encodeCandidate(
  choice: Choice,
  index: number,
  residue: JsonObject,
  isFailed: boolean,
  writing: Writing,
): GeminiCandidate {
  const { context } = writing;
  const { message } = choice;
  const form = readForm(choice, context.dialect);
  const wire: GeminiCandidate = {};
  const word = Object.hasOwn(residue, FINISHED) ? undefined : writeFinish(choice, isFailed, context);
  // What the reader of that word will take for cut off, too.
  const end = word === undefined ? undefined : FINISH.ours(word);
  writing.cut = end && cutCall(message, { unified: end });
  context.pathTracker.enter("message");
  const { parts, texts, logprobs, citations } = encodeAnswer(message, writing);
  reportMessage(message, context);
  const content = spelled(parts, message, context, true);
  context.pathTracker.leave();
  const isAbsent = form["content"] === null || Object.hasOwn(residue, "content");
  // Answers are no strings.
  if (parts.length > 0 || !isAbsent) wire.content = content as GeminiContent;
  if (word !== undefined) wire.finishReason = word;
  if (form["index"] !== null && !Object.hasOwn(residue, "index")) wire.index = index;
  if (texts.length > 0) wire.groundingMetadata = groundingOf(texts, context.dialect) as GeminiGrounding;
  if (logprobs.chosenCandidates.length > 0) wire.logprobsResult = logprobs;
  if (citations !== undefined) wire.citationMetadata = citations;
  return wire;
}

interface AnswerParts {
  parts: GeminiPart[];
  texts: GroundedText[];
  logprobs: GeminiLogprobs;
  citations?: GeminiCitations | undefined;
}

function encodeAnswer(message: Message, writing: Writing): AnswerParts {
  const { context } = writing;
  const answer: AnswerParts = { parts: [], texts: [], logprobs: { chosenCandidates: [] } };
  const citations = new CitationWriter(onlyText(message), context);
  context.pathTracker.each("parts", message.parts, (part) => {
    const wire = encodePart(part, writing);
    if (wire === undefined) return;
    const framed = framingOf(part, context.dialect).length;
    const index = answer.parts.length + framed;
    answer.parts.push(...inPieces(wire, part, context));
    if (part.type !== "text" && part.type !== "refusal") return;
    if (part.logprobs !== undefined) addLogprobs(part.logprobs, answer.logprobs, context);
    if (part.type !== "text" || part.annotations === undefined) return;
    const annotations = sayableAnnotations(part, citations, context);
    if (annotations.length > 0) answer.texts.push({ index, part, annotations });
  });
  answer.citations = citations.citations;
  return answer;
}
