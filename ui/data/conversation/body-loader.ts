// Loads complete messages ("bodies") when a view is about to show them, in pages of a branch. No message is loaded
// twice.
import type { StoredMessage } from "koine";

/** Maximum number of messages that one request loads. */
export const BODY_PAGE_SIZE = 100;

export interface BodyLoaderOptions {
  /** Reads the last `limit` messages of the branch that ends with the message `branch`. */
  read(page: { branch: string; limit: number }): Promise<readonly StoredMessage[]>;
  /** Returns the ids from the root to a message. */
  pathTo(id: string): readonly string[];
  /** Returns the ids of the path that the view shows. */
  shownPath(): readonly string[];
  /** Returns true if the body of the message is loaded. */
  has(id: string): boolean;
  onLoaded(messages: readonly StoredMessage[]): void;
  onFailed(error: unknown): void;
}

export class BodyLoader {
  readonly #options: BodyLoaderOptions;
  /**
   * Ids of messages that the views have requested and that are not loaded yet, including those whose load has failed.
   */
  readonly #requested = new Set<string>();
  readonly #loading = new Set<string>();
  /** Ids of messages that the server did not return although they were requested; they are not requested again. */
  readonly #unavailable = new Set<string>();
  #isScheduled = false;

  constructor(options: BodyLoaderOptions) {
    this.#options = options;
  }

  request(ids: readonly string[]): void {
    for (const id of ids) if (!this.#options.has(id) && !this.#unavailable.has(id)) this.#requested.add(id);
    this.#schedule();
  }

  /**
   * Loads all requested messages that are neither loaded nor being loaded, because an earlier load of them has failed.
   */
  retry(): void {
    this.#schedule();
  }

  /**
   * Forgets which messages were requested and which of them the server did not return. Loads that are under way
   * continue.
   */
  clear(): void {
    this.#requested.clear();
    this.#unavailable.clear();
  }

  /** Forgets which messages the server did not return, so that they can be requested again. */
  retryUnavailable(): void {
    this.#unavailable.clear();
  }

  /** Schedules the loading as a microtask, so that requests of several views in one tick are combined. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      for (const page of this.#planPages()) void this.#load(page);
    });
  }

  /**
   * Splits the requested ids into pages, each of which one request loads. On the shown path, every page starts at a
   * multiple of the page size, so that no message is part of two pages.
   */
  #planPages(): string[][] {
    const pages: string[][] = [];
    const shownPath = this.#options.shownPath();
    const indexById = new Map(shownPath.map((id, index) => [id, index]));
    const planned = new Set<string>();
    // The newest messages are loaded first, because users start to read at the end.
    for (const id of [...this.#requested].sort().reverse()) {
      if (this.#loading.has(id) || planned.has(id)) continue;
      const page = findPage(id, shownPath, indexById.get(id), () => this.#options.pathTo(id));
      for (const each of page) planned.add(each);
      if (page.length > 0) pages.push(page);
    }
    return pages;
  }

  async #load(page: readonly string[]): Promise<void> {
    const branch = page.at(-1);
    if (branch === undefined) return;
    for (const id of page) this.#loading.add(id);
    try {
      const messages = await this.#options.read({ branch, limit: page.length });
      this.#options.onLoaded(messages);
      for (const id of page) {
        this.#requested.delete(id);
        if (!this.#options.has(id)) this.#unavailable.add(id);
      }
    } catch (error) {
      this.#options.onFailed(error);
    } finally {
      for (const id of page) this.#loading.delete(id);
    }
  }
}

function findPage(
  id: string,
  shownPath: readonly string[],
  index: number | undefined,
  pathTo: () => readonly string[],
): readonly string[] & string[] {
  if (index !== undefined) {
    const first = index - (index % BODY_PAGE_SIZE);
    return shownPath.slice(first, first + BODY_PAGE_SIZE);
  }
  const path = pathTo();
  return path.at(-1) === id ? path.slice(-BODY_PAGE_SIZE) : [];
}
