// Loads what messages say, when somebody is about to look at it: a page of the branch at a time, and nothing twice.
import type { StoredMessage } from "koine";

/** Messages that are loaded together. */
export const PAGE = 100;

export interface BodySource {
  /** Reads the last messages of a branch. */
  read(page: { branch: string; limit: number }): Promise<readonly StoredMessage[]>;
  /** From the root to a message. */
  pathTo(id: string): readonly string[];
  /** The path that is shown. */
  path(): readonly string[];
  has(id: string): boolean;
  loaded(messages: readonly StoredMessage[]): void;
  failed(error: unknown): void;
}

export class BodyLoader {
  readonly #source: BodySource;
  /** Asked for and not there yet. */
  readonly #wanted = new Set<string>();
  readonly #onWay = new Set<string>();
  /** Those that the server did not give, though it was asked: they cannot be read. */
  readonly #absent = new Set<string>();
  #isPlanned = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  need(ids: readonly string[]): void {
    for (const id of ids) if (!this.#source.has(id) && !this.#absent.has(id)) this.#wanted.add(id);
    this.#plan();
  }

  /** Asks again for what could not be loaded. */
  retry(): void {
    this.#plan();
  }

  /** Nothing is wanted any more. */
  clear(): void {
    this.#wanted.clear();
    this.#absent.clear();
  }

  /** What was not there may be there now. */
  forget(): void {
    this.#absent.clear();
  }

  /** Several views ask one after the other: they are heard first. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      for (const page of this.#pages()) void this.#load(page);
    });
  }

  /** The pages of what is wanted. Those of the path that is shown have fixed bounds, so that no two overlap. */
  #pages(): string[][] {
    const pages: string[][] = [];
    const shown = this.#source.path();
    const places = new Map(shown.map((id, at) => [id, at]));
    const taken = new Set<string>();
    // The newest first: that is where readers begin.
    for (const id of [...this.#wanted].sort().reverse()) {
      if (this.#onWay.has(id) || taken.has(id)) continue;
      const page = pageOf(id, shown, places.get(id), () => this.#source.pathTo(id));
      for (const each of page) taken.add(each);
      if (page.length > 0) pages.push(page);
    }
    return pages;
  }

  async #load(page: readonly string[]): Promise<void> {
    const branch = page.at(-1);
    if (branch === undefined) return;
    for (const id of page) this.#onWay.add(id);
    try {
      const messages = await this.#source.read({ branch, limit: page.length });
      this.#source.loaded(messages);
      for (const id of page) {
        this.#wanted.delete(id);
        if (!this.#source.has(id)) this.#absent.add(id);
      }
    } catch (error) {
      this.#source.failed(error);
    } finally {
      for (const id of page) this.#onWay.delete(id);
    }
  }
}

function pageOf(
  id: string,
  shown: readonly string[],
  place: number | undefined,
  pathTo: () => readonly string[],
): readonly string[] & string[] {
  if (place !== undefined) {
    const first = place - (place % PAGE);
    return shown.slice(first, first + PAGE);
  }
  const path = pathTo();
  return path.at(-1) === id ? path.slice(-PAGE) : [];
}
