// Reads the history that the model receives. It is read from the ledger once and extended by the messages of this run,
// so that a thread of a thousand steps is not read a thousand times. It is read again after another writer has appended
// messages.
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, NewRun, Run } from "../../ledger/index.ts";
import type { StoredMessage } from "../../model/index.ts";
import { CallIds, readCallIds } from "../tools/call-ids.ts";
import { beginExclusiveRun, isLeafConflict, ThreadAdvancedError } from "./exclusive-run.ts";
import { toModelOrder } from "./model-order.ts";
import { findNextAction, isInstruction } from "./next-action.ts";

interface LoadedHistory {
  leafId: string | null;
  messages: readonly StoredMessage[];
}

export class ThreadHistory {
  readonly #ledger: Ledger;
  readonly #threadId: string;
  readonly #maxMessages: number | undefined;
  #loaded: LoadedHistory | undefined;
  /**
   * The ids of all tool calls on the path to the message `leafId`. They are not read from `#loaded`, because with
   * `maxMessages` the loaded messages are only a part of the path.
   */
  #callIds: { leafId: string | null; ids: Set<string> } | undefined;

  constructor(ledger: Ledger, threadId: string, maxMessages: number | undefined) {
    this.#ledger = ledger;
    this.#threadId = threadId;
    this.#maxMessages = maxMessages;
  }

  /** Returns the active leaf and the messages for the model. */
  async load(): Promise<LoadedHistory> {
    if (this.#loaded !== undefined) return this.#loaded;
    const { activeLeafId: leafId } = await this.#ledger.thread(this.#threadId);
    const messages = await toModelOrder(await this.#readContext(), (runId) => this.#isAgentRun(runId));
    return (this.#loaded = { leafId, messages });
  }

  /** Adds messages that this run appended to the thread. */
  add(messages: readonly StoredMessage[]): void {
    const loaded = this.#loaded;
    const callIds = this.#callIds;
    const last = messages.at(-1);
    if (last === undefined) return;
    if (callIds !== undefined && callIds.leafId === messages[0]?.parentMessageId) {
      callIds.leafId = last.id;
      for (const id of readCallIds(messages)) callIds.ids.add(id);
    }
    if (loaded === undefined) return;
    const follows = messages[0]?.parentMessageId === loaded.leafId;
    // With `maxMessages`, the history is read again for the next step, because each new message changes which earlier
    // messages the ledger leaves out.
    this.#loaded =
      follows && this.#maxMessages === undefined
        ? { leafId: last.id, messages: [...loaded.messages, ...messages] }
        : undefined;
  }

  /** Discards the loaded messages, because the thread may have changed. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** Returns an object that assigns ids to the calls of the next answer and avoids the ids of all calls on the path. */
  async callIds(): Promise<CallIds> {
    const { leafId, messages } = await this.load();
    if (this.#callIds?.leafId !== leafId) {
      const path = this.#maxMessages === undefined ? messages : await this.#ledger.transcript(this.#threadId);
      this.#callIds = { leafId, ids: readCallIds(path) };
    }
    return new CallIds(this.#callIds?.ids ?? []);
  }

  /**
   * Begins a run whose answer follows exactly the returned messages. If another writer has appended messages, the
   * history is read again; throws `ThreadAdvancedError` if these messages already contain the answer.
   */
  async begin(metadata: NonNullable<NewRun["metadata"]>): Promise<{ run: Run; messages: readonly StoredMessage[] }> {
    for (;;) {
      const { leafId, messages } = await this.load();
      try {
        const run = await beginExclusiveRun(this.#ledger, { threadId: this.#threadId, expectedLeaf: leafId, metadata });
        return { run, messages };
      } catch (error) {
        // If another writer has appended a message, the history is read again, because the model must receive that
        // message, too.
        if (!isLeafConflict(error)) throw error;
        this.forget();
        const action = findNextAction((await this.load()).messages);
        if (action === "done" || action === "cut-off") throw new ThreadAdvancedError();
      }
    }
  }

  /**
   * Reads at most `maxMessages` messages. If these are only instructions, reads more, because a model cannot answer
   * instructions alone.
   */
  async #readContext(): Promise<StoredMessage[]> {
    const ledger = this.#ledger;
    const threadId = this.#threadId;
    const maxMessages = this.#maxMessages;
    const few = await ledger.context(threadId, { maxMessages });
    if (maxMessages === undefined || hasConversation(few)) return few;
    const all = await ledger.context(threadId);
    if (!hasConversation(all)) return few;
    for (let limit = maxMessages * 2; ; limit *= 2) {
      const more = limit < all.length ? await ledger.context(threadId, { maxMessages: limit }) : all;
      if (hasConversation(more)) return more;
    }
  }

  async #isAgentRun(runId: string): Promise<boolean> {
    try {
      return (await this.#ledger.run(runId)).metadata?.["agent"] === true;
    } catch (error) {
      if (error instanceof LedgerError && error.code === "unknown-run") return false;
      throw error;
    }
  }
}

function hasConversation(messages: readonly StoredMessage[]): boolean {
  return messages.some(({ role }) => !isInstruction(role));
}
