// Streams, from the wire. Every event is a piece of an answer: its parts become deltas at once; all that is said of the
// whole is collected and read at the end, by the reader of whole answers.
import { disassemble } from "../../assembly/disassemble.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder, Renames } from "../dialect.ts";
import { copyField, isObject, readObject } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { errorDelta, keepEvents, startDelta, truncated } from "../kit/streams.ts";
import { decodeError } from "./errors.ts";
import { AnswerReading } from "./reading.ts";
import type { Head } from "./response.ts";
import { decodeBody, headOf } from "./response.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, readNames } from "./snake.ts";
import { CandidateStream, countOf } from "./stream-candidate.ts";
import { countsOf } from "./usage.ts";

/** More candidates than any provider gives; a wild index must not cost memory. */
const MAX_CANDIDATES = 64;

export function streamDecoder(context: DecodeContext, { names }: DecodeReplyOptions): EventDecoder {
  return new GeminiDecoder(context, names);
}

class GeminiDecoder implements EventDecoder {
  readonly #context: DecodeContext;
  readonly #names: Renames | undefined;
  #answer: AnswerStream | undefined;
  #hasBegun = false;
  /** The one event that has come, as long as there is no other. */
  #only: JsonObject | undefined;
  /** The calls of all answers, and whether each has its result. */
  readonly #calls = new Map<string, boolean>();

  constructor(context: DecodeContext, names: Renames | undefined) {
    this.#context = context;
    this.#names = names;
  }

  push(data: unknown): Delta[] {
    if (data === "[DONE]") return [];
    if (Array.isArray(data)) return data.flatMap((each: unknown) => this.push(each));
    const event = readObject(data, this.#context);
    const deltas: Delta[] = [];
    if (this.#answer?.isOver(event) === true) this.#close(deltas);
    // What is left over after an end is no answer.
    if (this.#answer === undefined && this.#hasBegun && !saysSomething(event)) return deltas;
    this.#only = this.#hasBegun ? undefined : event;
    const answer = (this.#answer ??= this.#begin(event, deltas));
    answer.take(event, deltas);
    if (answer.hasFailed) this.#close(deltas);
    return deltas;
  }

  #begin(event: JsonObject, deltas: Delta[]): AnswerStream {
    this.#hasBegun = true;
    return new AnswerStream(event, this.#context, this.#names, this.#calls, deltas);
  }

  #close(deltas: Delta[], reason: Delta = truncated()): void {
    this.#answer?.end(deltas, reason);
    this.#answer = undefined;
  }

  end(reason: Delta = truncated()): Delta[] {
    const deltas: Delta[] = [];
    if (!this.#hasBegun) deltas.push(startDelta({ modelId: "", requestId: "" }), reason);
    this.#hasBegun = true;
    this.#close(
      deltas,
      this.#only !== undefined && !isOfAnswer(this.#only) ? errorDelta(decodeError(this.#only, undefined)) : reason,
    );
    return deltas;
  }
}

/** Whether an event says anything that answers say; a body that does not is an error of whoever stands between. */
function isOfAnswer(event: JsonObject): boolean {
  const wire = readNames(event, {});
  return ["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"].some(
    (key) => wire[key] !== undefined,
  );
}

function saysSomething({ candidates, promptFeedback, error }: JsonObject): boolean {
  return (Array.isArray(candidates) && candidates.length > 0) || isObject(promptFeedback) || isObject(error);
}

/** One answer, as its events come. */
class AnswerStream {
  hasFailed = false;
  readonly #head: Head;
  readonly #context: DecodeContext;
  readonly #reading: AnswerReading;
  readonly #calls: Map<string, boolean>;
  /** What the events say beside their candidates, by the names that it came with. */
  readonly #top: JsonObject = {};
  readonly #candidates: CandidateStream[] = [];
  readonly #hasIndex: boolean;
  #usage: JsonObject | undefined;
  readonly #odd: JsonValue[] = [];

  constructor(
    event: JsonObject,
    context: DecodeContext,
    names: Renames | undefined,
    calls: Map<string, boolean>,
    deltas: Delta[],
  ) {
    const spelling: Spelling = {};
    this.#head = headOf(readNames(event, spelling));
    this.#context = context;
    this.#calls = calls;
    this.#reading = new AnswerReading(context, names, this.#head.id, new Set(calls.keys()));
    const [first] = Array.isArray(event["candidates"]) ? event["candidates"] : [];
    this.#hasIndex = !isObject(first) || first["index"] !== undefined;
    // How the first event is spelled tells an encoder how the others are.
    const form: { extra?: Extra } = {};
    if (!this.#hasIndex) storeForm(form, context.dialect, "index", null);
    keepNames(form, context.dialect, spelling);
    const { id: requestId, model: modelId, ...time } = this.#head;
    deltas.push(startDelta({ modelId, requestId, ...time, ...form }));
  }

  /** Whether an event belongs to the next answer. */
  isOver(event: JsonObject): boolean {
    const { responseId = event["response_id"] } = event;
    if (responseId === this.#head.id || this.#head.id === "" || typeof responseId !== "string") return false;
    return this.#isFinished && saysSomething(event);
  }

  get #isFinished(): boolean {
    if (this.#candidates.length > 0) {
      // One that says nothing may be there only because another has its place after it.
      const isOpen = this.#candidates.some(({ isFinished, parts }) => !isFinished && parts.length > 0);
      return !isOpen && this.#candidates.some((each) => each.isFinished);
    }
    const { promptFeedback: feedback = this.#top["prompt_feedback"] } = this.#top;
    return isObject(feedback) && typeof (feedback["blockReason"] ?? feedback["block_reason"]) === "string";
  }

  /** Nearly every event says the same beside its candidates as the one before it. */
  take(event: JsonObject, deltas: Delta[]): void {
    const { candidates, usageMetadata: usage, modelVersion, responseId } = event;
    let others = countOf(event);
    if (candidates !== undefined) others--;
    if (modelVersion !== undefined && modelVersion === this.#top["modelVersion"]) others--;
    if (responseId !== undefined && responseId === this.#top["responseId"]) others--;
    if (isObject(usage)) {
      others--;
      this.#takeUsage(usage, deltas);
    }
    if (others > 0) this.#learn(event);
    if (Array.isArray(candidates)) this.#takeCandidates(candidates, deltas);
    else if (candidates === null) this.#top["candidates"] ??= null;
    else if (candidates !== undefined) this.#odd.push({ candidates });
  }

  #learn(event: JsonObject): void {
    for (const key in event) {
      const value = event[key];
      if (key === "candidates" || (key === "usageMetadata" && isObject(value))) continue;
      if (value !== undefined && this.#top[key] !== value) copyField(event, key, this.#top);
    }
    this.hasFailed = isObject(this.#top["error"]);
  }

  #takeCandidates(list: readonly JsonValue[], deltas: Delta[]): void {
    this.#top["candidates"] = EMPTY;
    for (let at = 0; at < list.length; at++) {
      const wire = list[at];
      if (!isObject(wire)) {
        this.#odd.push({ candidates: [wire ?? null] });
        continue;
      }
      const { index } = wire;
      const isPlace = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_CANDIDATES;
      const choice = isPlace ? index : at;
      const candidate = (this.#candidates[choice] ??= this.#newCandidate(choice));
      const isNews = index !== undefined && index !== candidate.fields["index"];
      if (isNews && (choice > 0 || this.#hasIndex)) copyField(wire, "index", candidate.fields);
      candidate.take(wire, deltas, this.#odd);
    }
  }

  #newCandidate(choice: number): CandidateStream {
    while (this.#candidates.length < choice) this.#candidates.push(this.#newCandidate(this.#candidates.length));
    return new CandidateStream(choice, this.#reading, this.#calls);
  }

  /** Every event says all counts so far (B65); one that it leaves out is as it was. */
  #takeUsage(wire: JsonObject, deltas: Delta[]): void {
    const known = this.#usage;
    this.#usage = known === undefined ? wire : merged(known, wire);
    if (known !== undefined && !hasNews(wire, known)) return;
    const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens } = countsOf(this.#usage);
    if (totalTokens === 0) return;
    const payload: Extract<Delta, { kind: "usage" }>["payload"] = { inputTokens, outputTokens, totalTokens };
    if (cacheReadTokens !== undefined) payload.cacheReadTokens = cacheReadTokens;
    if (reasoningTokens !== undefined) payload.reasoningTokens = reasoningTokens;
    deltas.push({ kind: "usage", payload });
  }

  /** The answer has ended, if it says so; else for the reason given (B73). */
  end(deltas: Delta[], reason: Delta): void {
    for (const candidate of this.#candidates) candidate.end(deltas);
    const response = this.#whole();
    for (const candidate of this.#candidates) candidate.sayAbout(deltas);
    if (response.usage !== undefined) deltas.push({ kind: "usage", payload: { ...response.usage } });
    const { dialect } = this.#context;
    const { message } = response;
    const isWhole = !this.hasFailed && this.#isFinished;
    // An error has no place for what was kept of the message.
    const { $form: _, ...kept } = message.extra?.[dialect] ?? {};
    if (!isWhole && Object.keys(kept).length > 0) storeResidue(response, dialect, kept, ["candidates", "content"]);
    const { extra } = response;
    if (!isWhole && !this.hasFailed) {
      deltas.push(failed(reason, extra, dialect));
      return;
    }
    const last = lastOf(response);
    if (extra !== undefined) last.payload.extra = extra;
    if (last.kind === "done" && message.extra !== undefined) last.payload.message = { extra: message.extra };
    deltas.push(last);
  }

  /** The whole answer, with the parts that have been read. */
  #whole(): ModelResponse {
    const top = this.#top;
    const candidates = this.#candidates;
    const usage = this.#usage;
    const head = this.#head;
    const context = this.#context;
    const { dialect } = context;
    const body: JsonObject = { ...top };
    if (usage !== undefined) body["usageMetadata"] = usage;
    if (candidates.length > 0) body["candidates"] = candidates.map((each) => each.body());
    this.#reading.streamed = candidates.map(({ parts }) => parts);
    context.pathTracker.reset();
    const spelling: Spelling = {};
    const wire = readNames(body, spelling);
    const response = decodeBody(wire, spelling, this.#reading);
    // What the beginning did not say, or said otherwise.
    for (const [field, key] of HEAD) {
      const said = wire[key];
      if (response[field] !== head[field] && said !== undefined) storeResidue(response, dialect, { [key]: said });
    }
    keepEvents(response, dialect, this.#odd);
    return response;
  }
}

const EMPTY: JsonValue[] = [];
const HEAD = [
  ["id", "responseId"],
  ["model", "modelVersion"],
  ["createdAt", "createTime"],
] as const;

/** The counts of an event, and those of earlier ones that it leaves out. */
function merged(known: JsonObject, said: JsonObject): JsonObject {
  for (const key in known) {
    if (said[key] !== undefined) continue;
    const both: JsonObject = {};
    for (const each of Object.keys(known)) copyField(known, each, both);
    for (const each of Object.keys(said)) copyField(said, each, both);
    return both;
  }
  return said;
}

/** Whether a count is another than it was. */
function hasNews(said: JsonObject, known: JsonObject): boolean {
  for (const key in said) if (typeof said[key] === "number" && said[key] !== known[key]) return true;
  return false;
}

type Last = Extract<Delta, { kind: "done" | "error" }>;

/** The delta that ends an answer. */
function lastOf({ message, alternatives, ...response }: ModelResponse): Last {
  const others = alternatives?.map((each) => ({ ...each, message: { ...each.message, parts: [] } }));
  const deltas = disassemble({
    ...response,
    message: { ...message, parts: [] },
    ...(others && { alternatives: others }),
  });
  return deltas.at(-1) as Last; // Such a delta is always the last.
}

/** An answer that broke off, with what it says that the model has no word for. */
function failed(reason: Delta, extra: Extra | undefined, dialect: string): Delta {
  const { $form: _, ...residue } = extra?.[dialect] ?? {};
  if (reason.kind !== "error" || Object.keys(residue).length === 0) return reason;
  return { ...reason, payload: { ...reason.payload, extra: { [dialect]: residue } } };
}
