// The rows of one thread, indexed for lookups.
import type { StoredMessage } from "../../../../src/model/index.ts";
import { readTag } from "../writer/content.ts";
import type {
  DatabaseRows,
  KeyDatabaseRow,
  LogDatabaseRow,
  MessageDatabaseRow,
  RunDatabaseRow,
  ThreadDatabaseRow,
} from "./database-rows.ts";
import { pushTo } from "./writer-history.ts";
import type { WrittenMessage } from "../writer/writer-log.ts";

export interface ThreadRows {
  thread: ThreadDatabaseRow | undefined;
  messages: ReadonlyMap<string, MessageDatabaseRow>;
  runs: ReadonlyMap<string, RunDatabaseRow>;
  /** By run, oldest first. */
  log: ReadonlyMap<string, readonly LogDatabaseRow[]>;
  keys: ReadonlyMap<string, KeyDatabaseRow>;
  /** Messages that did not exist at the last check, as the ledger reads them. */
  fresh: ReadonlyMap<string, StoredMessage>;
  /** New messages without a run, by the operation in their tag and their position in it. */
  tagged: ReadonlyMap<string, ReadonlyMap<number, readonly MessageDatabaseRow[]>>;
  /** New messages of a run, oldest first. */
  byRun: ReadonlyMap<string, readonly MessageDatabaseRow[]>;
}

export const toWritten = (messages: readonly MessageDatabaseRow[]): WrittenMessage[] =>
  messages.map(({ id, parentId }) => [id, parentId]);

/** Groups the rows by thread. */
export function groupByThread(
  facts: DatabaseRows,
): (threadId: string) => Omit<ThreadRows, "fresh" | "tagged" | "byRun"> {
  const group = <Row extends { threadId: string }>(rows: readonly Row[]): Map<string, Row[]> => {
    const groups = new Map<string, Row[]>();
    for (const row of rows) pushTo(groups, row.threadId, row);
    return groups;
  };
  const threads = new Map(facts.threads.map((thread) => [thread.id, thread]));
  const [messages, runs, log, keys] = [group(facts.messages), group(facts.runs), group(facts.log), group(facts.keys)];
  return (threadId) => {
    const rows = new Map<string, LogDatabaseRow[]>();
    for (const row of log.get(threadId) ?? []) pushTo(rows, row.runId, row);
    return {
      thread: threads.get(threadId),
      messages: new Map(messages.get(threadId)?.map((row) => [row.id, row])),
      runs: new Map(runs.get(threadId)?.map((row) => [row.id, row])),
      log: rows,
      keys: new Map(keys.get(threadId)?.map((row) => [row.key, row])),
    };
  };
}

/** Adds the new messages as the ledger reads them. */
export function addNewMessages(
  facts: Omit<ThreadRows, "fresh" | "tagged" | "byRun">,
  fresh: ReadonlyMap<string, StoredMessage>,
): ThreadRows {
  const tagged = new Map<string, Map<number, MessageDatabaseRow[]>>();
  const byRun = new Map<string, MessageDatabaseRow[]>();
  for (const row of facts.messages.values()) {
    const message = fresh.get(row.id);
    if (message === undefined) continue;
    if (row.runId !== null) {
      pushTo(byRun, row.runId, row);
      continue;
    }
    const tag = readTag(message);
    if (tag === undefined) continue;
    const positions = tagged.get(tag.operation) ?? new Map<number, MessageDatabaseRow[]>();
    tagged.set(tag.operation, positions);
    pushTo(positions, tag.position, row);
  }
  return { ...facts, fresh, tagged, byRun };
}
