// Streams of chunks → deltas. An answer begins with its first chunk and ends with "[DONE]", with the input, or where the
// next one begins: usage may follow the last word of every choice.
import { disassemble } from "../../assembly/disassemble.ts";
import type { Delta, DoneAlternative, DonePayload, ErrorPayload, MessageFields } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Extra } from "../../model/parts.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { Alternative, ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../dialect.ts";
import { cutCall } from "../kit/endings.ts";
import { isObject, readObject } from "../kit/read.ts";
import { dropForm, storeResidue, storeForm } from "../kit/residue.ts";
import { RunCalls } from "../kit/stream-calls.ts";
import { errorDelta, startDelta, truncated } from "../kit/streams.ts";
import { keep, startReading } from "./reading.ts";
import { DETAILS } from "./reasoning.ts";
import { dateOf, decodeResponse } from "./response.ts";
import { ChoiceReader, ORDER } from "./stream-choice.ts";
import { errorOf, isPing, isWhole, saysMore, WHOLE } from "./stream-kinds.ts";
import { addLater } from "./stream-merge.ts";
import { newExtra, Settling } from "./stream-settle.ts";
import { decodeUsage } from "./usage.ts";

const CHUNK = "chat.completion.chunk";
/** OpenAI takes no more; a wild index must not cost memory. */
const MAX_CHOICES = 128;

export function chunkDecoder(context: DecodeContext, options: DecodeReplyOptions): EventDecoder {
  const run = new RunCalls();
  let answer: Answer | undefined;
  let isFirst = true;
  const begin = (): Answer => {
    isFirst = false;
    return (answer ??= new Answer(context, options, run));
  };
  const close = (): Delta[] => {
    const closed = answer?.finish() ?? [];
    answer = undefined;
    return closed;
  };
  return {
    push(data, event) {
      if (data === "[DONE]") return close();
      const chunk = readObject(data, context);
      if (isPing(chunk, event)) return [];
      const error = errorOf(chunk, event, isFirst);
      if (error !== undefined) {
        const failed = begin().fail(chunk, error);
        answer = undefined;
        return failed;
      }
      const { choices } = chunk;
      const saysSomething = Array.isArray(choices) ? choices.length > 0 : (choices ?? null) !== null;
      // What trails an answer is no other one.
      if (answer === undefined && !isFirst && !saysSomething) return [];
      if (answer === undefined && isWhole(chunk)) {
        isFirst = false;
        return disassemble(wholeAnswer(chunk, context, options, run));
      }
      const before = saysSomething && answer?.isFollowedBy(chunk) === true ? close() : undefined;
      const said = begin().push(chunk, saysSomething);
      return before === undefined ? said : [...before, ...said];
    },
    end(reason = truncated()) {
      const open = answer ?? (isFirst ? begin() : undefined);
      answer = undefined;
      if (open === undefined) return [];
      return open.isOver && open.hasEnded ? open.finish() : open.breakOff(reason);
    },
  };
}

function wholeAnswer(
  chunk: JsonObject,
  context: DecodeContext,
  options: DecodeReplyOptions,
  run: RunCalls,
): ModelResponse {
  const response = decodeResponse(chunk, context, options);
  for (const { message } of [response, ...(response.alternatives ?? [])]) {
    for (const part of message.parts) if (part.type === "tool-call") run.start(part, context.dialect);
  }
  return response;
}

/** Fields of a chunk that have a place of their own. */
const OWN: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "obfuscation",
  "error",
]);

class Answer {
  readonly #context: DecodeContext;
  readonly #options: DecodeReplyOptions;
  readonly #run: RunCalls;
  readonly #choices: (ChoiceReader | undefined)[] = [];
  /** What chunks say of the answer itself. */
  readonly #top: JsonObject = {};
  readonly #head: JsonObject = { id: "", object: WHOLE, model: "" };
  #isStarted = false;
  #extra: Extra | undefined;

  constructor(context: DecodeContext, options: DecodeReplyOptions, run: RunCalls) {
    this.#context = context;
    this.#options = options;
    this.#run = run;
  }

  /** Whether every choice has said how it ended. */
  get isOver(): boolean {
    let isOver = false;
    for (const choice of this.#choices) {
      if (choice === undefined) continue;
      if (!choice.isOver) return false;
      isOver = true;
    }
    return isOver;
  }

  /** Whether every choice has said why it ended; one that may go on has not, though it looks whole. */
  get hasEnded(): boolean {
    return this.#choices.every((choice) => choice?.hasEnded !== false);
  }

  /** Whether a chunk is of the next answer: this one has ended, and the id of one that says something is another. */
  isFollowedBy({ id, choices }: JsonObject): boolean {
    if (typeof id !== "string" || id === this.#head["id"] || id === "" || !this.#isStarted || !this.isOver)
      return false;
    return Array.isArray(choices) && choices.some((choice) => isObject(choice) && saysMore(choice["delta"]));
  }

  push(chunk: JsonObject, saysSomething: boolean): Delta[] {
    const out: Delta[] = [];
    this.#readTop(chunk);
    const usage = this.#usageOf(chunk);
    // Azure's first chunk is about the prompt, and does not know its answer yet.
    if (!this.#isStarted && (saysSomething || usage !== undefined)) this.#start(out);
    const { choices } = chunk;
    if (Array.isArray(choices)) for (const choice of choices) this.#readChoice(choice, isObject(chunk["usage"]), out);
    else if (choices !== undefined && choices !== null) this.#choice(0).tellOdd("choices", choices, out);
    if (usage !== undefined) {
      const { extra, ...counts } = decodeUsage(usage, this.#context);
      out.push({ kind: "usage", payload: extra === undefined ? counts : { ...counts, extra } });
    }
    return out;
  }

  #readTop(chunk: JsonObject): void {
    for (const key in chunk) {
      if (!OWN.has(key)) {
        if (this.#top[key] !== chunk[key] || chunk[key] === null) addLater(this.#top, chunk, key);
      } else if (!this.#isStarted) this.#readHead(chunk, key);
    }
  }

  #readHead(chunk: JsonObject, key: string): void {
    const value = chunk[key];
    if (key === "created") {
      if (value !== null) addLater(this.#head, chunk, key);
    } else if (key === "id" || key === "model") {
      if (value !== "" && value !== null) addLater(this.#head, chunk, key);
    } else if (key === "object" && value !== CHUNK && value !== "" && value !== null) addLater(this.#head, chunk, key);
  }

  /** The counts of a chunk, wherever a vendor has them; what is found elsewhere does not stay there. */
  #usageOf(chunk: JsonObject): JsonObject | undefined {
    const { usage, x_groq: beside, choices } = chunk;
    if (isObject(usage)) return usage;
    if (usage !== undefined && usage !== null) addLater(this.#top, chunk, "usage");
    if (isObject(beside) && isObject(beside["usage"])) {
      const kept = this.#top["x_groq"];
      const rest = isObject(kept) ? copyObject(kept) : {};
      delete rest["usage"];
      this.#top["x_groq"] = rest;
      return beside["usage"];
    }
    const [choice] = Array.isArray(choices) ? choices : [];
    return isObject(choice) && isObject(choice["usage"]) ? choice["usage"] : undefined;
  }

  #start(out: Delta[]): void {
    this.#isStarted = true;
    const { id, model, created } = this.#head;
    const kept: { extra?: Extra } = {};
    if (Object.keys(this.#top).length > 0) storeResidue(kept, this.#context.dialect, this.#top);
    const createdAt = dateOf(created);
    if (created === undefined) storeForm(kept, this.#context.dialect, "absent", ["created"]);
    else if (createdAt === undefined) storeResidue(kept, this.#context.dialect, keep(undefined, this.#head, "created"));
    if (this.#head["object"] !== WHOLE)
      storeResidue(kept, this.#context.dialect, keep(undefined, this.#head, "object"));
    this.#extra = kept.extra;
    out.push(
      startDelta({
        requestId: typeof id === "string" ? id : "",
        modelId: typeof model === "string" ? model : "",
        ...(createdAt !== undefined && { createdAt }),
        ...kept,
      }),
    );
  }

  #readChoice(value: JsonValue, hasUsage: boolean, out: Delta[]): void {
    if (!isObject(value)) return this.#choice(0).tellOdd("choices", [value], out);
    const { index, usage } = value;
    const isPlace = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_CHOICES;
    const position = isPlace ? index : 0;
    const choice = this.#choice(position);
    const { hasEnded } = choice;
    if (!isObject(usage) || hasUsage) choice.read(value, out);
    else {
      const rest = copyObject(value);
      delete rest["usage"];
      choice.read(rest, out);
    }
    if (!hasEnded && choice.hasEnded && !choice.calls.isEmpty) this.#endCalls(choice, position, out);
  }

  /** The calls of a choice end with it, whatever else is to come. */
  #endCalls(choice: ChoiceReader, position: number, out: Delta[]): void {
    const context = this.#context;
    const options = this.#options;
    const run = this.#run;
    choice.calls.advance(out, true);
    const wire: JsonObject = { ...this.#head, choices: [choice.whole(0)] };
    const { message, finishReason } = decodeResponse(wire, context, options);
    new Settling(choice, position, context.dialect, run, out).endCalls(message, cutCall(message, finishReason));
  }

  #choice(position: number): ChoiceReader {
    const { id } = this.#head;
    const seed = typeof id === "string" ? id : "";
    return (this.#choices[position] ??= new ChoiceReader(
      position,
      // Made ids of calls tell the choices apart (B17).
      startReading(this.#context, true, position === 0 ? seed : `${seed}_${position}`, this.#options.names),
      this.#run,
    ));
  }

  /** All that came, as an answer in one piece; where it broke off, nothing is noted of what it lacks. */
  #whole(isDone: boolean): ModelResponse {
    const wire: JsonObject = copyObject(this.#head);
    for (const key in this.#top) addLater(wire, this.#top, key);
    const choices: JsonObject[] = [];
    const kept: JsonValue[] = [];
    for (let at = 0; at < this.#choices.length; at++) {
      const choice = this.#choices[at] ?? this.#choice(at);
      const said = choice.whole(at);
      if (!isDone) said["finish_reason"] ??= "stop";
      const message = said["message"];
      // Several details whose text has been told as one: they stay as they are beside it.
      if (choice.isRetold && isObject(message)) {
        kept[at] = message[DETAILS] ?? null;
        delete message[DETAILS];
      }
      choices.push(said);
    }
    wire["choices"] = choices;
    const response = decodeResponse(wire, this.#context, this.#options);
    // Every chunk has an id, also where its answer has none to tell.
    dropForm(response, this.#context.dialect, "id");
    [response, ...(response.alternatives ?? [])].forEach(({ message }, at) => {
      const details = kept[at];
      if (details !== undefined) storeResidue(message, this.#context.dialect, { [DETAILS]: details });
    });
    return response;
  }

  /** Tells what has not been told; what remains is how the answer ended. */
  #settle(isDone: boolean, out: Delta[]): ModelResponse {
    if (!this.#isStarted) this.#start(out);
    this.#choices.forEach((choice) => choice?.calls.advance(out, true));
    const response = this.#whole(isDone);
    const all: Pick<Alternative, "message" | "finishReason">[] = [response, ...(response.alternatives ?? [])];
    all.forEach(({ message, finishReason }, at) => {
      const choice = this.#choices[at];
      if (choice === undefined) return;
      const isOver = isDone || choice.isOver;
      new Settling(choice, at, this.#context.dialect, this.#run, out).settle(
        message,
        cutCall(message, finishReason),
        isOver,
      );
      if (choice.isMixed) storeForm(message, this.#context.dialect, ORDER, "said");
    });
    return response;
  }

  finish(): Delta[] {
    const out: Delta[] = [];
    const { message, finishReason, alternatives, extra: all } = this.#settle(true, out);
    const payload: DonePayload = { finishReason: finishReason.unified };
    if (finishReason.raw !== undefined) payload.raw = finishReason.raw;
    const fields = fieldsOf(message);
    if (fields !== undefined) payload.message = fields;
    if (alternatives !== undefined) payload.alternatives = alternatives.map(alternativeOf);
    const extra = newExtra(all, this.#extra);
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "done", payload });
    return out;
  }

  /** The answer failed: what came with the error has been said. */
  fail(chunk: JsonObject, error: ProviderError): Delta[] {
    const rest = copyObject(chunk);
    delete rest["error"];
    const isChunk = isObject(chunk["error"]);
    const { choices } = chunk;
    const out = isChunk ? this.push(rest, Array.isArray(choices) && choices.length > 0) : [];
    return [...out, ...this.breakOff(errorDelta(error))];
  }

  /** A failed answer has no message to keep what its deltas had beside; what it lacks is no deviation. */
  #extraOfFailed(all: Extra | undefined, message: Message): Extra | undefined {
    const { dialect } = this.#context;
    const kept = newExtra(all, this.#extra);
    delete kept?.[dialect]?.["$form"];
    const rest = message.extra?.[dialect];
    const unknown = rest === undefined ? {} : copyObject(rest);
    delete unknown["$form"];
    const target: { extra?: Extra } = kept === undefined ? {} : { extra: kept };
    if (Object.keys(unknown).length > 0) storeResidue(target, dialect, { delta: unknown });
    if (this.#choices[0]?.isMixed === true) storeForm(target, dialect, ORDER, "said");
    return Object.keys(target.extra?.[dialect] ?? {}).length === 0 ? undefined : target.extra;
  }

  /** The answer ends as far as it came. */
  breakOff(reason: Delta): Delta[] {
    const out: Delta[] = [];
    const { message, finishReason, alternatives, extra: all } = this.#settle(false, out);
    // Whoever breaks off a stream says so with an error.
    const payload: ErrorPayload = { ...(reason.payload as ErrorPayload) };
    if (this.#choices[0]?.isOver === true) payload.finish ??= finishReason;
    if (alternatives !== undefined) {
      payload.alternatives ??= alternatives.map((alternative, at) => {
        const said = alternativeOf(alternative);
        if (this.#choices[at + 1]?.isOver === true) return said;
        said.finishReason = "error";
        delete said.raw;
        return said;
      });
    }
    const extra = this.#extraOfFailed(all, message);
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "error", payload });
    return out;
  }
}

function fieldsOf({ name, extra }: Message): MessageFields | undefined {
  if (name === undefined && extra === undefined) return undefined;
  return { ...(name !== undefined && { name }), ...(extra !== undefined && { extra }) };
}

function alternativeOf({ message, finishReason, extra }: Alternative): DoneAlternative {
  const { unified, raw } = finishReason;
  const fields = fieldsOf(message);
  return {
    finishReason: unified,
    ...(raw !== undefined && { raw }),
    ...(extra !== undefined && { extra }),
    ...(fields !== undefined && { message: fields }),
  };
}
