// Creates object URLs of blobs for elements such as `<img>` and `<audio>`. The page fetches the blobs itself, because
// the token must not be part of a URL. An object URL is revoked when its last listener unsubscribes.
import type { Api } from "./api.ts";

interface BlobUrlEntry {
  listeners: Set<(url: string | undefined) => void>;
  url: Promise<string | undefined>;
}

export class BlobUrls {
  readonly #api: Pick<Api, "blob">;
  readonly #entries = new Map<string, BlobUrlEntry>();

  constructor(api: Pick<Api, "blob">) {
    this.#api = api;
  }

  /**
   * Calls `onUrl` with the object URL once the blob is loaded, or with undefined if loading failed. Returns a function
   * that unsubscribes and calls `onUrl` with undefined.
   */
  use(ref: string, mimeType: string | undefined, onUrl: (url: string | undefined) => void): () => void {
    const key = `${ref} ${mimeType ?? ""}`;
    const entry = this.#entries.get(key) ?? { listeners: new Set(), url: this.#load(ref, mimeType) };
    this.#entries.set(key, entry);
    // `listener` is a new function for each call of `use`: if two callers passed the same `onUrl`, the set would
    // contain it only once, and the first unsubscription would remove both.
    const listener = (url: string | undefined): void => onUrl(url);
    entry.listeners.add(listener);
    void entry.url.then((url) => entry.listeners.has(listener) && onUrl(url));
    return () => {
      if (!entry.listeners.delete(listener)) return;
      onUrl(undefined);
      if (entry.listeners.size > 0) return;
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      revoke(entry);
    };
  }

  /** Revokes all URLs, because the next user of the page must not see the blobs. */
  revokeAll(): void {
    for (const entry of this.#entries.values()) {
      for (const listener of entry.listeners) listener(undefined);
      entry.listeners.clear();
      revoke(entry);
    }
    this.#entries.clear();
  }

  async #load(ref: string, mimeType: string | undefined): Promise<string | undefined> {
    try {
      const blob = await this.#api.blob(ref);
      // The server sends blobs without a content type, so the MIME type of the message part is used.
      return URL.createObjectURL(mimeType === undefined ? blob : blob.slice(0, blob.size, mimeType));
    } catch {
      return undefined;
    }
  }
}

function revoke({ url }: BlobUrlEntry): void {
  void url.then((objectUrl) => objectUrl !== undefined && URL.revokeObjectURL(objectUrl));
}
