// Deltas → a stream of chunks. Texts and arguments go out as they come; parts that are said in one piece, when they are
// whole. When the answer has ended, it is encoded as a whole: what is lost is reported there, and what the chunks have
// not said yet is taken from there.
import type { Delta, StartPayload } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, EncodeStreamOptions, StreamEncoder, WireEvent } from "../dialect.ts";
import type { Draft } from "../kit/follow.ts";
import { Follower } from "../kit/follow.ts";
import { withoutInterruption } from "../kit/notes.ts";
import { copyField, isObject } from "../kit/read.ts";
import { truncated, withOwnReport } from "../kit/streams.ts";
import { wasList } from "./content.ts";
import type { Code } from "./losses.ts";
import { encodeResponse } from "./response.ts";
import { ORDER } from "./stream-choice.ts";
import { assign } from "./stream-merge.ts";
import { ChoiceWriter } from "./stream-write.ts";
import type { Writing } from "./writing.ts";
import { spelling, startWriting } from "./writing.ts";

const CHUNK = "chat.completion.chunk";
/** How many fields the last chunk of a choice has. */
const PLAIN = 4;
/** What has a place of its own in a stream. */
const OWN: ReadonlySet<string> = new Set(["id", "object", "choices", "usage", "error"]);

/** Losses are reported once, when the answer is whole. */
function silent(context: EncodeContext<Code>): EncodeContext<Code> {
  return withOwnReport({ ...context, repair: false });
}

export function chunkEncoder(
  context: EncodeContext<Code>,
  { includeUsage = false }: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  const follower = new Follower();
  let answer: Answer | undefined;
  const push = (delta: Delta): WireEvent[] => {
    const draft = follower.push(delta);
    if (draft !== undefined) return answer?.push(draft, delta) ?? [];
    if (delta.kind === "start") {
      answer = new Answer(context, delta.payload);
      return answer.begin();
    }
    if (delta.kind === "part") context.report.addLoss("result-between");
    if (delta.kind !== "done" && delta.kind !== "error") return [];
    const response = follower.response();
    const ended = response === undefined ? [] : (answer?.end(response, delta.kind === "error", includeUsage) ?? []);
    answer = undefined;
    return ended;
  };
  return { push, end: () => (follower.isOpen ? push(truncated()) : []) };
}

class Answer {
  readonly #context: EncodeContext<Code>;
  readonly #writing: Writing;
  /** What every chunk says. */
  readonly #head: JsonObject = {};
  /** What the first chunk says beside it. */
  readonly #first: JsonObject = {};
  readonly #choices: ChoiceWriter[] = [];
  readonly #start: StartPayload;
  #events: WireEvent[] = [];
  #isFirst = true;

  constructor(context: EncodeContext<Code>, start: StartPayload) {
    this.#context = context;
    this.#start = start;
    this.#writing = startWriting(silent(context), true);
    const { requestId: id, modelId: model, createdAt, extra } = start;
    const known: ModelResponse = {
      id,
      model,
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "stop" },
    };
    if (createdAt !== undefined) known.createdAt = createdAt;
    if (extra !== undefined) known.extra = extra;
    const wire = encodeResponse(known, silent(context)).wire as JsonObject; // as the encoder makes it
    for (const key in wire) {
      if (key === "choices") continue;
      const value = wire[key];
      // Every chunk repeats who answers; what else there is to know need not be said so often.
      const isShort = value === null || typeof value === "string" || key === "created";
      if (value !== undefined) copyField(wire, key, isShort ? this.#head : this.#first);
    }
    if (this.#head["object"] === "chat.completion") this.#head["object"] = CHUNK;
  }

  /** The first chunk goes out at once, unless the answer says that there are no choices. */
  begin(): WireEvent[] {
    const { extra } = this.#start;
    if (extra === undefined || spelling({ extra }, "choices", this.#writing) === undefined) this.#choice(0);
    return this.#flush();
  }

  #flush(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #chunk(choices: JsonObject[], beside?: JsonObject): void {
    const data: JsonObject = { ...this.#head };
    if (this.#isFirst) assign(data, this.#first);
    data["choices"] = choices;
    if (beside !== undefined) assign(data, beside);
    this.#isFirst = false;
    this.#events.push({ data });
  }

  #choice(index: number): ChoiceWriter {
    const known = this.#choices[index];
    if (known !== undefined) return known;
    const fields = index === 0 ? this.#start.message : undefined;
    const say = (delta: JsonObject, logprobs: JsonObject | null): void =>
      this.#chunk([{ index, delta, logprobs, finish_reason: null }]);
    const made = new ChoiceWriter(this.#writing, this.#context, fields?.extra, say);
    this.#choices[index] = made;
    // The first chunk of a choice names its role (B84).
    say({ role: "assistant", content: "", refusal: null }, null);
    return made;
  }

  push(draft: Draft, delta: Delta): WireEvent[] {
    this.#choice(draft.choice).push(draft, delta);
    return this.#flush();
  }

  /** The rest of the answer, how it ended, and what it cost. */
  end(response: ModelResponse, isFailed: boolean, includeUsage: boolean): WireEvent[] {
    const wire = this.#encodeWhole(response, isFailed);
    const { choices, usage, error } = wire as JsonObject; // as the encoder makes it
    const isNothing = isFailed && this.#choices.length === 0 && response.message.parts.length === 0;
    const list = Array.isArray(choices) && !isNothing ? choices : [];
    const messages = [response.message, ...(response.alternatives ?? []).map((each) => each.message)];
    const endings = list.flatMap((choice, index) =>
      isObject(choice) ? [this.#finishChoice(choice, index, messages[index])] : [],
    );
    const beside = this.#unsaid(wire as JsonObject);
    if (isFailed) {
      const { finishReason, alternatives = [] } = response;
      const words = [finishReason, ...alternatives.map((each) => each.finishReason)].map(({ raw }) => raw);
      endings.forEach((ending, at) => {
        // Where the answer did not say how it ended, nobody else does.
        if (words[at] === undefined) ending["finish_reason"] = null;
        if (words[at] !== undefined || Object.keys(ending).length > PLAIN) this.#chunk([ending]);
      });
      const isKept = this.#isFirst && this.#start.extra?.[this.#context.dialect] !== undefined;
      if (beside !== undefined || isKept) this.#chunk([], beside);
      // As it stands in a body that says that it failed; clients look for this and nothing else.
      this.#events.push({ data: { error: error ?? null } });
      return this.#flush();
    }
    const hasUsage = includeUsage && usage !== undefined;
    const last = endings.length - 1;
    endings.forEach((ending, at) => this.#chunk([ending], at === last && !hasUsage ? beside : undefined));
    if (hasUsage) this.#chunk([], assign(beside ?? {}, { usage }));
    else if (last < 0) this.#chunk([], beside);
    this.#events.push({ data: "[DONE]" });
    return this.#flush();
  }

  /** Reports what is lost, but for what a stream can say and an answer in one piece cannot. */
  #encodeWhole(response: ModelResponse, isFailed: boolean): unknown {
    const { losses } = this.#context.report;
    const before = losses.length;
    const { wire } = encodeResponse(isFailed ? withoutInterruption(response) : response, this.#context);
    const reported = losses.splice(before).filter(({ code, path }) => {
      // A failed stream has its own word for how it ended: none of those that an answer in one piece must choose from.
      if (code === "finish-approximated") return !isFailed;
      return code !== "order-regrouped" || !this.#isOrdered(response, path);
    });
    losses.push(...reported);
    return wire;
  }

  /** Whether the order of the parts is that of a stream of the same kind, which the chunks keep. */
  #isOrdered(response: ModelResponse, path: string): boolean {
    const { message, alternatives = [] } = response;
    const [, place, index] = path.split("/");
    const said = place === "alternatives" ? alternatives[Number(index)]?.message : message;
    const isFirst = said === message && spelling(response, ORDER, this.#writing) !== undefined;
    return isFirst || spelling(said ?? {}, ORDER, this.#writing) !== undefined;
  }

  #finishChoice(wire: JsonObject, index: number, said: Message | undefined): JsonObject {
    const { message, logprobs, finish_reason: word = null } = wire;
    const isNoted = said !== undefined && wasList(said, this.#writing);
    this.#choice(index).finish(isObject(message) ? message : {}, isObject(logprobs) ? logprobs : undefined, isNoted);
    const odd = isObject(logprobs) || logprobs === undefined ? null : logprobs;
    const ending: JsonObject = { index, delta: {}, logprobs: odd, finish_reason: word };
    for (const key in wire) if (!Object.hasOwn(ending, key) && key !== "message") copyField(wire, key, ending);
    return ending;
  }

  /** What the whole answer says of itself and no chunk has said. */
  #unsaid(top: JsonObject): JsonObject | undefined {
    let rest: JsonObject | undefined;
    for (const key in top) {
      const value = top[key];
      if (value === undefined || OWN.has(key)) continue;
      const said = Object.hasOwn(this.#head, key) ? this.#head : this.#first;
      if (Object.hasOwn(said, key) && sameJson(value, said[key])) continue;
      copyField(top, key, (rest ??= {}));
    }
    return rest;
  }
}
