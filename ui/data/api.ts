// Sends the HTTP calls of the page to the server, and defines the types of bodies and replies. Replies are not
// validated, because page and server are released in one package.
import type { Message, ModelRequest, StoredMessage } from "koine";
import { browserEffects, newId, type PageEffects } from "./effects.ts";
import { ApiError, type ApiRequestOptions, Http } from "./http.ts";
import { isValidToken } from "./token-store.ts";
import type {
  AnswerSettings,
  ModelInfo,
  OutlineNode,
  QueueEntry,
  RunJson,
  ThreadSearchHit,
  ThreadJson,
} from "./types.ts";
import { encodeTaskMessage } from "./task-message.ts";

export { ApiError } from "./http.ts";

export interface ThreadOutline {
  thread: ThreadJson;
  /** Cursor from which the thread's events are followed; null to follow from the thread's beginning. */
  cursor: string | null;
  activeLeafId: string | null;
  messages: OutlineNode[];
  /** Runs of the thread that have not ended. */
  runs: RunJson[];
}

export interface ThreadListResponse {
  threads: ThreadJson[];
  /** Value of the query parameter `before` for the next page; null on the last page. */
  next: string | null;
  /** Messages that match the search; absent if the list is not a search result. */
  hits?: ThreadSearchHit[];
}

export interface CreateThreadBody {
  id?: string;
  title?: string;
  metadata?: Record<string, unknown>;
  messages?: readonly Message[];
}

/** A task as `GET /v1/task/:id` returns it. */
export interface TaskSummaryJson {
  id: string;
  name: string | null;
  model: string;
  state: "idle" | "running" | "waiting" | "failed" | "cancelled";
  queued_messages: { id: string; message: { role?: string; content?: unknown } }[];
  pending_tool_calls: unknown[];
  error?: { code: string; message: string };
}

export interface CreateTaskBody {
  message?: Message;
  model?: string;
  name?: string;
  approval?: "ask" | "never";
}

/** The canonical request of a recorded call, with the dialect, provider and model of the call. */
export interface RunRequest {
  request: ModelRequest;
  dialect?: string;
  provider?: string;
  model?: string;
}

export type Api = ReturnType<typeof createApi>;

type ApiEffects = Pick<PageEffects, "fetch" | "storage" | "now" | "randomBytes"> & Partial<Pick<PageEffects, "delay">>;

/** Creates the API client. `base` is the server's origin; "" stands for the page's own origin. */
export function createApi(base = "", effects: ApiEffects = browserEffects()) {
  const http = new Http(base, effects);
  return {
    token: http.token,
    onUnauthorized: (listener: (error: ApiError) => void) => http.onUnauthorized(listener),
    /** Creates an idempotency key. The server executes requests with the same key only once. */
    newKey: () => newId(effects),
    newId: () => newId(effects),
    /** Sends a request and returns the response before its body is read, for event streams and large bodies. */
    open: (path: string, options?: ApiRequestOptions) => http.open(path, options),
    models: () => readModels(http),
    blob: (ref: string) => http.blob(`/v1/blobs/${encodeURIComponent(ref)}`),
    /** Stores the token if the server accepts it; throws an `ApiError` otherwise. */
    checkAndStoreToken: (token: string) => checkAndStoreToken(http, token),
    ...threadCalls(http),
    ...branchCalls(http),
    ...runCalls(http),
    ...taskCalls(http),
  };
}

async function checkAndStoreToken(http: Http, token: string): Promise<void> {
  if (!isValidToken(token)) throw new ApiError(0, "invalid-token", INVALID_TOKEN_MESSAGE);
  const reply = await http.open("/v1/models", { token });
  await reply.body?.cancel();
  http.token.set(token);
}

const INVALID_TOKEN_MESSAGE =
  "A token consists of Latin letters, digits and punctuation without spaces. This one has other characters; check that it was copied completely.";

function threadPath(id: string, rest = ""): string {
  return `/v1/threads/${encodeURIComponent(id)}${rest}`;
}

async function readModels(http: Http): Promise<ModelInfo[]> {
  const { data } = (await http.json("/v1/models")) as { data: { id: string; owned_by: string }[] };
  return data.map(({ id, owned_by: provider }) => ({ id, provider }));
}

function threadCalls(http: Http) {
  return {
    threads: (page: { before?: string; search?: string; kind?: string; limit?: number; signal?: AbortSignal } = {}) => {
      const { signal, search, ...rest } = page;
      const query = { summary: true, ...(search === undefined ? { order: "activity" } : { search }), ...rest };
      return http.json("/v1/threads", { query, signal }) as Promise<ThreadListResponse>;
    },
    thread: (id: string) => http.json(threadPath(id)) as Promise<ThreadJson>,
    createThread: (thread: CreateThreadBody) => createThread(http, thread),
    updateThread: (id: string, changes: { title?: string | null; metadata?: Record<string, unknown> }) =>
      http.json(threadPath(id), { method: "PATCH", body: changes }) as Promise<ThreadJson>,
    /** Stops all runs of the thread, then deletes it permanently. */
    removeThread: (id: string) => removeThread(http, id),
    outline: (id: string, signal?: AbortSignal) =>
      http.json(threadPath(id, "/outline"), { signal }) as Promise<ThreadOutline>,
    /** Lists the last messages of a branch, oldest first; large contents are blob references. */
    messages: async (id: string, page: { branch?: string; limit?: number; before?: string; signal?: AbortSignal }) => {
      const { signal, ...query } = page;
      const path = threadPath(id, "/messages");
      const reply = await http.json(path, { query: { ...query, blobs: "reference" }, signal });
      return (reply as { messages: StoredMessage[] }).messages;
    },
    append: async (
      id: string,
      messages: readonly Message[],
      { key, ...position }: { key: string; expectedLeaf?: string | null; parentMessageId?: string | null },
    ) => {
      const options: ApiRequestOptions = { method: "POST", body: { messages, ...position }, key };
      return ((await http.json(threadPath(id, "/messages"), options)) as { messages: StoredMessage[] }).messages;
    },
  };
}

/**
 * Creates a thread. If the server reports a conflict, an earlier request with this id has created the thread and its
 * reply was lost; then the existing thread is returned.
 */
async function createThread(http: Http, thread: CreateThreadBody): Promise<ThreadJson> {
  const { id } = thread;
  try {
    return (await http.json("/v1/threads", {
      method: "POST",
      body: thread,
      ...(id && { isIdempotent: true }),
    })) as ThreadJson;
  } catch (error) {
    const isTaken = error instanceof ApiError && error.status === 409;
    if (!isTaken || id === undefined) throw error;
    return (await http.json(threadPath(id))) as ThreadJson;
  }
}

/** Pauses between attempts to delete a thread. An attempt fails while a stopped run of the thread has not ended yet. */
const STOP_RETRY_PAUSES_MS = [100, 300, 1000, 3000];

async function removeThread(http: Http, id: string): Promise<void> {
  for (const pause of [...STOP_RETRY_PAUSES_MS, undefined]) {
    try {
      await stopAll(http, id);
      await http.json(threadPath(id), { method: "DELETE" });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The thread was already deleted, by another client or by an earlier attempt whose reply was lost.
      if (error.status === 404) return;
      if (error.code !== "conflict" || pause === undefined) throw error;
      await http.pause(pause);
    }
  }
}

/** Cancels the task, if the thread is a task, and every live run of the thread. */
async function stopAll(http: Http, id: string): Promise<void> {
  const { kind } = (await http.json(threadPath(id))) as ThreadJson;
  if (kind === "task") await taskCalls(http).cancelTask(id);
  const { cancelRun } = runCalls(http);
  const runs = await listRuns(http, id, { live: true });
  await Promise.all(runs.map(({ id: runId }) => cancelRun(runId)));
}

function branchCalls(http: Http) {
  return {
    select: (id: string, messageId: string | null) =>
      http.json(threadPath(id, "/select"), {
        method: "POST",
        body: { messageId },
        isIdempotent: true,
      }) as Promise<ThreadJson>,
    edit: async (id: string, messageId: string, message: Message, key: string) => {
      const options: ApiRequestOptions = { method: "POST", body: { messageId, message }, key };
      const { messages } = (await http.json(threadPath(id, "/edit"), options)) as { messages: StoredMessage[] };
      return messages;
    },
    fork: async (id: string, messageId: string, newThread: { id: string; title?: string }) => {
      try {
        const options: ApiRequestOptions = { method: "POST", body: { messageId, ...newThread }, isIdempotent: true };
        return (await http.json(threadPath(id, "/fork"), options)) as ThreadJson;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
        return (await http.json(threadPath(newThread.id))) as ThreadJson;
      }
    },
    /**
     * Requests an answer and returns the id of its run; the answer itself arrives in the thread's events. After a lost
     * reply, `isDone` looks for the run, because the same request with the same key would wait for the whole answer. If
     * `isFirst` is true, the message had no run before, so a run that has already ended is also the requested one.
     */
    regenerate: async (id: string, target: { messageId: string } & AnswerSettings, key: string, isFirst = false) => {
      const isDone = async (): Promise<boolean> => {
        const runs = await listRuns(http, id, { last: RUNS_SEARCHED, ...(!isFirst && { live: true }) });
        return runs.some(({ forkFromMessageId: answeredId }) => answeredId === target.messageId);
      };
      const streamedBody = { ...target, stream: true };
      const reply = await http.open(threadPath(id, "/regenerate"), { method: "POST", body: streamedBody, key, isDone });
      // The page does not read the reply: the server continues the run, and the answer arrives in the thread's events.
      await reply.body?.cancel().catch(() => undefined);
      return reply.headers.get("x-koine-run") ?? undefined;
    },
  };
}

function runPath(id: string, rest = ""): string {
  return `/v1/runs/${encodeURIComponent(id)}${rest}`;
}

/** Number of the thread's newest runs in which `regenerate` looks for a run that answers its message. */
const RUNS_SEARCHED = 20;

async function listRuns(http: Http, id: string, page: { last?: number; live?: boolean }): Promise<RunJson[]> {
  return ((await http.json(threadPath(id, "/runs"), { query: page })) as { runs: RunJson[] }).runs;
}

function runCalls(http: Http) {
  return {
    runs: (id: string, page: { last?: number; live?: boolean } = {}) => listRuns(http, id, page),
    run: (id: string) => http.json(runPath(id)) as Promise<RunJson>,
    runRequest: (id: string) => http.json(runPath(id, "/request")) as Promise<RunRequest>,
    /** Cancels a run. Returns false if the run had already ended. */
    cancelRun: async (id: string): Promise<boolean> => {
      try {
        await http.json(runPath(id, "/cancel"), { method: "POST", body: {}, isIdempotent: true });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
  };
}

function taskPath(id: string, rest = ""): string {
  return `/v1/task/${encodeURIComponent(id)}${rest}`;
}

function taskCalls(http: Http) {
  return {
    createTask: async ({ message, ...task }: CreateTaskBody, key: string) => {
      const body = { ...task, ...(message !== undefined && { message: await encodeTaskMessage(message) }) };
      const { task: created } = (await http.json("/v1/task", { method: "POST", body, key })) as {
        task: TaskSummaryJson;
      };
      return created;
    },
    task: async (id: string) => ((await http.json(taskPath(id))) as { task: TaskSummaryJson }).task,
    postTaskMessage: async (
      id: string,
      message: Message,
      { mode, key }: { mode?: QueueEntry["mode"]; key: string },
    ) => {
      const body = { message: await encodeTaskMessage(message), ...(mode !== undefined && { mode }) };
      return (await http.json(taskPath(id, "/message"), { method: "POST", body, key })) as {
        id: string;
        queued: boolean;
      };
    },
    /** Cancels the task. Returns the messages that were still queued; undefined if the task was not at work. */
    cancelTask: async (id: string): Promise<TaskSummaryJson["queued_messages"] | undefined> => {
      try {
        // The request has no idempotency key and is never retried: after a lost reply, a second reply would not contain
        // the queued messages that the first call dropped.
        const reply = await http.json(taskPath(id, "/cancel"), { method: "POST", body: {} });
        return (reply as { pending_messages: TaskSummaryJson["queued_messages"] }).pending_messages;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    /** Removes a message from a task's queue. Returns false if the message was no longer queued. */
    removeQueuedMessage: async (id: string, messageId: string): Promise<boolean> => {
      const path = taskPath(id, `/queued_messages/${encodeURIComponent(messageId)}`);
      try {
        await http.json(path, { method: "DELETE" });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    decideToolCall: (id: string, toolCallId: string, approve: boolean, reason?: string) =>
      http.json(taskPath(id, "/approve"), {
        method: "POST",
        body: { toolCallId, approve, ...(reason !== undefined && reason !== "" && { reason }) },
        isIdempotent: true,
      }),
  };
}
