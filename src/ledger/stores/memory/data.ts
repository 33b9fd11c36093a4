// Where the rows of a memory store are: by tenant, then by thread. Rows in here are never handed out and never changed.
import { LedgerError } from "../../errors.ts";
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageRow,
  QuarantineRow,
  RunRow,
  ThreadRow,
  WorkRow,
} from "../../rows.ts";
import type { ThreadKey } from "../../store.ts";
import type { IndexedText } from "./words.ts";
import { SortedRows } from "./sorted.ts";

/** What belongs to a thread. */
export class ThreadData {
  readonly messages = new SortedRows<MessageRow>();
  readonly runs = new SortedRows<RunRow>();
  readonly log = new SortedRows<LogRow>();
  readonly keys = new Map<string, KeyRow>();
  /** By name; the tenant has them, too. */
  readonly aliases = new SortedRows<AliasRow>();
  /** By message, then hash. */
  readonly blobRefs = new SortedRows<SortedRows<BlobRefRow>>();
  readonly quarantine = new SortedRows<QuarantineRow>();
  readonly texts = new SortedRows<IndexedText>();
  /** The last id of the thread when rows were last deleted from it, under its own name. */
  readonly lastId = new Map<"lastId", string>();
  /** How often rows were deleted from the thread, under its own name. */
  readonly purges = new Map<"purges", number>();
}

/** What belongs to a tenant. */
export class TenantData {
  readonly threads = new SortedRows<ThreadRow>();
  readonly data = new SortedRows<ThreadData>();
  /** By run id, then thread. */
  readonly runsById = new Map<string, SortedRows<RunRow>>();
  /** Assistant messages by digest, then by id and thread. */
  readonly digests = new Map<string, SortedRows<MessageRow>>();
  readonly aliases = new Map<string, AliasRow>();
  readonly blobs = new Map<string, BlobRow>();
  readonly chunks = new Map<string, Map<number, ChunkRow>>();
  /** How many messages hold a blob, by hash. */
  readonly holders = new Map<string, number>();
}

export class MemoryData {
  readonly #tenants = new Map<string, TenantData>();
  /** Runs whose end is still to come, of all tenants. */
  readonly live = new Map<RunRow, RunRow>();
  /** Runs that have ended and were not compacted. */
  readonly logged = new Map<RunRow, RunRow>();
  /** Work that is wanted, of all tenants, by tenant and thread. */
  readonly work = new Map<string, WorkRow>();
  /** Messages that the search index does not know yet, in the order in which they came. */
  readonly unindexed = new Map<MessageRow, MessageRow>();
  #isClosed = false;

  close(): void {
    this.#isClosed = true;
    this.#tenants.clear();
  }

  /** Everything goes through here or `tenant`. */
  demandOpen(): void {
    if (this.#isClosed) throw new LedgerError("closed", "The store was closed; open the ledger again.");
  }

  /** For reading: a tenant that nothing was written for is empty, and leaves no trace. */
  tenant(name: string): TenantData {
    this.demandOpen();
    return this.#tenants.get(name) ?? new TenantData();
  }

  thread({ tenant, threadId }: ThreadKey): ThreadData {
    return this.tenant(tenant).data.get(threadId) ?? new ThreadData();
  }

  /** For writing. An empty tenant is as good as none, so that this need not be undone. */
  keptTenant(name: string): TenantData {
    return kept(this.#tenants, name, () => new TenantData());
  }

  keptThread({ tenant, threadId }: ThreadKey): ThreadData {
    return kept(this.keptTenant(tenant).data, threadId, () => new ThreadData());
  }
}

/** One text for a tenant and a thread, whatever characters they have. */
export function nameOf({ tenant, threadId }: ThreadKey): string {
  return JSON.stringify([tenant, threadId]);
}

/** What a map has for a key, made where there is none. */
export function kept<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
