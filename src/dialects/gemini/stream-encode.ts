// Streams, to the wire: an event for every piece of text and for every other part, each with a candidate (B85); the last
// one says of the whole answer what a whole answer says of itself.
import type { Delta, ErrorPayload, StartPayload, UsagePayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { Usage } from "../../model/usage.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../dialect.ts";
import { Follower } from "../kit/follow.ts";
import { withoutInterruption } from "../kit/notes.ts";
import { isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { eventsOf, withOwnReport, truncated, withoutEvents } from "../kit/streams.ts";
import { isCutUp } from "./chunks.ts";
import { newWriting } from "./encode.ts";
import { encodeBody } from "./errors.ts";
import type { Code } from "./losses.ts";
import { encodeResponse } from "./response.ts";
import { writeNames } from "./snake.ts";
import { ChoiceWriter } from "./stream-choice.ts";
import { withJoinedPlaces } from "./stream-join.ts";
import { FINISH } from "./terms.ts";
import type { GeminiPart } from "./types.ts";
import { CARRIED_COUNTS, encodeCounts } from "./usage.ts";
import type { Writing } from "./writing.ts";

export function streamEncoder(context: EncodeContext<Code>): Omit<StreamEncoder, "losses"> {
  return new GeminiEncoder(context);
}

/** In the place of a part whose loss has been told. */
const GONE: Part = { type: "text", text: "" };

class GeminiEncoder implements Omit<StreamEncoder, "losses"> {
  readonly #context: EncodeContext<Code>;
  readonly #quiet: EncodeContext<Code>;
  readonly #follower = new Follower();
  #writing: Writing;
  #choices: ChoiceWriter[] = [];
  /** What every event says of its answer. */
  #head: JsonObject = {};
  #hasIndex = true;
  #usage: Partial<Usage> = {};
  #counts: JsonObject | undefined;
  /** An event without its candidates. */
  #frame: JsonObject | undefined;
  #hasSaid = false;

  constructor(context: EncodeContext<Code>) {
    this.#context = context;
    this.#quiet = withOwnReport({ ...context, repair: false });
    this.#writing = newWriting(this.#quiet, true);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      const choice = (this.#choices[draft.choice] ??= this.#newChoice(draft.choice));
      choice.push(draft, delta);
      return choice.pending.length === 0 ? [] : this.#flush(choice, draft.choice);
    }
    switch (delta.kind) {
      case "start":
        this.#begin(delta.payload);
        return [];
      case "usage":
        this.#count(delta.payload);
        return [];
      case "done":
        return this.#finish(undefined);
      case "error":
        return this.#finish(delta.payload);
      default:
        this.#context.report.addLoss("result-between");
        return [];
    }
  }

  end(): WireEvent[] {
    return this.#follower.isOpen ? this.push(truncated()) : [];
  }

  #newChoice(index: number): ChoiceWriter {
    while (this.#choices.length < index) this.#choices.push(this.#newChoice(this.#choices.length));
    return new ChoiceWriter(this.#context, this.#writing);
  }

  #begin({ modelId, requestId, createdAt, extra }: StartPayload): void {
    this.#choices = [];
    this.#writing = newWriting(this.#quiet, true);
    this.#usage = {};
    this.#counts = undefined;
    this.#frame = undefined;
    this.#hasSaid = false;
    const head: JsonObject = {};
    if (modelId !== "") head["modelVersion"] = modelId;
    if (createdAt !== undefined) head["createTime"] = createdAt;
    if (requestId !== "") head["responseId"] = requestId;
    this.#hasIndex = extra === undefined || readForm({ extra }, this.#context.dialect)["index"] !== null;
    this.#head = extra === undefined ? head : writeNames(head, { extra }, this.#quiet);
  }

  /** An event for each part that is to go out. */
  #flush(choice: ChoiceWriter, index: number): WireEvent[] {
    const { pending } = choice;
    choice.pending = [];
    this.#hasSaid = true;
    const events: WireEvent[] = [];
    for (const part of pending) {
      const candidates = [this.#candidate(index, part)];
      // The SDK takes whatever stands first for the first candidate.
      if (index > 0) candidates.unshift(this.#candidate(0, this.#choices[0]?.framing() ?? { text: "" }));
      events.push({ data: this.#event(candidates) });
    }
    return events;
  }

  #candidate(index: number, part: GeminiPart): JsonObject {
    const content = { role: "model", parts: [part] };
    return index > 0 || this.#hasIndex ? { content, index } : { content };
  }

  #event(candidates: JsonObject[]): JsonObject {
    this.#counts ??= encodeCounts(this.#usage);
    this.#frame ??= this.#newFrame(this.#counts);
    // A copy costs less than an object that grows.
    const data = { ...this.#frame };
    data["candidates"] = candidates;
    if (data["usageMetadata"] !== undefined) data["usageMetadata"] = this.#counts;
    return data;
  }

  #newFrame(usageMetadata: JsonObject): JsonObject {
    const isCounted = Object.keys(usageMetadata).length > 0;
    return isCounted ? { candidates: null, usageMetadata, ...this.#head } : { candidates: null, ...this.#head };
  }

  #count(payload: UsagePayload): void {
    for (const field of CARRIED_COUNTS) {
      const count = payload[field];
      if (count === undefined || count === this.#usage[field]) continue;
      this.#usage[field] = count;
      this.#counts = undefined;
      if (this.#frame?.["usageMetadata"] === undefined) this.#frame = undefined;
    }
  }

  /** What is left to say, and all that a whole answer says beside its parts; then the error, where there is one. */
  #finish(error: ErrorPayload | undefined): WireEvent[] {
    const whole = this.#follower.response();
    if (whole === undefined) return [];
    const response = error === undefined ? whole : withoutInterruption(whole);
    const messages = [response.message, ...(response.alternatives ?? []).map(({ message }) => message)];
    for (const [index, message] of messages.entries()) {
      const choice = (this.#choices[index] ??= this.#newChoice(index));
      choice.end(message.parts, error !== undefined);
      if (choice.broken.size > 0)
        message.parts = message.parts.map((part, at) => (choice.broken.has(at) ? GONE : part));
    }
    const { dialect, report } = this.#context;
    for (const [index, message] of messages.entries()) {
      const place = index === 0 ? [] : ["alternatives", index - 1];
      if (isCutUp(message, dialect)) report.addLoss("texts-joined", [...place, "message", "extra", dialect, "$form"]);
    }
    const wire = encodeResponse(withoutEvents(response, dialect), this.#context).wire as JsonObject; // It always is.
    const events = eventsOf(response, dialect).map((data): WireEvent => ({ data }));
    if (error === undefined) return [...events, { data: this.#last(wire, response, true) }];
    return [...events, ...this.#failure(wire, response, error)];
  }

  #failure(wire: JsonObject, response: ModelResponse, { finish }: ErrorPayload): WireEvent[] {
    const { error, ...rest } = wire;
    const failure = { data: { error: error ?? (response.error && encodeBody(response.error)) ?? {} } };
    const isQuiet = !this.#hasSaid && this.#choices.every(({ pending }) => pending.length === 0);
    const others = Object.keys(rest).filter((key) => key !== "candidates" && !Object.hasOwn(this.#head, key));
    if (isQuiet && others.length === 0 && finish?.raw === undefined) return [failure];
    // In one event with the error, so that it is never taken for the end of a whole answer.
    if (finish?.raw !== undefined) return [{ data: { ...this.#last(rest, response, true), ...failure.data } }];
    return [{ data: this.#last(rest, response, false) }, failure];
  }

  /** The last event; an answer that failed before it ended does not say that it ended. */
  #last(wire: JsonObject, response: ModelResponse, ends: boolean): JsonObject {
    const { candidates } = wire;
    const list = Array.isArray(candidates) && candidates.length > 0 ? candidates : undefined;
    if (list === undefined && (!ends || response.error !== undefined || isBlocked(wire))) return wire;
    const written = (list ?? [{ content: { role: "model", parts: [] }, index: 0 }]).map((each, index) =>
      this.#lastOf(each, index, ends),
    );
    // Without a reason, a reader takes the stream for one that broke off.
    const choices = [response, ...(response.alternatives ?? [])];
    for (const [index, each] of written.entries()) {
      if (!ends || response.error !== undefined || "finishReason" in each || "finish_reason" in each) continue;
      const { finishReason, message } = choices[index] ?? response;
      if (index > 0 && message.parts.length === 0) continue;
      each["finishReason"] = FINISH.theirs(finishReason.unified) ?? "OTHER";
      const place = index === 0 ? [] : ["alternatives", index - 1];
      this.#context.report.addLoss("finish-approximated", [...place, "finishReason"]);
    }
    return { ...wire, candidates: written };
  }

  #lastOf(given: JsonValue, index: number, ends: boolean): JsonObject {
    const { finishReason, finish_reason: spelled, ...others } = isObject(given) ? withJoinedPlaces(given) : {};
    const candidate: JsonObject = { ...others };
    const choice = this.#choices[index];
    const { pending = [] } = choice ?? {};
    if (ends && finishReason !== undefined) candidate["finishReason"] = finishReason;
    if (ends && spelled !== undefined) candidate["finish_reason"] = spelled;
    this.#setIndex(candidate, index);
    const { content } = candidate;
    // The SDK takes an event without parts for a broken answer; an empty text says nothing.
    if (isObject(content) && (pending.length > 0 || content["parts"] !== undefined)) {
      if (content["role"] === undefined) this.#loseForm(index, "role", "message");
      candidate["content"] = { role: "model", ...content, parts: pending.length > 0 ? pending : [{ text: "" }] };
    }
    return candidate;
  }

  /** In a stream the index tells which candidate it is. */
  #setIndex(candidate: JsonObject, index: number): void {
    const { dialect, report } = this.#context;
    const isPlain =
      candidate["index"] === index || (index === 0 && !this.#hasIndex && candidate["index"] === undefined);
    if (isPlain) return;
    if (candidate["index"] === undefined) this.#loseForm(index, "index");
    else {
      const place = index === 0 ? ["extra", dialect, "candidates"] : ["alternatives", index - 1, "extra", dialect];
      report.addLoss("residue-clash", [...place, "index"]);
    }
    candidate["index"] = index;
  }

  #loseForm(index: number, what: string, ...inner: string[]): void {
    const place = index === 0 ? [] : ["alternatives", index - 1];
    this.#context.report.addLoss("form-stale", [...place, ...inner, "extra", this.#context.dialect, "$form", what]);
  }
}

/** Whether a body says that the question was blocked, which ends an answer without candidates. */
function isBlocked({ promptFeedback, prompt_feedback: spelled }: JsonObject): boolean {
  const feedback = promptFeedback ?? spelled;
  return isObject(feedback) && (feedback["blockReason"] ?? feedback["block_reason"]) !== undefined;
}
