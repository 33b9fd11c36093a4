// Encodes deltas as the steps of an AI SDK run, for both AI SDK streams. The last events of a text or call are written
// when another part begins, because they contain the provider options, which can arrive after the content.
import type { Delta, DonePayload, ErrorPayload, PartKey, StartPayload } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Annotation, Part, ReasoningPart, ToolCallPart, ToolResultPart, WithExtra } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, WireEvent } from "../dialect.ts";
import { reportOtherResidue } from "./provider-options.ts";
import { withoutFormat } from "./tool-calls.ts";
import { readText } from "./to-json.ts";
import { splitReasoning } from "./reasoning.ts";
import { UI_DIALECT } from "./sources.ts";
import type { PartDraft } from "../kit/streams/answer-follower.ts";
import { AnswerFollower, toDraftPath } from "../kit/streams/answer-follower.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import type { NotPortableLoss } from "../kit/losses/catalog.ts";
import { restoreFields } from "../kit/residue/residue.ts";
import { withDetachedReport } from "../kit/streams/stream-deltas.ts";
import { readUnknownEvents } from "../kit/residue/unknown-events.ts";

/** The functions that create the events of one of the two AI SDK streams. */
export interface StepEvents {
  start(payload: StartPayload, isFirst: boolean): JsonObject[];
  text(
    type: `${"text" | "reasoning"}-${"start" | "delta" | "end"}`,
    id: string,
    text?: string,
    part?: Part,
  ): JsonObject;
  callStart(call: ToolCallPart): JsonObject;
  callInput(call: ToolCallPart, text: string): JsonObject;
  /** Creates the events for the end of a call; `isStreamed` is true if its input was written in pieces. */
  call(call: ToolCallPart, isStreamed: boolean): JsonObject[];
  result(result: ToolResultPart): JsonObject[];
  /**
   * Creates the event of an annotation that is a source; undefined for a citation, which is written together with its
   * text, and for an annotation that cannot be encoded.
   */
  source(annotation: Annotation): JsonObject | undefined;
  /**
   * Creates the events of a part that is not a text, reasoning, a tool call or a tool result. A part that the stream
   * does not support is reported at `path`.
   */
  whole(part: Part, path: readonly (string | number)[]): JsonObject[];
  done(response: ModelResponse, payload: DonePayload): JsonObject[];
  error(payload: ErrorPayload): JsonObject[];
}

/** Restores the residue of an event that starts or ends an answer, also inside its fields `request` and `response`. */
export function restoreEventResidue(event: JsonObject, { extra }: WithExtra, dialect: string): JsonObject {
  const residue = extra?.[dialect]?.[readText(event, "type")];
  if (isObject(residue)) restoreFields(event, residue, () => undefined, "request", "response");
  return event;
}

/**
 * Reports the losses of an answer that both streams have in common: alternatives, residue of other dialects, and the
 * losses of its message. A call with text input is no loss, because streams support it.
 */
export function reportAnswerLosses<Code extends string>(
  { message, alternatives, extra }: ModelResponse,
  context: EncodeContext<Code | AnswerFieldLoss>,
  encode: (message: Message, context: EncodeContext<Code | AnswerFieldLoss>) => void,
): void {
  const { report } = context;
  if (alternatives !== undefined) report.addLoss("field-unsupported", "alternatives");
  if (extra !== undefined) reportOtherResidue({ extra }, context);
  // `encode` reports paths in a list with one message (`/0/…`), so the start of each path is replaced by `/message`.
  const inList = withDetachedReport(context);
  encode({ ...message, parts: message.parts.map(withoutTextFormat) }, inList);
  for (const loss of inList.report.losses) {
    report.losses.push({ ...loss, path: loss.path.replace(/^\/0/, "/message") });
  }
}

function withoutTextFormat(part: Part): Part {
  return part.type === "tool-call" && part.format === "text" ? withoutFormat(part) : part;
}

type AnswerFieldLoss = "field-unsupported" | NotPortableLoss;
type StepLoss = "part-split" | "late-dropped";

/**
 * The text or reasoning part that is being written. Reasoning with summaries has one series of events (start, deltas,
 * end) per summary.
 */
interface OpenTextPart {
  draft: PartDraft;
  kind: "text" | "reasoning";
  /** The id of the first series of events, from which the ids of the series of further summaries are derived. */
  baseId: string;
  /** The series of events that have been started, each with the index of its summary; −1 for the text itself. */
  pieces: { id: string; summary: number }[];
}

export class StepEncoder {
  readonly #follower = new AnswerFollower();
  readonly #events: StepEvents;
  readonly #context: EncodeContext<StepLoss>;
  readonly #silentContext: EncodeContext<"summary-as-text">;
  #output: WireEvent[] = [];
  #isFirst = true;
  #text: OpenTextPart | undefined;
  /**
   * A call that has ended, or a file whose data may continue in further deltas; its events are written when another
   * part begins.
   */
  #pending: PartDraft | undefined;
  /** Parts whose last event has been written. */
  #closed = new Set<PartDraft>();
  /** Calls whose input has been written in pieces. */
  #streamed = new Set<PartDraft>();

  constructor(events: StepEvents, context: EncodeContext<StepLoss>, silentContext: EncodeContext<"summary-as-text">) {
    this.#events = events;
    this.#context = context;
    this.#silentContext = silentContext;
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    this.#output = [];
    if (draft !== undefined) {
      if (draft.choice === 0) this.#pushPart(draft, delta);
    } else this.#pushAnswerDelta(delta);
    return this.#output;
  }

  #emit(...events: JsonObject[]): void {
    for (const data of events) this.#output.push({ data });
  }

  #pushAnswerDelta(delta: Delta): void {
    switch (delta.kind) {
      case "start":
        this.#closed = new Set();
        this.#streamed = new Set();
        this.#emit(...this.#events.start(delta.payload, this.#isFirst));
        this.#isFirst = false;
        break;
      case "part":
        // This is the result of a client tool, which arrives between two answers.
        if (delta.payload.value.type === "tool-result") this.#emit(...this.#events.result(delta.payload.value));
        break;
      case "done": {
        this.#closeAll();
        const response = this.#emitUnknownEvents();
        if (response !== undefined) this.#emit(...this.#events.done(response, delta.payload));
        break;
      }
      case "error":
        // At an error, the last events of the open text and of an ended call are still written, because they contain
        // the seals. A file may be incomplete, so it is dropped.
        this.#closeText();
        if (this.#pending?.kind === "call") this.#closePending();
        this.#pending = undefined;
        this.#emitUnknownEvents();
        this.#emit(...this.#events.error(delta.payload));
        break;
      default:
    }
  }

  /** Writes the unknown events before the end of the answer in which they arrived; returns the assembled answer. */
  #emitUnknownEvents(): ModelResponse | undefined {
    const response = this.#follower.response();
    if (response !== undefined) this.#emit(...readUnknownEvents(response, this.#context.dialect));
    return response;
  }

  #closeAll(): void {
    this.#closeText();
    this.#closePending();
  }

  #pushPart(draft: PartDraft, delta: Delta): void {
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

  #pushText(draft: PartDraft, delta: Delta): void {
    const kind = draft.kind === "thinking" ? "reasoning" : "text";
    if (this.#text?.draft !== draft) {
      this.#closeText();
      this.#text = { draft, kind, baseId: toTextId(draft, delta.payload.partKey), pieces: [] };
      // A text starts at once. Reasoning starts with its first text, because only that delta shows whether a summary,
      // which has an id of its own, or the text itself begins.
      if (kind === "text") this.#openPiece(this.#text, -1);
    }
    if (delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking") {
      const { textDelta } = delta.payload;
      const summary = delta.kind === "thinking" ? (delta.payload.summary ?? -1) : -1;
      if (textDelta === "" && summary === -1) return;
      const id = this.#openPiece(this.#text, summary);
      if (textDelta !== "")
        this.#output.push({
          data: this.#events.text(kind === "text" ? "text-delta" : "reasoning-delta", id, textDelta),
        });
    } else if (delta.kind === "annotation") {
      const source = this.#events.source(delta.payload.annotation);
      if (source !== undefined) this.#emit(source);
    }
  }

  #openPiece({ pieces, baseId: base, kind, draft }: OpenTextPart, summary: number): string {
    const piece = pieces.find((piece) => piece.summary === summary);
    if (piece !== undefined) return piece.id;
    const itemId = base.endsWith(":0") ? base.slice(0, -2) : base;
    const id = summary <= 0 ? base : `${itemId}:${summary}`;
    pieces.push({ id, summary });
    this.#emit(this.#events.text(`${kind}-start`, id, undefined, draft.part));
    return id;
  }

  #closeText(): void {
    const text = this.#text;
    if (text === undefined) return;
    this.#text = undefined;
    const { draft, kind, pieces } = text;
    this.#closed.add(draft);
    if (pieces.length === 0) this.#openPiece(text, -1);
    if (draft.part.type !== "reasoning") {
      for (const { id } of pieces) this.#emit(this.#events.text("text-end", id, undefined, draft.part));
      return;
    }
    const split = splitReasoning(draft.part, this.#silentContext);
    const hasText = pieces.some(({ summary }) => summary === -1);
    for (const { id, summary } of pieces) {
      const part = split[hasText ? summary + 1 : Math.max(0, summary)];
      this.#emit(this.#events.text(`${kind}-end`, id, undefined, part));
    }
  }

  #pushCall(draft: PartDraft, delta: Delta): void {
    const call = draft.part as ToolCallPart; // The cast is safe, because drafts of kind "call" have tool calls.
    if (delta.kind === "tool_call_start") {
      this.#closeText();
      this.#emit(this.#events.callStart(call));
      this.#streamed.add(draft);
    }
    const text = "argsTextDelta" in delta.payload ? delta.payload.argsTextDelta : undefined;
    if (text !== undefined && text !== "") this.#emit(this.#events.callInput(call, text));
    if (delta.kind === "tool_call_end") this.#pending = draft;
  }

  #closePending(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    this.#closed.add(pending);
    if (pending.part.type === "tool-call") this.#emit(...this.#events.call(pending.part, this.#streamed.has(pending)));
    else this.#emit(...this.#events.whole(pending.part, toDraftPath(pending)));
  }

  #pushWhole(draft: PartDraft): void {
    this.#closeText();
    this.#closed.add(draft);
    const { part } = draft;
    if (part.type === "text" || part.type === "refusal") {
      const id = toTextId(draft, undefined);
      this.#emitWholeText("text", id, part.text, part);
      for (const annotation of part.type === "text" ? (part.annotations ?? []) : []) {
        const source = this.#events.source(annotation);
        if (source !== undefined) this.#emit(source);
      }
    } else if (part.type === "reasoning") {
      const base = toTextId(draft, undefined);
      splitReasoning(part, this.#silentContext).forEach((piece: ReasoningPart, at) =>
        this.#emitWholeText("reasoning", at === 0 ? base : `${base}:${at}`, piece.text, piece),
      );
    } else if (part.type === "tool-call") this.#emitWholeCall(part);
    else if (part.type === "tool-result") this.#emit(...this.#events.result(part));
    else this.#emit(...this.#events.whole(part, toDraftPath(draft)));
  }

  /**
   * Writes a complete call. A call with text input needs a start event, because only the start event has the input
   * encoding.
   */
  #emitWholeCall(call: ToolCallPart): void {
    const isText = call.format === "text" && typeof call.input === "string";
    if (isText) this.#emit(this.#events.callStart(call), this.#events.callInput(call, call.input as string));
    this.#emit(...this.#events.call(call, isText));
  }

  #emitWholeText(kind: "text" | "reasoning", id: string, text: string, part: Part): void {
    this.#emit(this.#events.text(`${kind}-start`, id, undefined, part));
    if (text !== "") this.#emit(this.#events.text(`${kind}-delta`, id, text));
    this.#emit(this.#events.text(`${kind}-end`, id, undefined, part));
  }

  /**
   * Handles a delta that arrives after the last event of its part was written: text becomes a further part, a source is
   * still written, and all other data is dropped. Each of these is reported as a loss.
   */
  #addLate(draft: PartDraft, delta: Delta): void {
    const { report } = this.#context;
    const isText = delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking";
    const source = delta.kind === "annotation" ? this.#events.source(delta.payload.annotation) : undefined;
    if (isText && delta.payload.textDelta !== "") {
      report.addLoss("part-split", toDraftPath(draft));
      this.#closeAll();
      this.#emitWholeText(
        delta.kind === "thinking" ? "reasoning" : "text",
        `${toTextId(draft, delta.payload.partKey)}+`,
        delta.payload.textDelta,
        { type: "text", text: "" },
      );
    } else if (source !== undefined) {
      report.addLoss("part-split", toDraftPath(draft));
      this.#emit(source);
    } else if (!isText || delta.payload.extra !== undefined) report.addLoss("late-dropped", toDraftPath(draft));
  }
}

/** Returns the id of a text: the stored id if there is one, else the part key. */
function toTextId({ part, index }: PartDraft, key: PartKey | undefined): string {
  const storedId = part.extra?.[UI_DIALECT]?.["id"];
  // The decoder adds a number suffix to the part keys of parts with the same id; the suffix is removed here.
  return typeof storedId === "string" ? storedId : String(key ?? index).replace(/ #\d+$/, "");
}
