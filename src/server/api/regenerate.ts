// Asks a model again at a place of a thread: the new answer stands beside the former one and becomes the active one.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { ModelRequest, StoredMessage } from "../../model/index.ts";
import { boolean, list, object, reference, string } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import { facts } from "../openapi/schemas.ts";
import { callModel, type ModelAnswer } from "../gateway/call.ts";
import { headerText } from "../http/header-text.ts";
import { leadingOf } from "../record/said.ts";
import { messagesOf } from "../record/stored-answer.ts";
import { requestOf } from "../record/stored-request.ts";
import type { Recorder, Recording } from "../record/types.ts";
import type { Caller, Reply, Route, ServerRequest, Services } from "../types.ts";
import { messageOf } from "./branches.ts";
import { followRun } from "./events.ts";
import { namedId } from "./named.ts";
import { readBody, readSettings } from "./reading.ts";
import { shownRun } from "./runs.ts";
import { jsonReply, route, says, text } from "./replies.ts";

const REGENERATE = object({}, { messageId: string, model: string, stream: boolean, settings: facts });

export function regenerateRoutes(services: Services, recorder: Recorder): Route[] {
  const named = namedId(recorder);
  return [
    route("POST", "/v1/threads/:id/regenerate", OPERATION, async (request, caller) => {
      const { ledger } = caller;
      const { messageId, stream, ...given } = await readBody(request, services.config.limits, REGENERATE);
      const changes: Partial<ModelRequest> = readSettings(given.settings);
      if (given.model !== undefined) changes.model = given.model;
      const threadId = await named(request, caller);
      const { after, former } = await placeOf(ledger, threadId, messageId);
      const asked = await questionAt(ledger, threadId, after, former);
      const isStream = stream ?? request.headers["accept"]?.includes("text/event-stream") ?? false;
      const opened = Promise.withResolvers<Recording | undefined>();
      const answering = callModel(services, recorder, {
        caller,
        request: { model: services.config.tasks.model, ...asked, ...changes },
        dialect: "canonical",
        record: { thread: threadId, after, idempotencyKey: request.headers["idempotency-key"] },
        signal: request.signal,
        traceparent: request.headers["traceparent"],
        onOpen: opened.resolve,
      });
      if (isStream) {
        const recording = await Promise.race([opened.promise, answering.then(({ recording: of }) => of)]);
        return streamed(services, recorder, { request, caller }, answering, recording);
      }
      const answer = await answering;
      const runId = demandRun(answer.recording);
      await answer.response();
      const run = await ledger.run(runId);
      const headers = { ...headersOf(threadId, runId), "x-koine-provider": headerText(answer.provider) };
      return jsonReply(200, { run: shownRun(run), messages: await messagesOf(ledger, run) }, headers);
    }),
  ];
}

/**
 * The run's own events, from its beginning: whoever reads follows the record, and can leave and come back. It is told which
 * run that is before the model has said anything; what goes wrong then is the end of the run.
 */
async function streamed(
  services: Services,
  recorder: Recorder,
  { request, caller }: { request: ServerRequest; caller: Caller },
  answering: Promise<ModelAnswer>,
  recording: Recording | undefined,
): Promise<Reply> {
  const runId = demandRun(recording);
  const over = answering.then((answer) => answer.drain());
  // The run says why it failed.
  services.background(over.catch(() => undefined));
  await recorder.reveal(caller, runId);
  const run = await caller.ledger.run(runId).catch(async (error: unknown) => {
    // A run that could not be written has ended its call, with the reason.
    await over;
    throw error;
  });
  const { threadId } = run;
  return followRun(services, request, caller, { threadId, runId }, headersOf(threadId, runId));
}

function demandRun(recording: Recording | undefined): string {
  if (recording !== undefined) return recording.runId;
  throw new ServerError("unavailable", "The ledger cannot be written to.");
}

function headersOf(threadId: string, runId: string): Record<string, string> {
  return { "x-koine-thread": headerText(threadId), "x-koine-run": runId };
}

interface Place {
  /** The message that the answer follows. */
  after: string;
  /** The answer that it stands beside. */
  former: StoredMessage | undefined;
}

/** Where to ask: before an answer, or behind anything else. */
async function placeOf(ledger: Ledger, threadId: string, messageId: string | undefined): Promise<Place> {
  const id = messageId ?? (await ledger.thread(threadId)).activeLeafId;
  if (id === null) {
    throw new ServerError("invalid-request", "The thread is empty: append a message first.", { path: "/messageId" });
  }
  const message = await messageOf(ledger, threadId, id);
  if (message.role !== "assistant") return { after: id, former: undefined };
  const { parentMessageId } = message;
  if (parentMessageId !== null) return { after: parentMessageId, former: message };
  const advice = "Name a message of the user's.";
  throw new ServerError("invalid-request", `Nothing stands before this answer that could be asked. ${advice}`, {
    path: "/messageId",
  });
}

/** What the former call asked, or else the one nearest to the place; of messages that were only appended, their words alone. */
async function questionAt(
  ledger: Ledger,
  threadId: string,
  after: string,
  former: StoredMessage | undefined,
): Promise<ModelRequest> {
  const messages = await ledger.context(threadId, { branch: after });
  const maker = (former?.metadata.runId === undefined ? messages : [former]).findLast(isMade);
  const run = maker?.metadata.runId === undefined ? undefined : await runOf(ledger, maker.metadata.runId);
  const asked = run && (await requestOf(ledger, run));
  if (asked === undefined) return { messages };
  // Instructions hold for a call; what the thread begins with may be others.
  const { messages: theirs, ...settings } = asked;
  return { ...settings, messages: [...leadingOf(theirs), ...messages.slice(leadingOf(messages).length)] };
}

function isMade({ metadata }: StoredMessage): boolean {
  return metadata.runId !== undefined;
}

/** The run of a message; one that was purged says nothing any more. */
async function runOf(ledger: Ledger, runId: string): Promise<RunInfo | undefined> {
  return ledger.run(runId).catch(() => undefined);
}

const OPERATION = {
  id: "regenerate",
  summary:
    "Asks the model again: at an answer, for another one in its place; at any other message, for an answer to it. The former answer stays in the tree.",
  body: REGENERATE,
  headers: { "idempotency-key": text("The same key and request asks once.") },
  heavy: true as const,
  replies: {
    200: says(
      "The run and its messages; with `stream`, its events as those of `/v1/runs/:id/events`, `x-koine-run` before the model says anything.",
      object({ run: reference("Run"), messages: list(reference("StoredMessage")) }, {}),
    ),
  },
};
