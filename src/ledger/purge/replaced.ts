// Which messages of a thread are replaced: of no use to the active path, to any run that is alive, or to any answer that
// still counts. Pure: headers and runs in, ids out.
import { decodeTime } from "ulid";
import type { MessageHeader, RunRow } from "../rows.ts";
import { isLive } from "../runs/transitions.ts";

export interface Replaced {
  /** Newest first, so that no message ever stands without its parent. */
  messageIds: string[];
  /** Runs that have no message left. */
  runIds: string[];
}

/**
 * What a purge of replaced messages takes:
 *
 * - messages of superseded runs, and all that follows them;
 * - messages that led to nothing but those, such as the question that was replaced together with its answer;
 * - partial turns of runs that failed or were cancelled, unless something follows them.
 *
 * What it leaves: the path of the active leaf, the paths of committed runs, the paths of the fork points of live runs;
 * branches that were appended; what is not older than `before`, and what such messages follow.
 */
export function replacedOf(
  headers: readonly MessageHeader[],
  runs: readonly RunRow[],
  leaf: string | null,
  before: number,
): Replaced {
  const states = new Map(runs.map(({ id, state }) => [id, state]));
  const tree = new Tree(headers);
  for (const id of [leaf, ...runs.filter(({ state }) => isLive(state)).map(({ forkFromId }) => forkFromId)]) {
    tree.keepPath(id);
  }
  for (const { id, runId } of headers) if (stateOf(states, runId) === "committed") tree.keepPath(id);
  const isSuperseded = tree.spreadDown((header) => stateOf(states, header.runId) === "superseded");
  const messageIds: string[] = [];
  const isGone = new Set<string>();
  // From the leaves up: what goes is known of all children by then.
  for (const header of headers.toReversed()) {
    const { id, runId } = header;
    const children = tree.childrenOf(id);
    if (tree.isKept(id) || decodeTime(id) >= before || !children.every((child) => isGone.has(child))) continue;
    const state = stateOf(states, runId);
    const isPartial = state === "failed" || state === "cancelled";
    if (!isSuperseded.has(id) && !isPartial && !children.some((child) => isSuperseded.has(child))) continue;
    // So that what leads to it is asked the same.
    if (!isPartial) isSuperseded.add(id);
    isGone.add(id);
    messageIds.push(id);
  }
  return { messageIds, runIds: emptied(headers, isGone) };
}

function stateOf(states: ReadonlyMap<string, RunRow["state"]>, runId: string | null): RunRow["state"] | undefined {
  return runId === null ? undefined : states.get(runId);
}

function emptied(headers: readonly MessageHeader[], isGone: ReadonlySet<string>): string[] {
  const [gone, staying] = [new Set<string>(), new Set<string>()];
  for (const { id, runId } of headers) if (runId !== null) (isGone.has(id) ? gone : staying).add(runId);
  return [...gone].filter((runId) => !staying.has(runId));
}

/** Headers in the order of their ids: parents before children. */
class Tree {
  readonly #headers: readonly MessageHeader[];
  readonly #byId: ReadonlyMap<string, MessageHeader>;
  readonly #children = new Map<string, string[]>();
  readonly #kept = new Set<string>();

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

  childrenOf(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  isKept(id: string): boolean {
    return this.#kept.has(id);
  }

  /** Ends where another path was kept before: what is above is kept by then. */
  keepPath(leaf: string | null): void {
    let id: string | null = leaf;
    while (id !== null && !this.#kept.has(id)) {
      this.#kept.add(id);
      id = this.#byId.get(id)?.parentId ?? null;
    }
  }

  /** The messages for which it holds, and all below them. */
  spreadDown(holds: (header: MessageHeader) => boolean): Set<string> {
    const found = new Set<string>();
    for (const header of this.#headers) {
      if (holds(header) || (header.parentId !== null && found.has(header.parentId))) found.add(header.id);
    }
    return found;
  }
}
