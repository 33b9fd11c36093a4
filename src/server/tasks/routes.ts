// The routes of tasks. Each answers under `/v1` and without.
import { list } from "../../model/shape.ts";
import { param, queryCount, queryText } from "../api/reading.ts";
import { jsonReply, type RouteFacts, route, says, text, whole } from "../api/replies.ts";
import { ServerError } from "../errors.ts";
import type { Caller, Reply, Route, ServerRequest, Services } from "../types.ts";
import { readDecision, readNewTask, readMessageBody } from "./bodies.ts";
import type { Commands } from "./commands.ts";
import { encodeWaiting } from "./events.ts";
import * as shapes from "./shapes.ts";
import { streamTask } from "./stream.ts";
import { openTask, TASK_KIND, viewOf } from "./task.ts";

const PAGE = 20;
const MOST = 200;

export function taskRoutes(services: Services, commands: Commands): Route[] {
  const { limits } = services.config;

  return [
    at("POST", "/task", CREATE, async (request, caller) => {
      const { value, ignored } = await readNewTask(request, limits);
      const { thread, said } = await commands.create(caller, value, keyOf(request));
      const task = await viewOf(commands.journal(caller.ledger, thread.id), thread);
      return jsonReply(201, { task, ...(said !== undefined && { message: said }), ...reported(ignored) });
    }),
    at("GET", "/tasks", LIST, (request, caller) => listTasks(commands, request, caller)),
    at("GET", "/task/:id", SHOW, async (request, { ledger }) => {
      const thread = await openTask(ledger, param(request, "id"));
      return jsonReply(200, { task: await viewOf(commands.journal(ledger, thread.id), thread) });
    }),
    at("POST", "/task/:id/message", SAY, async (request, { ledger }) => {
      const { id } = await openTask(ledger, param(request, "id"));
      const { value, ignored } = await readMessageBody(request, limits);
      const { message, mode } = value;
      const key = keyOf(request);
      const said = await commands.say(ledger, id, message, {
        ...(mode !== undefined && { mode }),
        ...(key !== undefined && { key }),
      });
      return jsonReply(200, { ...said, ...reported(ignored) });
    }),
    at("GET", "/task/:id/events", EVENTS, async (request, { ledger }) => {
      const { id } = await openTask(ledger, param(request, "id"));
      return streamTask(services, request, commands.journal(ledger, id));
    }),
    at("GET", "/task/:id/queued_messages", QUEUE, async (request, { ledger }) =>
      jsonReply(200, await queueOf(commands, ledger, param(request, "id"))),
    ),
    at("DELETE", "/task/:id/queued_messages/:messageId", TAKE_BACK, async (request, { ledger }) => {
      const { id } = await openTask(ledger, param(request, "id"));
      return jsonReply(200, encodeWaiting(await commands.takeBack(ledger, id, param(request, "messageId"))));
    }),
    at("GET", "/queued_messages", QUEUES, (request, caller) => listQueues(commands, request, caller)),
    at("POST", "/task/:id/cancel", CANCEL, async (request, { ledger }) => {
      const { id } = await openTask(ledger, param(request, "id"));
      const cancelled = await commands.cancel(ledger, id, request.signal);
      if (cancelled === undefined)
        throw new ServerError("not-found", "Nothing runs or waits in this task; there is nothing to cancel.");
      const { ended, pending } = cancelled;
      return jsonReply(ended ? 200 : 202, { pending_messages: pending.map(encodeWaiting) });
    }),
    at("POST", "/task/:id/approve", APPROVE, async (request, { ledger }) => {
      const { id } = await openTask(ledger, param(request, "id"));
      const decision = await readDecision(request, limits);
      await commands.decide(ledger, id, decision);
      return jsonReply(200, decision);
    }),
  ];
}

/** Under `/v1` and without. */
function at(method: Route["method"], path: string, facts: RouteFacts, run: Route["run"]): Route {
  return route(method, [`/v1${path}`, path], { tag: "tasks", ...facts }, run);
}

function keyOf({ headers }: ServerRequest): string | undefined {
  return headers["idempotency-key"] || undefined;
}

/** What the body said that means nothing here. */
function reported(ignored: readonly string[]): { ignored?: readonly string[] } {
  return ignored.length === 0 ? {} : { ignored };
}

async function listTasks(commands: Commands, request: ServerRequest, { ledger }: Caller): Promise<Reply> {
  const limit = queryCount(request, "limit", MOST) ?? PAGE;
  const threads = await ledger.threads({ kind: TASK_KIND, limit, before: queryText(request, "before") });
  const tasks = await Promise.all(threads.map((thread) => viewOf(commands.journal(ledger, thread.id), thread)));
  return jsonReply(200, { tasks, next: threads.length < limit ? null : (threads.at(-1)?.id ?? null) });
}

async function queueOf(
  commands: Commands,
  ledger: Caller["ledger"],
  id: string,
): Promise<ReturnType<typeof encodeWaiting>[]> {
  const thread = await openTask(ledger, id);
  const { queue } = await commands.journal(ledger, thread.id).read();
  return queue.map(encodeWaiting);
}

/** Of one task, or of the newest ones: then each message says which task it waits for. */
async function listQueues(commands: Commands, request: ServerRequest, { ledger }: Caller): Promise<Reply> {
  const id = queryText(request, "task");
  if (id !== undefined) return jsonReply(200, await queueOf(commands, ledger, id));
  const threads = await ledger.threads({ kind: TASK_KIND, limit: MOST });
  const queues = threads.map(async ({ id: task }) => {
    const { queue } = await commands.journal(ledger, task).read();
    return queue.map((waiting) => Object.assign(encodeWaiting(waiting), { task }));
  });
  return jsonReply(200, (await Promise.all(queues)).flat());
}

const CREATE: RouteFacts = {
  id: "createTask",
  summary: "Makes a task. With a message, its agent begins to work. A model that nobody has is a 404.",
  headers: { "idempotency-key": text("The same key with the same body makes one task.") },
  body: shapes.newTask,
  replies: { 201: says("The task, and what became of the message.", shapes.taskMade) },
};
const LIST: RouteFacts = {
  id: "listTasks",
  summary: "Tasks, newest first, a page at a time.",
  query: {
    limit: whole(`At most so many; default ${PAGE}, at most ${MOST}.`),
    before: text("`next` of the page before."),
  },
  replies: { 200: says("A page. `next` is null at the end.", shapes.taskList) },
};
const SHOW: RouteFacts = {
  id: "getTask",
  summary: "A task: what it does, what waits, what it has cost.",
  replies: { 200: says("The task.", shapes.taskShown) },
};
const SAY: RouteFacts = {
  id: "sayToTask",
  summary: "Says something. Where the agent is at work, it waits: until this round of tools is over, or this answer.",
  headers: { "idempotency-key": text("The same key with the same message does not say it again.") },
  body: shapes.newMessage,
  replies: { 200: says("Whether it waits, and the id that it waits under.", shapes.said) },
};
const EVENTS: RouteFacts = {
  id: "followTask",
  summary: "What happens, as server-sent events: from the beginning, or after the event that `Last-Event-ID` names.",
  heavy: true,
  query: {
    after: text("As `Last-Event-ID`, which wins; `now`: only what comes next."),
    namespace: text("The name of the events; default `koine`."),
  },
  headers: { "last-event-id": text("The id of the last event that was read.") },
  replies: { 200: { description: 'Events as { "msg": … }.', type: "text/event-stream" } },
};
const QUEUE: RouteFacts = {
  id: "listQueuedMessages",
  summary: "What waits to be said.",
  replies: { 200: says("In the order in which it came.", list(shapes.waiting)) },
};
const TAKE_BACK: RouteFacts = {
  id: "takeBackQueuedMessage",
  summary: "Takes back what waits to be said. 404 where it does not wait any more.",
  replies: { 200: says("The message, which will not be said.", shapes.waiting) },
};
const QUEUES: RouteFacts = {
  id: "listAllQueuedMessages",
  summary: `What waits in the newest ${MOST} tasks, or in one of them.`,
  query: { task: text("Only of this task.") },
  replies: { 200: says("In the order in which it came, task by task.", list(shapes.waiting)) },
};
const CANCEL: RouteFacts = {
  id: "cancelTask",
  summary: "Ends the work, on whatever instance, and drops what waits. 404 where nothing runs or waits.",
  replies: {
    200: says("What was dropped.", shapes.cancelled),
    202: says("It was told to end, and has not yet: what waits will be dropped.", shapes.cancelled),
  },
};
const APPROVE: RouteFacts = {
  id: "approveToolCall",
  summary: 'Lets a tool run that waits for it, or not: of tasks that were made with `"approval": "ask"`.',
  body: shapes.decision,
  replies: { 200: says("What was decided.", shapes.decided) },
};
