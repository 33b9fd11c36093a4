// Scopes of ledger operations, and small helpers for tests below the public interface.
import { createIdGenerator } from "../../../src/ledger/ids.ts";
import { REAL_TIMERS } from "../../../src/ledger/options.ts";
import type { LedgerScope } from "../../../src/ledger/scope.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import type { LedgerProblem } from "../../../src/ledger/types.ts";
import type { Message, StoredMessage } from "../../../src/model/index.ts";

/** Creates a scope that collects problems. */
export function createTestScope(
  store: LedgerStore,
  changes: Partial<LedgerScope> = {},
): LedgerScope & { problems: LedgerProblem[] } {
  const problems: LedgerProblem[] = [];
  return {
    store,
    tenant: "default",
    now: Date.now,
    timers: REAL_TIMERS,
    nextId: createIdGenerator(Date.now),
    leaseMs: 30_000,
    flushMs: 10,
    deltaRetentionMs: 60_000,
    blobThreshold: 32_768,
    onMessagesWritten: () => {},
    report: (problem) => problems.push({ tenant: "default", ...problem }),
    ...changes,
    problems,
  };
}

/** Returns a stored message as it was before it was appended. */
export function toUnstoredMessage(message: StoredMessage): Message {
  const { parentMessageId: _parent, createdAt: _time, id: _id, metadata, ...rest } = message;
  const { schemaVersion: _version, sourceId, ...own } = metadata;
  const unstored: Message = { ...rest };
  if (typeof sourceId === "string") unstored.id = sourceId;
  if (Object.keys(own).length > 0) unstored.metadata = own;
  return unstored;
}

/** Freezes a value deeply, so that any change throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}
