// Builds the rows of a conversation: stored messages with their tool results, live answers and failures. Rows are built
// without the parts of the messages, so that loading the parts does not change the rows. An answer has the same row key
// while it streams and after it is stored, so that React reuses its element (B100).
import type { Message, Role } from "koine";
import type { RunInProgress, OutlineNode, RunJson } from "../../data/types.ts";
import { listChildren, type BranchTree } from "../../branches/branch-tree.ts";

interface RowBase {
  key: string;
  role: Role;
  /** True if the row continues the answer of the row above; then the row shows no author. */
  continues: boolean;
}

/** A stored message with its tool results. */
export interface StoredMessageRow extends RowBase {
  kind: "message";
  /** Id of the message, followed by the ids of the messages with the results of its tool calls. */
  ids: readonly [string, ...string[]];
  node: OutlineNode;
  /**
   * False for a message on the path. For an interrupted message after the active leaf: "explained" if a failure row
   * below the message states the reason, and "alone" if there is no such row.
   */
  offPath: false | "alone" | "explained";
}

/** A streamed message of a live run. */
export interface LiveRow extends RowBase {
  kind: "live";
  run: RunInProgress;
  /** Index of the row's message in `run.messages`; before the first delta, that message does not exist. */
  messageIndex: number;
  /** Number of messages with tool results that follow the row's message. */
  resultCount: number;
}

/** A row that states why a message has no answer. */
export interface FailureRow extends RowBase {
  kind: "failure";
  run: RunJson;
  /** Id of the message that has no answer. */
  answeredId: string;
}

export type ConversationRow = StoredMessageRow | LiveRow | FailureRow;

export interface ShownConversation {
  rows: readonly ConversationRow[];
  /**
   * Ids of the messages on the shown path. If a live answer replaces stored messages, the path ends before those
   * messages.
   */
  path: readonly string[];
  /** The live run whose answer is shown; undefined if there is none. */
  liveRun: RunInProgress | undefined;
}

export function buildMessageRows(tree: BranchTree, path: readonly string[]): StoredMessageRow[] {
  const rows: StoredMessageRow[] = [];
  appendMessageRows(rows, tree, path, false);
  return rows;
}

function appendMessageRows(
  rows: StoredMessageRow[],
  { nodes }: BranchTree,
  ids: readonly string[],
  offPath: StoredMessageRow["offPath"],
): void {
  const rowCounts = new Map<string, number>();
  for (const id of ids) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const last = rows.at(-1);
    if (last !== undefined && last.offPath === offPath && isResultOfRow(last, node)) {
      last.ids = [...last.ids, id];
      continue;
    }
    const { role, runId } = node;
    const isAnswer = runId !== undefined && (role === "assistant" || role === "tool");
    const key = isAnswer ? nextKey(rowCounts, runId) : id;
    const continues =
      last !== undefined && last.role === "assistant" && role === "assistant" && isSameAuthor(last.node, node);
    rows.push({ kind: "message", key, role, continues, ids: [id], node, offPath });
  }
}

function nextKey(rowCounts: Map<string, number>, runId: string): string {
  const index = rowCounts.get(runId) ?? 0;
  rowCounts.set(runId, index + 1);
  return toRowKey(runId, index);
}

const toRowKey = (runId: string, index: number): string => `${runId} ${index}`;

/**
 * True if the message has the role "tool" and the row's message has tool calls. Whether the results belong to these
 * calls is not checked, because the outline does not contain the ids of calls.
 */
function isResultOfRow(row: StoredMessageRow, { role }: OutlineNode): boolean {
  return role === "tool" && row.role === "assistant" && row.node.toolCalls !== undefined;
}

function isSameAuthor(a: OutlineNode, b: OutlineNode): boolean {
  return a.model === b.model || (a.runId !== undefined && a.runId === b.runId);
}

export interface RowOptions {
  tree: BranchTree;
  path: readonly string[];
  liveRuns: readonly RunInProgress[];
  failures: ReadonlyMap<string, RunJson>;
  /** Ids of the live runs in whose place the user has chosen to see a stored answer. */
  hiddenRuns: ReadonlySet<string>;
}

/**
 * Builds all rows of the conversation. `storedRows` are the rows of the stored messages on the path; the caller does
 * not build them again while an answer streams.
 */
export function buildShownRows(storedRows: readonly StoredMessageRow[], options: RowOptions): ShownConversation {
  const { tree, path } = options;
  const liveRun = findShownRun(options);
  if (liveRun === undefined) return { rows: [...storedRows, ...buildEndRows(options)], path, liveRun };
  const cutIndex = liveRun.answeredId === null ? 0 : path.indexOf(liveRun.answeredId) + 1;
  const replaces = cutIndex < path.length && tree.nodes.get(path[cutIndex] ?? "")?.runId !== liveRun.runId;
  const rows: ConversationRow[] = replaces ? takeRows(storedRows, cutIndex) : [...storedRows];
  appendLiveRows(rows, liveRun);
  return { rows, path: replaces ? path.slice(0, cutIndex) : path, liveRun };
}

/**
 * Returns the rows of the first `messageCount` messages of the path. A row has several messages if its tool calls have
 * results; if the limit falls inside a row, the row keeps only its messages within the limit.
 */
function takeRows(storedRows: readonly StoredMessageRow[], messageCount: number): StoredMessageRow[] {
  let remaining = messageCount;
  const rows: StoredMessageRow[] = [];
  for (const row of storedRows) {
    if (remaining <= 0) break;
    const [first, ...rest] = row.ids;
    rows.push(remaining >= row.ids.length ? row : { ...row, ids: [first, ...rest.slice(0, remaining - 1)] });
    remaining -= row.ids.length;
  }
  return rows;
}

/**
 * Builds the rows after the last message of the path, if no live run is shown: the messages of an interrupted answer,
 * and the row that states the failure.
 */
function buildEndRows({ tree, path, failures }: RowOptions): ConversationRow[] {
  const leaf = path.at(-1);
  const interruptedIds = listInterruptedAfter(tree, leaf ?? null);
  const rows: StoredMessageRow[] = [];
  const run = leaf === undefined ? undefined : failures.get(leaf);
  appendMessageRows(rows, tree, interruptedIds, run === undefined ? "alone" : "explained");
  if (run === undefined || leaf === undefined) return rows;
  return [
    ...rows,
    { kind: "failure", key: `${run.id} failed`, role: "assistant", continues: false, run, answeredId: leaf },
  ];
}

/**
 * Returns the live run that started last among those that answer a message of the path and are not hidden; undefined if
 * there is none.
 */
function findShownRun({ path, liveRuns, hiddenRuns }: RowOptions): RunInProgress | undefined {
  if (liveRuns.length === 0) return undefined;
  const onPath = new Set(path);
  return liveRuns.findLast(
    ({ answeredId, runId }) => !hiddenRuns.has(runId) && (answeredId === null || onPath.has(answeredId)),
  );
}

/**
 * Returns the ids of the interrupted messages that follow the leaf, each the newest child of the previous one; empty if
 * the leaf's newest child is not interrupted.
 */
function listInterruptedAfter(tree: BranchTree, leaf: string | null): string[] {
  const ids: string[] = [];
  for (let id = listChildren(tree, leaf).at(-1); id !== undefined; id = listChildren(tree, id).at(-1)) {
    if (tree.nodes.get(id)?.interrupted !== true) break;
    ids.push(id);
  }
  return ids;
}

function appendLiveRows(rows: ConversationRow[], run: RunInProgress): void {
  const storedKeys = new Set<string>();
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row?.kind !== "message" || row.node.runId !== run.runId) break;
    storedKeys.add(row.key);
  }
  let count = 0;
  let hasCalls = false;
  const messages: readonly Pick<Message, "role" | "parts">[] = run.messages.length > 0 ? run.messages : [EMPTY_ANSWER];
  for (const [messageIndex, { role, parts }] of messages.entries()) {
    const last = rows.at(-1);
    if (role === "tool" && last?.role === "assistant" && count > 0 && hasCalls) {
      if (last.kind === "live") last.resultCount++;
      continue;
    }
    const key = toRowKey(run.runId, count++);
    hasCalls = parts.some(({ type }) => type === "tool-call");
    // This message of the run is already stored and has a row. Only the messages of the run that are not stored yet get
    // a live row.
    if (storedKeys.has(key)) continue;
    const continues = last?.role === "assistant" && last.kind !== "failure" && readRunId(last) === run.runId;
    rows.push({ kind: "live", key, role, continues, run, messageIndex, resultCount: 0 });
  }
}

const EMPTY_ANSWER: Pick<Message, "role" | "parts"> = { role: "assistant", parts: [] };

function readRunId(row: StoredMessageRow | LiveRow): string | undefined {
  return row.kind === "live" ? row.run.runId : row.node.runId;
}
