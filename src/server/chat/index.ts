// Creates the chat module: the routes for `useChat` of the AI SDK, which send messages, resume a stream, and read a
// chat. A chat is the thread with the same id.
import type { Ledger } from "../../ledger/index.ts";
import { json, list, nullable, object, reference, string } from "../../model/validation/shape.ts";
import { createPathIdReader } from "../api/path-id.ts";
import { jsonReply, defineRoute, describeReply, textParameter } from "../api/define-route.ts";
import { callModel } from "../gateway/call-model.ts";
import { escapeHeader } from "../http/escape-header.ts";
import { createSseReply } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerModule, ServerReply, ServerRequest, Services } from "../types.ts";
import { CHAT_BODY, readChatRequest, UI_DIALECT } from "./chat-request.ts";
import { findLiveRun, toResumedEvents, listChatRuns } from "./resume.ts";
import { toClientMessages } from "./client-messages.ts";
import { UI_STREAM_HEADERS, toUiEvents } from "./ui-stream.ts";

/** Creates the routes of `useChat`. */
export function chatModule(services: Services, recorder: Recorder): ServerModule {
  const readId = createPathIdReader(recorder);
  // `createSseReply` ends a stream when the signal `draining` is aborted. Here, `stopping` takes its place, so that
  // open answers can finish during shutdown.
  const streaming = { config: services.config, draining: services.stopping };
  return {
    routes: [
      defineRoute("POST", ["/v1/chat", "/api/chat"], CHAT, async (request, caller) => {
        const { answer, messageId } = await callChatModel(services, recorder, request, caller);
        return createSseReply(streaming, request, () => toUiEvents(answer, messageId), {
          headers: createAnswerHeaders(answer),
        });
      }),
      defineRoute("GET", ["/v1/chat/:id/stream", "/api/chat/:id/stream"], RESUME, async (request, caller) => {
        const { ledger } = caller;
        const run = await findLiveRun(ledger, await readId(request, caller));
        if (run === undefined) return NO_LIVE_RUN;
        const headers = { ...UI_STREAM_HEADERS, "x-koine-thread": escapeHeader(run.threadId), "x-koine-run": run.id };
        return createSseReply(services, request, (signal) => toResumedEvents(ledger, run, signal), { headers });
      }),
      defineRoute("GET", ["/v1/chat/:id", "/api/chat/:id"], SHOW, async (request, caller) => {
        const { ledger } = caller;
        const { id, title } = await ledger.thread(await readId(request, caller));
        const { wire, losses } = UI_DIALECT.encodeMessages(toClientMessages(await ledger.transcript(id)));
        return jsonReply(200, { id, title, messages: wire, losses });
      }),
    ],
  };
}

const NO_LIVE_RUN: ServerReply = { status: 204, headers: {} };

interface ChatAnswer {
  answer: Awaited<ReturnType<typeof callModel>>;
  messageId: string;
}

async function callChatModel(
  services: Services,
  recorder: Recorder,
  request: ServerRequest,
  caller: Caller,
): Promise<ChatAnswer> {
  const { chatId, request: modelRequest, continuedMessageId: continues } = await readChatRequest(request, services);
  const { headers } = request;
  const recordHeader = headers["x-koine-record"];
  const isRecorded = recordHeader === "on" || (services.config.record.enabled && recordHeader !== "off");
  const model = modelRequest.model ?? (isRecorded ? await readLastModel(caller.ledger, chatId) : undefined);
  const answer = await callModel(services, recorder, {
    caller,
    request: { ...modelRequest, model: model ?? services.config.tasks.model },
    dialect: UI_DIALECT.id,
    record: isRecorded ? { thread: chatId, idempotencyKey: headers["idempotency-key"] } : false,
    signal: request.signal,
    onBreaks: headers["x-koine-on-breaks"] === "send" ? "send" : "refuse",
    traceparent: headers["traceparent"],
  });
  // A new message gets the id of its run, because the id of the stored message is not known before the end of the
  // answer.
  return { answer, messageId: continues ?? answer.recording?.runId ?? caller.ledger.newId() };
}

/** Returns the model name of the chat's last recorded request; undefined if no request was recorded. */
async function readLastModel(ledger: Ledger, chatId: string): Promise<string | undefined> {
  const [last] = await listChatRuns(ledger, chatId, { last: 1 });
  const recordedRequest = last?.metadata?.["request"];
  const model =
    typeof recordedRequest === "object" && recordedRequest !== null && "model" in recordedRequest
      ? recordedRequest.model
      : undefined;
  return typeof model === "string" ? model : undefined;
}

function createAnswerHeaders({ recording, provider, losses }: ChatAnswer["answer"]): Record<string, string> {
  const lossCount = losses.filter(({ level }) => level !== "note").length;
  const headers: Record<string, string> = {
    ...UI_STREAM_HEADERS,
    "x-koine-provider": escapeHeader(provider),
    "x-koine-losses": String(lossCount),
  };
  if (recording === undefined) return headers;
  return { ...headers, "x-koine-thread": escapeHeader(recording.threadId), "x-koine-run": recording.runId };
}

const EVENT_STREAM_TYPE = "text/event-stream";
const CHAT = {
  id: "chat",
  tag: "chat" as const,
  summary:
    "The endpoint that `useChat` posts to: `id` is the thread, `trigger` requests an answer or a regenerated one. The body may also have `model`, `system` and `settings` (other fields of a canonical request).",
  body: CHAT_BODY,
  countsAsOpenCall: true as const,
  headers: {
    "x-koine-record": { ...textParameter("Records the chat, or not."), enum: ["on", "off"] },
    "x-koine-on-breaks": textParameter(
      "`send`: calls the model even if the translation changes the meaning of the request.",
    ),
    "idempotency-key": textParameter("The same key and messages call the model once."),
  },
  replies: { 200: { description: "The AI SDK's UI message stream, version 1.", type: EVENT_STREAM_TYPE } },
};
const RESUME = {
  id: "resumeChat",
  tag: "chat" as const,
  summary: "The live message from its start, for `useChat({ resume: true })`.",
  countsAsOpenCall: true as const,
  replies: {
    200: { description: "The AI SDK's UI message stream, version 1.", type: EVENT_STREAM_TYPE },
    204: { description: "There is no live message." },
  },
};
const SHOW = {
  id: "getChat",
  tag: "chat" as const,
  summary: "The messages of a chat as UI messages with the client's ids, for the initial state of a page.",
  replies: {
    200: describeReply(
      "The chat.",
      object({ id: string, title: nullable(string), messages: list(json), losses: list(reference("Loss")) }, {}),
    ),
  },
};
