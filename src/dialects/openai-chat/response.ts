// Answers, both ways: the first choice is the message, further ones are alternatives.
import { RESPONSE_FIELDS } from "../kit/carried.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { RefusalPart, TextPart } from "../../model/parts.ts";
import type { Alternative, ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../dialect.ts";
import { reportForeignAnswer, reportForeignChoice } from "../kit/echoes.ts";
import { dateFromSeconds, secondsFromDate } from "../kit/dates.ts";
import { cutCall } from "../kit/endings.ts";
import { carryShared, SHARED_ECHO } from "../kit/openai-shared.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject, kindOf, readObject } from "../kit/read.ts";
import { storeResidue, storeForm, putBack, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { decodeAssistant } from "./decode-message.ts";
import type { Tokens } from "./encode-assistant.ts";
import { encodeAssistant } from "./encode-assistant.ts";
import { reportMessage } from "./encode-message.ts";
import { decodeEnding, encodeEnding } from "./ending.ts";
import { decodeErrorField, encodeErrorField } from "./errors.ts";
import { decodeLogprobs } from "./logprobs.ts";
import type { Code } from "./losses.ts";
import type { Reading } from "./reading.ts";
import { keep, startReading } from "./reading.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling, startWriting } from "./writing.ts";

const OBJECT = "chat.completion";
const PLAIN = ["id", "object", "created", "model"] as const;
/** Clients tell the answers of a stream apart by their ids, and overlook counts that come without one. */
const MADE_ID = "chatcmpl-koine";

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const { dialect } = context;
  const id = typeof wire["id"] === "string" ? wire["id"] : "";
  const model = typeof wire["model"] === "string" ? wire["model"] : "";
  const empty: Message = { role: "assistant", parts: [] };
  const response: ModelResponse = { id, model, message: empty, finishReason: { unified: "other" } };
  const choices = decodeChoices(wire["choices"], context, (index) =>
    // Made ids of calls tell the choices apart (B17).
    startReading(context, true, index === 0 ? id : `${id}_${index}`, names),
  );
  const [first, ...alternatives] = choices;
  if (first === undefined) storeForm(response, dialect, "choices", emptyChoices(wire["choices"]));
  else {
    response.message = first.message;
    response.finishReason = first.finishReason;
    const kept = first.extra?.[dialect];
    if (kept !== undefined) storeResidue(response, dialect, { choices: kept });
  }
  if (alternatives.length > 0) response.alternatives = alternatives;
  const known: string[] = ["choices"];
  if (typeof wire["id"] === "string") known.push("id");
  if (typeof wire["model"] === "string") known.push("model");
  if (wire["object"] === OBJECT) known.push("object");
  const createdAt = dateOf(wire["created"]);
  if (createdAt !== undefined) {
    response.createdAt = createdAt;
    known.push("created");
  }
  if (isObject(wire["usage"])) {
    response.usage = decodeUsage(wire["usage"], context);
    known.push("usage");
  }
  if (decodeErrorField(wire["error"], response)) known.push("error");
  if (wire["id"] === "") storeForm(response, dialect, "id", "");
  noteAbsent(response, wire, PLAIN, context);
  keepOthers(response, wire, known, context);
  return response;
}

/** Seconds as a date; none is what those write who do not know. */
export function dateOf(seconds: unknown): string | undefined {
  return seconds === 0 ? undefined : dateFromSeconds(seconds);
}

/** Empty, null or absent choices are legal (B71). */
function emptyChoices(choices: JsonValue | undefined): JsonValue {
  return choices === undefined ? "absent" : choices;
}

function decodeChoices(
  choices: JsonValue | undefined,
  context: DecodeContext,
  read: (index: number) => Reading,
): Alternative[] {
  if (choices === undefined || choices === null) return [];
  if (!Array.isArray(choices)) {
    return context.fail("wrong-type", `Expected a list, found ${kindOf(choices)}.`, "choices");
  }
  return context.pathTracker.each("choices", choices, (choice, index) =>
    decodeChoice(readObject(choice, context), index, read(index)),
  );
}

function decodeChoice(wire: JsonObject, index: number, reading: Reading): Alternative {
  const { context } = reading;
  const { dialect, pathTracker: trail } = context;
  const { message: said, finish_reason: word, logprobs } = wire;
  let message: Message = { role: "assistant", parts: [] };
  const known: string[] = [];
  if (isObject(said)) {
    message = trail.into("message", () => decodeReply(said, reading));
    known.push("message");
  }
  const choice: Alternative = { message, finishReason: { unified: "other" } };
  if (typeof word === "string") {
    known.push("finish_reason");
    choice.finishReason = decodeEnding(word, choice, context);
    const cut = cutCall(message, choice.finishReason);
    if (cut !== undefined) cut.invalid = true;
  }
  if (logprobs === null) known.push("logprobs");
  else if (isObject(logprobs)) {
    const read = readTokens(logprobs, message, reading);
    if (read.length > 0) {
      known.push("logprobs");
      const has = Object.keys(TOKENS).filter((field) => logprobs[field] !== undefined);
      if (has.length < 2) storeForm(choice, dialect, "logprobs", has);
      if (read.length < Object.keys(logprobs).length) keepOthers(choice, logprobs, read, context, "logprobs");
    }
  }
  if (wire["index"] === index) known.push("index");
  noteAbsent(choice, wire, ["index", "message", "finish_reason", "logprobs"], context);
  keepOthers(choice, wire, known, context);
  return choice;
}

/** The message of a choice; a role other than the assistant's stays as it is. */
function decodeReply(wire: JsonObject, reading: Reading): Message {
  const message = decodeAssistant(wire, reading);
  if (wire["role"] !== "assistant") storeResidue(message, reading.context.dialect, keep(undefined, wire, "role"));
  return message;
}

const TOKENS = { content: "text", refusal: "refusal" } as const;

/**
 * Gives log probabilities to what they are about, of several texts to the first, and tells which fields that were, with
 * those that say nothing; none, if there is nothing to give. The others stay as they are.
 */
function readTokens(wire: JsonObject, { parts }: Message, reading: Reading): string[] {
  const read: string[] = [];
  let isGiven = false;
  for (const field in wire) {
    const type = field === "content" || field === "refusal" ? TOKENS[field] : undefined;
    if (type === undefined) continue;
    const part = parts.find((each): each is TextPart | RefusalPart => each.type === type);
    const list = part === undefined ? undefined : decodeLogprobs(wire[field], reading);
    if (part !== undefined && list !== undefined) {
      part.logprobs = list;
      isGiven = true;
    } else if (wire[field] !== null) continue;
    read.push(field);
  }
  return isGiven ? read : [];
}

export function encodeResponse(response: ModelResponse, given: EncodeContext<Code>): Omit<Encoded, "losses"> {
  // A client gets back its own ids and names, and nothing that it would have to mend.
  const context: EncodeContext<Code> = { ...given, repair: false };
  const writing = startWriting(context, true);
  const wire: JsonObject = {};
  encodeId(response, wire, writing);
  if (isFree(response, "object", writing)) wire["object"] = OBJECT;
  encodeDate(response, wire, writing);
  if (response.model !== "" || isFree(response, "model", writing)) wire["model"] = response.model;
  const { usage } = response;
  if (usage !== undefined) wire["usage"] = context.pathTracker.into("usage", () => encodeUsage(usage, writing));
  if (response.error !== undefined) wire["error"] = encodeErrorField(response.error, writing);
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsaid");
  restoreResidue(wire, response, context);
  reportForeignAnswer(carryShared(wire, response, SHARED_ECHO, context), context);
  encodeChoices(response, wire, writing);
  return { wire };
}

function encodeId(response: ModelResponse, wire: JsonObject, writing: Writing): void {
  if (response.id !== "" || spelling(response, "id", writing) === "") wire["id"] = response.id;
  else if (isFree(response, "id", writing)) {
    wire["id"] = MADE_ID;
    writing.context.report.addLoss("field-filled", "id");
  }
}

function encodeDate(response: ModelResponse, wire: JsonObject, writing: Writing): void {
  const { context } = writing;
  const { createdAt } = response;
  const isFilled = createdAt === undefined && isFree(response, "created", writing);
  const seconds = createdAt === undefined ? undefined : secondsFromDate(createdAt);
  if (createdAt !== undefined && (seconds === undefined || Date.parse(createdAt) !== seconds * 1000)) {
    context.report.addLoss("bookkeeping", "createdAt");
  }
  if (isFilled) context.report.addLoss("field-filled", "createdAt");
  if (createdAt !== undefined || isFilled) wire["created"] = seconds ?? 0;
}

/** What was kept from the first choice stands under `choices`, of which it then takes the place. */
function encodeChoices(response: ModelResponse, wire: JsonObject, writing: Writing): void {
  const { context, dialect } = writing;
  const { message, finishReason, alternatives = [], error } = response;
  const none = spelling(response, "choices", writing);
  const isUnsaid = finishReason.raw === undefined && finishReason.unified === (error === undefined ? "other" : "error");
  delete wire["choices"];
  if (none !== undefined && message.parts.length === 0 && alternatives.length === 0 && isUnsaid) {
    if (none !== "absent") wire["choices"] = none;
    return;
  }
  const kept = response.extra?.[dialect]?.["choices"];
  const first: Alternative = { message, finishReason, ...(isObject(kept) && { extra: { [dialect]: kept } }) };
  const choices = [encodeChoice(first, 0, ["choices"], writing)];
  context.pathTracker.each("alternatives", alternatives, (alternative, index) => {
    reportForeignChoice(alternative, context);
    choices.push(encodeChoice(alternative, index + 1, [], writing));
  });
  wire["choices"] = choices;
}

function encodeChoice(choice: Alternative, index: number, path: readonly string[], writing: Writing): JsonObject {
  const { context, dialect } = writing;
  const { message, finishReason } = choice;
  const tokens: Tokens = {};
  const wire: JsonObject = isFree(choice, "index", writing) ? { index } : {};
  if (message.parts.length > 0 || isFree(choice, "message", writing)) {
    context.pathTracker.enter("message");
    reportMessage(message, writing);
    writing.cut = cutCall(message, finishReason);
    if (message.role !== "assistant") context.report.addLoss("role-approximated", "role");
    wire["message"] = encodeAssistant({ message, index: 0 }, writing, tokens);
    context.pathTracker.leave();
  }
  const word = encodeEnding(choice, writing);
  if (word !== undefined) wire["finish_reason"] = word;
  const { content = null, refusal = null } = tokens;
  if (content !== null || refusal !== null) {
    const has = spelling(choice, "logprobs", writing);
    const kept = choice.extra?.[dialect]?.["logprobs"];
    const isTold = (field: string): boolean =>
      tokens[field as keyof Tokens] !== undefined ||
      ((!Array.isArray(has) || has.includes(field)) && !(isObject(kept) && Object.hasOwn(kept, field)));
    wire["logprobs"] = { ...(isTold("content") && { content }), ...(isTold("refusal") && { refusal }) };
  } else if (isFree(choice, "logprobs", writing)) wire["logprobs"] = null;
  const clash = (...steps: string[]): void =>
    context.report.addLoss("residue-clash", ["extra", dialect, ...path, ...steps]);
  putBack(wire, choice.extra?.[dialect], clash, "logprobs");
  return wire;
}
