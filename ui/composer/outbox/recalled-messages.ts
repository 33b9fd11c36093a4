// Stores messages that the user has recalled from a task's queue, by stopping the task or one by one, until it is known
// whether the server removed or delivered them. So a lost reply does not lose a message.
import type { ConversationActions, ConversationState, QueueEntry, TaskActivity } from "../../data/types.ts";
import { mayHaveSucceeded } from "../../data/http.ts";
import { drafts as pageDrafts, type DraftStore } from "../draft/drafts.ts";
import { type TabStorage, tabStorage } from "../draft/tab-storage.ts";

export class RecalledMessages {
  readonly #storage: TabStorage;
  readonly #drafts: DraftStore;

  constructor(storage: TabStorage, drafts: DraftStore) {
    this.#storage = storage;
    this.#drafts = drafts;
  }

  list(threadId: string): readonly QueueEntry[] {
    // The cast is safe, because only `#set` writes this entry.
    return (this.#storage.get(`recalled.${threadId}`) as readonly QueueEntry[] | undefined) ?? [];
  }

  /** Stops the task. Messages that were still in its queue return to the draft. */
  async stopTask(threadId: string, { queue }: Pick<TaskActivity, "queue">, actions: Pick<ConversationActions, "stop">) {
    this.#add(threadId, queue);
    try {
      const returned = await actions.stop();
      const resolved = queue.filter(({ message }) => returned.includes(message));
      // Messages of the queue that this call did not return were delivered, or an earlier `stop` whose reply was lost
      // has removed them. They stay in this store until `resolvePending` finds out which is true.
      this.#drop(threadId, resolved);
      this.#drafts.restoreMessages(threadId, returned);
    } catch (error) {
      if (!mayHaveSucceeded(error)) this.#drop(threadId, queue);
      throw error;
    }
  }

  /** Moves a message from the task's queue to the draft. */
  async recall(
    threadId: string,
    item: QueueEntry,
    actions: Pick<ConversationActions, "removeQueuedMessage">,
  ): Promise<void> {
    this.#add(threadId, [item]);
    try {
      // False: the message was no longer queued. It stays in this store until `resolvePending` finds out whether it was
      // delivered.
      if (!(await actions.removeQueuedMessage(item.id))) return;
      this.#drop(threadId, [item]);
      this.#drafts.restoreMessages(threadId, [item.message]);
    } catch (error) {
      if (!mayHaveSucceeded(error)) this.#drop(threadId, [item]);
      throw error;
    }
  }

  /**
   * Removes those recalled messages from this store that are no longer in the task's queue. If no stored message of the
   * thread shows that a removed message was delivered, it returns to the draft.
   */
  resolvePending(threadId: string, { task, bodies }: Pick<ConversationState, "task" | "bodies">): void {
    if (task === undefined) return;
    const unqueued = this.list(threadId).filter(({ id }) => !task.queue.some((each) => each.id === id));
    if (unqueued.length === 0) return;
    const deliveredIds = new Set<unknown>();
    for (const { metadata } of bodies.values()) deliveredIds.add(metadata["queueId"]);
    this.#drop(threadId, unqueued);
    this.#drafts.restoreMessages(
      threadId,
      unqueued.filter(({ id }) => !deliveredIds.has(id)).map(({ message }) => message),
    );
  }

  #add(threadId: string, items: readonly QueueEntry[]): void {
    const others = this.list(threadId).filter(({ id }) => !items.some((each) => each.id === id));
    this.#set(threadId, [...others, ...items]);
  }

  #drop(threadId: string, items: readonly QueueEntry[]): void {
    this.#set(
      threadId,
      this.list(threadId).filter(({ id }) => !items.some((each) => each.id === id)),
    );
  }

  #set(threadId: string, list: readonly QueueEntry[]): void {
    this.#storage.set(`recalled.${threadId}`, list.length === 0 ? undefined : list);
  }
}

export const recalledMessages = new RecalledMessages(tabStorage, pageDrafts);
