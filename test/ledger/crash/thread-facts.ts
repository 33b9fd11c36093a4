// The facts of one thread, arranged for looking things up.
import type { StoredMessage } from "../../../src/model/index.ts";
import { readTag } from "./content.ts";
import type { Facts, KeyFact, LogFact, MessageFact, RunFact, ThreadFact } from "./facts.ts";
import { grow } from "./history.ts";
import type { Written } from "./journal.ts";

export interface ThreadFacts {
  thread: ThreadFact | undefined;
  messages: ReadonlyMap<string, MessageFact>;
  runs: ReadonlyMap<string, RunFact>;
  /** By run, oldest first. */
  log: ReadonlyMap<string, readonly LogFact[]>;
  keys: ReadonlyMap<string, KeyFact>;
  /** Messages that were not there at the last check, as the ledger reads them. */
  fresh: ReadonlyMap<string, StoredMessage>;
  /** Fresh messages without a run, by the operation in their tag and their position in it. */
  tagged: ReadonlyMap<string, ReadonlyMap<number, readonly MessageFact[]>>;
  /** Fresh messages of a run, oldest first. */
  byRun: ReadonlyMap<string, readonly MessageFact[]>;
}

export const writtenOf = (messages: readonly MessageFact[]): Written[] =>
  messages.map(({ id, parentId }) => [id, parentId]);

/** The facts of each thread that there is a name for. */
export function byThread(facts: Facts): (threadId: string) => Omit<ThreadFacts, "fresh" | "tagged" | "byRun"> {
  const group = <Row extends { threadId: string }>(rows: readonly Row[]): Map<string, Row[]> => {
    const groups = new Map<string, Row[]>();
    for (const row of rows) grow(groups, row.threadId, row);
    return groups;
  };
  const threads = new Map(facts.threads.map((thread) => [thread.id, thread]));
  const [messages, runs, log, keys] = [group(facts.messages), group(facts.runs), group(facts.log), group(facts.keys)];
  return (threadId) => {
    const rows = new Map<string, LogFact[]>();
    for (const row of log.get(threadId) ?? []) grow(rows, row.runId, row);
    return {
      thread: threads.get(threadId),
      messages: new Map(messages.get(threadId)?.map((row) => [row.id, row])),
      runs: new Map(runs.get(threadId)?.map((row) => [row.id, row])),
      log: rows,
      keys: new Map(keys.get(threadId)?.map((row) => [row.key, row])),
    };
  };
}

/** The same facts with what the ledger reads of the fresh messages. */
export function withFresh(
  facts: Omit<ThreadFacts, "fresh" | "tagged" | "byRun">,
  fresh: ReadonlyMap<string, StoredMessage>,
): ThreadFacts {
  const tagged = new Map<string, Map<number, MessageFact[]>>();
  const byRun = new Map<string, MessageFact[]>();
  for (const row of facts.messages.values()) {
    const message = fresh.get(row.id);
    if (message === undefined) continue;
    if (row.runId !== null) {
      grow(byRun, row.runId, row);
      continue;
    }
    const tag = readTag(message);
    if (tag === undefined) continue;
    const positions = tagged.get(tag.operation) ?? new Map<number, MessageFact[]>();
    tagged.set(tag.operation, positions);
    grow(positions, tag.position, row);
  }
  return { ...facts, fresh, tagged, byRun };
}
