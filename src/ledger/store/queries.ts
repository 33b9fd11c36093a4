// The queries of a store: ranges and pages of its lists, and full-text searches.

/** A range of a thread's messages or log rows, by id. */
export interface IdRange {
  /** Only rows with a larger id. */
  after?: string;
  /** Only rows with this id or a smaller one. */
  upTo?: string;
  /** Default "asc": oldest first. */
  order?: "asc" | "desc";
  limit: number;
}

/** A page of a tenant's threads, by id. */
export interface ThreadsPage {
  before?: string;
  kind?: string | null;
  limit: number;
}

/** A page of a tenant's threads, by last activity. */
export interface ActivityPage {
  /** Only threads after this position. */
  before?: { lastActivity: string; id: string };
  kind?: string | null;
  limit: number;
}

/** A page of a tenant's thread titles. */
export interface TitlesPage {
  before?: string;
  term?: string;
  limit: number;
}

/** A full-text query over the messages of a tenant. */
export interface SearchQuery {
  tenant: string;
  /** Words; a message must contain all of them. Never an expression: quotes and operators have no meaning. */
  text: string;
  /** True if the last word may be a prefix. */
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
  /** The part of the text around the words of the query. */
  snippet: string;
}
