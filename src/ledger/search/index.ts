// Full-text search. The index is updated lazily: writes do not index; a search updates the index first, and a ledger
// also updates it in the background.
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

export { extractSearchText } from "./message-text.ts";

/** The number of messages that are indexed in one transaction. */
const BATCH_SIZE = 500;
/** The pause after the last write before an update: indexing slows down writers. */
const DELAY_MS = 1000;
/** The number of writes after which the update is not delayed any longer. */
const MAX_DELAYED_WRITES = 5000;
const DEFAULT_LIMIT = 20;
/** The limits of a query: the cost grows with each word, and other queries wait meanwhile. */
const MAX_QUERY_TERMS = 64;
const MAX_QUERY_LENGTH = 4096;
/** The characters that any store accepts in a word. */
const TERM_PATTERN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

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

/** Rejects a query that is too long. Dropping words would find other messages. */
function requireQuery(query: unknown): string {
  const text = requireText(query, "query");
  if (text.length <= MAX_QUERY_LENGTH && new Set(text.match(TERM_PATTERN)).size <= MAX_QUERY_TERMS) return text;
  const message = `"query" must have at most ${MAX_QUERY_TERMS} different words and ${MAX_QUERY_LENGTH} characters.`;
  throw new LedgerError("invalid-input", message, { path: "query" });
}

/** A database that cannot be written can still be searched, as far as it is indexed. */
function ignoreUnwritable(error: unknown): void {
  if (!(error instanceof LedgerError) || (error.code !== "read-only" && error.code !== "disk-full")) throw error;
}

/** A text in a blob that must be read before its message can be indexed: stores cannot wait for that. */
interface MissingText extends Pick<ExtractedString, "blob" | "as"> {
  tenant: string;
}

/** Updates the index of a store, one batch at a time. */
export class SearchIndex {
  readonly #scope: LedgerScope;
  readonly #delayMs: number | false;
  #timer: NodeJS.Timeout | undefined;
  /** The number of writes since the last update. */
  #waiting = 0;
  #updating: Promise<void> | undefined;
  #isClosed = false;
  /** The loaded beginnings of texts in blobs, for the current batch. */
  readonly #texts = new Map<string, string>();
  /** The texts that must still be loaded. */
  readonly #missing = new Map<string, MissingText>();

  constructor(scope: LedgerScope, delayMs: number | false = DELAY_MS) {
    this.#scope = scope;
    this.#delayMs = delayMs;
  }

  /** Schedules an update after messages were written. */
  scheduleUpdate(): void {
    if (this.#isClosed || this.#delayMs === false) return;
    this.#waiting++;
    if (this.#timer !== undefined) {
      if (this.#waiting < MAX_DELAYED_WRITES) this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#waiting = 0;
      // A later search reports the error; writers are not affected.
      this.update().catch(() => undefined);
    }, this.#delayMs);
    this.#timer.unref();
  }

  /** Indexes all messages that were written before the call. */
  async update(): Promise<void> {
    // A running update may have started before the last message.
    await this.#updating?.catch(() => undefined);
    this.#updating ??= this.#indexAll().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** Starts no further update; a running one ends with its batch. */
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

  /** Returns undefined if texts must be loaded first. */
  #readText(row: MessageRow): string | undefined {
    let message: unknown;
    try {
      message = parseJson(row.body);
    } catch {
      // Reads of the message report the damage.
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
    // The parts were valid when written; unknown content has no text.
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
