// One candidate of an answer: its content, how it ended, and what is said of the whole of it.
import type { FinishReason } from "../../model/finish.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { formOf, keepForm } from "../kit/residue.ts";
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
import type { GeminiCandidate, GeminiContent, GeminiGrounding, GeminiLogprobs, GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

/** What a candidate becomes: the answer itself, or an alternative to it. */
export interface Choice {
  message: Message;
  finishReason: FinishReason;
  extra?: Extra;
}

export const GROUNDING = "groundingMetadata";
export const LOGPROBS = "logprobsResult";

/** What a choice keeps of its candidate stands in its residue, or (the answer itself) within it, by these steps. */
type Steps = string[];

export function decodeCandidate(given: JsonObject, index: number, steps: Steps, reading: Reading): Choice {
  const { context } = reading;
  const { dialect } = context;
  const spelling: Spelling = {};
  const wire = readNames(given, spelling);
  const { content, finishReason, groundingMetadata, logprobsResult } = wire;
  const taken: string[] = [];
  const message: Message = isObject(content)
    ? context.trail.into("content", () => decodeAnswer(content, reading))
    : { role: "assistant", parts: [] };
  const choice: Choice = { message, finishReason: { unified: "other" } };
  if (isObject(content)) taken.push("content");
  else if (content === undefined) keepForm(choice, dialect, "content", null);
  if (typeof finishReason === "string") taken.push("finishReason");
  choice.finishReason = readFinish(finishReason, choice, dialect);
  if (wire["index"] === index) taken.push("index");
  else if (wire["index"] === undefined) keepForm(choice, dialect, "index", null);
  if (isObject(groundingMetadata)) {
    taken.push(GROUNDING);
    const texts = decodeGrounding(groundingMetadata, message.parts, dialect);
    for (const { part, annotations } of texts ?? []) if (annotations.length > 0) part.annotations = [...annotations];
    const said = texts === undefined ? [] : ["groundingChunks", "groundingSupports"];
    keepRest(choice, groundingMetadata, said, dialect, ...steps, GROUNDING);
  }
  if (isObject(logprobsResult)) {
    taken.push(LOGPROBS);
    const text = onlyText(message);
    const logprobs = text && decodeLogprobs(logprobsResult);
    if (text !== undefined && logprobs !== undefined) text.logprobs = logprobs;
    const said = logprobs === undefined ? [] : ["chosenCandidates", "topCandidates"];
    keepRest(choice, logprobsResult, said, dialect, ...steps, LOGPROBS);
  }
  keepRest(choice, wire, taken, dialect, ...steps);
  const [step] = steps;
  const noted: Spelling = step === undefined ? spelling : {};
  if (step !== undefined) noteInner(noted, step, spelling);
  keepNames(choice, dialect, noted);
  return choice;
}

function onlyText({ parts }: Message): TextPart | undefined {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === 1 ? texts[0] : undefined;
}

/** How an answer ended: with calls, STOP means that they are to be run (B61). */
function readFinish(word: JsonValue | undefined, choice: Choice, dialect: string): FinishReason {
  if (typeof word !== "string") {
    if (word === undefined) keepForm(choice, dialect, FINISHED, null);
    return { unified: "other" };
  }
  const unified = FINISH.ours(word);
  if (unified === undefined) keepForm(choice, dialect, FINISHED, "own");
  return { unified: word === "STOP" && hasCalls(choice.message) ? "tool-calls" : (unified ?? "other"), raw: word };
}
const FINISHED = "finishReason";

function hasCalls({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call" && part.executor !== "provider");
}

/** The word for how an answer ended: the wire's own while it still says so, else the plain one; undefined for none. */
function writeFinish(choice: Choice, isFailed: boolean, context: EncodeContext<Code>): string | undefined {
  const { unified, raw } = choice.finishReason;
  const form = formOf(choice, context.dialect)[FINISHED];
  if (raw === undefined && form === null && (unified === "other" || isFailed)) return undefined;
  const means = (word: string): boolean =>
    FINISH.ours(word) === unified || (word === "STOP" && unified === "tool-calls" && hasCalls(choice.message));
  const isOwn = raw !== undefined && form === "own" && FINISH.ours(raw) === undefined;
  if (
    raw !== undefined &&
    (isOwn ? unified === "other" || isFailed : means(raw) || (isFailed && FINISH.ours(raw) !== undefined))
  )
    return raw;
  if (raw !== undefined) context.report.lose("finish-raw", [FINISHED, "raw"]);
  const word = FINISH.theirs(unified) ?? "OTHER";
  if (!means(word) && !isFailed) context.report.lose("finish-nearest", [FINISHED, "unified"]);
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
  const form = formOf(choice, context.dialect);
  const wire: GeminiCandidate = {};
  context.trail.enter("message");
  const { parts, texts, logprobs } = encodeAnswer(message, writing);
  reportMessage(message, context);
  const content = spelled(parts, message, context, true);
  context.trail.leave();
  const isAbsent = form["content"] === null || Object.hasOwn(residue, "content");
  // Answers are no strings.
  if (parts.length > 0 || !isAbsent) wire.content = content as GeminiContent;
  const word = Object.hasOwn(residue, FINISHED) ? undefined : writeFinish(choice, isFailed, context);
  if (word !== undefined) wire.finishReason = word;
  if (form["index"] !== null && !Object.hasOwn(residue, "index")) wire.index = index;
  if (texts.length > 0) wire.groundingMetadata = groundingOf(texts, context.dialect) as GeminiGrounding;
  if (logprobs.chosenCandidates.length > 0) wire.logprobsResult = logprobs;
  return wire;
}

interface AnswerParts {
  parts: GeminiPart[];
  texts: GroundedText[];
  logprobs: GeminiLogprobs;
}

function encodeAnswer(message: Message, writing: Writing): AnswerParts {
  const { context } = writing;
  const answer: AnswerParts = { parts: [], texts: [], logprobs: { chosenCandidates: [] } };
  context.trail.each("parts", message.parts, (part) => {
    const wire = encodePart(part, writing);
    if (wire === undefined) return;
    const index = answer.parts.push(wire) - 1;
    if (part.type !== "text" && part.type !== "refusal") return;
    if (part.logprobs !== undefined) addLogprobs(part.logprobs, answer.logprobs, context);
    if (part.type !== "text" || part.annotations === undefined) return;
    const annotations = sayableAnnotations(part, context);
    if (annotations.length > 0) answer.texts.push({ index, part, annotations });
  });
  return answer;
}
