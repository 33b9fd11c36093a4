// Responses, both ways: one message among facts about itself.
import type { FinishReason } from "../../model/finish.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
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
import { isOurs } from "./errors.ts";
import { decodeFailure, encodeFailure } from "./failure.ts";
import { keepField, keepRest } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Reading } from "./reading.ts";
import { FINISH } from "./terms.ts";
import { decodeUsage, encodeUsage, NO_USAGE } from "./usage.ts";
import type { Writing } from "./writing.ts";

export const STOP = "stopReason";

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  return readResponse(readObject(value, context), startReading(context, names));
}

export function readResponse(wire: JsonObject, reading: Reading): ModelResponse {
  const context: DecodeContext = reading.context;
  const { dialect, pathTracker: trail } = context;
  const { output, usage } = wire;
  if (output === undefined && isOurs(wire)) return decodeFailure(wire, dialect);
  if (!isObject(output)) context.fail("missing-field", "There is no output; is it an error?", "output");
  const { message } = output;
  trail.enter("output");
  if (!isObject(message)) context.fail("missing-field", "There is no message.", "message");
  trail.enter("message");
  const list = readList(message["content"], context, "content");
  const parts = decodeBlocks(list, "content", reading);
  trail.leave(2);
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  readRole(message, response.message, dialect);
  keepRest(response.message, message, dialect, [], "role", "content");
  keepRest(response, output, dialect, ["output"], "message");
  const isCounted = isObject(usage);
  if (isCounted) response.usage = decodeUsage(usage, context);
  else if (usage === undefined) storeForm(response, dialect, "usage", "none");
  decodeStop(wire, response, context);
  const cut = cutCall(response.message, response.finishReason);
  if (cut !== undefined) cut.invalid = true;
  return keepRest(response, wire, dialect, [], "output", STOP, isCounted && "usage");
}

/** Who answers is said always; only another word, or none, is kept. */
function readRole(wire: JsonObject, message: Pick<Message, "extra">, dialect: string): void {
  const { role } = wire;
  if (role !== "assistant") storeForm(message, dialect, "role", role ?? (role === null ? null : "none"));
}

export function writeRole(message: Pick<Message, "extra">, dialect: string): JsonObject {
  const { role = "assistant" } = message.extra === undefined ? {} : readForm(message, dialect);
  return role === "none" ? {} : { role };
}

/** How it ended; a word that nobody knows is noted as this wire's own (B62). */
function decodeStop(
  wire: JsonObject,
  response: Pick<ModelResponse, "finishReason" | "extra">,
  { dialect }: DecodeContext,
): void {
  const word = wire[STOP];
  if (typeof word !== "string") {
    if (word === undefined) storeForm(response, dialect, STOP, "none");
    else keepField(response, wire, STOP, dialect);
    return;
  }
  const unified = FINISH.ours(word);
  response.finishReason = { unified: unified ?? "other", raw: word };
  if (unified === undefined) storeForm(response, dialect, STOP, "own");
}

const CARRIED: ReadonlySet<string> = new Set(["id", "model", "message", "finishReason", "usage", "extra"]);
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = {
  createdAt: "bookkeeping",
  error: "failure-unsaid",
};

export function encodeResponse(response: ModelResponse, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const { message, usage, finishReason } = response;
  const { pathTracker: trail, dialect, report, repair } = context;
  const failure = encodeFailure(response, context);
  if (failure !== undefined) return { wire: failure };
  const form = readForm(response, dialect);
  const residue = response.extra?.[dialect] ?? {};
  for (const name of ["id", "model"] as const) if (response[name] !== "") report.addLoss("bookkeeping", name);
  const writing = startWriting(context);
  writing.cut = cutCall(message, finishReason);
  const said: JsonObject = writeRole(message, dialect);
  said["content"] = encodeContent(response, writing);
  trail.into("message", () => restoreResidue(said, message, context));
  const wire: JsonObject = { output: { message: said } };
  const isUnsaid = form[STOP] === "none" || residue[STOP] !== undefined;
  const stop = encodeStop(finishReason, form, isUnsaid, context);
  if (stop !== undefined) wire[STOP] = stop;
  if (usage !== undefined) wire["usage"] = trail.into("usage", () => encodeUsage(usage, context));
  else if (repair && form["usage"] !== "none" && residue["usage"] === undefined) {
    report.addLoss("usage-made", "usage");
    wire["usage"] = { ...NO_USAGE };
  }
  restoreResidue(wire, response, context, "output");
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
    return writing.blocks(message.parts, "parts", "answer", writing);
  });
}

/** The word for how it ended; undefined where none was said. */
function encodeStop(
  { unified, raw }: FinishReason,
  form: JsonObject,
  isUnsaid: boolean,
  { report }: EncodeContext<Code>,
): string | undefined {
  if (isUnsaid && raw === undefined && unified === "other") return undefined;
  const isOwn = raw !== undefined && (FINISH.ours(raw) ?? (form[STOP] === "own" ? "other" : undefined)) === unified;
  const word = isOwn ? raw : (FINISH.theirs(unified) ?? "end_turn");
  if (raw !== undefined && !isOwn) report.addLoss("finish-raw", ["finishReason", "raw"]);
  if (!isOwn && FINISH.ours(word) !== unified) report.addLoss("finish-approximated", ["finishReason", "unified"]);
  return word;
}
