// Defines the routes of tasks. Every route has a path with `/v1` and a path without it.
import { list } from "../../model/validation/shape.ts";
import { readPathParam, readQueryCount, readQueryText } from "../api/read-request.ts";
import {
  jsonReply,
  type RouteDescription,
  defineRoute,
  describeReply,
  textParameter,
  countParameter,
} from "../api/define-route.ts";
import { ServerError } from "../errors.ts";
import type { Caller, ServerReply, Route, ServerRequest, Services } from "../types.ts";
import { readDecision, readNewTask, readMessageBody } from "./request-bodies.ts";
import type { TaskCommands } from "./commands.ts";
import { encodePendingMessage } from "./task-events.ts";
import * as shapes from "./shapes.ts";
import { streamTask } from "./event-stream.ts";
import { requireTask, TASK_KIND, toTaskView } from "./task.ts";

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 200;

export function taskRoutes(services: Services, commands: TaskCommands): Route[] {
  const { limits } = services.config;

  return [
    taskRoute("POST", "/task", CREATE, async (request, caller) => {
      const { value, ignored } = await readNewTask(request, limits);
      const { thread, posted } = await commands.create(caller, value, readIdempotencyKey(request));
      const task = await toTaskView(commands.journal(caller.ledger, thread.id), thread);
      return jsonReply(201, { task, ...(posted !== undefined && { message: posted }), ...toIgnoredFields(ignored) });
    }),
    taskRoute("GET", "/tasks", LIST, (request, caller) => listTasks(commands, request, caller)),
    taskRoute("GET", "/task/:id", SHOW, async (request, { ledger }) => {
      const thread = await requireTask(ledger, readPathParam(request, "id"));
      return jsonReply(200, { task: await toTaskView(commands.journal(ledger, thread.id), thread) });
    }),
    taskRoute("POST", "/task/:id/message", POST_MESSAGE, async (request, { ledger }) => {
      const { id } = await requireTask(ledger, readPathParam(request, "id"));
      const { value, ignored } = await readMessageBody(request, limits);
      const { message, mode } = value;
      const key = readIdempotencyKey(request);
      const posted = await commands.postMessage(ledger, id, message, {
        ...(mode !== undefined && { mode }),
        ...(key !== undefined && { key }),
      });
      return jsonReply(200, { ...posted, ...toIgnoredFields(ignored) });
    }),
    taskRoute("GET", "/task/:id/events", EVENTS, async (request, { ledger }) => {
      const { id } = await requireTask(ledger, readPathParam(request, "id"));
      return streamTask(services, request, commands.journal(ledger, id));
    }),
    taskRoute("GET", "/task/:id/queued_messages", QUEUE, async (request, { ledger }) =>
      jsonReply(200, await readTaskQueue(commands, ledger, readPathParam(request, "id"))),
    ),
    taskRoute("DELETE", "/task/:id/queued_messages/:messageId", UNQUEUE, async (request, { ledger }) => {
      const { id } = await requireTask(ledger, readPathParam(request, "id"));
      return jsonReply(
        200,
        encodePendingMessage(await commands.unqueueMessage(ledger, id, readPathParam(request, "messageId"))),
      );
    }),
    taskRoute("GET", "/queued_messages", QUEUES, (request, caller) => listQueues(commands, request, caller)),
    taskRoute("POST", "/task/:id/cancel", CANCEL, async (request, { ledger }) => {
      const { id } = await requireTask(ledger, readPathParam(request, "id"));
      const cancelled = await commands.cancel(ledger, id, request.signal);
      if (cancelled === undefined)
        throw new ServerError("not-found", "The task is idle and its queue is empty, so there is nothing to cancel.");
      const { ended, pending } = cancelled;
      return jsonReply(ended ? 200 : 202, { pending_messages: pending.map(encodePendingMessage) });
    }),
    taskRoute("POST", "/task/:id/approve", APPROVE, async (request, { ledger }) => {
      const { id } = await requireTask(ledger, readPathParam(request, "id"));
      const decision = await readDecision(request, limits);
      await commands.decide(ledger, id, decision);
      return jsonReply(200, decision);
    }),
  ];
}

/** Defines a route with the tag "tasks" whose path exists with and without `/v1`. */
function taskRoute(method: Route["method"], path: string, description: RouteDescription, run: Route["run"]): Route {
  return defineRoute(method, [`/v1${path}`, path], { tag: "tasks", ...description }, run);
}

function readIdempotencyKey({ headers }: ServerRequest): string | undefined {
  return headers["idempotency-key"] || undefined;
}

/** Returns the reply field `ignored`, which lists the unknown fields of the body; no field if there are none. */
function toIgnoredFields(ignored: readonly string[]): { ignored?: readonly string[] } {
  return ignored.length === 0 ? {} : { ignored };
}

async function listTasks(commands: TaskCommands, request: ServerRequest, { ledger }: Caller): Promise<ServerReply> {
  const limit = readQueryCount(request, "limit", MAX_PAGE_SIZE) ?? DEFAULT_PAGE_SIZE;
  const threads = await ledger.threads({ kind: TASK_KIND, limit, before: readQueryText(request, "before") });
  const tasks = await Promise.all(threads.map((thread) => toTaskView(commands.journal(ledger, thread.id), thread)));
  return jsonReply(200, { tasks, next: threads.length < limit ? null : (threads.at(-1)?.id ?? null) });
}

async function readTaskQueue(
  commands: TaskCommands,
  ledger: Caller["ledger"],
  id: string,
): Promise<ReturnType<typeof encodePendingMessage>[]> {
  const thread = await requireTask(ledger, id);
  const { queue } = await commands.journal(ledger, thread.id).read();
  return queue.map(encodePendingMessage);
}

/** Lists the queued messages of one task, or of the newest tasks, each message with the id of its task. */
async function listQueues(commands: TaskCommands, request: ServerRequest, { ledger }: Caller): Promise<ServerReply> {
  const id = readQueryText(request, "task");
  if (id !== undefined) return jsonReply(200, await readTaskQueue(commands, ledger, id));
  const threads = await ledger.threads({ kind: TASK_KIND, limit: MAX_PAGE_SIZE });
  const queues = threads.map(async ({ id: task }) => {
    const { queue } = await commands.journal(ledger, task).read();
    return queue.map((waiting) => Object.assign(encodePendingMessage(waiting), { task }));
  });
  return jsonReply(200, (await Promise.all(queues)).flat());
}

const CREATE: RouteDescription = {
  id: "createTask",
  summary: "Creates a task. With a message, its agent starts to work. An unknown model is a 404.",
  headers: { "idempotency-key": textParameter("The same key with the same body creates one task.") },
  body: shapes.newTask,
  replies: { 201: describeReply("The task, and the id of its message.", shapes.createdTask) },
};
const LIST: RouteDescription = {
  id: "listTasks",
  summary: "Lists tasks by page, newest first.",
  query: {
    limit: countParameter(`Maximum number of results; default ${DEFAULT_PAGE_SIZE}, at most ${MAX_PAGE_SIZE}.`),
    before: textParameter("`next` of the previous page."),
  },
  replies: { 200: describeReply("A page. `next` is null at the end.", shapes.taskList) },
};
const SHOW: RouteDescription = {
  id: "getTask",
  summary: "A task: its state, queue, pending tool calls and usage.",
  replies: { 200: describeReply("The task.", shapes.shownTask) },
};
const POST_MESSAGE: RouteDescription = {
  id: "postTaskMessage",
  summary:
    "Posts a message. While the agent works, it is queued until the current tool round or the current answer has ended.",
  headers: { "idempotency-key": textParameter("The same key with the same message posts it once.") },
  body: shapes.newMessage,
  replies: { 200: describeReply("The message id, and whether it is queued.", shapes.postedMessage) },
};
const EVENTS: RouteDescription = {
  id: "followTask",
  summary: "Streams the task's events as server-sent events: from the start, or after the event of `Last-Event-ID`.",
  countsAsOpenCall: true,
  query: {
    after: textParameter("Like `Last-Event-ID`, which has priority; `now`: only new events."),
    namespace: textParameter("The name of the events; default `koine`."),
  },
  headers: { "last-event-id": textParameter("The id of the last event that the client has read.") },
  replies: { 200: { description: 'Events as { "msg": … }.', type: "text/event-stream" } },
};
const QUEUE: RouteDescription = {
  id: "listQueuedMessages",
  summary: "The queued messages of a task.",
  replies: { 200: describeReply("The messages, oldest first.", list(shapes.pendingMessage)) },
};
const UNQUEUE: RouteDescription = {
  id: "removeQueuedMessage",
  summary: "Removes a queued message. 404 if it is not queued any more.",
  replies: { 200: describeReply("The removed message.", shapes.pendingMessage) },
};
const QUEUES: RouteDescription = {
  id: "listAllQueuedMessages",
  summary: `The queued messages of the newest ${MAX_PAGE_SIZE} tasks, or of one task.`,
  query: { task: textParameter("Only the queue of this task.") },
  replies: { 200: describeReply("The messages by task, oldest first.", list(shapes.pendingMessage)) },
};
const CANCEL: RouteDescription = {
  id: "cancelTask",
  summary: "Cancels the work on any instance and empties the queue. 404 if the task is idle and its queue is empty.",
  replies: {
    200: describeReply("The dropped messages.", shapes.cancelled),
    202: describeReply(
      "The cancellation is requested but not finished: the queued messages will be dropped.",
      shapes.cancelled,
    ),
  },
};
const APPROVE: RouteDescription = {
  id: "approveToolCall",
  summary: 'Approves or rejects a waiting tool call of a task with `"approval": "ask"`.',
  body: shapes.decision,
  replies: { 200: describeReply("The decision.", shapes.decided) },
};
