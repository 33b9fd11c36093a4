// Everything that the page knows, once: the calls, the connection for changes, and the stores.
import { type Api, createApi } from "./api.ts";
import { BlobUrls } from "./blobs.ts";
import { ConversationStore } from "./conversation/store.ts";
import { browserEffects, type PageEffects } from "./effects.ts";
import { PageFeed } from "./feed.ts";
import { ModelStore } from "./models.ts";
import { tellReader } from "./reader.ts";
import { ThreadListStore } from "./thread-list.ts";

/** Conversations that nobody looks at and that are still kept: going back to one shows it at once. */
const MOST_KEPT = 6;

export class PageData {
  readonly api: Api;
  readonly threads: ThreadListStore;
  readonly models: ModelStore;
  readonly blobs: BlobUrls;
  readonly #effects: PageEffects;
  readonly #feed: PageFeed;
  /** The last used last. */
  readonly #conversations = new Map<string, ConversationStore>();

  constructor(base = "", effects: PageEffects = browserEffects()) {
    this.#effects = effects;
    this.api = createApi(base, effects);
    effects.onStorage(() => this.api.token.readAgain());
    // Before anybody else hears of it: nobody is to find what was there.
    this.api.token.subscribe((former) => this.#begin(former));
    this.#feed = new PageFeed(this.api, effects);
    this.threads = new ThreadListStore(this.api, effects, this.#feed);
    this.models = new ModelStore(this.api, effects);
    this.blobs = new BlobUrls(this.api);
  }

  conversation(id: string): ConversationStore {
    const known = this.#conversations.get(id) ?? new ConversationStore(this.api, this.#effects, this.#feed, id);
    this.#conversations.delete(id);
    this.#conversations.set(id, known);
    this.#dropOldest();
    return known;
  }

  /** Another token: what is known is not for those who read now. */
  #begin(former: string | undefined): void {
    for (const [id, store] of this.#conversations) if (!store.isRead) this.#conversations.delete(id);
    this.#feed.restart();
    this.blobs.forget();
    const stores = [this.threads, this.models, ...this.#conversations.values()];
    for (const store of stores) store.empty();
    for (const store of stores) store.begin();
    // Words that somebody wrote before they had a token are theirs.
    const isOther = former !== undefined;
    if (isOther) this.#effects.clearTab();
    tellReader(isOther);
  }

  /** Ends every connection. */
  close(): void {
    for (const store of [this.threads, this.models, ...this.#conversations.values()]) store.close();
    this.#feed.stop();
  }

  #dropOldest(): void {
    const idle = [...this.#conversations].filter(([, store]) => !store.isRead);
    for (const [id, store] of idle.slice(0, Math.max(0, idle.length - MOST_KEPT))) {
      store.close();
      this.#conversations.delete(id);
    }
  }
}
