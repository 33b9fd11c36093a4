// Starts a conversation: creates a thread with its first message and requests an answer, or creates a task. Ids are
// chosen before the first attempt and reused by retries, so that nothing is created twice.
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
  /** System prompt of a chat; "" for none. */
  instructions: string;
  settings?: RequestSettings;
  /** Approval mode of a task's tools. */
  approval: "ask" | "never";
}

export interface PendingStart {
  /** Thread id. */
  id: string;
  key: string;
  spec: ConversationSpec;
  /** "left": the page was closed while the request was under way. */
  stage: "sending" | "failed" | "left";
}

/** The start that is under way, or whose outcome is unknown. */
export class PendingStartStore {
  readonly #storage: TabStorage;
  #current: PendingStart | undefined;

  constructor(storage: TabStorage) {
    this.#storage = storage;
    // Only `set` writes this entry.
    const stored = storage.get("start") as PendingStart | undefined;
    this.#current = stored?.stage === "sending" ? { ...stored, stage: "left" } : stored;
  }

  get(): PendingStart | undefined {
    return this.#current;
  }

  set(pendingStart: PendingStart | undefined): void {
    this.#current = pendingStart;
    // If it is too large, the entry of an earlier start must not remain.
    if (!this.#storage.set("start", pendingStart)) this.#storage.set("start", undefined);
  }
}

export const pendingStarts = new PendingStartStore(tabStorage);
onTabStorageCleared(() => pendingStarts.set(undefined));

type StartApi = Pick<Api, "newId" | "newKey" | "createThread" | "regenerate" | "removeThread" | "runs" | "createTask">;

/** Creates the conversation, or continues an earlier attempt with the same content. Returns the thread id. */
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
  // The thread stores model and settings for its next answers.
  const thread = { id, messages, metadata: { page: answerSettings }, ...(title !== undefined && { title }) };
  const { activeLeafId } = await api.createThread(thread);
  if (activeLeafId === null) throw new Error("The server stored no message in the new thread.");
  // An earlier attempt may have requested the answer already.
  if (isRetry && (await api.runs(id, { last: 1 })).length > 0) return id;
  try {
    await api.regenerate(id, { messageId: activeLeafId, ...answerSettings }, key, true);
  } catch (error) {
    // No answer was requested: the text is still in the composer, so the thread is removed.
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

/** Removes the thread of an earlier attempt with other content, if no answer was requested in it. */
async function removeIfUnanswered(api: StartApi, { id, spec }: PendingStart): Promise<void> {
  if (spec.kind === "task") return;
  const runs = await api.runs(id, { last: 1 }).catch(() => undefined);
  if (runs?.length === 0) await api.removeThread(id).catch(() => undefined);
}

const MAX_TITLE_LENGTH = 80;

/** Returns the beginning of the text on one line. */
export function makeTitle(message: Pick<Message, "parts">): string | undefined {
  const text = getText(message).trim().replaceAll(/\s+/g, " ");
  if (text.length <= MAX_TITLE_LENGTH) return text === "" ? undefined : text;
  // Removes half of a surrogate pair at the end.
  return `${text.slice(0, MAX_TITLE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
