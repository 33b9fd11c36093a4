// Holds the tree of a thread's messages, the active leaf and the path to it. Message ids grow with time, so sorting by
// id restores the order of messages that arrived in another order.
import type { Part, StoredMessage } from "koine";
import { reuseIfEqual, reuseList } from "../structural-sharing.ts";
import type { OutlineNode } from "../types.ts";

const PREVIEW_LENGTH = 80;

export class MessageTree {
  nodes: ReadonlyMap<string, OutlineNode> = new Map();
  path: readonly string[] = [];
  /**
   * Number of times that the leaf has moved. A caller that finds another number than before knows that the leaf has
   * moved.
   */
  leafMoves = 0;
  #leafId: string | null = null;
  /** Id of a selected leaf whose message has not arrived yet; undefined if there is none. */
  #unknownLeafId: string | undefined;
  /**
   * Id of the newest message that was appended or loaded. Events may arrive out of order; a message with a smaller id
   * was stored earlier and does not become the leaf.
   */
  #newestId = "";

  get leaf(): string | null {
    return this.#leafId;
  }

  /** Replaces all messages; nodes that have not changed stay the same objects. */
  load(messages: readonly OutlineNode[], leaf: string | null): void {
    const previous = this.nodes;
    const nodes = new Map(messages.map((node) => [node.id, reuseIfEqual(previous.get(node.id), node)]));
    const isSame = nodes.size === previous.size && [...nodes].every(([id, node]) => previous.get(id) === node);
    if (!isSame) this.nodes = nodes;
    this.#newestId = messages.at(-1)?.id ?? "";
    this.#unknownLeafId = undefined;
    this.#leafId = leaf;
    this.path = reuseList(this.path, this.listPathTo(leaf));
  }

  has(id: string): boolean {
    return this.nodes.has(id);
  }

  add(added: readonly OutlineNode[]): void {
    if (added.length === 0) return;
    const nodes = new Map(this.nodes);
    for (const node of added) nodes.set(node.id, node);
    const last = [...this.nodes.keys()].at(-1);
    // The nodes must be in the order of their ids, in which the server stored them. They are sorted only if the added
    // messages do not continue this order.
    const isSorted = added.every(({ id }, at) => id > (added[at - 1]?.id ?? last ?? ""));
    this.nodes = isSorted ? nodes : new Map([...nodes].sort(([a], [b]) => (a < b ? -1 : 1)));
    const unknownLeafId = this.#unknownLeafId;
    if (unknownLeafId !== undefined && nodes.has(unknownLeafId)) this.select(unknownLeafId);
  }

  /** Moves the leaf to an appended message, unless a newer message was already appended. */
  advanceTo(id: string): void {
    if (id < this.#newestId || !this.nodes.has(id)) return;
    this.#newestId = id;
    this.#unknownLeafId = undefined;
    this.#moveLeaf(id);
  }

  /** Selects a leaf. If its message is not known yet, the leaf moves when `add` receives the message. */
  select(id: string | null): void {
    this.#unknownLeafId = id !== null && !this.nodes.has(id) ? id : undefined;
    if (this.#unknownLeafId === undefined) this.#moveLeaf(id);
  }

  /**
   * Returns the id of the newest message below the message `id` that is reached without passing an interrupted message;
   * `id` itself if there is none.
   */
  findLeaf(id: string): string {
    const descendants = new Set([id]);
    let leafId = id;
    for (const node of this.nodes.values()) {
      if (node.parentMessageId === null || node.interrupted || !descendants.has(node.parentMessageId)) continue;
      descendants.add(node.id);
      leafId = node.id;
    }
    return leafId;
  }

  /** Marks the run's messages as replaced by another answer. */
  supersede(runId: string): void {
    const replaced = [...this.nodes.values()].filter((node) => node.runId === runId && node.superseded !== true);
    if (replaced.length === 0) return;
    const nodes = new Map(this.nodes);
    for (const node of replaced) nodes.set(node.id, { ...node, superseded: true });
    this.nodes = nodes;
  }

  listPathTo(leaf: string | null): string[] {
    return listPath(this.nodes, leaf);
  }

  #moveLeaf(id: string | null): void {
    if (id === this.#leafId) return;
    this.leafMoves++;
    const isNext =
      id !== null && this.nodes.get(id)?.parentMessageId === this.#leafId && this.path.at(-1) === this.#leafId;
    this.path = isNext ? [...this.path, id] : this.listPathTo(id);
    this.#leafId = id;
  }
}

/** Converts a message to an outline node, in the same way as the server. */
export function toOutlineNode(message: StoredMessage, runId?: string): OutlineNode {
  const { id, parentMessageId, role, createdAt, metadata, parts } = message;
  const node: OutlineNode = { id, parentMessageId, role, createdAt, preview: makePreview(parts) };
  if (runId !== undefined) node.runId = runId;
  if (typeof metadata.model === "string") node.model = metadata.model;
  if (metadata.interrupted === true) node.interrupted = true;
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
  const results = parts.filter(({ type }) => type === "tool-result").length;
  if (calls.length > 0) node.toolCalls = calls;
  if (results > 0) node.toolResults = results;
  return node;
}

function makePreview(parts: readonly Part[]): string {
  let line = "";
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "refusal") continue;
    const next = part.text
      .slice(0, 8 * PREVIEW_LENGTH)
      .replace(/\s+/gu, " ")
      .trim();
    if (next !== "") line = line === "" ? next : `${line} ${next}`;
    if (line.length > PREVIEW_LENGTH) return truncate(line);
  }
  return line;
}

function truncate(line: string): string {
  const unit = line.charCodeAt(PREVIEW_LENGTH - 2);
  // If the cut is inside a surrogate pair, the first half is removed, too.
  const isHalf = unit >= 0xd800 && unit < 0xdc00;
  return `${line.slice(0, isHalf ? PREVIEW_LENGTH - 2 : PREVIEW_LENGTH - 1).trimEnd()}…`;
}

/**
 * Returns the ids from the root to the message `leaf`. An imported thread may contain a cycle of parents; the path then
 * ends where the cycle closes.
 */
export function listPath(nodes: ReadonlyMap<string, OutlineNode>, leaf: string | null): string[] {
  const path = new Set<string>();
  for (let id = leaf; id !== null && !path.has(id);) {
    const node = nodes.get(id);
    if (node === undefined) break;
    path.add(id);
    id = node.parentMessageId;
  }
  return [...path].reverse();
}
