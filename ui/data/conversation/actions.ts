// What can be done with a thread. Each is durable when it resolves; what comes of it is shown as it is told of, or at once
// where that is known.
import { type Message, sameJson, type StoredMessage } from "koine";
import type { Api } from "../api.ts";
import { ApiError } from "../http.ts";
import type { AskSettings, ConversationActions, SayHow } from "../types.ts";
import { plainMessageOf } from "../wire-message.ts";
import { askOf, type ConversationFold } from "./fold.ts";

export interface Acting {
  api: Api;
  fold: ConversationFold;
  threadId: string;
  /** Readers are told. */
  changed: () => void;
  need: (ids: readonly string[]) => void;
  /** Asks the server which message is the active leaf. */
  readLeaf: () => Promise<void>;
  /** Waits for a choice to be made; what the server says of the leaf meanwhile does not count. */
  choose: (choice: Promise<unknown>) => Promise<void>;
  /** The thread is deleted. */
  gone: () => void;
}

export class Actions {
  readonly #acting: Acting;

  constructor(acting: Acting) {
    this.#acting = acting;
  }

  all(): ConversationActions {
    const { api, threadId, need } = this.#acting;
    return {
      need,
      say: (message, how) => this.#say(message, how),
      stop: () => this.#stop(),
      select: (messageId) => this.#select(messageId),
      edit: (messageId, message, answer) => this.#edit(messageId, message, answer),
      regenerate: (messageId, how) => this.#ask(messageId, how),
      fork: async (messageId, title) => {
        const made = { id: api.newId(), ...(title !== undefined && title !== "" && { title }) };
        return (await api.fork(threadId, messageId, made)).id;
      },
      takeBack: (id) => api.takeBack(threadId, id),
      decide: async (toolCallId, approve, reason) => void (await api.decide(threadId, toolCallId, approve, reason)),
      rename: async (title) => {
        this.#acting.fold.describe(await api.updateThread(threadId, { title: title === "" ? null : title }));
        this.#acting.changed();
      },
      remember: (how) => this.#remember(how),
      remove: () => this.#remove(),
    };
  }

  get #isTask(): boolean {
    return this.#acting.fold.thread?.kind === "task";
  }

  async #say(message: Message, how: SayHow = {}): Promise<void> {
    const { api, threadId } = this.#acting;
    const { mode, key = api.newKey(), onSaid, ...ask } = how;
    if (this.#isTask) {
      await api.sayToTask(threadId, message, { key, ...(mode !== undefined && { mode }) });
      return onSaid?.();
    }
    const { said, isOld } = await this.#append(withKey(message, key), key);
    onSaid?.();
    await this.#ask(said.id, ask, { key: `${key}-answer`, isFirst: true, isOld });
  }

  /** Under the leaf that its writer saw; where the thread went on meanwhile, under the one that it has by now. */
  async #append(message: Message, key: string): Promise<{ said: StoredMessage; isOld: boolean }> {
    const { api, fold, threadId, readLeaf } = this.#acting;
    const attempt = async (expectedLeaf: string | null): Promise<{ said: StoredMessage; isOld: boolean }> => {
      const [said] = await api.append(threadId, [message], { expectedLeaf, key });
      if (said === undefined) throw new ApiError(0, "unknown", "The server did not say what it has stored.");
      return { said: this.#show(said), isOld: false };
    };
    try {
      return await attempt(fold.tree.leaf);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
      await readLeaf();
      const newest = await api.messages(threadId, { limit: NEWEST });
      const said = [...newest, ...fold.bodies.values()].find((each) => keyOf(each) === key);
      if (said !== undefined) return { said: this.#show(said), isOld: true };
      const last = newest.at(-1);
      // Somebody else's question came first: asked beside it, one of both would not be in the conversation.
      if (last?.role === "user" || last?.role === "tool") throw new ApiError(409, OVERTAKEN, OVERTAKEN_WORDS);
      return attempt(last?.id ?? null);
    }
  }

  /** What is known is shown at once, where it fits: its parent may not be known yet. */
  #show(said: StoredMessage): StoredMessage {
    const { fold, changed } = this.#acting;
    const { parentMessageId: parent } = said;
    if (parent !== null && !fold.tree.has(parent)) return said;
    fold.said([said]);
    changed();
    return said;
  }

  /** Asks for an answer to a message, or for another one in the place of an answer. */
  async #ask(messageId: string, how: AskSettings = {}, asking: Partial<Asking> = {}): Promise<void> {
    const { api, fold, threadId } = this.#acting;
    const { key = api.newKey(), isFirst = false, isOld = false } = asking;
    const chosen = { ...askOf(fold.thread), ...how };
    const runs = isOld ? await api.runs(threadId, { last: NEWEST }) : [];
    if (runs.some(({ forkFromMessageId: after }) => after === messageId)) return;
    await Promise.all([
      api.regenerate(threadId, { messageId, ...chosen }, key, isFirst),
      // How it is asked the next time is worth less than the answer.
      this.#remember(how).catch(() => undefined),
    ]);
  }

  async #remember(how: AskSettings): Promise<void> {
    const { api, fold, threadId, changed } = this.#acting;
    const former = askOf(fold.thread);
    const page = { ...former, ...how };
    if (sameJson(page, former)) return;
    // Metadata are replaced as a whole: those of others are kept as they are now.
    const { metadata } = await api.thread(threadId);
    fold.describe(await api.updateThread(threadId, { metadata: { ...metadata, page } }));
    changed();
  }

  async #stop(): Promise<Message[]> {
    const { api, fold, threadId } = this.#acting;
    if (!this.#isTask) {
      await Promise.all(fold.live.ids.map((runId) => api.cancelRun(runId)));
      return [];
    }
    // The server gives back what was dropped in another dialect's words; what is known of it says more.
    const known = new Map(fold.view().task?.queue.map(({ id, message }) => [id, message]));
    const dropped = (await api.cancelTask(threadId)) ?? [];
    return dropped.map(({ id, message }) => known.get(id) ?? plainMessageOf(message));
  }

  /** A branch is shown up to its end. */
  async #select(messageId: string): Promise<void> {
    const { api, fold, threadId, changed, choose, readLeaf } = this.#acting;
    const end = fold.tree.endOf(messageId);
    if (end === fold.tree.leaf) return;
    fold.tree.select(end);
    changed();
    try {
      await choose(api.select(threadId, end));
    } catch (error) {
      await readLeaf().catch(() => undefined);
      throw error;
    }
  }

  async #edit(messageId: string, message: Message, answer?: AskSettings): Promise<void> {
    const { api, threadId } = this.#acting;
    const [edited] = await api.edit(threadId, messageId, message, api.newKey());
    if (edited === undefined) throw new ApiError(0, "unknown", "The server did not say what it has stored.");
    this.#show(edited);
    if (answer !== undefined) await this.#ask(edited.id, answer);
  }

  async #remove(): Promise<void> {
    const { api, threadId, gone } = this.#acting;
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
    gone();
  }
}

interface Asking {
  key: string;
  /** Nobody was asked for an answer to it before. */
  isFirst: boolean;
  /** It was said by an earlier try, which may have asked, too. */
  isOld: boolean;
}

/** So many of the newest messages, or runs, are looked through for what an earlier try has done. */
const NEWEST = 30;

/** The code of what was not said because another question came first. */
export const OVERTAKEN = "overtaken";
const OVERTAKEN_WORDS = "Something else was said at the same moment: this waits until that is answered.";

/** What a message was said with: whoever looks for it after a lost reply knows it by that. */
function withKey(message: Message, key: string): Message {
  return { ...message, metadata: { ...message.metadata, page: { key } } };
}

export function keyOf({ metadata }: Pick<Message, "metadata">): string | undefined {
  // Others may write what they like there.
  const page = metadata?.["page"] as { key?: unknown } | null | undefined;
  return typeof page?.key === "string" ? page.key : undefined;
}
