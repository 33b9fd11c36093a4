// What can be done with a thread. Each is durable when it resolves; what comes of it is shown as it is told of, or at once
// where that is known.
import { type Message, sameJson, type StoredMessage } from "koine";
import type { Api } from "../api.ts";
import { ApiError } from "../http.ts";
import type { AskSettings, ConversationActions, QueuedMessage } from "../types.ts";
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
  private readonly acting: Acting;

  constructor(acting: Acting) {
    this.acting = acting;
  }

  all(): ConversationActions {
    const { api, threadId, need } = this.acting;
    return {
      need,
      say: (message, how) => this.say(message, how),
      stop: () => this.stop(),
      select: (messageId) => this.select(messageId),
      edit: (messageId, message, answer) => this.edit(messageId, message, answer),
      regenerate: (messageId, how) => this.ask(messageId, how),
      fork: async (messageId, title) => {
        const made = { id: api.newId(), ...(title !== undefined && title !== "" && { title }) };
        return (await api.fork(threadId, messageId, made)).id;
      },
      decide: async (toolCallId, approve, reason) => void (await api.decide(threadId, toolCallId, approve, reason)),
      rename: async (title) => {
        this.acting.fold.describe(await api.updateThread(threadId, { title: title === "" ? null : title }));
        this.acting.changed();
      },
      remember: (how) => this.remember(how),
      remove: () => this.remove(),
    };
  }

  private get isTask(): boolean {
    return this.acting.fold.thread?.kind === "task";
  }

  private async say(message: Message, how: AskSettings & { mode?: QueuedMessage["mode"] } = {}): Promise<void> {
    const { api, threadId } = this.acting;
    const { mode, ...ask } = how;
    if (this.isTask) {
      await api.sayToTask(threadId, message, { key: api.newKey(), ...(mode !== undefined && { mode }) });
      return;
    }
    const said = await this.append(message);
    await this.ask(said.id, ask);
  }

  /** Under the leaf that its writer saw; where the thread went on meanwhile, under the one that it has by now. */
  private async append(message: Message): Promise<StoredMessage> {
    const { api, fold, threadId, readLeaf } = this.acting;
    const attempt = async (): Promise<StoredMessage> => {
      const place = { expectedLeaf: fold.tree.leaf, key: api.newKey() };
      const [said] = await api.append(threadId, [message], place);
      if (said === undefined) throw new ApiError(0, "unknown", "The server did not say what it has stored.");
      this.show(said);
      return said;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
      await readLeaf();
      return attempt();
    }
  }

  /** What is known is shown at once, where it fits: its parent may not be known yet. */
  private show(said: StoredMessage): void {
    const { fold, changed } = this.acting;
    const { parentMessageId: parent } = said;
    if (parent !== null && !fold.tree.has(parent)) return;
    fold.said([said]);
    changed();
  }

  /** Asks for an answer to a message, or for another one in the place of an answer. */
  private async ask(messageId: string, how: AskSettings = {}): Promise<void> {
    const { api, fold, threadId } = this.acting;
    const chosen = { ...askOf(fold.thread), ...how };
    await Promise.all([
      api.regenerate(threadId, { messageId, ...chosen }, api.newKey()),
      // How it is asked the next time is worth less than the answer.
      this.remember(how).catch(() => undefined),
    ]);
  }

  private async remember(how: AskSettings): Promise<void> {
    const { api, fold, threadId, changed } = this.acting;
    const former = askOf(fold.thread);
    const page = { ...former, ...how };
    if (sameJson(page, former)) return;
    // Metadata are replaced as a whole: those of others are kept as they are now.
    const { metadata } = await api.thread(threadId);
    fold.describe(await api.updateThread(threadId, { metadata: { ...metadata, page } }));
    changed();
  }

  private async stop(): Promise<Message[]> {
    const { api, fold, threadId } = this.acting;
    if (!this.isTask) {
      await Promise.all(fold.live.ids.map((runId) => api.cancelRun(runId)));
      return [];
    }
    // The server gives back what was dropped in another dialect's words; what is known of it says more.
    const known = new Map(fold.view().task?.queue.map(({ id, message }) => [id, message]));
    const dropped = (await api.cancelTask(threadId)) ?? [];
    return dropped.map(({ id, message }) => known.get(id) ?? plainMessageOf(message));
  }

  /** A branch is shown up to its end. */
  private async select(messageId: string): Promise<void> {
    const { api, fold, threadId, changed, choose, readLeaf } = this.acting;
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

  private async edit(messageId: string, message: Message, answer?: AskSettings): Promise<void> {
    const { api, threadId } = this.acting;
    const [edited] = await api.edit(threadId, messageId, message, api.newKey());
    if (edited === undefined) throw new ApiError(0, "unknown", "The server did not say what it has stored.");
    this.show(edited);
    if (answer !== undefined) await this.ask(edited.id, answer);
  }

  private async remove(): Promise<void> {
    const { api, threadId, gone } = this.acting;
    try {
      await api.removeThread(threadId);
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === "conflict";
      if (!isBusy && !(error instanceof ApiError && error.status === 404)) throw error;
      if (isBusy) {
        await this.stop();
        await api.removeThread(threadId);
      }
    }
    gone();
  }
}
