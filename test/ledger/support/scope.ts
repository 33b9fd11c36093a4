// What operations inside the ledger are given, for tests that go below its public face.
import { idsBy } from "../../../src/ledger/ids.ts";
import type { Scope } from "../../../src/ledger/scope.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import type { LedgerProblem } from "../../../src/ledger/types.ts";
import type { Message, StoredMessage } from "../../../src/model/index.ts";

/** A scope whose problems can be looked at. */
export function scopeOn(store: LedgerStore, changes: Partial<Scope> = {}): Scope & { problems: LedgerProblem[] } {
  const problems: LedgerProblem[] = [];
  return {
    store,
    tenant: "default",
    now: Date.now,
    nextId: idsBy(Date.now),
    leaseMs: 30_000,
    flushMs: 10,
    deltaRetentionMs: 60_000,
    blobThreshold: 32_768,
    wrote: () => {},
    report: (problem) => problems.push({ tenant: "default", ...problem }),
    ...changes,
    problems,
  };
}

/** A stored message as it was before the ledger had it. */
export function unstored(message: StoredMessage): Message {
  const { parentMessageId: _parent, createdAt: _time, id: _id, metadata, ...rest } = message;
  const { schemaVersion: _version, sourceId, ...own } = metadata;
  const given: Message = { ...rest };
  if (typeof sourceId === "string") given.id = sourceId;
  if (Object.keys(own).length > 0) given.metadata = own;
  return given;
}

/** Freezes a value all the way down: whoever changes it throws. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

export async function gathered<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}
