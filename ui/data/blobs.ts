// Large contents of messages as URLs that an element can show. They are fetched with the token, which no address may hold,
// and let go of when nobody shows them any more.
import type { Api } from "./api.ts";

interface Held {
  users: Set<(url: string | undefined) => void>;
  url: Promise<string | undefined>;
}

export class BlobUrls {
  readonly #api: Pick<Api, "blob">;
  readonly #held = new Map<string, Held>();

  constructor(api: Pick<Api, "blob">) {
    this.#api = api;
  }

  /** Tells the URL once it is there, and undefined where it cannot be had. The returned function lets go of it. */
  use(ref: string, mimeType: string | undefined, told: (url: string | undefined) => void): () => void {
    const key = `${ref} ${mimeType ?? ""}`;
    const held = this.#held.get(key) ?? { users: new Set(), url: this.#load(ref, mimeType) };
    this.#held.set(key, held);
    // The same function may be given twice.
    const user = (url: string | undefined): void => told(url);
    held.users.add(user);
    void held.url.then((url) => held.users.has(user) && told(url));
    return () => {
      if (!held.users.delete(user)) return;
      told(undefined);
      if (held.users.size > 0) return;
      if (this.#held.get(key) === held) this.#held.delete(key);
      revoke(held);
    };
  }

  /** Nobody may see any of them any more. */
  forget(): void {
    for (const held of this.#held.values()) {
      for (const user of held.users) user(undefined);
      held.users.clear();
      revoke(held);
    }
    this.#held.clear();
  }

  async #load(ref: string, mimeType: string | undefined): Promise<string | undefined> {
    try {
      const blob = await this.#api.blob(ref);
      // The server says of no blob what it is: the message does.
      return URL.createObjectURL(mimeType === undefined ? blob : blob.slice(0, blob.size, mimeType));
    } catch {
      return undefined;
    }
  }
}

function revoke({ url }: Held): void {
  void url.then((made) => made !== undefined && URL.revokeObjectURL(made));
}
