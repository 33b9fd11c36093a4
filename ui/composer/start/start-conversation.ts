// Starts a conversation: creates a thread with its first message and requests an answer, or creates a task. The ids are
// chosen before the first attempt and reused by retries, so that the server creates nothing twice.
import { type Message, sameJson, system, getText } from "koine";
import type { Api } from "../../data/api.ts";
import { mayHaveSucceeded } from "../../data/http.ts";
import { toTaskMessage } from "../draft/attachments.ts";
import type { RequestSettings } from "../model/settings-form.ts";
import { onTabStorageCleared, type TabStorage, tabStorage } from "../draft/tab-storage.ts";

/** The conversation to create. */
export interface ConversationSpec {
  kind: "chat" | "task";
  model: string;
  message: Message;
  /** System prompt of a chat; "" for a chat without one. */
  instructions: string;
  settings?: RequestSettings;
  /** Approval mode of a task's tools. */
  approval: "ask" | "never";
}

export interface PendingStart {
  /** Id of the thread to create; not used for a task, whose id the server chooses. */
  id: string;
  /** Idempotency key of the request that creates the task or requests the answer. */
  key: string;
  spec: ConversationSpec;
  /**
   * "sending" while the request runs; "failed" if its outcome is unknown; "left" if the page was closed while the
   * request ran.
   */
  stage: "sending" | "failed" | "left";
}

/** Stores the start of a conversation that is being sent or whose outcome is unknown; at most one per tab. */
export class PendingStartStore {
  readonly #storage: TabStorage;
  #current: PendingStart | undefined;

  constructor(storage: TabStorage) {
    this.#storage = storage;
    // The cast is safe, because only `set` writes this entry.
    const stored = storage.get("start") as PendingStart | undefined;
    this.#current = stored?.stage === "sending" ? { ...stored, stage: "left" } : stored;
  }

  get(): PendingStart | undefined {
    return this.#current;
  }

  set(pendingStart: PendingStart | undefined): void {
    this.#current = pendingStart;
    // If the start does not fit into the storage, the stored entry of an earlier start is removed, so that a reload
    // does not resume that earlier start.
    if (!this.#storage.set("start", pendingStart)) this.#storage.set("start", undefined);
  }
}

export const pendingStarts = new PendingStartStore(tabStorage);
onTabStorageCleared(() => pendingStarts.set(undefined));

type StartApi = Pick<Api, "newId" | "newKey" | "createThread" | "regenerate" | "removeThread" | "runs" | "createTask">;

/**
 * Creates the conversation. If an earlier attempt with the same content has an unknown outcome, continues that attempt
 * with its ids. Returns the id of the thread.
 */
export async function startConversation(
  api: StartApi,
  spec: ConversationSpec,
  pending: PendingStartStore = pendingStarts,
): Promise<string> {
  const previous = pending.get();
  const isRetry = previous !== undefined && sameJson(previous.spec, spec);
  const pendingStart: PendingStart = isRetry
    ? previous
    : { id: api.newId(), key: api.newKey(), spec, stage: "sending" };
  pending.set({ ...pendingStart, stage: "sending" });
  try {
    if (previous !== undefined && !isRetry) await removeIfUnanswered(api, previous);
    const id = spec.kind === "task" ? await startTask(api, pendingStart) : await startChat(api, pendingStart, isRetry);
    pending.set(undefined);
    return id;
  } catch (error) {
    pending.set(mayHaveSucceeded(error) ? { ...pendingStart, stage: "failed" } : undefined);
    throw error;
  }
}

async function startChat(api: StartApi, { id, key, spec }: PendingStart, isRetry: boolean): Promise<string> {
  const { model, message, instructions, settings } = spec;
  const title = makeTitle(message);
  const messages = instructions.trim() === "" ? [message] : [system(instructions), message];
  const answerSettings = { model, ...(settings && { settings }) };
  // The thread's metadata stores the model and settings, which the page uses for the next answers too.
  const thread = { id, messages, metadata: { page: answerSettings }, ...(title !== undefined && { title }) };
  const { activeLeafId } = await api.createThread(thread);
  if (activeLeafId === null) throw new Error("The server stored no message in the new thread.");
  // If this is a retry, the earlier attempt may already have requested the answer.
  if (isRetry && (await api.runs(id, { last: 1 })).length > 0) return id;
  try {
    await api.regenerate(id, { messageId: activeLeafId, ...answerSettings }, key, true);
  } catch (error) {
    // If the server certainly rejected the request for an answer, the thread is removed, because the text is still in
    // the composer and the user can start again.
    if (!mayHaveSucceeded(error)) await api.removeThread(id).catch(() => undefined);
    throw error;
  }
  return id;
}

async function startTask(api: StartApi, { key, spec }: PendingStart): Promise<string> {
  const { model, message, approval } = spec;
  const approvalField = approval === "ask" ? { approval } : {};
  return (await api.createTask({ model, message: toTaskMessage(message), ...approvalField }, key)).id;
}

/** Removes the thread of an earlier attempt whose content was different, if no answer was requested in that thread. */
async function removeIfUnanswered(api: StartApi, { id, spec }: PendingStart): Promise<void> {
  if (spec.kind === "task") return;
  const runs = await api.runs(id, { last: 1 }).catch(() => undefined);
  if (runs?.length === 0) await api.removeThread(id).catch(() => undefined);
}

const MAX_TITLE_LENGTH = 80;

/** Returns the beginning of the message's text on one line, for the thread's title; undefined without text. */
export function makeTitle(message: Pick<Message, "parts">): string | undefined {
  const text = getText(message).trim().replaceAll(/\s+/g, " ");
  if (text.length <= MAX_TITLE_LENGTH) return text === "" ? undefined : text;
  // If the cut is inside a surrogate pair, the first half of the pair is removed.
  return `${text.slice(0, MAX_TITLE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
