// Implements the operations on a thread (`ConversationActions`). When an operation resolves, the server has stored its
// effect. The views show the effect when the thread's events arrive, or at once if the reply contains it.
import { type Message, sameJson, type StoredMessage } from "koine";
import type { Api } from "../api.ts";
import { ApiError } from "../http.ts";
import type { AnswerSettings, ConversationActions, SendMessageOptions } from "../types.ts";
import { decodeTaskText } from "../task-message.ts";
import { readAnswerSettings, type ConversationReducer } from "./conversation-reducer.ts";

export interface ActionContext {
  api: Api;
  reducer: ConversationReducer;
  threadId: string;
  /** Schedules an update of the views. */
  onChange: () => void;
  loadBodies: (ids: readonly string[]) => void;
  /** Reads the active leaf from the server. */
  readLeaf: () => Promise<void>;
  /** Awaits a `select` request; until it is done, the active leaf is not read from the server. */
  trackSelection: (choice: Promise<unknown>) => Promise<void>;
  /** Called after the thread was deleted. */
  onDeleted: () => void;
}

export class ConversationActionFactory {
  readonly #context: ActionContext;

  constructor(context: ActionContext) {
    this.#context = context;
  }

  create(): ConversationActions {
    const { api, threadId, loadBodies } = this.#context;
    return {
      loadBodies,
      sendMessage: (message, options) => this.#sendMessage(message, options),
      stop: () => this.#stop(),
      select: (messageId) => this.#select(messageId),
      edit: (messageId, message, answerSettings) => this.#edit(messageId, message, answerSettings),
      regenerate: (messageId, answerSettings) => this.#requestAnswer(messageId, answerSettings),
      fork: async (messageId, title) => {
        const newThread = { id: api.newId(), ...(title !== undefined && title !== "" && { title }) };
        return (await api.fork(threadId, messageId, newThread)).id;
      },
      removeQueuedMessage: (id) => api.removeQueuedMessage(threadId, id),
      decideToolCall: async (toolCallId, approve, reason) =>
        void (await api.decideToolCall(threadId, toolCallId, approve, reason)),
      rename: async (title) => {
        this.#context.reducer.setThread(await api.updateThread(threadId, { title: title === "" ? null : title }));
        this.#context.onChange();
      },
      storeAnswerSettings: (changes) => this.#storeAnswerSettings(changes),
      remove: () => this.#remove(),
    };
  }

  get #isTask(): boolean {
    return this.#context.reducer.thread?.kind === "task";
  }

  async #sendMessage(message: Message, options: SendMessageOptions = {}): Promise<void> {
    const { api, threadId } = this.#context;
    const { mode, key = api.newKey(), onStored, ...answerSettings } = options;
    if (this.#isTask) {
      await api.postTaskMessage(threadId, message, { key, ...(mode !== undefined && { mode }) });
      return onStored?.();
    }
    const { stored, wasStoredBefore } = await this.#append(withKey(message, key), key);
    onStored?.();
    await this.#requestAnswer(stored.id, answerSettings, { key: `${key}-answer`, isFirst: true, wasStoredBefore });
  }

  /**
   * Appends the message under the leaf that the user saw. If the server reports that the leaf has changed, returns the
   * message if an earlier attempt stored it, and otherwise appends it under the current leaf.
   */
  async #append(message: Message, key: string): Promise<{ stored: StoredMessage; wasStoredBefore: boolean }> {
    const { api, reducer, threadId, readLeaf } = this.#context;
    const attempt = async (
      expectedLeaf: string | null,
    ): Promise<{ stored: StoredMessage; wasStoredBefore: boolean }> => {
      const [stored] = await api.append(threadId, [message], { expectedLeaf, key });
      if (stored === undefined) throw new ApiError(0, "unknown", "The server did not return the stored message.");
      return { stored: this.#addToReducer(stored), wasStoredBefore: false };
    };
    try {
      return await attempt(reducer.tree.leaf);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
      await readLeaf();
      const newest = await api.messages(threadId, { limit: NEWEST_SEARCHED });
      const stored = [...newest, ...reducer.bodies.values()].find((each) => readMessageKey(each) === key);
      if (stored !== undefined) return { stored: this.#addToReducer(stored), wasStoredBefore: true };
      const last = newest.at(-1);
      // The thread's last message has no answer yet. That answer and this message would both become children of the
      // last message, and only one of them would be on the active path. So this message is not stored; the caller sends
      // it later.
      if (last?.role === "user" || last?.role === "tool")
        throw new ApiError(409, THREAD_ADVANCED, THREAD_ADVANCED_MESSAGE);
      return attempt(last?.id ?? null);
    }
  }

  /**
   * Adds a message that the server has stored to the shown state, without waiting for its event, if its parent is
   * known. Returns the message.
   */
  #addToReducer(stored: StoredMessage): StoredMessage {
    const { reducer, onChange } = this.#context;
    const { parentMessageId: parent } = stored;
    if (parent !== null && !reducer.tree.has(parent)) return stored;
    reducer.appendMessages([stored]);
    onChange();
    return stored;
  }

  /** Requests an answer to a message, or, if the message is an assistant message, another answer in its place. */
  async #requestAnswer(
    messageId: string,
    changes: AnswerSettings = {},
    options: Partial<AnswerRequestOptions> = {},
  ): Promise<void> {
    const { api, reducer, threadId } = this.#context;
    const { key = api.newKey(), isFirst = false, wasStoredBefore = false } = options;
    const answerSettings = { ...readAnswerSettings(reducer.thread), ...changes };
    const runs = wasStoredBefore ? await api.runs(threadId, { last: NEWEST_SEARCHED }) : [];
    if (runs.some(({ forkFromMessageId: answeredId }) => answeredId === messageId)) return;
    await Promise.all([
      api.regenerate(threadId, { messageId, ...answerSettings }, key, isFirst),
      // An error of storing the settings is ignored, because the settings are only a preference for later answers.
      this.#storeAnswerSettings(changes).catch(() => undefined),
    ]);
  }

  async #storeAnswerSettings(changes: AnswerSettings): Promise<void> {
    const { api, reducer, threadId, onChange } = this.#context;
    const previous = readAnswerSettings(reducer.thread);
    const page = { ...previous, ...changes };
    if (sameJson(page, previous)) return;
    // The server replaces the whole metadata of the thread, so the current metadata, in which other clients may have
    // entries, is read first and sent again.
    const { metadata } = await api.thread(threadId);
    reducer.setThread(await api.updateThread(threadId, { metadata: { ...metadata, page } }));
    onChange();
  }

  async #stop(): Promise<Message[]> {
    const { api, reducer, threadId } = this.#context;
    if (!this.#isTask) {
      await Promise.all(reducer.liveAnswers.ids.map((runId) => api.cancelRun(runId)));
      return [];
    }
    // The server returns the messages that it drops from the queue in the Chat Completions format; the page has the
    // same messages in canonical form and returns those.
    const queued = new Map(reducer.computeState().task?.queue.map(({ id, message }) => [id, message]));
    const dropped = (await api.cancelTask(threadId)) ?? [];
    return dropped.map(({ id, message }) => queued.get(id) ?? decodeTaskText(message));
  }

  /** Makes the newest leaf under the message the active leaf, in the view at once and then on the server. */
  async #select(messageId: string): Promise<void> {
    const { api, reducer, threadId, onChange, trackSelection, readLeaf } = this.#context;
    const leafId = reducer.tree.findLeaf(messageId);
    if (leafId === reducer.tree.leaf) return;
    reducer.tree.select(leafId);
    onChange();
    try {
      await trackSelection(api.select(threadId, leafId));
    } catch (error) {
      await readLeaf().catch(() => undefined);
      throw error;
    }
  }

  async #edit(messageId: string, message: Message, answerSettings?: AnswerSettings): Promise<void> {
    const { api, threadId } = this.#context;
    const [edited] = await api.edit(threadId, messageId, message, api.newKey());
    if (edited === undefined) throw new ApiError(0, "unknown", "The server did not return the stored message.");
    this.#addToReducer(edited);
    if (answerSettings !== undefined) await this.#requestAnswer(edited.id, answerSettings);
  }

  async #remove(): Promise<void> {
    const { api, threadId, onDeleted } = this.#context;
    try {
      await api.removeThread(threadId);
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === "conflict";
      if (!isBusy && !(error instanceof ApiError && error.status === 404)) throw error;
      if (isBusy) {
        await this.#stop();
        await api.removeThread(threadId);
      }
    }
    onDeleted();
  }
}

interface AnswerRequestOptions {
  key: string;
  /** True if no answer to this message was requested before. */
  isFirst: boolean;
  /** True if an earlier attempt stored the message; that attempt may have requested the answer, too. */
  wasStoredBefore: boolean;
}

/**
 * Number of newest messages or runs that are searched for the result of an earlier attempt to send the same message.
 */
const NEWEST_SEARCHED = 30;

/** Error code for a message that was not stored because another message without an answer was stored first. */
export const THREAD_ADVANCED = "overtaken";
const THREAD_ADVANCED_MESSAGE =
  "Another message was sent at the same moment. This message waits until that one is answered.";

/**
 * Adds the idempotency key to the message's metadata, so that the page finds the message on the server if the reply is
 * lost.
 */
function withKey(message: Message, key: string): Message {
  return { ...message, metadata: { ...message.metadata, page: { key } } };
}

export function readMessageKey({ metadata }: Pick<Message, "metadata">): string | undefined {
  // The cast states only what is checked below: the server does not validate this field, and other clients may write
  // any value there.
  const page = metadata?.["page"] as { key?: unknown } | null | undefined;
  return typeof page?.key === "string" ? page.key : undefined;
}
