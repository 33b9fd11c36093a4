// Regenerates an answer: calls the model again with the history up to a message of a thread. The new answer is stored
// as a sibling of the former one and becomes active.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { ModelRequest, StoredMessage } from "../../model/index.ts";
import { boolean, list, object, reference, string } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import { anyMetadata } from "../openapi/schemas.ts";
import { callModel, type ModelAnswer } from "../gateway/call-model.ts";
import { escapeHeader } from "../http/escape-header.ts";
import { leadingInstructions } from "../record/request-facts.ts";
import { readRunMessages } from "../record/stored-answer.ts";
import { readStoredRequest } from "../record/stored-request.ts";
import type { Recorder, Recording } from "../record/types.ts";
import type { Caller, ServerReply, Route, ServerRequest, Services } from "../types.ts";
import { requireMessage } from "./branches.ts";
import { followRun } from "./thread-events.ts";
import { createPathIdReader } from "./path-id.ts";
import { readBody, readSettings } from "./read-request.ts";
import { toRunView } from "./runs.ts";
import { jsonReply, defineRoute, describeReply, textParameter } from "./define-route.ts";

const REGENERATE = object({}, { messageId: string, model: string, stream: boolean, settings: anyMetadata });

export function regenerateRoutes(services: Services, recorder: Recorder): Route[] {
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("POST", "/v1/threads/:id/regenerate", OPERATION, async (request, caller) => {
      const { ledger } = caller;
      const { messageId, stream, ...fields } = await readBody(request, services.config.limits, REGENERATE);
      const changes: Partial<ModelRequest> = readSettings(fields.settings);
      if (fields.model !== undefined) changes.model = fields.model;
      const threadId = await readId(request, caller);
      const { after, formerAnswer } = await findRegeneratePosition(ledger, threadId, messageId);
      const baseRequest = await buildRequest(ledger, threadId, after, formerAnswer);
      const isStream = stream ?? request.headers["accept"]?.includes("text/event-stream") ?? false;
      const opened = Promise.withResolvers<Recording | undefined>();
      const answering = callModel(services, recorder, {
        caller,
        request: { model: services.config.tasks.model, ...baseRequest, ...changes },
        dialect: "canonical",
        record: { thread: threadId, after, idempotencyKey: request.headers["idempotency-key"] },
        signal: request.signal,
        traceparent: request.headers["traceparent"],
        onOpen: opened.resolve,
      });
      if (isStream) {
        const recording = await Promise.race([opened.promise, answering.then(({ recording: record }) => record)]);
        return replyWithRunEvents(services, recorder, { request, caller }, answering, recording);
      }
      const answer = await answering;
      const runId = requireRunId(answer.recording);
      await answer.response();
      const run = await ledger.run(runId);
      const headers = { ...createRecordHeaders(threadId, runId), "x-koine-provider": escapeHeader(answer.provider) };
      return jsonReply(200, { run: toRunView(run), messages: await readRunMessages(ledger, run) }, headers);
    }),
  ];
}

/**
 * Replies with the events of the run from its start. The events are read from the ledger, so that the client can
 * reconnect. The reply starts before the first delta of the model; if the call fails later, the run ends as failed.
 */
async function replyWithRunEvents(
  services: Services,
  recorder: Recorder,
  { request, caller }: { request: ServerRequest; caller: Caller },
  answering: Promise<ModelAnswer>,
  recording: Recording | undefined,
): Promise<ServerReply> {
  const runId = requireRunId(recording);
  const over = answering.then((answer) => answer.drain());
  // An error of the call is ignored here, because the error is recorded in the run.
  services.background(over.catch(() => undefined));
  await recorder.writePendingRuns(caller, runId);
  const run = await caller.ledger.run(runId).catch(async (error: unknown) => {
    // If the run could not be written, the call has failed as well, and `over` rejects with the reason.
    await over;
    throw error;
  });
  const { threadId } = run;
  return followRun(services, request, caller, { threadId, runId }, createRecordHeaders(threadId, runId));
}

function requireRunId(recording: Recording | undefined): string {
  if (recording !== undefined) return recording.runId;
  throw new ServerError("unavailable", "The ledger cannot be written to. Try again later.");
}

function createRecordHeaders(threadId: string, runId: string): Record<string, string> {
  return { "x-koine-thread": escapeHeader(threadId), "x-koine-run": runId };
}

interface RegeneratePosition {
  /** The id of the message that the new answer follows. */
  after: string;
  /** The answer that is regenerated; undefined if the new answer has no former version. */
  formerAnswer: StoredMessage | undefined;
}

/**
 * Finds the position of the new answer. If `messageId` is the id of an assistant message, the new answer follows the
 * parent of that message; otherwise it follows the message itself. Default of `messageId`: the active leaf.
 */
async function findRegeneratePosition(
  ledger: Ledger,
  threadId: string,
  messageId: string | undefined,
): Promise<RegeneratePosition> {
  const id = messageId ?? (await ledger.thread(threadId)).activeLeafId;
  if (id === null) {
    throw new ServerError("invalid-request", "The thread is empty: append a message first.", { path: "/messageId" });
  }
  const message = await requireMessage(ledger, threadId, id);
  if (message.role !== "assistant") return { after: id, formerAnswer: undefined };
  const { parentMessageId } = message;
  if (parentMessageId !== null) return { after: parentMessageId, formerAnswer: message };
  const advice = "Set messageId to a user message.";
  throw new ServerError("invalid-request", `There is no message before this answer. ${advice}`, {
    path: "/messageId",
  });
}

/**
 * Builds the request from the messages of the thread, and from the settings and instructions of the call that wrote the
 * former answer. If that call was not recorded, the last recorded call on the path is used. Without a recorded call,
 * the request has only the messages.
 */
async function buildRequest(
  ledger: Ledger,
  threadId: string,
  after: string,
  formerAnswer: StoredMessage | undefined,
): Promise<ModelRequest> {
  const messages = await ledger.context(threadId, { branch: after });
  const answered = (formerAnswer?.metadata.runId === undefined ? messages : [formerAnswer]).findLast(hasRun);
  const run = answered?.metadata.runId === undefined ? undefined : await findRun(ledger, answered.metadata.runId);
  const baseRequest = run && (await readStoredRequest(ledger, run));
  if (baseRequest === undefined) return { messages };
  // The instructions of the recorded call replace the leading instructions of the thread.
  const { messages: recordedMessages, ...settings } = baseRequest;
  return {
    ...settings,
    messages: [...leadingInstructions(recordedMessages), ...messages.slice(leadingInstructions(messages).length)],
  };
}

function hasRun({ metadata }: StoredMessage): boolean {
  return metadata.runId !== undefined;
}

/** Returns a run, or undefined if it cannot be read, for example because it was purged. */
async function findRun(ledger: Ledger, runId: string): Promise<RunInfo | undefined> {
  return ledger.run(runId).catch(() => undefined);
}

const OPERATION = {
  id: "regenerate",
  summary:
    "Calls the model again: at an answer, to regenerate it; at any other message, to answer it. The former answer stays in the tree.",
  body: REGENERATE,
  headers: { "idempotency-key": textParameter("The same key and request calls the model once.") },
  countsAsOpenCall: true as const,
  replies: {
    200: describeReply(
      "The run and its messages; with `stream`, its events as those of `/v1/runs/:id/events`, and the header `x-koine-run` before the first delta.",
      object({ run: reference("Run"), messages: list(reference("StoredMessage")) }, {}),
    ),
  },
};
