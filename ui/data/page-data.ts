// Everything that the page knows, once: the calls, the connection for changes, and the stores.
import { type Api, createApi } from "./api.ts";
import { BlobUrls } from "./blobs.ts";
import { ChangeFeed } from "./changes.ts";
import { ConversationStore } from "./conversation/store.ts";
import { browserEffects, type PageEffects } from "./effects.ts";
import { ModelStore } from "./models.ts";
import { ThreadListStore } from "./thread-list.ts";

/** Conversations that nobody looks at and that are still kept: going back to one shows it at once. */
const MOST_KEPT = 6;

export class PageData {
  readonly api: Api;
  readonly threads: ThreadListStore;
  readonly models: ModelStore;
  readonly blobs: BlobUrls;
  private readonly effects: PageEffects;
  private readonly changes: ChangeFeed;
  /** The last used last. */
  private readonly conversations = new Map<string, ConversationStore>();

  constructor(base = "", effects: PageEffects = browserEffects()) {
    this.effects = effects;
    this.api = createApi(base, effects);
    effects.onStorage(() => this.api.token.readAgain());
    this.changes = new ChangeFeed(this.api, effects);
    this.threads = new ThreadListStore(this.api, effects, this.changes);
    this.models = new ModelStore(this.api, effects);
    this.blobs = new BlobUrls(this.api);
  }

  conversation(id: string): ConversationStore {
    const known = this.conversations.get(id) ?? new ConversationStore(this.api, this.effects, this.changes, id);
    this.conversations.delete(id);
    this.conversations.set(id, known);
    this.dropOldest();
    return known;
  }

  /** Ends every connection. */
  close(): void {
    for (const store of [this.threads, this.models, ...this.conversations.values()]) store.close();
    this.changes.stop();
  }

  private dropOldest(): void {
    const idle = [...this.conversations].filter(([, store]) => !store.isRead);
    for (const [id, store] of idle.slice(0, Math.max(0, idle.length - MOST_KEPT))) {
      store.close();
      this.conversations.delete(id);
    }
  }
}
