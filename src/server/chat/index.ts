// The AI SDK's chat endpoint: what `useChat` posts to, where it takes up a stream again, and where a page gets the
// messages that it begins with. A chat is a thread of the same id.
import type { Ledger } from "../../ledger/index.ts";
import { json, list, nullable, object, reference, string } from "../../model/shape.ts";
import { namedId } from "../api/named.ts";
import { jsonReply, route, says, text } from "../api/replies.ts";
import { callModel } from "../gateway/call.ts";
import { headerText } from "../http/header-text.ts";
import { sse } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerModule, Reply, ServerRequest, Services } from "../types.ts";
import { CHAT_BODY, readQuestion, UI } from "./question.ts";
import { liveRun, resumedEvents, runsOf } from "./resume.ts";
import { asClientKnows } from "./turn.ts";
import { UI_STREAM, uiEvents } from "./ui-stream.ts";

/** `useChat`'s endpoint and the one where it takes up a stream again. */
export function chatPart(services: Services, recorder: Recorder): ServerModule {
  // Streams of answers end by themselves when the server shuts down, within its time to finish.
  const named = namedId(recorder);
  const streaming = { config: services.config, draining: services.stopping };
  return {
    routes: [
      route("POST", ["/v1/chat", "/api/chat"], CHAT, async (request, caller) => {
        const { answer, messageId } = await asked(services, recorder, request, caller);
        return sse(streaming, request, () => uiEvents(answer, messageId), { headers: headersOf(answer) });
      }),
      route("GET", ["/v1/chat/:id/stream", "/api/chat/:id/stream"], RESUME, async (request, caller) => {
        const { ledger } = caller;
        const run = await liveRun(ledger, await named(request, caller));
        if (run === undefined) return NOTHING_LIVE;
        const headers = { ...UI_STREAM, "x-koine-thread": headerText(run.threadId), "x-koine-run": run.id };
        return sse(services, request, (signal) => resumedEvents(ledger, run, signal), { headers });
      }),
      route("GET", ["/v1/chat/:id", "/api/chat/:id"], SHOW, async (request, caller) => {
        const { ledger } = caller;
        const { id, title } = await ledger.thread(await named(request, caller));
        const { wire, losses } = UI.encodeMessages(asClientKnows(await ledger.transcript(id)));
        return jsonReply(200, { id, title, messages: wire, losses });
      }),
    ],
  };
}

const NOTHING_LIVE: Reply = { status: 204, headers: {} };

interface Asked {
  answer: Awaited<ReturnType<typeof callModel>>;
  messageId: string;
}

async function asked(services: Services, recorder: Recorder, request: ServerRequest, caller: Caller): Promise<Asked> {
  const { chatId, request: question, continues } = await readQuestion(request, services);
  const { headers } = request;
  const wish = headers["x-koine-record"];
  const isRecorded = wish === "on" || (services.config.record.enabled && wish !== "off");
  const model = question.model ?? (isRecorded ? await lastModel(caller.ledger, chatId) : undefined);
  const answer = await callModel(services, recorder, {
    caller,
    request: { ...question, model: model ?? services.config.tasks.model },
    dialect: UI.id,
    record: isRecorded ? { thread: chatId, idempotencyKey: headers["idempotency-key"] } : false,
    signal: request.signal,
    onBreaks: headers["x-koine-on-breaks"] === "send" ? "send" : "refuse",
    traceparent: headers["traceparent"],
  });
  // An answer goes by its run until it has an id of its own, which comes with its record.
  return { answer, messageId: continues ?? answer.recording?.runId ?? caller.ledger.newId() };
}

/** The model that the chat asked last, as it was named then. */
async function lastModel(ledger: Ledger, chatId: string): Promise<string | undefined> {
  const [last] = await runsOf(ledger, chatId, { last: 1 });
  const said = last?.metadata?.["request"];
  const model = typeof said === "object" && said !== null && "model" in said ? said.model : undefined;
  return typeof model === "string" ? model : undefined;
}

function headersOf({ recording, provider, losses }: Asked["answer"]): Record<string, string> {
  const lost = losses.filter(({ level }) => level !== "note").length;
  const headers: Record<string, string> = {
    ...UI_STREAM,
    "x-koine-provider": headerText(provider),
    "x-koine-losses": String(lost),
  };
  if (recording === undefined) return headers;
  return { ...headers, "x-koine-thread": headerText(recording.threadId), "x-koine-run": recording.runId };
}

const EVENTS = "text/event-stream";
const CHAT = {
  id: "chat",
  tag: "chat" as const,
  summary:
    "What `useChat` posts: `id` names the thread, `trigger` an answer or another one in its place. `model`, `system` and `settings` (a canonical request's other fields) are taken from the body, too.",
  body: CHAT_BODY,
  heavy: true as const,
  headers: {
    "x-koine-record": { ...text("Whether the chat is recorded."), enum: ["on", "off"] },
    "x-koine-on-breaks": text("`send`: asks also where the model would be asked another question than was said."),
    "idempotency-key": text("The same key and messages are asked once."),
  },
  replies: { 200: { description: "The AI SDK's UI message stream, version 1.", type: EVENTS } },
};
const RESUME = {
  id: "resumeChat",
  tag: "chat" as const,
  summary: "The message that is being written, from its beginning, as `useChat({ resume: true })` wants it.",
  heavy: true as const,
  replies: {
    200: { description: "The AI SDK's UI message stream, version 1.", type: EVENTS },
    204: { description: "Nothing is being written." },
  },
};
const SHOW = {
  id: "getChat",
  tag: "chat" as const,
  summary: "The messages of a chat as UI messages, under the ids that its client knows: what a page begins with.",
  replies: {
    200: says(
      "The chat.",
      object({ id: string, title: nullable(string), messages: list(json), losses: list(reference("Loss")) }, {}),
    ),
  },
};
