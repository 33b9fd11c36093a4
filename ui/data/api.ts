// Everything that the page asks of the server, each call with its types. What the server writes is taken at its word: both
// come in one package.
import type { Message, ModelRequest, StoredMessage } from "koine";
import { browserEffects, newId, type PageEffects } from "./effects.ts";
import { ApiError, type Asked, Http } from "./http.ts";
import { isSendable } from "./token.ts";
import type { AskSettings, ModelInfo, OutlineNode, QueuedMessage, Run, SearchHit, Thread } from "./types.ts";
import { wireMessageOf } from "./wire-message.ts";

export { ApiError } from "./http.ts";

export interface Outline {
  thread: Thread;
  /** Where to follow the thread from; null: from its beginning. */
  cursor: string | null;
  activeLeafId: string | null;
  messages: OutlineNode[];
  /** Those under way. */
  runs: Run[];
}

export interface ThreadPage {
  threads: Thread[];
  /** Gives the next page as `before`. */
  next: string | null;
  /** Of a search. */
  hits?: SearchHit[];
}

export interface NewThread {
  id?: string;
  title?: string;
  metadata?: Record<string, unknown>;
  messages?: readonly Message[];
}

/** A task as the server sums it up. */
export interface TaskView {
  id: string;
  name: string | null;
  model: string;
  state: "idle" | "running" | "waiting" | "failed" | "cancelled";
  queued_messages: { id: string; message: { role?: string; content?: unknown } }[];
  pending_tool_calls: unknown[];
  error?: { code: string; message: string };
}

export interface NewTask {
  message?: Message;
  model?: string;
  name?: string;
  approval?: "ask" | "never";
}

/** What a recorded call asked. */
export interface RunRequest {
  request: ModelRequest;
  dialect?: string;
  provider?: string;
  model?: string;
}

export type Api = ReturnType<typeof createApi>;

type ApiEffects = Pick<PageEffects, "fetch" | "storage" | "now" | "randomBytes"> & Partial<Pick<PageEffects, "delay">>;

/** `base`: the server's origin; "" is the page's own. */
export function createApi(base = "", effects: ApiEffects = browserEffects()) {
  const http = new Http(base, effects);
  return {
    token: http.token,
    onUnauthorized: (listener: (error: ApiError) => void) => http.onUnauthorized(listener),
    /** For what may be said twice: the same key says it once. */
    newKey: () => newId(effects),
    newId: () => newId(effects),
    /** A reply whose body is still to come: of event streams. */
    open: (path: string, asked?: Asked) => http.open(path, asked),
    models: () => models(http),
    blob: (ref: string) => http.blob(`/v1/blobs/${encodeURIComponent(ref)}`),
    /** Whether the server takes a token; it is kept only where it does. */
    useToken: (token: string) => useToken(http, token),
    ...threadCalls(http),
    ...branchCalls(http),
    ...runCalls(http),
    ...taskCalls(http),
  };
}

async function useToken(http: Http, token: string): Promise<void> {
  if (!isSendable(token)) throw new ApiError(0, "invalid-token", UNSENDABLE);
  const reply = await http.open("/v1/models", { token });
  await reply.body?.cancel();
  http.token.set(token);
}

const UNSENDABLE =
  "A token has Latin letters, digits and signs only, without spaces: this one holds something else. Was it copied whole?";

function threadPathOf(id: string, rest = ""): string {
  return `/v1/threads/${encodeURIComponent(id)}${rest}`;
}

async function models(http: Http): Promise<ModelInfo[]> {
  const { data } = (await http.json("/v1/models")) as { data: { id: string; owned_by: string }[] };
  return data.map(({ id, owned_by: provider }) => ({ id, provider }));
}

function threadCalls(http: Http) {
  return {
    threads: (page: { before?: string; search?: string; kind?: string; limit?: number; signal?: AbortSignal } = {}) => {
      const { signal, search, ...rest } = page;
      const query = { summary: true, ...(search === undefined ? { order: "activity" } : { search }), ...rest };
      return http.json("/v1/threads", { query, signal }) as Promise<ThreadPage>;
    },
    thread: (id: string) => http.json(threadPathOf(id)) as Promise<Thread>,
    createThread: (thread: NewThread) => createThread(http, thread),
    updateThread: (id: string, changes: { title?: string | null; metadata?: Record<string, unknown> }) =>
      http.json(threadPathOf(id), { method: "PATCH", body: changes }) as Promise<Thread>,
    /** Deletes it for good; what is at work in it is stopped first. */
    removeThread: (id: string) => removeThread(http, id),
    outline: (id: string, signal?: AbortSignal) =>
      http.json(threadPathOf(id, "/outline"), { signal }) as Promise<Outline>,
    /** The last messages of a branch, oldest first; large contents as references. */
    messages: async (id: string, page: { branch?: string; limit?: number; before?: string; signal?: AbortSignal }) => {
      const { signal, ...query } = page;
      const path = threadPathOf(id, "/messages");
      const reply = await http.json(path, { query: { ...query, blobs: "reference" }, signal });
      return (reply as { messages: StoredMessage[] }).messages;
    },
    append: async (
      id: string,
      messages: readonly Message[],
      { key, ...place }: { key: string; expectedLeaf?: string | null; parentMessageId?: string | null },
    ) => {
      const asked: Asked = { method: "POST", body: { messages, ...place }, key };
      return ((await http.json(threadPathOf(id, "/messages"), asked)) as { messages: StoredMessage[] }).messages;
    },
  };
}

/** Made once: where the reply was lost on the way, the thread of this id is there. */
async function createThread(http: Http, thread: NewThread): Promise<Thread> {
  const { id } = thread;
  try {
    return (await http.json("/v1/threads", { method: "POST", body: thread, ...(id && { repeats: true }) })) as Thread;
  } catch (error) {
    const isTaken = error instanceof ApiError && error.code === "conflict";
    if (!isTaken || id === undefined) throw error;
    return (await http.json(threadPathOf(id))) as Thread;
  }
}

/** It takes a moment until what was stopped has ended. */
const STOP_PAUSES = [100, 300, 1000, 3000];

async function removeThread(http: Http, id: string): Promise<void> {
  for (const pause of [...STOP_PAUSES, undefined]) {
    try {
      await stopAll(http, id);
      await http.json(threadPathOf(id), { method: "DELETE" });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Somebody else has, or the first of two tries.
      if (error.status === 404) return;
      if (error.code !== "conflict" || pause === undefined) throw error;
      await http.pause(pause);
    }
  }
}

/** Ends a task's work, and every answer on its way. */
async function stopAll(http: Http, id: string): Promise<void> {
  const { kind } = (await http.json(threadPathOf(id))) as Thread;
  if (kind === "task") await taskCalls(http).cancelTask(id);
  const { cancelRun } = runCalls(http);
  const runs = await runsOf(http, id, { live: true });
  await Promise.all(runs.map(({ id: runId }) => cancelRun(runId)));
}

function branchCalls(http: Http) {
  return {
    select: (id: string, messageId: string | null) =>
      http.json(threadPathOf(id, "/select"), {
        method: "POST",
        body: { messageId },
        repeats: true,
      }) as Promise<Thread>,
    edit: async (id: string, messageId: string, message: Message, key: string) => {
      const asked: Asked = { method: "POST", body: { messageId, message }, key };
      const { messages } = (await http.json(threadPathOf(id, "/edit"), asked)) as { messages: StoredMessage[] };
      return messages;
    },
    fork: async (id: string, messageId: string, made: { id: string; title?: string }) => {
      try {
        const asked: Asked = { method: "POST", body: { messageId, ...made }, repeats: true };
        return (await http.json(threadPathOf(id, "/fork"), asked)) as Thread;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
        return (await http.json(threadPathOf(made.id))) as Thread;
      }
    },
    /**
     * Asks for an answer, and gives the id of its run; whoever follows the thread sees it. A second call with the key would
     * wait for the first one's answer: where a reply is lost, it is looked first whether somebody is asked. `isFirst`:
     * nobody was asked for an answer to this message before.
     */
    regenerate: async (id: string, asked: { messageId: string } & AskSettings, key: string, isFirst = false) => {
      const isDone = async (): Promise<boolean> => {
        const runs = await runsOf(http, id, { last: LAST_RUNS, ...(!isFirst && { live: true }) });
        return runs.some(({ forkFromMessageId: after }) => after === asked.messageId);
      };
      const body = { ...asked, stream: true };
      const reply = await http.open(threadPathOf(id, "/regenerate"), { method: "POST", body, key, isDone });
      // The run goes on without this reader.
      await reply.body?.cancel().catch(() => undefined);
      return reply.headers.get("x-koine-run") ?? undefined;
    },
  };
}

function runPathOf(id: string, rest = ""): string {
  return `/v1/runs/${encodeURIComponent(id)}${rest}`;
}

/** So many of the last runs are looked through for one. */
const LAST_RUNS = 20;

async function runsOf(http: Http, id: string, page: { last?: number; live?: boolean }): Promise<Run[]> {
  return ((await http.json(threadPathOf(id, "/runs"), { query: page })) as { runs: Run[] }).runs;
}

function runCalls(http: Http) {
  return {
    runs: (id: string, page: { last?: number; live?: boolean } = {}) => runsOf(http, id, page),
    run: (id: string) => http.json(runPathOf(id)) as Promise<Run>,
    runRequest: (id: string) => http.json(runPathOf(id, "/request")) as Promise<RunRequest>,
    /** Says whether there was something to end. */
    cancelRun: async (id: string): Promise<boolean> => {
      try {
        await http.json(runPathOf(id, "/cancel"), { method: "POST", body: {}, repeats: true });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
  };
}

function taskPathOf(id: string, rest = ""): string {
  return `/v1/task/${encodeURIComponent(id)}${rest}`;
}

function taskCalls(http: Http) {
  return {
    createTask: async ({ message, ...task }: NewTask, key: string) => {
      const body = { ...task, ...(message !== undefined && { message: await wireMessageOf(message) }) };
      const { task: made } = (await http.json("/v1/task", { method: "POST", body, key })) as { task: TaskView };
      return made;
    },
    task: async (id: string) => ((await http.json(taskPathOf(id))) as { task: TaskView }).task,
    sayToTask: async (id: string, message: Message, { mode, key }: { mode?: QueuedMessage["mode"]; key: string }) => {
      const body = { message: await wireMessageOf(message), ...(mode !== undefined && { mode }) };
      return (await http.json(taskPathOf(id, "/message"), { method: "POST", body, key })) as {
        id: string;
        queued: boolean;
      };
    },
    /** Gives what was still queued; undefined where nothing ran or waited. */
    cancelTask: async (id: string): Promise<TaskView["queued_messages"] | undefined> => {
      try {
        // It is not said twice: what the first one gave back would be lost.
        const reply = await http.json(taskPathOf(id, "/cancel"), { method: "POST", body: {} });
        return (reply as { pending_messages: TaskView["queued_messages"] }).pending_messages;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    /** Says whether it still waited. */
    takeBack: async (id: string, messageId: string): Promise<boolean> => {
      const path = taskPathOf(id, `/queued_messages/${encodeURIComponent(messageId)}`);
      try {
        await http.json(path, { method: "DELETE" });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    decide: (id: string, toolCallId: string, approve: boolean, reason?: string) =>
      http.json(taskPathOf(id, "/approve"), {
        method: "POST",
        body: { toolCallId, approve, ...(reason !== undefined && reason !== "" && { reason }) },
        repeats: true,
      }),
  };
}
