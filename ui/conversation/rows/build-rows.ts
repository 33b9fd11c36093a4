// Builds the rows of a conversation: stored messages with their tool results, live answers and failures. Rows are built
// from the outline alone, so that loading bodies moves nothing; an answer has the same key while it streams and after
// it is stored, so that its element stays (B100).
import type { Message, Role } from "koine";
import type { RunInProgress, OutlineNode, RunJson } from "../../data/types.ts";
import { listChildren, type BranchTree } from "../../branches/branch-tree.ts";

interface RowBase {
  key: string;
  role: Role;
  /** The row continues the answer of the row above, so it has no header. */
  continues: boolean;
}

/** A stored message with its tool results. */
export interface StoredMessageRow extends RowBase {
  kind: "message";
  /** The message, then the messages with the results of its tool calls. */
  ids: readonly [string, ...string[]];
  node: OutlineNode;
  /** An interrupted message after the active leaf. "told": a failure row below it states the reason. */
  offPath: false | "alone" | "told";
}

/** A streamed message of a live run. */
export interface LiveRow extends RowBase {
  kind: "live";
  run: RunInProgress;
  /** Index of its message in the run; the message may not exist yet. */
  messageIndex: number;
  /** Number of tool result messages after it. */
  resultCount: number;
}

/** The reason why a message has no answer. */
export interface FailureRow extends RowBase {
  kind: "failure";
  run: RunJson;
  /** The message without an answer. */
  answeredId: string;
}

export type ConversationRow = StoredMessageRow | LiveRow | FailureRow;

export interface ShownConversation {
  rows: readonly ConversationRow[];
  /** The shown part of the path; a live answer may replace the rest. */
  path: readonly string[];
  /** The live run that is shown. */
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
 * Tool results belong to the row of the calls before them; which result belongs to which call is known only from the
 * bodies.
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
  /** Live runs that the user has hidden in favor of the stored answer. */
  hiddenRuns: ReadonlySet<string>;
}

/** Builds all rows. `storedRows` are those of the path; they stay identical while an answer streams. */
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

/** Returns the rows of the first messages. */
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

/** Builds the rows after the path if no run is live: an interrupted answer, and the failure. */
function buildEndRows({ tree, path, failures }: RowOptions): ConversationRow[] {
  const leaf = path.at(-1);
  const interruptedIds = listInterruptedAfter(tree, leaf ?? null);
  const rows: StoredMessageRow[] = [];
  const run = leaf === undefined ? undefined : failures.get(leaf);
  appendMessageRows(rows, tree, interruptedIds, run === undefined ? "alone" : "told");
  if (run === undefined || leaf === undefined) return rows;
  return [
    ...rows,
    { kind: "failure", key: `${run.id} failed`, role: "assistant", continues: false, run, answeredId: leaf },
  ];
}

/** Returns the live run that started last. */
function findShownRun({ path, liveRuns, hiddenRuns }: RowOptions): RunInProgress | undefined {
  if (liveRuns.length === 0) return undefined;
  const onPath = new Set(path);
  return liveRuns.findLast(
    ({ answeredId, runId }) => !hiddenRuns.has(runId) && (answeredId === null || onPath.has(answeredId)),
  );
}

/** Lists the interrupted messages after the leaf, if they are newest. */
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
    // The message is already stored, and the rest of the run is about to be.
    if (storedKeys.has(key)) continue;
    const continues = last?.role === "assistant" && last.kind !== "failure" && readRunId(last) === run.runId;
    rows.push({ kind: "live", key, role, continues, run, messageIndex, resultCount: 0 });
  }
}

const EMPTY_ANSWER: Pick<Message, "role" | "parts"> = { role: "assistant", parts: [] };

function readRunId(row: StoredMessageRow | LiveRow): string | undefined {
  return row.kind === "live" ? row.run.runId : row.node.runId;
}
