// Holds the rows of a memory store, by tenant, then by thread. A stored row object is never changed and never returned
// to a caller.
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
  /** The aliases of the thread's runs, by name. `TenantData.aliases` contains the same rows. */
  readonly aliases = new SortedRows<Rows.AliasRow>();
  /** The blob references of the thread's messages, by message id, then by hash. */
  readonly blobRefs = new SortedRows<SortedRows<Rows.BlobRefRow>>();
  readonly quarantine = new SortedRows<Rows.QuarantineRow>();
  readonly texts = new SortedRows<IndexedText>();
  /**
   * The last id that the thread had when rows were last deleted from it. It is the only entry of a map, because the
   * undo log can restore only map entries.
   */
  readonly lastId = new Map<"lastId", string>();
  /**
   * The number of calls that deleted messages or runs of the thread. It is the only entry of a map, because the undo
   * log can restore only map entries.
   */
  readonly purges = new Map<"purges", number>();
}

/** The rows of a tenant. */
export class TenantData {
  readonly threads = new SortedRows<Rows.ThreadRow>();
  readonly data = new SortedRows<ThreadData>();
  /** The runs of the tenant, by run id, then by thread id. */
  readonly runsById = new Map<string, SortedRows<Rows.RunRow>>();
  /** The assistant messages of the tenant, by digest, then by message id and thread id. */
  readonly digests = new Map<string, SortedRows<Rows.MessageRow>>();
  readonly aliases = new Map<string, Rows.AliasRow>();
  readonly blobs = new Map<string, Rows.BlobRow>();
  readonly chunks = new Map<string, Map<number, Rows.ChunkRow>>();
  /** The number of messages that reference each blob, by hash. */
  readonly referenceCounts = new Map<string, number>();
}

/** All rows of a memory store. */
export class MemoryData {
  readonly #tenants = new Map<string, TenantData>();
  /** The live runs of all tenants. A map from each row to itself, because the undo log works on maps, not on sets. */
  readonly liveRuns = new Map<Rows.RunRow, Rows.RunRow>();
  /** The runs of all tenants that have ended and are not compacted, each mapped to itself. */
  readonly compactableRuns = new Map<Rows.RunRow, Rows.RunRow>();
  /** The work rows of all tenants, by `toThreadMapKey`. */
  readonly work = new Map<string, Rows.WorkRow>();
  /** The messages that are not in the search index yet, in the order of writing, each mapped to itself. */
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

  /** Returns the rows of a tenant for reading; for an unknown tenant, an empty object that is not stored. */
  tenant(name: string): TenantData {
    this.assertOpen();
    return this.#tenants.get(name) ?? new TenantData();
  }

  thread({ tenant, threadId }: ThreadKey): ThreadData {
    return this.tenant(tenant).data.get(threadId) ?? new ThreadData();
  }

  /**
   * Returns the rows of a tenant for writing. A new tenant remains after a rollback, which does no harm: it is empty.
   */
  getOrCreateTenant(name: string): TenantData {
    return getOrCreate(this.#tenants, name, () => new TenantData());
  }

  getOrCreateThread({ tenant, threadId }: ThreadKey): ThreadData {
    return getOrCreate(this.getOrCreateTenant(tenant).data, threadId, () => new ThreadData());
  }
}

/** Returns a map key for a tenant and a thread. The key is JSON, because the names may contain any character. */
export function toThreadMapKey({ tenant, threadId }: ThreadKey): string {
  return JSON.stringify([tenant, threadId]);
}

/** Returns the value of a key in a map; creates and stores the value if there is none. */
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
