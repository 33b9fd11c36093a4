// Holds all data of the page: the API client, the event feed and the stores. A token change clears all data.
import { type Api, createApi } from "./api.ts";
import { BlobUrls } from "./blob-urls.ts";
import { ConversationStore } from "./conversation/conversation-store.ts";
import { browserEffects, type PageEffects } from "./effects.ts";
import { PageFeed } from "./page-feed.ts";
import { ModelStore } from "./model-store.ts";
import { notifyTokenChange } from "./token-change.ts";
import { ThreadListStore } from "./thread-list-store.ts";

/** Number of conversations without listeners that stay cached, so that going back to a conversation is immediate. */
const MAX_IDLE_CONVERSATIONS = 6;

export class PageData {
  readonly api: Api;
  readonly threads: ThreadListStore;
  readonly models: ModelStore;
  readonly blobs: BlobUrls;
  readonly #effects: PageEffects;
  readonly #feed: PageFeed;
  /** Conversation stores by thread id, in order of use, the most recently used last. */
  readonly #conversations = new Map<string, ConversationStore>();

  constructor(base = "", effects: PageEffects = browserEffects()) {
    this.#effects = effects;
    this.api = createApi(base, effects);
    effects.onStorage(() => this.api.token.syncFromStorage());
    // This subscription must be the first one: it clears the data of the previous token before the other listeners run.
    this.api.token.subscribe((previousToken) => this.#switchToken(previousToken));
    this.#feed = new PageFeed(this.api, effects);
    this.threads = new ThreadListStore(this.api, effects, this.#feed);
    this.models = new ModelStore(this.api, effects);
    this.blobs = new BlobUrls(this.api);
  }

  conversation(id: string): ConversationStore {
    const store = this.#conversations.get(id) ?? new ConversationStore(this.api, this.#effects, this.#feed, id);
    this.#conversations.delete(id);
    this.#conversations.set(id, store);
    this.#dropOldestIdle();
    return store;
  }

  /** Clears all data, because it was read with the previous token. */
  #switchToken(previousToken: string | undefined): void {
    for (const [id, store] of this.#conversations) if (!store.hasListeners) this.#conversations.delete(id);
    this.#feed.restart();
    this.blobs.revokeAll();
    const stores = [this.threads, this.models, ...this.#conversations.values()];
    for (const store of stores) store.clearState();
    for (const store of stores) store.restart();
    // If there was no token before, the drafts belong to the user who has just entered the first token, so they are not
    // deleted.
    const hadToken = previousToken !== undefined;
    if (hadToken) this.#effects.clearTabStorage();
    notifyTokenChange(hadToken);
  }

  close(): void {
    for (const store of [this.threads, this.models, ...this.#conversations.values()]) store.close();
    this.#feed.stop();
  }

  #dropOldestIdle(): void {
    const idle = [...this.#conversations].filter(([, store]) => !store.hasListeners);
    for (const [id, store] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_CONVERSATIONS))) {
      store.close();
      this.#conversations.delete(id);
    }
  }
}
