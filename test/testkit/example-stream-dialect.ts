// The example dialect with streams, with which the stream suite is tested: texts are sent as deltas, other blocks whole,
// and all other fields with the end.
import { isObject } from "../../src/index.ts";
import { defineDialect, readObject, unknownFields as othersOf } from "../../src/dialects/kit/index.ts";
import type { Delta, Extra, JsonObject, JsonValue, Part, ModelResponse } from "../../src/index.ts";
import type { DecodeContext } from "../../src/dialects/kit/index.ts";
import type { Dialect, StreamEncoder, WireEvent } from "../../src/index.ts";
import type { EncodeContext, EventDecoder } from "../../src/dialects/kit/index.ts";
import type { PartDraft } from "../../src/dialects/kit/streams/answer-follower.ts";
import { AnswerFollower } from "../../src/dialects/kit/streams/answer-follower.ts";
import { PartSequence } from "../../src/dialects/kit/streams/part-sequence.ts";
import { createStartDelta, createTruncatedDelta } from "../../src/dialects/kit/streams/stream-deltas.ts";
import { EXAMPLE_LOSSES } from "./example-requests.ts";
import type { ExampleLoss } from "./example-requests.ts";
import { exampleDialect } from "./example-dialect.ts";

const ID = "plain";
const good: Dialect = exampleDialect();
const EMPTY_REPLY: JsonObject = { from: "assistant", blocks: [] };

function restOf(fields: JsonObject, ...known: string[]): JsonObject {
  return othersOf(fields, new Set(known)) ?? {};
}

/** Decodes a body with these fields; returns undefined if it is no valid response. */
function bodyOf(fields: JsonObject): ModelResponse | undefined {
  try {
    return good.decodeResponse({ reply: EMPTY_REPLY, ...fields });
  } catch {
    return undefined;
  }
}

function extraOf(fields: JsonObject): { extra?: Extra } {
  return Object.keys(fields).length === 0 ? {} : { extra: { [ID]: fields } };
}

class LetterDecoder implements EventDecoder {
  #isOpen = false;
  #isNew = true;
  /** Open texts and closed blocks. */
  #blocks = new Map<JsonValue, "open" | "closed">();
  readonly #calls = new Map<string, boolean>();
  #unheard: JsonValue[] = [];
  readonly #context: DecodeContext;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(data: unknown): Delta[] {
    if (data === "[DONE]") return [];
    const event = readObject(data, this.#context);
    if (isObject(event["begin"]) && !this.#isOpen) return [this.#start(event["begin"], restOf(event, "begin"))];
    const opening = this.#isOpen ? [] : [this.#start({}, {})];
    const deltas = this.#read(event);
    if (deltas === undefined) this.#unheard.push(event);
    return [...opening, ...(deltas ?? [])];
  }

  #start(begin: JsonObject, rest: JsonObject): Delta {
    this.#isOpen = true;
    this.#isNew = false;
    this.#blocks = new Map();
    this.#unheard = [];
    const { id = "", model = "", createdAt, extra } = bodyOf({ end: "done", ...begin }) ?? {};
    const residue = extraOf({ ...extra?.[ID], ...rest });
    return createStartDelta({
      modelId: model,
      requestId: id,
      ...(createdAt !== undefined && { createdAt }),
      ...residue,
    });
  }

  #read(event: JsonObject): Delta[] | undefined {
    const { at = null, add, block, counts, end, problem } = event;
    if (typeof add === "string") return this.#readText(at, add, event);
    if (block !== undefined) return this.#readBlock(at, block, event);
    if (isObject(counts) && Object.keys(event).length === 1) {
      const usage = bodyOf({ counts })?.usage;
      return usage && [{ kind: "usage", payload: { ...usage } }];
    }
    if (isObject(end)) return this.#readEnd(end, restOf(event, "end"));
    if (problem === undefined) return undefined;
    const { kind, message } = good.decodeError(event);
    return this.#close({ kind: "error", payload: { errorCode: kind, message, raw: event, ...this.#leftover({}) } });
  }

  #readText(at: JsonValue, textDelta: string, event: JsonObject): Delta[] | undefined {
    if (this.#blocks.get(at) === "closed") return undefined;
    this.#blocks.set(at, "open");
    const rest = extraOf(restOf(event, "at", "add"));
    return [{ kind: "text", payload: { textDelta, partKey: JSON.stringify(at), ...rest } }];
  }

  #readBlock(at: JsonValue, block: JsonValue, event: JsonObject): Delta[] | undefined {
    const state = this.#blocks.get(at);
    const [value] = bodyOf({ reply: { ...EMPTY_REPLY, blocks: [block] } })?.message.parts ?? [];
    if (state === "closed" || value === undefined || (state === "open" && value.type !== "text")) return undefined;
    this.#blocks.set(at, "closed");
    const part = JSON.stringify(at);
    const rest = extraOf(restOf(event, "at", "block"));
    if (state === undefined || value.type !== "text")
      return [{ kind: "part", payload: { value: this.#traced(value, block), partKey: part, ...rest } }];
    const extra = extraOf({ ...value.extra?.[ID], ...rest.extra?.[ID] });
    return [
      { kind: "text", payload: { textDelta: value.text, partKey: part, ...extra } },
      ...(value.seals ?? []).map((seal): Delta => ({ kind: "seal", payload: { seal, partKey: part } })),
    ];
  }

  /** Treats a call with a repeated id, and a result without a call, as an unknown block. */
  #traced(part: Part, value: JsonValue): Part {
    if (part.type !== "tool-call" && part.type !== "tool-result") return part;
    const known = this.#calls.get(part.toolCallId);
    const isLegal = part.type === "tool-call" ? known === undefined : known === false;
    if (isLegal) this.#calls.set(part.toolCallId, part.type === "tool-result");
    return isLegal ? part : { type: "opaque", dialect: ID, value };
  }

  #readEnd(end: JsonObject, rest: JsonObject): Delta[] | undefined {
    const reply = isObject(end["reply"]) ? { ...end["reply"], blocks: [] } : EMPTY_REPLY;
    const response = bodyOf({ ...end, reply });
    if (response === undefined) return undefined;
    const { finishReason, message, extra } = response;
    const { name, extra: beside } = message;
    return this.#close({
      kind: "done",
      payload: {
        finishReason: finishReason.unified,
        ...(finishReason.raw !== undefined && { raw: finishReason.raw }),
        message: { ...(name !== undefined && { name }), ...(beside !== undefined && { extra: beside }) },
        ...this.#leftover({ ...extra?.[ID], ...rest }),
      },
    });
  }

  #leftover(fields: JsonObject): { extra?: Extra } {
    return extraOf(this.#unheard.length === 0 ? fields : { ...fields, $events: this.#unheard });
  }

  #close(end: Delta): Delta[] {
    this.#isOpen = false;
    return [end];
  }

  end(reason = createTruncatedDelta()): Delta[] {
    if (!this.#isOpen && !this.#isNew) return [];
    const opening = this.#isNew ? [this.#start({}, {})] : [];
    return [...opening, ...this.#close({ ...reason, payload: { ...reason.payload, ...this.#leftover({}) } })];
  }
}

class LetterEncoder implements Omit<StreamEncoder, "losses"> {
  #follower = new AnswerFollower();
  #events: WireEvent[] = [];
  readonly #context: EncodeContext<ExampleLoss>;
  readonly #parts = new PartSequence({
    open: () => {},
    add: (draft, delta) => {
      if (draft.kind === "text" && delta.kind === "text") this.#emit({ at: draft.index, add: delta.payload.textDelta });
    },
    close: (draft) => this.#closeBlock(draft),
    late: (draft, delta) => {
      if (delta.kind === "text") this.#emit({ at: `${draft.index} again`, add: delta.payload.textDelta });
    },
  });

  constructor(context: EncodeContext<ExampleLoss>) {
    this.#context = context;
  }

  #emit(data: object): void {
    this.#events.push({ data });
  }

  #closeBlock({ kind, index, part }: PartDraft): void {
    const shown = kind === "text" && part.type === "text" ? { ...part, text: "" } : part;
    const response: ModelResponse = {
      id: "",
      model: "",
      message: { role: "assistant", parts: [shown] },
      finishReason: { unified: "stop" },
    };
    const [block] = (good.encodeResponse(response).wire as { reply: { blocks: JsonValue[] } }).reply.blocks;
    if (block !== undefined) this.#emit({ at: index, block });
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined && draft.choice === 0) this.#parts.push(draft, delta);
    if (delta.kind === "start") {
      const { requestId, modelId, createdAt, extra } = delta.payload;
      const { reply: _, end: __, ...begin } = bodyWire({ id: requestId, model: modelId, createdAt, extra });
      this.#emit({ begin });
    } else if (delta.kind === "done" || delta.kind === "error") this.#close(delta.kind === "done");
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #close(isDone: boolean): void {
    this.#parts.end();
    const { error, ...response } = this.#follower.response() as ModelResponse; // it has just ended
    const { $events = [], ...own } = response.extra?.[ID] ?? {};
    const { wire, losses } = good.encodeResponse({ ...response, extra: { ...response.extra, [ID]: own } });
    if (isDone) this.#context.report.losses.push(...losses);
    const { reply, counts, id: _, model: __, at: ___, ...end } = wire as JsonObject;
    for (const event of $events as object[]) this.#emit(event);
    if (counts !== undefined) this.#emit({ counts });
    const { blocks: ____, ...envelope } = reply as JsonObject;
    if (isDone) this.#emit({ end: { ...end, reply: envelope } });
    else this.#emit(good.encodeError(error ?? { kind: "unknown", message: "" }).wire as object);
  }

  end(): WireEvent[] {
    return [];
  }
}

function bodyWire(fields: { [K in "id" | "model" | "createdAt" | "extra"]: ModelResponse[K] | undefined }): JsonObject {
  const { id = "", model = "", createdAt, extra } = fields;
  const response: ModelResponse = {
    id,
    model,
    message: { role: "assistant", parts: [] },
    finishReason: { unified: "stop" },
  };
  if (createdAt !== undefined) response.createdAt = createdAt;
  if (extra !== undefined) response.extra = extra;
  return good.encodeResponse(response).wire as JsonObject;
}

export const exampleStreamDialect = defineDialect<ExampleLoss>({
  id: ID,
  title: "Example dialect with streams",
  losses: EXAMPLE_LOSSES,
  messages: { decode: (wire) => good.decodeMessages(wire), encode: (messages) => good.encodeMessages(messages).wire },
  responses: {
    decode: (wire) => good.decodeResponse(wire),
    encode: (response, context) => {
      const { wire, losses } = good.encodeResponse(response);
      context.report.losses.push(...losses);
      return { wire };
    },
  },
  errors: { decode: (wire, _, status) => good.decodeError(wire, status), encode: (error) => good.encodeError(error) },
  streams: {
    decoder: (context) => new LetterDecoder(context),
    encoder: (context) => new LetterEncoder(context),
  },
});
