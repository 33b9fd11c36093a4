// Large contents of messages as URLs that an element can show. They are fetched with the token, which no address may hold,
// and let go of when nobody shows them any more.
import type { Api } from "./api.ts";

interface Held {
  users: number;
  url: Promise<string | undefined>;
}

export class BlobUrls {
  private readonly api: Pick<Api, "blob">;
  private readonly held = new Map<string, Held>();

  constructor(api: Pick<Api, "blob">) {
    this.api = api;
  }

  /** Tells the URL once it is there, and undefined where it cannot be had. The returned function lets go of it. */
  use(ref: string, mimeType: string | undefined, told: (url: string | undefined) => void): () => void {
    const key = `${ref} ${mimeType ?? ""}`;
    const held = this.held.get(key) ?? { users: 0, url: this.load(ref, mimeType) };
    this.held.set(key, held);
    held.users++;
    let isWanted = true;
    void held.url.then((url) => isWanted && told(url));
    return () => {
      if (!isWanted) return;
      isWanted = false;
      told(undefined);
      if (--held.users > 0) return;
      this.held.delete(key);
      void held.url.then((url) => url !== undefined && URL.revokeObjectURL(url));
    };
  }

  private async load(ref: string, mimeType: string | undefined): Promise<string | undefined> {
    try {
      const blob = await this.api.blob(ref);
      // The server says of no blob what it is: the message does.
      return URL.createObjectURL(mimeType === undefined ? blob : blob.slice(0, blob.size, mimeType));
    } catch {
      return undefined;
    }
  }
}
