// Deltas as the events of an AI SDK run: what the SDK's two streams have in common, whatever they call it. Texts are open
// until another part begins, calls until they have ended and something else comes; each says at its end what is to be
// said to single providers.
import type { Delta, DonePayload, ErrorPayload, PartKey, StartPayload } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Annotation, Extra, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, WireEvent } from "../dialect.ts";
import { reportOthers } from "./ai-sdk-options.ts";
import { withoutFormat } from "./ai-sdk-tools.ts";
import { textIn } from "./ai-sdk-plain.ts";
import { splitReasoning } from "./ai-sdk-reasoning.ts";
import { UI } from "./ai-sdk-sources.ts";
import type { Draft } from "./follow.ts";
import { Follower, placeOf } from "./follow.ts";
import { isObject } from "./read.ts";
import type { NotPortableLoss } from "./residue.ts";
import { putBack } from "./residue.ts";
import { eventsOf, withOwnReport } from "./streams.ts";

/** The events of one of the streams. */
export interface StreamWords {
  start(payload: StartPayload, isFirst: boolean): JsonObject[];
  text(
    type: `${"text" | "reasoning"}-${"start" | "delta" | "end"}`,
    id: string,
    text?: string,
    part?: Part,
  ): JsonObject;
  callStart(call: ToolCallPart): JsonObject;
  callInput(call: ToolCallPart, text: string): JsonObject;
  /** The call has ended; whether its input came in pieces. */
  call(call: ToolCallPart, isStreamed: boolean): JsonObject[];
  result(result: ToolResultPart): JsonObject[];
  /** A source; undefined where the annotation is told with its text. */
  source(annotation: Annotation): JsonObject | undefined;
  /** Any other part; nothing where the stream cannot say it, which is reported at the place. */
  whole(part: Part, place: readonly (string | number)[]): JsonObject[];
  done(response: ModelResponse, payload: DonePayload): JsonObject[];
  error(payload: ErrorPayload): JsonObject[];
}

/** Adds to an event that frames an answer what was kept of it; objects within may have grown, too. */
export function reframe(event: JsonObject, { extra }: { extra?: Extra }, dialect: string): JsonObject {
  const kept = extra?.[dialect]?.[textIn(event, "type")];
  if (isObject(kept)) putBack(event, kept, () => undefined, "request", "response");
  return event;
}

/**
 * Reports what does not arrive of an answer, as far as both streams are alike: of its message what a list of messages
 * loses, but that a call's input is a text, which streams say.
 */
export function reportAnswer<Code extends string>(
  { message, alternatives, extra }: ModelResponse,
  context: EncodeContext<Code | AnswerLoss>,
  encode: (message: Message, context: EncodeContext<Code | AnswerLoss>) => void,
): void {
  const { report } = context;
  if (alternatives !== undefined) report.addLoss("field-unsaid", "alternatives");
  if (extra !== undefined) reportOthers({ extra }, context);
  // The message stands in a list of one, and its place in the response is another.
  const inList = withOwnReport(context);
  encode({ ...message, parts: message.parts.map(withoutTextFormat) }, inList);
  for (const loss of inList.report.losses) {
    report.losses.push({ ...loss, path: loss.path.replace(/^\/0/, "/message") });
  }
}

function withoutTextFormat(part: Part): Part {
  return part.type === "tool-call" && part.format === "text" ? withoutFormat(part) : part;
}

type AnswerLoss = "field-unsaid" | NotPortableLoss;
type Loss = "part-split" | "late-unsaid";

/** A text in hand, and the events that are open for it: several for reasoning with summaries. */
interface OpenText {
  draft: Draft;
  kind: "text" | "reasoning";
  base: string;
  /** By summary; −1 is the text itself. */
  pieces: { id: string; summary: number }[];
}

export class StepWriter {
  readonly #follower = new Follower();
  readonly #words: StreamWords;
  readonly #context: EncodeContext<Loss>;
  readonly #silent: EncodeContext<"summary-as-text">;
  #out: WireEvent[] = [];
  #isFirst = true;
  #text: OpenText | undefined;
  /** A call or a file that is complete, or may be. */
  #pending: Draft | undefined;
  #closed = new Set<Draft>();
  #streamed = new Set<Draft>();

  constructor(words: StreamWords, context: EncodeContext<Loss>, silent: EncodeContext<"summary-as-text">) {
    this.#words = words;
    this.#context = context;
    this.#silent = silent;
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    this.#out = [];
    if (draft !== undefined) {
      if (draft.choice === 0) this.#pushPart(draft, delta);
    } else this.#pushFrame(delta);
    return this.#out;
  }

  #say(...events: JsonObject[]): void {
    for (const data of events) this.#out.push({ data });
  }

  #pushFrame(delta: Delta): void {
    switch (delta.kind) {
      case "start":
        this.#closed = new Set();
        this.#streamed = new Set();
        this.#say(...this.#words.start(delta.payload, this.#isFirst));
        this.#isFirst = false;
        break;
      case "part":
        // A result that the client put between two answers.
        if (delta.payload.value.type === "tool-result") this.#say(...this.#words.result(delta.payload.value));
        break;
      case "done": {
        this.#closeAll();
        const response = this.#sayEvents();
        if (response !== undefined) this.#say(...this.#words.done(response, delta.payload));
        break;
      }
      case "error":
        // What a text was sealed with and a call that is complete are said; a file may be half of one.
        this.#closeText();
        if (this.#pending?.kind === "call") this.#closePending();
        this.#pending = undefined;
        this.#sayEvents();
        this.#say(...this.#words.error(delta.payload));
        break;
      default:
    }
  }

  /** The events that nobody knew come before the end of the answer that they came in. */
  #sayEvents(): ModelResponse | undefined {
    const response = this.#follower.response();
    if (response !== undefined) this.#say(...eventsOf(response, this.#context.dialect));
    return response;
  }

  #closeAll(): void {
    this.#closeText();
    this.#closePending();
  }

  #pushPart(draft: Draft, delta: Delta): void {
    if (this.#closed.has(draft)) {
      this.#addLate(draft, delta);
      return;
    }
    if (this.#pending !== undefined && this.#pending !== draft) this.#closePending();
    if (draft.kind === "call") this.#pushCall(draft, delta);
    else if (draft.kind === "media") {
      if (this.#text?.draft !== draft) this.#closeText();
      this.#pending = draft;
    } else if (draft.kind === "whole") this.#pushWhole(draft);
    else this.#pushText(draft, delta);
  }

  #pushText(draft: Draft, delta: Delta): void {
    const kind = draft.kind === "thinking" ? "reasoning" : "text";
    if (this.#text?.draft !== draft) {
      this.#closeText();
      this.#text = { draft, kind, base: baseOf(draft, delta.payload.part), pieces: [] };
      // An item of OpenAI's may turn out to have summaries.
      if (kind === "text") this.#pieceOf(this.#text, -1);
    }
    if (delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking") {
      const { textDelta } = delta.payload;
      const summary = delta.kind === "thinking" ? (delta.payload.summary ?? -1) : -1;
      if (textDelta === "" && summary === -1) return;
      const id = this.#pieceOf(this.#text, summary);
      if (textDelta !== "")
        this.#out.push({ data: this.#words.text(kind === "text" ? "text-delta" : "reasoning-delta", id, textDelta) });
    } else if (delta.kind === "annotation") {
      const source = this.#words.source(delta.payload.annotation);
      if (source !== undefined) this.#say(source);
    }
  }

  #pieceOf({ pieces, base, kind, draft }: OpenText, summary: number): string {
    const known = pieces.find((piece) => piece.summary === summary);
    if (known !== undefined) return known.id;
    const stem = base.endsWith(":0") ? base.slice(0, -2) : base;
    const id = summary <= 0 ? base : `${stem}:${summary}`;
    pieces.push({ id, summary });
    this.#say(this.#words.text(`${kind}-start`, id, undefined, draft.part));
    return id;
  }

  #closeText(): void {
    const text = this.#text;
    if (text === undefined) return;
    this.#text = undefined;
    const { draft, kind, pieces } = text;
    this.#closed.add(draft);
    if (pieces.length === 0) this.#pieceOf(text, -1);
    if (draft.part.type !== "reasoning") {
      for (const { id } of pieces) this.#say(this.#words.text("text-end", id, undefined, draft.part));
      return;
    }
    const split = splitReasoning(draft.part, this.#silent);
    const hasText = pieces.some(({ summary }) => summary === -1);
    for (const { id, summary } of pieces) {
      const part = split[hasText ? summary + 1 : Math.max(0, summary)];
      this.#say(this.#words.text(`${kind}-end`, id, undefined, part));
    }
  }

  #pushCall(draft: Draft, delta: Delta): void {
    const call = draft.part as ToolCallPart; // the kind says so
    if (delta.kind === "tool_call_start") {
      this.#closeText();
      this.#say(this.#words.callStart(call));
      this.#streamed.add(draft);
    }
    const text = "argsTextDelta" in delta.payload ? delta.payload.argsTextDelta : undefined;
    if (text !== undefined && text !== "") this.#say(this.#words.callInput(call, text));
    if (delta.kind === "tool_call_end") this.#pending = draft;
  }

  #closePending(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    this.#closed.add(pending);
    if (pending.part.type === "tool-call") this.#say(...this.#words.call(pending.part, this.#streamed.has(pending)));
    else this.#say(...this.#words.whole(pending.part, placeOf(pending)));
  }

  #pushWhole(draft: Draft): void {
    this.#closeText();
    this.#closed.add(draft);
    const { part } = draft;
    if (part.type === "text" || part.type === "refusal") {
      const id = baseOf(draft, undefined);
      this.#sayWhole("text", id, part.text, part);
      for (const annotation of part.type === "text" ? (part.annotations ?? []) : []) {
        const source = this.#words.source(annotation);
        if (source !== undefined) this.#say(source);
      }
    } else if (part.type === "reasoning") {
      const base = baseOf(draft, undefined);
      splitReasoning(part, this.#silent).forEach((piece: ReasoningPart, at) =>
        this.#sayWhole("reasoning", at === 0 ? base : `${base}:${at}`, piece.text, piece),
      );
    } else if (part.type === "tool-call") this.#sayCall(part);
    else if (part.type === "tool-result") this.#say(...this.#words.result(part));
    else this.#say(...this.#words.whole(part, placeOf(draft)));
  }

  /** That the input is a text is said where it begins. */
  #sayCall(call: ToolCallPart): void {
    const isText = call.format === "text" && typeof call.input === "string";
    if (isText) this.#say(this.#words.callStart(call), this.#words.callInput(call, call.input as string));
    this.#say(...this.#words.call(call, isText));
  }

  #sayWhole(kind: "text" | "reasoning", id: string, text: string, part: Part): void {
    this.#say(this.#words.text(`${kind}-start`, id, undefined, part));
    if (text !== "") this.#say(this.#words.text(`${kind}-delta`, id, text));
    this.#say(this.#words.text(`${kind}-end`, id, undefined, part));
  }

  /** Something more of a part that has been closed: a text goes into a further one, a seal has no place any more. */
  #addLate(draft: Draft, delta: Delta): void {
    const { report } = this.#context;
    const isText = delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking";
    const source = delta.kind === "annotation" ? this.#words.source(delta.payload.annotation) : undefined;
    if (isText && delta.payload.textDelta !== "") {
      report.addLoss("part-split", placeOf(draft));
      this.#closeAll();
      this.#sayWhole(
        delta.kind === "thinking" ? "reasoning" : "text",
        `${baseOf(draft, delta.payload.part)}+`,
        delta.payload.textDelta,
        { type: "text", text: "" },
      );
    } else if (source !== undefined) {
      report.addLoss("part-split", placeOf(draft));
      this.#say(source);
    } else if (!isText || delta.payload.extra !== undefined) report.addLoss("late-unsaid", placeOf(draft));
  }
}

/** The id of a text: as it once was, else the key that its deltas name it by. */
function baseOf({ part, index }: Draft, key: PartKey | undefined): string {
  const kept = part.extra?.[UI]?.["id"];
  // Two parts of one answer may have had one id: their keys differ in a number at the end.
  return typeof kept === "string" ? kept : String(key ?? index).replace(/ #\d+$/, "");
}
