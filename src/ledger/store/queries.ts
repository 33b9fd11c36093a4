// Declares the parameters of a store's lists (ranges and pages), and the query and hits of its full-text search.

/** A range of a thread's messages or log rows, by id. */
export interface IdRange {
  /** The exclusive lower bound: only rows with a larger id are returned. */
  after?: string;
  /** The inclusive upper bound: only rows with this id or a smaller id are returned. */
  upTo?: string;
  /** The order of the rows by id. "asc" (default) is oldest first. */
  order?: "asc" | "desc";
  limit: number;
}

/** A page of a tenant's threads, by id. `LedgerReads.threads` describes the fields. */
export interface ThreadsPage {
  before?: string;
  kind?: string | null;
  limit: number;
}

/** A page of a tenant's threads, by last activity. */
export interface ActivityPage {
  /** A position in the list: only threads with an earlier activity, or on a tie a smaller id, are returned. */
  before?: { lastActivity: string; id: string };
  kind?: string | null;
  limit: number;
}

/** A page of a tenant's thread titles. `LedgerReads.titles` describes the fields. */
export interface TitlesPage {
  before?: string;
  term?: string;
  limit: number;
}

/** A full-text query over the messages of a tenant. */
export interface SearchQuery {
  tenant: string;
  /** The words to search for; a message must contain all of them. Quotes and operators have no meaning. */
  text: string;
  /** True if the last word also matches longer words that begin with it. */
  prefix?: boolean;
  threadId?: string;
  /** The maximum number of hits per thread. */
  perThread?: number;
  limit: number;
}
/** One message that a search found. */
export interface SearchHit {
  threadId: string;
  messageId: string;
  /** The text around the first word that matches the query. */
  snippet: string;
}
