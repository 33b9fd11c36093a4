// Messages of a task's queue that somebody has asked back, by stopping the task or one by one: remembered until it is known
// whether they came back or were said. A reply that is lost on its way does not lose them.
import type { ConversationActions, ConversationState, QueuedMessage, TaskState } from "../data/types.ts";
import { mayHaveArrived } from "../data/http.ts";
import { drafts as pageDrafts, type Drafts } from "./drafts.ts";
import { type Shelf, tabShelf } from "./shelf.ts";

export class Recalled {
  readonly #shelf: Shelf;
  readonly #drafts: Drafts;

  constructor(shelf: Shelf, drafts: Drafts) {
    this.#shelf = shelf;
    this.#drafts = drafts;
  }

  list(threadId: string): readonly QueuedMessage[] {
    // Written by `set` alone.
    return (this.#shelf.get(`recalled.${threadId}`) as readonly QueuedMessage[] | undefined) ?? [];
  }

  /** Stops the task. What waited was not said: it comes back into the field. */
  async stop(threadId: string, { queue }: Pick<TaskState, "queue">, actions: Pick<ConversationActions, "stop">) {
    this.#add(threadId, queue);
    try {
      const back = await actions.stop();
      const told = queue.filter(({ message }) => back.includes(message));
      // Those that were not told of were said, or given back to a stop whose reply was lost: the conversation says which.
      this.#drop(threadId, told);
      this.#drafts.giveBack(threadId, back);
    } catch (error) {
      if (!mayHaveArrived(error)) this.#drop(threadId, queue);
      throw error;
    }
  }

  /** Takes one back, to write it anew. */
  async takeBack(threadId: string, item: QueuedMessage, actions: Pick<ConversationActions, "takeBack">): Promise<void> {
    this.#add(threadId, [item]);
    try {
      // Else it does not wait any more, and the conversation says why.
      if (!(await actions.takeBack(item.id))) return;
      this.#drop(threadId, [item]);
      this.#drafts.giveBack(threadId, [item.message]);
    } catch (error) {
      if (!mayHaveArrived(error)) this.#drop(threadId, [item]);
      throw error;
    }
  }

  /** What neither waits nor was said has come back. */
  settle(threadId: string, { task, bodies }: Pick<ConversationState, "task" | "bodies">): void {
    if (task === undefined) return;
    const over = this.list(threadId).filter(({ id }) => !task.queue.some((each) => each.id === id));
    if (over.length === 0) return;
    const said = new Set<unknown>();
    for (const { metadata } of bodies.values()) said.add(metadata["queueId"]);
    this.#drop(threadId, over);
    this.#drafts.giveBack(
      threadId,
      over.filter(({ id }) => !said.has(id)).map(({ message }) => message),
    );
  }

  #add(threadId: string, items: readonly QueuedMessage[]): void {
    const others = this.list(threadId).filter(({ id }) => !items.some((each) => each.id === id));
    this.#set(threadId, [...others, ...items]);
  }

  #drop(threadId: string, items: readonly QueuedMessage[]): void {
    this.#set(
      threadId,
      this.list(threadId).filter(({ id }) => !items.some((each) => each.id === id)),
    );
  }

  #set(threadId: string, list: readonly QueuedMessage[]): void {
    this.#shelf.set(`recalled.${threadId}`, list.length === 0 ? undefined : list);
  }
}

export const recalled = new Recalled(tabShelf, pageDrafts);
