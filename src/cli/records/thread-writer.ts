// Writes one conversation to a ledger as a thread. Messages that were stored before keep their tree: each message is
// appended to the message that its `parentMessageId` names, which has a new id in the ledger.
import type { Ledger } from "../../ledger/index.ts";
import type { Message } from "../../model/index.ts";
import { copyObject } from "../../model/json/index.ts";

/** The fields that a message has if it was stored before, in a ledger or elsewhere. */
interface StoredMessageFields {
  id?: unknown;
  parentMessageId?: unknown;
  createdAt?: unknown;
}

export class ThreadWriter {
  messages = 0;
  readonly #ledger: Ledger;
  readonly #metadata: Record<string, unknown>;
  #threadId: string | undefined;
  #lastMessageId: string | null = null;
  /** The new id of each written message, by its id in the source. */
  readonly #newIds = new Map<string, string>();

  constructor(ledger: Ledger, metadata: Record<string, unknown>) {
    this.#ledger = ledger;
    this.#metadata = metadata;
  }

  /** Appends messages. The first call creates the thread, and deletes the thread again if its messages are rejected. */
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

  /**
   * Splits messages into chains in which each message is the parent of the next. `parent` returns the new id of the
   * parent of the chain's first message. It is called when the earlier chains are stored, because they can contain the
   * parent.
   */
  *#chains(messages: readonly Message[]): Generator<{ parent: () => string | null; chain: Message[] }> {
    let chain: Message[] = [];
    let first: StoredMessageFields = {};
    for (const message of messages) {
      const { parentMessageId }: StoredMessageFields = message;
      const previous = chain.at(-1);
      if (previous !== undefined && parentMessageId !== undefined && parentMessageId !== previous.id) {
        yield { parent: this.#createParentResolver(first), chain };
        chain = [];
      }
      if (chain.length === 0) first = message;
      chain.push(message);
    }
    if (chain.length > 0) yield { parent: this.#createParentResolver(first), chain };
  }

  #createParentResolver({ parentMessageId }: StoredMessageFields): () => string | null {
    if (parentMessageId === null) return () => null;
    return () =>
      (typeof parentMessageId === "string" ? this.#newIds.get(parentMessageId) : undefined) ?? this.#lastMessageId;
  }

  async #append(threadId: string, parentMessageId: string | null, chain: readonly Message[]): Promise<void> {
    const messages = chain.map((message, index) => this.#withSourceMetadata(message, index === 0));
    const stored = await this.#ledger.append(threadId, messages, { parentMessageId });
    for (const [index, { id }] of stored.entries()) {
      const sourceId = chain[index]?.id;
      if (sourceId !== undefined) this.#newIds.set(sourceId, id);
      this.#lastMessageId = id;
    }
    this.messages += stored.length;
  }

  /**
   * Returns the message with its original creation time as metadata, because the ledger sets its own time. If the first
   * message of a chain has a parent that is not in the source, the parent's id is added as well.
   */
  #withSourceMetadata(message: Message, isFirst: boolean): Message {
    const { createdAt, parentMessageId }: StoredMessageFields = message;
    const hasMissingParent = isFirst && typeof parentMessageId === "string" && !this.#newIds.has(parentMessageId);
    if (createdAt === undefined && !hasMissingParent) return message;
    // Unlike object spread, copyObject preserves the exact digits of numbers.
    const metadata = message.metadata === undefined ? {} : copyObject(message.metadata);
    if (createdAt !== undefined) metadata["sourceCreatedAt"] = createdAt;
    if (hasMissingParent) metadata["sourceParentId"] = parentMessageId;
    return Object.assign(copyObject(message), { metadata });
  }
}
