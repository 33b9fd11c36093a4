// The tree of a thread's messages, and which of them is shown: nodes, the active leaf, and the path to it. Ids of a thread
// grow: that tells what came after what, however it became known.
import type { Part, StoredMessage } from "koine";
import { keepEqual, keepList } from "../keep.ts";
import type { OutlineNode } from "../types.ts";

const PREVIEW = 80;

export class MessageTree {
  nodes: ReadonlyMap<string, OutlineNode> = new Map();
  path: readonly string[] = [];
  /** How often the leaf was moved. */
  moves = 0;
  #leafId: string | null = null;
  /** A leaf that is told of before its message is known. */
  #awaited: string | undefined;
  /** The newest message that became the leaf by being said: older ones do not, though they are heard of later. */
  #newest = "";

  get leaf(): string | null {
    return this.#leafId;
  }

  /** All messages anew. Those that are the same stay the same. */
  load(messages: readonly OutlineNode[], leaf: string | null): void {
    const former = this.nodes;
    const nodes = new Map(messages.map((node) => [node.id, keepEqual(former.get(node.id), node)]));
    const isSame = nodes.size === former.size && [...nodes].every(([id, node]) => former.get(id) === node);
    if (!isSame) this.nodes = nodes;
    this.#newest = messages.at(-1)?.id ?? "";
    this.#awaited = undefined;
    this.#leafId = leaf;
    this.path = keepList(this.path, this.pathTo(leaf));
  }

  has(id: string): boolean {
    return this.nodes.has(id);
  }

  add(added: readonly OutlineNode[]): void {
    if (added.length === 0) return;
    const nodes = new Map(this.nodes);
    for (const node of added) nodes.set(node.id, node);
    const last = [...this.nodes.keys()].at(-1);
    // Heard of in another order than they were said in.
    const isSorted = added.every(({ id }, at) => id > (added[at - 1]?.id ?? last ?? ""));
    this.nodes = isSorted ? nodes : new Map([...nodes].sort(([a], [b]) => (a < b ? -1 : 1)));
    const awaited = this.#awaited;
    if (awaited !== undefined && nodes.has(awaited)) this.select(awaited);
  }

  /** A message was said, and is where the thread goes on, unless a newer one was. */
  follow(id: string): void {
    if (id < this.#newest || !this.nodes.has(id)) return;
    this.#newest = id;
    this.#awaited = undefined;
    this.#move(id);
  }

  /** Another message was chosen; it may be one that is not known yet. */
  select(id: string | null): void {
    this.#awaited = id !== null && !this.nodes.has(id) ? id : undefined;
    if (this.#awaited === undefined) this.#move(id);
  }

  /** The newest message that goes on from one, itself included: where its branch ends. Broken-off turns end none. */
  endOf(id: string): string {
    const under = new Set([id]);
    let end = id;
    for (const node of this.nodes.values()) {
      if (node.parentMessageId === null || node.interrupted || !under.has(node.parentMessageId)) continue;
      under.add(node.id);
      end = node.id;
    }
    return end;
  }

  /** The run's messages were replaced by another answer. */
  supersede(runId: string): void {
    const replaced = [...this.nodes.values()].filter((node) => node.runId === runId && node.superseded !== true);
    if (replaced.length === 0) return;
    const nodes = new Map(this.nodes);
    for (const node of replaced) nodes.set(node.id, { ...node, superseded: true });
    this.nodes = nodes;
  }

  pathTo(leaf: string | null): string[] {
    const path: string[] = [];
    for (let at = leaf; at !== null;) {
      const node = this.nodes.get(at);
      if (node === undefined) break;
      path.push(at);
      at = node.parentMessageId;
    }
    return path.reverse();
  }

  #move(id: string | null): void {
    if (id === this.#leafId) return;
    this.moves++;
    const isNext =
      id !== null && this.nodes.get(id)?.parentMessageId === this.#leafId && this.path.at(-1) === this.#leafId;
    this.path = isNext ? [...this.path, id] : this.pathTo(id);
    this.#leafId = id;
  }
}

/** A message in short, as the server's outlines have it. */
export function nodeOf(message: StoredMessage, runId?: string): OutlineNode {
  const { id, parentMessageId, role, createdAt, metadata, parts } = message;
  const node: OutlineNode = { id, parentMessageId, role, createdAt, preview: previewOf(parts) };
  if (runId !== undefined) node.runId = runId;
  if (typeof metadata.model === "string") node.model = metadata.model;
  if (metadata.interrupted === true) node.interrupted = true;
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
  const results = parts.filter(({ type }) => type === "tool-result").length;
  if (calls.length > 0) node.toolCalls = calls;
  if (results > 0) node.toolResults = results;
  return node;
}

function previewOf(parts: readonly Part[]): string {
  let line = "";
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "refusal") continue;
    const next = part.text
      .slice(0, 8 * PREVIEW)
      .replace(/\s+/gu, " ")
      .trim();
    if (next !== "") line = line === "" ? next : `${line} ${next}`;
    if (line.length > PREVIEW) return cut(line);
  }
  return line;
}

function cut(line: string): string {
  const unit = line.charCodeAt(PREVIEW - 2);
  // No half of a character before the ellipsis.
  const isHalf = unit >= 0xd800 && unit < 0xdc00;
  return `${line.slice(0, isHalf ? PREVIEW - 2 : PREVIEW - 1).trimEnd()}…`;
}
