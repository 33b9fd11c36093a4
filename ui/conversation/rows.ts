// What is shown of a conversation, one row after the other: messages with the results of their tools, and what is on its
// way. Rows are made from the outline alone, so that nothing moves when bodies arrive; the row of an answer has the same
// key while it streams and when it is recorded, so that its place in the page stays the same one (B100).
import type { Message, Role } from "koine";
import type { LiveRun, OutlineNode, Run } from "../data/types.ts";
import { childrenOf, type Tree } from "../branches/tree.ts";

interface RowBase {
  key: string;
  role: Role;
  /** It goes on with what the row above it says: it needs no name of its own. */
  continues: boolean;
}

/** A recorded message; what its tools gave back stands in it. */
export interface MessageRow extends RowBase {
  kind: "message";
  /** The message, then those that hold the results of its calls. */
  ids: readonly [string, ...string[]];
  node: OutlineNode;
  /** An interrupted turn that stands beside the active path: nobody went on from it. "told": why is said below it. */
  aside: false | "alone" | "told";
}

/** An answer on its way. */
export interface LiveRow extends RowBase {
  kind: "live";
  run: LiveRun;
  /** Where its message stands among those of the run; there may be none yet. */
  at: number;
  /** How many messages with results follow that one. */
  tools: number;
}

/** Why there is no answer. */
export interface FailureRow extends RowBase {
  kind: "failure";
  run: Run;
  /** The message that was to be answered. */
  after: string;
}

export type Row = MessageRow | LiveRow | FailureRow;

export interface Shown {
  rows: readonly Row[];
  /** The path as far as it is shown: an answer on its way may stand in the place of what follows. */
  path: readonly string[];
  /** What is shown on its way. */
  live: LiveRun | undefined;
}

/** The rows of recorded messages. */
export function messageRows(tree: Tree, path: readonly string[]): MessageRow[] {
  const rows: MessageRow[] = [];
  addMessages(rows, tree, path, false);
  return rows;
}

function addMessages(rows: MessageRow[], { nodes }: Tree, ids: readonly string[], aside: MessageRow["aside"]): void {
  /** How many rows each run has so far. */
  const perRun = new Map<string, number>();
  for (const id of ids) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const last = rows.at(-1);
    if (last !== undefined && last.aside === aside && takesResults(last, node)) {
      last.ids = [...last.ids, id];
      continue;
    }
    const { role, runId } = node;
    const isAnswer = runId !== undefined && (role === "assistant" || role === "tool");
    const key = isAnswer ? nextKey(perRun, runId) : id;
    const continues =
      last !== undefined && last.role === "assistant" && role === "assistant" && sameVoice(last.node, node);
    rows.push({ kind: "message", key, role, continues, ids: [id], node, aside });
  }
}

function nextKey(perRun: Map<string, number>, runId: string): string {
  const at = perRun.get(runId) ?? 0;
  perRun.set(runId, at + 1);
  return rowKey(runId, at);
}

const rowKey = (runId: string, at: number): string => `${runId} ${at}`;

/**
 * What tools gave back stands with the calls before it, all of it: which result is whose is told by ids, and these are known
 * only when the bodies are there.
 */
function takesResults(row: MessageRow, { role }: OutlineNode): boolean {
  return role === "tool" && row.role === "assistant" && row.node.toolCalls !== undefined;
}

function sameVoice(a: OutlineNode, b: OutlineNode): boolean {
  return a.model === b.model || (a.runId !== undefined && a.runId === b.runId);
}

export interface ShowOptions {
  tree: Tree;
  path: readonly string[];
  live: readonly LiveRun[];
  failures: ReadonlyMap<string, Run>;
  /** Runs that the reader does not want to see in the place of what is there. */
  put: ReadonlySet<string>;
}

/** Everything that is shown. `recorded` are the rows of the path, which stay the same while an answer streams. */
export function shownRows(recorded: readonly MessageRow[], options: ShowOptions): Shown {
  const { tree, path } = options;
  const live = shownRun(options);
  if (live === undefined) return { rows: [...recorded, ...endRows(options)], path, live };
  const cut = live.after === null ? 0 : path.indexOf(live.after) + 1;
  const replaces = cut < path.length && tree.nodes.get(path[cut] ?? "")?.runId !== live.runId;
  const rows: Row[] = replaces ? firstRows(recorded, cut) : [...recorded];
  addLive(rows, live);
  return { rows, path: replaces ? path.slice(0, cut) : path, live };
}

/** The rows of the first so many messages. */
function firstRows(recorded: readonly MessageRow[], messages: number): MessageRow[] {
  let left = messages;
  const rows: MessageRow[] = [];
  for (const row of recorded) {
    if (left <= 0) break;
    const [first, ...rest] = row.ids;
    rows.push(left >= row.ids.length ? row : { ...row, ids: [first, ...rest.slice(0, left - 1)] });
    left -= row.ids.length;
  }
  return rows;
}

/** What stands behind the path where nothing is on its way: an answer that was cut off, and why there is none. */
function endRows({ tree, path, failures }: ShowOptions): Row[] {
  const leaf = path.at(-1);
  const aside = interruptedAfter(tree, leaf ?? null);
  const rows: MessageRow[] = [];
  const run = leaf === undefined ? undefined : failures.get(leaf);
  addMessages(rows, tree, aside, run === undefined ? "alone" : "told");
  if (run === undefined || leaf === undefined) return rows;
  return [...rows, { kind: "failure", key: `${run.id} failed`, role: "assistant", continues: false, run, after: leaf }];
}

/** Of several answers on their way, the one that began last. */
function shownRun({ path, live, put }: ShowOptions): LiveRun | undefined {
  if (live.length === 0) return undefined;
  const onPath = new Set(path);
  return live.findLast(({ after, runId }) => !put.has(runId) && (after === null || onPath.has(after)));
}

/** An answer that was cut off, and that is the last thing that happened here. */
function interruptedAfter(tree: Tree, leaf: string | null): string[] {
  const chain: string[] = [];
  for (let at = childrenOf(tree, leaf).at(-1); at !== undefined; at = childrenOf(tree, at).at(-1)) {
    if (tree.nodes.get(at)?.interrupted !== true) break;
    chain.push(at);
  }
  return chain;
}

function addLive(rows: Row[], run: LiveRun): void {
  const known = new Set<string>();
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    if (row?.kind !== "message" || row.node.runId !== run.runId) break;
    known.add(row.key);
  }
  let count = 0;
  let hasCalls = false;
  const messages: readonly Pick<Message, "role" | "parts">[] = run.messages.length > 0 ? run.messages : [NOTHING_YET];
  for (const [at, { role, parts }] of messages.entries()) {
    const last = rows.at(-1);
    if (role === "tool" && last?.role === "assistant" && count > 0 && hasCalls) {
      if (last.kind === "live") last.tools++;
      continue;
    }
    const key = rowKey(run.runId, count++);
    hasCalls = parts.some(({ type }) => type === "tool-call");
    // Its record is there already, and the rest of the run's is about to be.
    if (known.has(key)) continue;
    const continues = last?.role === "assistant" && last.kind !== "failure" && runIdOf(last) === run.runId;
    rows.push({ kind: "live", key, role, continues, run, at, tools: 0 });
  }
}

const NOTHING_YET: Pick<Message, "role" | "parts"> = { role: "assistant", parts: [] };

function runIdOf(row: MessageRow | LiveRow): string | undefined {
  return row.kind === "live" ? row.run.runId : row.node.runId;
}
