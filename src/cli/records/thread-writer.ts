// Writes one conversation into a ledger as a thread. Messages that were stored before keep their tree: each goes under
// the one that it names, whatever its id is here.
import type { Ledger } from "../../ledger/index.ts";
import type { Message } from "../../model/index.ts";
import { copyObject } from "../../model/json/index.ts";

/** A message that was stored before, in a ledger or elsewhere. */
interface Kept {
  id?: unknown;
  parentMessageId?: unknown;
  createdAt?: unknown;
}

export class ThreadWriter {
  messages = 0;
  readonly #ledger: Ledger;
  readonly #metadata: Record<string, unknown>;
  #threadId: string | undefined;
  #last: string | null = null;
  /** The ids that messages came with, and those that they have here. */
  readonly #ids = new Map<string, string>();

  constructor(ledger: Ledger, metadata: Record<string, unknown>) {
    this.#ledger = ledger;
    this.#metadata = metadata;
  }

  /** Appends messages; the first ones make the thread. Where those are refused, no thread stays. */
  async write(messages: readonly Message[]): Promise<void> {
    const isFirst = this.#threadId === undefined;
    this.#threadId ??= (await this.#ledger.createThread({ metadata: this.#metadata })).id;
    try {
      for (const { parent, chain } of this.#chains(messages)) await this.#append(this.#threadId, parent(), chain);
    } catch (error) {
      if (isFirst) {
        await this.#ledger.purge({ threadId: this.#threadId, what: "thread" });
        this.#threadId = undefined;
      }
      throw error;
    }
  }

  /** Messages that follow each other, and what the first of them follows, which may be known only by then. */
  *#chains(messages: readonly Message[]): Generator<{ parent: () => string | null; chain: Message[] }> {
    let chain: Message[] = [];
    let first: Kept = {};
    for (const message of messages) {
      const { parentMessageId }: Kept = message;
      const above = chain.at(-1);
      if (above !== undefined && parentMessageId !== undefined && parentMessageId !== above.id) {
        yield { parent: this.#parentOf(first), chain };
        chain = [];
      }
      if (chain.length === 0) first = message;
      chain.push(message);
    }
    if (chain.length > 0) yield { parent: this.#parentOf(first), chain };
  }

  #parentOf({ parentMessageId }: Kept): () => string | null {
    if (parentMessageId === null) return () => null;
    return () => (typeof parentMessageId === "string" ? this.#ids.get(parentMessageId) : undefined) ?? this.#last;
  }

  async #append(threadId: string, parentMessageId: string | null, chain: readonly Message[]): Promise<void> {
    const given = chain.map((message, index) => this.#withOrigin(message, index === 0));
    const stored = await this.#ledger.append(threadId, given, { parentMessageId });
    for (const [index, { id }] of stored.entries()) {
      const old = chain[index]?.id;
      if (old !== undefined) this.#ids.set(old, id);
      this.#last = id;
    }
    this.messages += stored.length;
  }

  /** The ledger has a time of its own for each message; the one it came with, and a parent that is not here, are kept beside. */
  #withOrigin(message: Message, isFirst: boolean): Message {
    const { createdAt, parentMessageId }: Kept = message;
    const isLost = isFirst && typeof parentMessageId === "string" && !this.#ids.has(parentMessageId);
    if (createdAt === undefined && !isLost) return message;
    // Copies that take exact digits along.
    const metadata = message.metadata === undefined ? {} : copyObject(message.metadata);
    if (createdAt !== undefined) metadata["sourceCreatedAt"] = createdAt;
    if (isLost) metadata["sourceParentId"] = parentMessageId;
    return Object.assign(copyObject(message), { metadata });
  }
}
