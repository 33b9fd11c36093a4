// What the model has been told so far. Read from the ledger once, and kept up to date by what this run adds: a thread of a
// thousand steps is not read a thousand times. Where somebody else has written, it is read again.
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, NewRun, Run } from "../ledger/index.ts";
import type { StoredMessage } from "../model/index.ts";
import { beginExclusiveRun, isLeafConflict, ThreadAdvancedError } from "./busy.ts";
import { CallIds, idsOfCalls } from "./call-ids.ts";
import { inOrderOfHearing } from "./hearing.ts";
import { isInstruction, standingOf } from "./standing.ts";

interface Known {
  leafId: string | null;
  messages: readonly StoredMessage[];
}

export class History {
  readonly #ledger: Ledger;
  readonly #threadId: string;
  readonly #maxMessages: number | undefined;
  #known: Known | undefined;
  /** The ids of the calls on the whole path to a leaf, of which the model may be told less. */
  #calls: { leafId: string | null; ids: Set<string> } | undefined;

  constructor(ledger: Ledger, threadId: string, maxMessages: number | undefined) {
    this.#ledger = ledger;
    this.#threadId = threadId;
    this.#maxMessages = maxMessages;
  }

  /** The active leaf and what a call should see. */
  async load(): Promise<Known> {
    if (this.#known !== undefined) return this.#known;
    const { activeLeafId: leafId } = await this.#ledger.thread(this.#threadId);
    const messages = await inOrderOfHearing(await this.#context(), (runId) => this.#isAgents(runId));
    return (this.#known = { leafId, messages });
  }

  /** Messages that this run has written. */
  add(messages: readonly StoredMessage[]): void {
    const known = this.#known;
    const calls = this.#calls;
    const last = messages.at(-1);
    if (last === undefined) return;
    if (calls !== undefined && calls.leafId === messages[0]?.parentMessageId) {
      calls.leafId = last.id;
      for (const id of idsOfCalls(messages)) calls.ids.add(id);
    }
    if (known === undefined) return;
    const follows = messages[0]?.parentMessageId === known.leafId;
    // What is cut off at the front is the ledger's to decide.
    this.#known =
      follows && this.#maxMessages === undefined
        ? { leafId: last.id, messages: [...known.messages, ...messages] }
        : undefined;
  }

  /** What is in the thread may be something else by now. */
  forget(): void {
    this.#known = undefined;
  }

  /** The ids that calls of the next answer go by: none that is anywhere on the path. */
  async callIds(): Promise<CallIds> {
    const { leafId, messages } = await this.load();
    if (this.#calls?.leafId !== leafId) {
      const path = this.#maxMessages === undefined ? messages : await this.#ledger.transcript(this.#threadId);
      this.#calls = { leafId, ids: idsOfCalls(path) };
    }
    return new CallIds(this.#calls?.ids ?? []);
  }

  /** Begins a run of the ledger whose answer is to exactly these messages. Throws where somebody else was faster. */
  async begin(metadata: NonNullable<NewRun["metadata"]>): Promise<{ run: Run; messages: readonly StoredMessage[] }> {
    for (;;) {
      const { leafId, messages } = await this.load();
      try {
        const run = await beginExclusiveRun(this.#ledger, { threadId: this.#threadId, expectedLeaf: leafId, metadata });
        return { run, messages };
      } catch (error) {
        // Somebody else has said something: the model shall hear it too.
        if (!isLeafConflict(error)) throw error;
        this.forget();
        const standing = standingOf((await this.load()).messages);
        if (standing === "done" || standing === "cut-off") throw new ThreadAdvancedError();
      }
    }
  }

  /** At most so many messages; more where these would be none but instructions, because nothing can be said to that. */
  async #context(): Promise<StoredMessage[]> {
    const ledger = this.#ledger;
    const threadId = this.#threadId;
    const maxMessages = this.#maxMessages;
    const few = await ledger.context(threadId, { maxMessages });
    if (maxMessages === undefined || hasWords(few)) return few;
    const all = await ledger.context(threadId);
    if (!hasWords(all)) return few;
    for (let most = maxMessages * 2; ; most *= 2) {
      const more = most < all.length ? await ledger.context(threadId, { maxMessages: most }) : all;
      if (hasWords(more)) return more;
    }
  }

  async #isAgents(runId: string): Promise<boolean> {
    try {
      return (await this.#ledger.run(runId)).metadata?.["agent"] === true;
    } catch (error) {
      if (error instanceof LedgerError && error.code === "unknown-run") return false;
      throw error;
    }
  }
}

function hasWords(messages: readonly StoredMessage[]): boolean {
  return messages.some(({ role }) => !isInstruction(role));
}
