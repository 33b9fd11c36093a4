// Responses: the items of an answer as one message, how it ended, what it cost, and what it says about its request.
import type { FinishReason, UnifiedFinishReason } from "../../model/finish.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../dialect.ts";
import { reportForeignAnswer } from "../kit/echoes.ts";
import { cutCall, hasClientCalls } from "../kit/endings.ts";
import { FieldTable } from "../kit/fields.ts";
import { carryShared, SHARED_ECHO } from "../kit/openai-shared.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject, readList, readObject } from "../kit/read.ts";
import { storeForm, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportEvents } from "../kit/streams.ts";
import { decodeAnyItem } from "./decode.ts";
import { encodeTurn } from "./encode.ts";
import { decodeFailure, encodeFailure } from "./errors.ts";
import type { Code } from "./losses.ts";
import { startReading } from "./reading.ts";
import { EVENT } from "./stream-terms.ts";
import { ENDINGS, STATUSES } from "./terms.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import { spelled, startWriting, wasAbsent } from "./writing.ts";

/** What an answer says about its request; where it says nothing, clients still expect it. */
const ECHOES: Readonly<Record<string, JsonValue>> = {
  access_programs: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
};
const EXPECTED = [
  "id",
  "model",
  "object",
  "created_at",
  "error",
  "incomplete_details",
  "usage",
  ...Object.keys(ECHOES),
];

const HEAD = new FieldTable<"id" | "model">([
  ["id", "id", "string"],
  ["model", "model", "string"],
]);

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const list = readList(wire["output"], context, "output");
  const parts: Part[] = [];
  const reading = startReading(context, true, stringOf(wire["id"]), names);
  context.pathTracker.enter("output");
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    for (const part of decodeAnyItem(readObject(list[at], context), parts, reading)) parts.push(part);
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return describeResponse(wire, list, parts, context);
}

/** What a body says beside its items, which have been read into these parts. */
export function describeResponse(
  wire: JsonObject,
  list: readonly JsonValue[],
  parts: Part[],
  context: DecodeContext,
): ModelResponse {
  const { usage, error } = wire;
  const known = ["output"];
  const head: Partial<Pick<ModelResponse, "id" | "model">> = {};
  for (const key in wire) if (HEAD.decode(wire, key, head)) known.push(key);
  const { id = "", model = "" } = head;
  const response: ModelResponse = {
    id,
    model,
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  if (isObject(usage)) response.usage = decodeUsage(usage, context);
  const failure = decodeFailure(error);
  if (failure !== undefined) response.error = failure;
  const createdAt = dateOf(wire["created_at"]);
  if (createdAt !== undefined) response.createdAt = createdAt;
  if (isObject(usage)) known.push("usage");
  if (error === null || failure !== undefined) known.push("error");
  if (createdAt !== undefined) known.push("created_at");
  if (wire["object"] === "response") known.push("object");
  readEnding(response, wire, known, context);
  if (typeof wire["output_text"] === "string" && wire["output_text"] === saidBy(list)) {
    storeForm(response, context.dialect, "output_text", "joined");
    known.push("output_text");
  }
  noteAbsent(response, wire, EXPECTED, context);
  keepOthers(response, wire, known, context);
  return response;
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Seconds as a date, if it tells them exactly; none is what those write who do not know. */
export function dateOf(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || seconds === 0 || Math.abs(seconds) > 8.64e12) return undefined;
  const date = new Date(Math.round(seconds * 1000)).toISOString();
  return Date.parse(date) / 1000 === seconds ? date : undefined;
}

/** What the SDK joins for its users: every text of the answer. */
function saidBy(items: readonly JsonValue[]): string {
  let text = "";
  for (const item of items) {
    if (!isObject(item) || item["type"] !== "message" || !Array.isArray(item["content"])) continue;
    for (const block of item["content"]) {
      if (isObject(block) && block["type"] === "output_text" && typeof block["text"] === "string")
        text += block["text"];
    }
  }
  return text;
}

/** Whatever the reason why an answer is incomplete, it broke off in the call that it ends with (B31). */
const BROKEN_OFF: FinishReason = { unified: "length" };

function readEnding(response: ModelResponse, wire: JsonObject, known: string[], context: DecodeContext): void {
  const { status, incomplete_details: details } = wire;
  const said = status === "incomplete" && isObject(details) ? details["reason"] : undefined;
  const reason = typeof said === "string" && !STATUSES.has(said) ? said : undefined;
  const raw = reason ?? status;
  const ending: FinishReason = { unified: endingOf(raw, response) };
  if (typeof raw === "string") ending.raw = raw;
  response.finishReason = ending;
  const cut = status === "incomplete" ? cutCall(response.message, BROKEN_OFF) : undefined;
  if (cut !== undefined && cut.invalid !== true) {
    cut.invalid = true;
    storeForm(cut, context.dialect, "cut", "ending");
  }
  const plain = wordsOf(response);
  if (typeof status === "string") {
    known.push("status");
    if (plain.status !== status || plain.reason !== reason) storeForm(response, context.dialect, "status", status);
  } else if (status === undefined) storeForm(response, context.dialect, "status", null);
  if (reason !== undefined && isObject(details)) {
    known.push("incomplete_details");
    keepOthers(response, details, ["reason"], context, "incomplete_details");
  } else if (details === null) known.push("incomplete_details");
}

/** What an ending means; calls that wait for the client are why the answer ended. */
function endingOf(raw: unknown, { message, error }: ModelResponse): UnifiedFinishReason {
  if (error !== undefined) return "error";
  const unified = raw === undefined ? "stop" : typeof raw === "string" ? (ENDINGS.ours(raw) ?? "other") : "other";
  return unified === "stop" && hasClientCalls(message) ? "tool-calls" : unified;
}

interface Ending {
  status: string;
  reason?: string | undefined;
}

/** The nearest word for what has none of its own. */
const NEAREST: Readonly<Partial<Record<UnifiedFinishReason, string>>> = {
  "tool-calls": "completed",
  refusal: "content_filter",
};

/** The status, and the reason why it is incomplete: in the provider's own words, or in the plain ones. */
function wordsOf({ finishReason: { unified, raw } }: ModelResponse): Ending {
  const meant = unified === "tool-calls" ? "stop" : unified;
  const own = raw !== undefined && ENDINGS.ours(raw) === meant ? raw : undefined;
  const word = own ?? ENDINGS.theirs(unified) ?? NEAREST[unified] ?? "incomplete";
  return STATUSES.has(word) ? { status: word } : { status: "incomplete", reason: word };
}

const CARRIED: ReadonlySet<string> = new Set("id model message finishReason usage createdAt error extra".split(" "));

export function encodeResponse(response: ModelResponse, answering: EncodeContext<Code>): Omit<Encoded, "losses"> {
  // Answers to a client are never mended, and nothing in them is renamed.
  const context: EncodeContext<Code> = { ...answering, repair: false };
  const { message, usage } = response;
  const writing = startWriting(context, response.id);
  if (endingIn(response, context).status === "incomplete") writing.cut = cutCall(message, BROKEN_OFF);
  context.pathTracker.enter("message");
  const turn = { message, index: 0 };
  encodeTurn(turn, undefined, [turn], 0, writing);
  context.pathTracker.leave();
  const wire: JsonObject = {};
  const write = (field: string, value: JsonValue | undefined): void => {
    const isUnsaid = wasAbsent(response, field, context) || response.extra?.[context.dialect]?.[field] !== undefined;
    if (value !== undefined && !isUnsaid) wire[field] = value;
  };
  writeHead(wire, response, write, context);
  wire["output"] = writing.items;
  writeEnding(wire, response, write, context);
  if (usage !== undefined) wire["usage"] = context.pathTracker.into("usage", () => encodeUsage(usage, context));
  const count = Object.keys(wire).length;
  for (const echo of Object.keys(ECHOES)) write(echo, ECHOES[echo]);
  if (Object.keys(wire).length > count || writing.made > 0)
    context.report.addLoss("field-filled", ["extra", context.dialect]);
  if (spelled(response, context)["output_text"] === "joined") wire["output_text"] = saidBy(writing.items);
  reportUnsupportedFields(response, CARRIED, context, "field-unsaid");
  // What only a stream can say.
  reportEvents(response, context);
  if (spelled(response, context)[EVENT] !== undefined) {
    context.report.addLoss("field-unsaid", ["extra", context.dialect, "$form", EVENT]);
  }
  restoreResidue(wire, response, context, "incomplete_details");
  reportForeignAnswer(carryShared(wire, response, SHARED_ECHO, context), context);
  return { wire };
}

type Write = (field: string, value: JsonValue | undefined) => void;

function writeHead(wire: JsonObject, response: ModelResponse, write: Write, context: EncodeContext<Code>): void {
  const { id, model, createdAt } = response;
  if (id !== "") wire["id"] = id;
  else write("id", id);
  if (model !== "") wire["model"] = model;
  else write("model", model);
  write("object", "response");
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  if (!Number.isNaN(time)) wire["created_at"] = time / 1000;
  else {
    if (createdAt !== undefined) context.report.addLoss("field-unsaid", "createdAt");
    write("created_at", 0);
  }
}

/** The words that go out: as they came, else the plain ones. */
function endingIn(response: ModelResponse, context: EncodeContext): Ending & { isOwn: boolean } {
  const form = spelled(response, context)["status"];
  const { raw } = response.finishReason;
  const isOwn = typeof form === "string" && raw !== undefined;
  return isOwn ? { status: form, reason: raw === form ? undefined : raw, isOwn } : { ...wordsOf(response), isOwn };
}

function writeEnding(wire: JsonObject, response: ModelResponse, write: Write, context: EncodeContext<Code>): void {
  const { finishReason, error } = response;
  const { unified, raw } = finishReason;
  const { status, reason, isOwn } = endingIn(response, context);
  if (spelled(response, context)["status"] !== null || unified !== endingOf(undefined, response))
    write("status", status);
  if (reason !== undefined) wire["incomplete_details"] = { reason };
  else write("incomplete_details", null);
  if (error !== undefined) wire["error"] = context.pathTracker.into("error", () => encodeFailure(error, context));
  else write("error", null);
  const word = reason ?? status;
  if (raw !== undefined && raw !== word) context.report.addLoss("finish-raw", ["finishReason", "raw"]);
  if (!isOwn && endingOf(word, response) !== unified) {
    context.report.addLoss("finish-approximated", ["finishReason", "unified"]);
  }
}
