// Responses, both ways: one message among facts about itself.
import type { FinishReason } from "../../model/finish.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../dialect.ts";
import { reportForeignAnswer } from "../kit/echoes.ts";
import { cutCall } from "../kit/endings.ts";
import { isObject, readList, readObject } from "../kit/read.ts";
import { readForm, storeForm, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportEvents } from "../kit/streams.ts";
import { decodeBlocks, startReading } from "./decode-block.ts";
import { startWriting } from "./encode-block.ts";
import { reportMessageFields } from "../kit/two-sides.ts";
import { decodeFailure, encodeFailure } from "./failure.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";
import { FINISH } from "./terms.ts";
import { decodeUsage, encodeUsage, withCacheCounts } from "./usage.ts";
import type { Writing } from "./writing.ts";

/** What every response says of itself; only another word, or none, is kept. */
const FRAME: readonly (readonly [field: string, value: JsonValue])[] = [
  ["type", "message"],
  ["role", "assistant"],
  ["stop_sequence", null],
];
const FRAMED = new Map(FRAME);
const NAMED = ["id", "model"] as const;

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const { dialect } = context;
  const { id, usage, content } = wire;
  if (wire["type"] === "error" && isObject(wire["error"])) return decodeFailure(wire, wire["error"], dialect);
  if (content === undefined) context.fail("missing-field", "There is no content; is it an error?", "content");
  const reading = startReading(context, typeof id === "string" ? id : "", names);
  const parts = decodeBlocks(readList(content, context, "content"), "content", reading);
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  const said = new Set(["content", "stop_reason"]);
  for (const name of NAMED) {
    const word = wire[name];
    if (typeof word === "string") {
      response[name] = word;
      said.add(name);
    } else storeForm(response, dialect, name, "none");
  }
  for (const [field, plain] of FRAME) {
    if (wire[field] === undefined) storeForm(response, dialect, field, "none");
    else if (wire[field] === plain) said.add(field);
  }
  if (isObject(usage)) {
    response.usage = decodeUsage(usage, context);
    said.add("usage");
  } else if (usage === undefined) storeForm(response, dialect, "usage", "none");
  decodeStop(wire, response, context);
  const cut = cutCall(response.message, response.finishReason);
  if (cut !== undefined) cut.invalid = true;
  for (const key in wire) if (!said.has(key)) keepField(response, wire, key, dialect);
  return response;
}

/** How it ended; a word that nobody knows is noted as this wire's own (B62). */
function decodeStop(wire: JsonObject, response: ModelResponse, { dialect }: DecodeContext): void {
  const word = wire["stop_reason"];
  if (typeof word !== "string") {
    if (word === undefined) storeForm(response, dialect, "stop_reason", "none");
    else if (word === null) storeForm(response, dialect, "stop_reason", word);
    else keepField(response, wire, "stop_reason", dialect);
    return;
  }
  const unified = FINISH.ours(word);
  response.finishReason = { unified: unified ?? "other", raw: word };
  if (unified === undefined) storeForm(response, dialect, "stop_reason", "own");
}

const CARRIED: ReadonlySet<string> = new Set(["id", "model", "message", "finishReason", "usage", "extra"]);
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = {
  createdAt: "bookkeeping",
  error: "failure-unsaid",
};

export function encodeResponse(response: ModelResponse, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const { message, usage } = response;
  const { pathTracker: trail, dialect } = context;
  const failure = encodeFailure(response, context);
  if (failure !== undefined) return { wire: failure };
  const form = readForm(response, dialect);
  const residue = response.extra?.[dialect] ?? {};
  const wire: JsonObject = {};
  for (const name of NAMED) if (response[name] !== "" || form[name] !== "none") wire[name] = response[name];
  for (const [field, plain] of FRAMED) {
    if (form[field] !== "none" && !Object.hasOwn(residue, field)) wire[field] = plain;
  }
  const writing = startWriting(context);
  writing.cut = cutCall(message, response.finishReason);
  writing.isForeign = isForeign(response, context);
  wire["content"] = encodeContent(response, writing);
  trail.into("message", () => restoreResidue(wire, message, context));
  const stop = encodeStop(response.finishReason, form, context);
  if (stop !== null || (form["stop_reason"] !== "none" && residue["stop_reason"] === undefined))
    wire["stop_reason"] = stop;
  if (usage !== undefined) {
    wire["usage"] = trail.into("usage", () =>
      encodeUsage(writing.isForeign === true ? withCacheCounts(usage, context) : usage, context),
    );
  } else if (context.repair && form["usage"] !== "none" && residue["usage"] === undefined) {
    context.report.addLoss("usage-made", "usage");
    wire["usage"] = {
      input_tokens: 0,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
  }
  restoreResidue(wire, response, context);
  reportEvents(response, context);
  reportForeignAnswer(response, context);
  reportUnsupportedFields(response, CARRIED, context, "field-unsaid", UNCARRIED);
  return { wire };
}

/** The blocks of an answer; the trail stands at the answer. */
export function encodeContent({ message }: ModelResponse, writing: Writing): JsonObject[] {
  const { context } = writing;
  return context.pathTracker.into("message", () => {
    reportMessageFields(message, context);
    return writing.blocks(message.parts, "parts", "assistant", writing);
  });
}

/** Whether an answer came from elsewhere: nothing of it was kept for this dialect, not even its word for the end. */
function isForeign({ extra, finishReason }: ModelResponse, { dialect, repair }: EncodeContext): boolean {
  const { raw } = finishReason;
  return repair && extra?.[dialect] === undefined && (raw === undefined || FINISH.ours(raw) === undefined);
}

/** The word for how it ended; null where there is none. */
function encodeStop({ unified, raw }: FinishReason, form: JsonObject, { report }: EncodeContext<Code>): string | null {
  const isOwn =
    raw !== undefined && (FINISH.ours(raw) ?? (form["stop_reason"] === "own" ? "other" : undefined)) === unified;
  const word = isOwn ? raw : (FINISH.theirs(unified) ?? null);
  if (raw !== undefined && !isOwn) report.addLoss("finish-raw", ["finishReason", "raw"]);
  const isRead = word === null ? raw === undefined && unified === "other" : isOwn || FINISH.ours(word) === unified;
  if (!isRead) report.addLoss("finish-approximated", ["finishReason", "unified"]);
  return word;
}
