// Selects the replaced messages of a thread: those that neither the active path, nor a live run, nor a committed answer
// needs. Pure: headers and runs in, ids out.
import { decodeTime } from "ulid";
import type { MessageHeader, RunRow } from "../store/rows.ts";
import { isLive } from "../runs/transitions.ts";

/** The rows that a purge of replaced messages deletes. */
export interface ReplacedRows {
  /** Newest first, so that no message loses its parent before it is deleted itself. */
  messageIds: string[];
  /** Runs without remaining messages. */
  runIds: string[];
}

/**
 * Selects the messages that a purge of replaced messages deletes:
 * - messages of superseded runs, and all messages below them;
 * - messages that lead only to those, such as a question that was replaced together with its answer;
 * - interrupted turns of failed and cancelled runs, unless other messages follow them.
 * Not deleted: the path of the active leaf, the paths of committed runs and of the fork points of live runs; appended
 * branches; messages that are not older than `before`, and their ancestors.
 */
export function findReplacedMessages(
  headers: readonly MessageHeader[],
  runs: readonly RunRow[],
  leaf: string | null,
  before: number,
): ReplacedRows {
  const states = new Map(runs.map(({ id, state }) => [id, state]));
  const tree = new HeaderTree(headers);
  for (const id of [leaf, ...runs.filter(({ state }) => isLive(state)).map(({ forkFromId }) => forkFromId)]) {
    tree.protectPath(id);
  }
  for (const { id, runId } of headers) if (findState(states, runId) === "committed") tree.protectPath(id);
  const supersededIds = tree.selectSubtrees((header) => findState(states, header.runId) === "superseded");
  const messageIds: string[] = [];
  const deletedIds = new Set<string>();
  // From the leaves up, so that all children are decided before their parent.
  for (const header of headers.toReversed()) {
    const { id, runId } = header;
    const children = tree.listChildren(id);
    if (tree.isProtected(id) || decodeTime(id) >= before || !children.every((child) => deletedIds.has(child))) continue;
    const state = findState(states, runId);
    const isPartial = state === "failed" || state === "cancelled";
    if (!supersededIds.has(id) && !isPartial && !children.some((child) => supersededIds.has(child))) continue;
    // Its parent may lead only to this message.
    if (!isPartial) supersededIds.add(id);
    deletedIds.add(id);
    messageIds.push(id);
  }
  return { messageIds, runIds: findEmptyRuns(headers, deletedIds) };
}

function findState(states: ReadonlyMap<string, RunRow["state"]>, runId: string | null): RunRow["state"] | undefined {
  return runId === null ? undefined : states.get(runId);
}

function findEmptyRuns(headers: readonly MessageHeader[], deletedIds: ReadonlySet<string>): string[] {
  const [emptied, remaining] = [new Set<string>(), new Set<string>()];
  for (const { id, runId } of headers) if (runId !== null) (deletedIds.has(id) ? emptied : remaining).add(runId);
  return [...emptied].filter((runId) => !remaining.has(runId));
}

/** The tree of headers, in the order of their ids: parents before children. */
class HeaderTree {
  readonly #headers: readonly MessageHeader[];
  readonly #byId: ReadonlyMap<string, MessageHeader>;
  readonly #children = new Map<string, string[]>();
  readonly #protected = new Set<string>();

  constructor(headers: readonly MessageHeader[]) {
    this.#headers = headers;
    this.#byId = new Map(headers.map((header) => [header.id, header]));
    for (const { id, parentId } of headers) {
      if (parentId === null) continue;
      const siblings = this.#children.get(parentId);
      if (siblings === undefined) this.#children.set(parentId, [id]);
      else siblings.push(id);
    }
  }

  listChildren(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  isProtected(id: string): boolean {
    return this.#protected.has(id);
  }

  /** Protects a path. Stops at a message that is protected already: its ancestors are too. */
  protectPath(leaf: string | null): void {
    let id: string | null = leaf;
    while (id !== null && !this.#protected.has(id)) {
      this.#protected.add(id);
      id = this.#byId.get(id)?.parentId ?? null;
    }
  }

  /** Returns the messages for which the predicate holds, and all messages below them. */
  selectSubtrees(predicate: (header: MessageHeader) => boolean): Set<string> {
    const selected = new Set<string>();
    for (const header of this.#headers) {
      if (predicate(header) || (header.parentId !== null && selected.has(header.parentId))) selected.add(header.id);
    }
    return selected;
  }
}
