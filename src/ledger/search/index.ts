// Searches the texts of the messages of a ledger. Writes do not update the search index: it is updated at the beginning
// of each search, and in the background after a pause in writing.
import { parseJson } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { ExtractedString } from "../blobs/index.ts";
import { readTextPrefix, readMarker, findStringPosition } from "../blobs/index.ts";
import { requireCount, requireName, requireText } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { MessageRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { SearchHit, SearchQuery } from "../store/queries.ts";
import type { SearchOptions } from "../types.ts";
import { extractSearchText } from "./message-text.ts";
import { TERM_PATTERN } from "./tokenize.ts";

export { extractSearchText } from "./message-text.ts";

/** The maximum number of messages that one call of the store indexes. */
const BATCH_SIZE = 500;
/**
 * The default time in milliseconds between the last write and a background update. The update waits for a pause in
 * writing, because it would slow down writers.
 */
const DELAY_MS = 1000;
/**
 * The number of writes after which further writes no longer restart the delay, so that constant writing cannot prevent
 * the background update.
 */
const MAX_DELAYED_WRITES = 5000;
const DEFAULT_LIMIT = 20;
/** The maximum number of different words in a query, because other queries wait while the words are searched. */
const MAX_QUERY_TERMS = 64;
/** The maximum number of characters in a query. */
const MAX_QUERY_LENGTH = 4096;

export async function searchMessages(
  scope: LedgerScope,
  query: string,
  options: SearchOptions & Pick<SearchQuery, "perThread"> = {},
  index: SearchIndex = new SearchIndex(scope),
): Promise<SearchHit[]> {
  const { threadId, limit = DEFAULT_LIMIT, prefix = false, perThread } = options;
  const storeQuery: SearchQuery = {
    tenant: scope.tenant,
    text: requireQuery(query),
    limit: requireCount(limit, "limit"),
  };
  if (prefix) storeQuery.prefix = true;
  if (perThread !== undefined) storeQuery.perThread = perThread;
  if (threadId !== undefined) storeQuery.threadId = requireName(threadId, "threadId");
  if (query.trim() === "" || limit === 0) return [];
  await index.update().catch(ignoreUnwritable);
  return scope.store.search(storeQuery);
}

/**
 * Returns the query. Throws if the query is too long. The query is not shortened, because a search without some of its
 * words would find other messages.
 */
function requireQuery(query: unknown): string {
  const text = requireText(query, "query");
  if (text.length <= MAX_QUERY_LENGTH && new Set(text.match(TERM_PATTERN)).size <= MAX_QUERY_TERMS) return text;
  const message = `"query" must have at most ${MAX_QUERY_TERMS} different words and ${MAX_QUERY_LENGTH} characters.`;
  throw new LedgerError("invalid-input", message, { path: "query" });
}

/**
 * Ignores the error of an index update if the database is read-only or full: messages that are indexed already can
 * still be searched. Throws all other errors.
 */
function ignoreUnwritable(error: unknown): void {
  if (!(error instanceof LedgerError) || (error.code !== "read-only" && error.code !== "disk-full")) throw error;
}

/**
 * A text in a blob that is missing in `#texts`. A store calls `readText` synchronously, so the text is loaded first,
 * and the batch is then indexed again.
 */
interface MissingText extends Pick<ExtractedString, "blob" | "as"> {
  tenant: string;
}

/** Updates the search index of a store. */
export class SearchIndex {
  readonly #scope: LedgerScope;
  readonly #delayMs: number | false;
  #timer: NodeJS.Timeout | undefined;
  /** The number of writes since the last background update. */
  #pendingWrites = 0;
  #updating: Promise<void> | undefined;
  #isClosed = false;
  /** The beginnings of the texts in blobs that were loaded for the current batch, by `toTextKey`. */
  readonly #texts = new Map<string, string>();
  /** The texts that must be loaded before the current batch can be indexed, by `toTextKey`. */
  readonly #missing = new Map<string, MissingText>();

  constructor(scope: LedgerScope, delayMs: number | false = DELAY_MS) {
    this.#scope = scope;
    this.#delayMs = delayMs;
  }

  /** Schedules a background update. Called after messages were written. */
  scheduleUpdate(): void {
    if (this.#isClosed || this.#delayMs === false) return;
    this.#pendingWrites++;
    if (this.#timer !== undefined) {
      if (this.#pendingWrites < MAX_DELAYED_WRITES) this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pendingWrites = 0;
      // The error is ignored: the next search repeats the update and reports the error.
      this.update().catch(() => undefined);
    }, this.#delayMs);
    this.#timer.unref();
  }

  /** Indexes all messages that were written before the call. */
  async update(): Promise<void> {
    // A running update may have missed the newest messages, so another update follows it.
    await this.#updating?.catch(() => undefined);
    this.#updating ??= this.#indexAll().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** Prevents further updates, and waits until a running update has finished its current batch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#updating?.catch(() => undefined);
  }

  async #indexAll(): Promise<void> {
    while (!this.#isClosed) {
      const count = await this.#scope.store.indexMessages((row) => this.#readText(row), BATCH_SIZE);
      if (count > 0) this.#texts.clear();
      if (this.#missing.size > 0) await this.#loadTexts();
      else if (count < BATCH_SIZE) return;
    }
  }

  /** Returns the searchable text of a message; undefined if a text in a blob must be loaded first. */
  #readText(row: MessageRow): string | undefined {
    let message: unknown;
    try {
      message = parseJson(row.body);
    } catch {
      // A damaged message has no searchable text. Reads of the message report the damage.
      return "";
    }
    if (!isObject(message)) return "";
    const strings = readMarker(message)?.strings.filter(({ as }) => as !== "base64") ?? [];
    let isComplete = true;
    for (const { at, blob, as } of strings) {
      const name = toTextKey(row, blob);
      const text = this.#texts.get(name);
      const position = findStringPosition(message, at);
      if (text === undefined) this.#missing.set(name, { tenant: row.tenant, blob, as });
      else if (position !== undefined) position.container[position.step] = text;
      isComplete &&= text !== undefined;
    }
    if (!isComplete) return undefined;
    // The cast is safe, because `extractSearchText` ignores values that are not valid parts.
    return extractSearchText({ parts: Array.isArray(message["parts"]) ? (message["parts"] as never[]) : [] });
  }

  async #loadTexts(): Promise<void> {
    for (const [name, { tenant, blob, as }] of this.#missing) {
      this.#texts.set(name, await readTextPrefix({ ...this.#scope, tenant }, { blob, as }));
    }
    this.#missing.clear();
  }
}

function toTextKey({ tenant }: MessageRow, blob: string): string {
  return `${blob} ${tenant}`;
}
