// Selects the replaced messages of a thread: messages that neither the active path, nor a live run, nor a committed run
// needs. The selection uses only headers and runs that the caller has read; it does not access the store.
import { decodeTime } from "ulid";
import type { MessageHeader, RunRow } from "../store/rows.ts";
import { isLive } from "../runs/transitions.ts";

/** The rows that a purge of replaced messages deletes. */
export interface ReplacedRows {
  /** The ids of the messages, newest first, so that each message is deleted before its parent. */
  messageIds: string[];
  /** The ids of the runs all of whose messages are deleted. */
  runIds: string[];
}

/**
 * Selects the messages that a purge of replaced messages deletes:
 * - messages of superseded runs, and all messages below them;
 * - ancestors of such messages that have no other descendants, such as a question that was replaced together with its
 *   answer;
 * - messages of failed and cancelled runs, unless messages that are not deleted follow them.
 * Not deleted are the path of the active leaf, the paths of committed runs and of the fork points of live runs;
 * branches of appended messages; messages that are not older than `before`, and their ancestors.
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
  // The messages are tested newest first, so that all children of a message are tested before the message.
  for (const header of headers.toReversed()) {
    const { id, runId } = header;
    const children = tree.listChildren(id);
    if (tree.isProtected(id) || decodeTime(id) >= before || !children.every((child) => deletedIds.has(child))) continue;
    const state = findState(states, runId);
    const isPartial = state === "failed" || state === "cancelled";
    if (!supersededIds.has(id) && !isPartial && !children.some((child) => supersededIds.has(child))) continue;
    // The message counts as superseded when its parent is tested, so the parent is deleted as well if it has no other
    // children. This does not apply to messages of failed and cancelled runs: the question before a failed answer is
    // kept.
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

/** The message tree of a thread. The headers must be in the order of their ids, so that parents precede children. */
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

  /** Protects the path to a leaf. Stops at a message that is protected already, because its ancestors are protected. */
  protectPath(leaf: string | null): void {
    let id: string | null = leaf;
    while (id !== null && !this.#protected.has(id)) {
      this.#protected.add(id);
      id = this.#byId.get(id)?.parentId ?? null;
    }
  }

  /** Returns the ids of the messages for which the predicate is true, and of all messages below them. */
  selectSubtrees(predicate: (header: MessageHeader) => boolean): Set<string> {
    const selected = new Set<string>();
    for (const header of this.#headers) {
      if (predicate(header) || (header.parentId !== null && selected.has(header.parentId))) selected.add(header.id);
    }
    return selected;
  }
}
