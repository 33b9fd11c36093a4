// Full-text search. The index is written behind: nothing is indexed while a message is written, a search brings the
// index up to date before it asks, and a ledger may have it done in between.
import { parseJson } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import type { TakenString } from "../blobs/index.ts";
import { beginningOf, markerOf, placeOf } from "../blobs/index.ts";
import { checkCount, checkName, checkText } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { MessageRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { SearchHit, SearchQuery } from "../store.ts";
import type { SearchOptions } from "../types.ts";
import { searchText } from "./text.ts";

export { searchText } from "./text.ts";

/** Messages that are indexed in one transaction. */
const BATCH = 500;
/** How long nothing must have been written: indexing takes its time from those who write. */
const DELAY_MS = 1000;
/** Writes after which the index is not put off any longer. */
const MOST_PUT_OFF = 5000;
const DEFAULT_LIMIT = 20;
/** What a query may have: a database takes ever longer for each word more, and holds up everybody else meanwhile. */
const MOST_WORDS = 64;
const LONGEST_QUERY = 4096;
/** What any of the stores takes for a word, or for the beginning of one. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

export async function search(
  scope: Scope,
  query: string,
  options: SearchOptions & Pick<SearchQuery, "perThread"> = {},
  index: SearchIndex = new SearchIndex(scope),
): Promise<SearchHit[]> {
  const { threadId, limit = DEFAULT_LIMIT, prefix = false, perThread } = options;
  const asked: SearchQuery = {
    tenant: scope.tenant,
    text: checkQuery(query),
    limit: checkCount(limit, "limit"),
  };
  if (prefix) asked.prefix = true;
  if (perThread !== undefined) asked.perThread = perThread;
  if (threadId !== undefined) asked.threadId = checkName(threadId, "threadId");
  if (query.trim() === "" || limit === 0) return [];
  await index.update().catch(passOver);
  return scope.store.search(asked);
}

/** Refused rather than cut: with words left out, other messages would be found. */
function checkQuery(query: unknown): string {
  const text = checkText(query, "query");
  if (text.length <= LONGEST_QUERY && new Set(text.match(WORD)).size <= MOST_WORDS) return text;
  const message = `"query" must have at most ${MOST_WORDS} different words and ${LONGEST_QUERY} characters.`;
  throw new LedgerError("invalid-input", message, { path: "query" });
}

/** A database that cannot be written to can still be searched, as far as it is indexed. */
function passOver(error: unknown): void {
  if (!(error instanceof LedgerError) || (error.code !== "read-only" && error.code !== "disk-full")) throw error;
}

/** A text that stands in a blob, which must be read before the text can be indexed: stores cannot wait for that. */
interface NeededText extends Pick<TakenString, "blob" | "as"> {
  tenant: string;
}

/** Keeps the index of a store up to date, one batch at a time. */
export class SearchIndex {
  readonly #scope: Scope;
  readonly #delayMs: number | false;
  #timer: NodeJS.Timeout | undefined;
  /** Writes since the last update. */
  #waiting = 0;
  #updating: Promise<void> | undefined;
  #isClosed = false;
  /** The beginnings of texts in blobs, for the batch in hand. */
  readonly #heads = new Map<string, string>();
  /** Those that are still to be read. */
  readonly #needed = new Map<string, NeededText>();

  constructor(scope: Scope, delayMs: number | false = DELAY_MS) {
    this.#scope = scope;
    this.#delayMs = delayMs;
  }

  /** Messages were written: they are indexed when it is quiet, if the process lives on. */
  touched(): void {
    if (this.#isClosed || this.#delayMs === false) return;
    this.#waiting++;
    if (this.#timer !== undefined) {
      if (this.#waiting < MOST_PUT_OFF) this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#waiting = 0;
      // Whoever searches hears of what goes wrong; a writer need not.
      this.update().catch(() => undefined);
    }, this.#delayMs);
    this.#timer.unref();
  }

  /** Everything that was written before the call can be found when it resolves. */
  async update(): Promise<void> {
    // One that is under way may have looked before the last message came.
    await this.#updating?.catch(() => undefined);
    this.#updating ??= this.#indexAll().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** No more work is begun; what is under way ends with its batch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#updating?.catch(() => undefined);
  }

  async #indexAll(): Promise<void> {
    while (!this.#isClosed) {
      const taken = await this.#scope.store.indexMessages((row) => this.#textOf(row), BATCH);
      if (taken > 0) this.#heads.clear();
      if (this.#needed.size > 0) await this.#readHeads();
      else if (taken < BATCH) return;
    }
  }

  /** Undefined where texts must be read first. */
  #textOf(row: MessageRow): string | undefined {
    let message: unknown;
    try {
      message = parseJson(row.body);
    } catch {
      // It is reported by whoever reads it.
      return "";
    }
    if (!isObject(message)) return "";
    const strings = markerOf(message)?.strings.filter(({ as }) => as !== "base64") ?? [];
    let isWhole = true;
    for (const { at, blob, as } of strings) {
      const name = headName(row, blob);
      const head = this.#heads.get(name);
      const place = placeOf(message, at);
      if (head === undefined) this.#needed.set(name, { tenant: row.tenant, blob, as });
      else if (place !== undefined) place.container[place.step] = head;
      isWhole &&= head !== undefined;
    }
    if (!isWhole) return undefined;
    // Parts as stored, which were sound when they were written; what is not understood has no words.
    return searchText({ parts: Array.isArray(message["parts"]) ? (message["parts"] as never[]) : [] });
  }

  async #readHeads(): Promise<void> {
    for (const [name, { tenant, blob, as }] of this.#needed) {
      this.#heads.set(name, await beginningOf({ ...this.#scope, tenant }, { blob, as }));
    }
    this.#needed.clear();
  }
}

function headName({ tenant }: MessageRow, blob: string): string {
  return `${blob} ${tenant}`;
}
