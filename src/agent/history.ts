// What the model has been told so far. Read from the ledger once, and kept up to date by what this run adds: a thread of a
// thousand steps is not read a thousand times. Where somebody else has written, it is read again.
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, NewRun, Run } from "../ledger/index.ts";
import type { StoredMessage } from "../model/index.ts";

interface Known {
  leafId: string | null;
  messages: readonly StoredMessage[];
}

export class History {
  private readonly ledger: Ledger;
  private readonly threadId: string;
  private readonly maxMessages: number | undefined;
  private known: Known | undefined;

  constructor(ledger: Ledger, threadId: string, maxMessages: number | undefined) {
    this.ledger = ledger;
    this.threadId = threadId;
    this.maxMessages = maxMessages;
  }

  /** The active leaf and what a call should see. */
  async load(): Promise<Known> {
    if (this.known !== undefined) return this.known;
    const { ledger, threadId, maxMessages } = this;
    const { activeLeafId: leafId } = await ledger.thread(threadId);
    const messages = await ledger.context(threadId, { maxMessages });
    return (this.known = { leafId, messages });
  }

  /** Messages that this run has written. */
  add(messages: readonly StoredMessage[]): void {
    const { known } = this;
    const last = messages.at(-1);
    if (known === undefined || last === undefined) return;
    const follows = messages[0]?.parentMessageId === known.leafId;
    // What is cut off at the front is the ledger's to decide.
    this.known =
      follows && this.maxMessages === undefined
        ? { leafId: last.id, messages: [...known.messages, ...messages] }
        : undefined;
  }

  /** Begins a run of the ledger whose answer is to exactly these messages. */
  async begin(metadata: NonNullable<NewRun["metadata"]>): Promise<{ run: Run; messages: readonly StoredMessage[] }> {
    for (;;) {
      const { leafId, messages } = await this.load();
      try {
        const run = await this.ledger.beginRun({ threadId: this.threadId, expectedLeaf: leafId, metadata });
        return { run, messages };
      } catch (error) {
        // Somebody else has said something: the model shall hear it too.
        if (!(error instanceof LedgerError) || error.code !== "conflict" || error.path !== "expectedLeaf") throw error;
        this.known = undefined;
      }
    }
  }
}
