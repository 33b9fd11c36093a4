// The rows of a memory store, by tenant, then by thread. These row objects are never returned to callers and never
// changed.
import { LedgerError } from "../../errors.ts";
import type * as Rows from "../../store/rows.ts";
import type { ThreadKey } from "../../store/contract.ts";
import type { IndexedText } from "./search-index.ts";
import { SortedRows } from "./sorted-rows.ts";

/** The rows of a thread. */
export class ThreadData {
  readonly messages = new SortedRows<Rows.MessageRow>();
  readonly runs = new SortedRows<Rows.RunRow>();
  readonly log = new SortedRows<Rows.LogRow>();
  readonly keys = new Map<string, Rows.KeyRow>();
  /** By name; the tenant's map contains them too. */
  readonly aliases = new SortedRows<Rows.AliasRow>();
  /** By message, then hash. */
  readonly blobRefs = new SortedRows<SortedRows<Rows.BlobRefRow>>();
  readonly quarantine = new SortedRows<Rows.QuarantineRow>();
  readonly texts = new SortedRows<IndexedText>();
  /** The thread's last id when rows were last deleted from it. A map, so that the undo log can restore it. */
  readonly lastId = new Map<"lastId", string>();
  /** The number of deletions from the thread. A map, so that the undo log can restore it. */
  readonly purges = new Map<"purges", number>();
}

/** The rows of a tenant. */
export class TenantData {
  readonly threads = new SortedRows<Rows.ThreadRow>();
  readonly data = new SortedRows<ThreadData>();
  /** By run id, then by thread. */
  readonly runsById = new Map<string, SortedRows<Rows.RunRow>>();
  /** Assistant messages by digest, then by id and thread. */
  readonly digests = new Map<string, SortedRows<Rows.MessageRow>>();
  readonly aliases = new Map<string, Rows.AliasRow>();
  readonly blobs = new Map<string, Rows.BlobRow>();
  readonly chunks = new Map<string, Map<number, Rows.ChunkRow>>();
  /** The number of references to each blob, by hash. */
  readonly referenceCounts = new Map<string, number>();
}

/** All rows of a memory store. */
export class MemoryData {
  readonly #tenants = new Map<string, TenantData>();
  /** Live runs of all tenants. */
  readonly liveRuns = new Map<Rows.RunRow, Rows.RunRow>();
  /** Ended runs that are not compacted. */
  readonly compactableRuns = new Map<Rows.RunRow, Rows.RunRow>();
  /** Work requests of all tenants, by tenant and thread. */
  readonly work = new Map<string, Rows.WorkRow>();
  /** Messages that are not in the search index yet, in the order of writing. */
  readonly unindexed = new Map<Rows.MessageRow, Rows.MessageRow>();
  #isClosed = false;

  close(): void {
    this.#isClosed = true;
    this.#tenants.clear();
  }

  /** Throws "closed" after `close`. */
  assertOpen(): void {
    if (this.#isClosed) throw new LedgerError("closed", "The store was closed; open the ledger again.");
  }

  /** Returns a tenant for reading; a tenant without rows is not stored. */
  tenant(name: string): TenantData {
    this.assertOpen();
    return this.#tenants.get(name) ?? new TenantData();
  }

  thread({ tenant, threadId }: ThreadKey): ThreadData {
    return this.tenant(tenant).data.get(threadId) ?? new ThreadData();
  }

  /** Returns a tenant for writing. A new empty tenant need not be undone. */
  getOrCreateTenant(name: string): TenantData {
    return getOrCreate(this.#tenants, name, () => new TenantData());
  }

  getOrCreateThread({ tenant, threadId }: ThreadKey): ThreadData {
    return getOrCreate(this.getOrCreateTenant(tenant).data, threadId, () => new ThreadData());
  }
}

/** Returns the map key of a tenant and thread; works for any characters. */
export function toThreadMapKey({ tenant, threadId }: ThreadKey): string {
  return JSON.stringify([tenant, threadId]);
}

/** Returns the value of a key; creates it if it does not exist. */
export function getOrCreate<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = make();
  map.set(key, created);
  return created;
}
