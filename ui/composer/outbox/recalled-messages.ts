// Messages of a task's queue that the user recalled, by stopping the task or one by one. They are stored until it is
// known whether they were removed or delivered, so that a lost reply does not lose them.
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
    // Only `#set` writes this entry.
    return (this.#storage.get(`recalled.${threadId}`) as readonly QueueEntry[] | undefined) ?? [];
  }

  /** Stops the task. Messages that were still queued return to the draft. */
  async stopTask(threadId: string, { queue }: Pick<TaskActivity, "queue">, actions: Pick<ConversationActions, "stop">) {
    this.#add(threadId, queue);
    try {
      const returned = await actions.stop();
      const resolved = queue.filter(({ message }) => returned.includes(message));
      // The others were delivered, or returned by an earlier stop whose reply was lost; `resolvePending` finds out.
      this.#drop(threadId, resolved);
      this.#drafts.restoreMessages(threadId, returned);
    } catch (error) {
      if (!mayHaveSucceeded(error)) this.#drop(threadId, queue);
      throw error;
    }
  }

  /** Removes a message from the queue and puts it into the draft. */
  async recall(
    threadId: string,
    item: QueueEntry,
    actions: Pick<ConversationActions, "removeQueuedMessage">,
  ): Promise<void> {
    this.#add(threadId, [item]);
    try {
      // The message was no longer queued; `resolvePending` finds out why.
      if (!(await actions.removeQueuedMessage(item.id))) return;
      this.#drop(threadId, [item]);
      this.#drafts.restoreMessages(threadId, [item.message]);
    } catch (error) {
      if (!mayHaveSucceeded(error)) this.#drop(threadId, [item]);
      throw error;
    }
  }

  /** Resolves recalled messages that left the queue: those that were not delivered return to the draft. */
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
