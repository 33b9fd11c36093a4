// What waits to be said in a chat while an answer streams: kept by this tab, over a reload, until the answer is there. (What
// waits in a task is kept by the server.)
import type { AskSettings, ConversationState, LiveRun, QueuedMessage } from "../data/types.ts";
import { type Shelf, tabShelf } from "./shelf.ts";

export interface FollowUp extends QueuedMessage {
  /** Which model it is for, where one was chosen. */
  ask: AskSettings;
}

const NONE: readonly FollowUp[] = [];

export class FollowUps {
  private readonly waiting = new Map<string, readonly FollowUp[]>();
  private readonly listeners = new Set<() => void>();
  private readonly shelf: Shelf;
  /** Threads whose list is too large to outlive a reload. */
  private readonly unkept = new Set<string>();

  constructor(lists: Shelf) {
    this.shelf = lists;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  list(threadId: string): readonly FollowUp[] {
    const known = this.waiting.get(threadId);
    if (known !== undefined) return known;
    // Written by `set` alone.
    const stored = this.shelf.get(`follow-ups.${threadId}`) as readonly FollowUp[] | undefined;
    this.waiting.set(threadId, stored ?? NONE);
    return stored ?? NONE;
  }

  isKept(threadId: string): boolean {
    return !this.unkept.has(threadId);
  }

  add(threadId: string, message: FollowUp["message"], ask: AskSettings): void {
    const list = this.list(threadId);
    const last = Number(list.at(-1)?.id ?? 0);
    this.set(threadId, [...list, { id: `${last + 1}`, mode: "follow-up", message, ask }]);
  }

  /** Takes one from the list; undefined where it is there no more. */
  take(threadId: string, id: string): FollowUp | undefined {
    const list = this.list(threadId);
    const taken = list.find((each) => each.id === id);
    if (taken !== undefined)
      this.set(
        threadId,
        list.filter((each) => each !== taken),
      );
    return taken;
  }

  takeAll(threadId: string): readonly FollowUp[] {
    const list = this.list(threadId);
    if (list.length > 0) this.set(threadId, NONE);
    return list;
  }

  private set(threadId: string, list: readonly FollowUp[]): void {
    this.waiting.set(threadId, list);
    const name = `follow-ups.${threadId}`;
    this.unkept.delete(threadId);
    if (!this.shelf.set(name, list.length === 0 ? undefined : list)) {
      this.unkept.add(threadId);
      // What stands there is an older list: after a reload it would be said again.
      this.shelf.set(name, undefined);
    }
    for (const listener of this.listeners) listener();
  }
}

export const followUps = new FollowUps(tabShelf);

/** The answers on their way that the shown branch will end with. */
export function answering({ live, path }: Pick<ConversationState, "live" | "path">): readonly LiveRun[] {
  return live.filter(({ after, state }) => state !== "ended" && (after === null || path.includes(after)));
}

/**
 * Whether what waits may be said by itself: nothing is on its way, and the branch ends with a whole answer. After one that was
 * stopped or has failed, somebody has to say so.
 */
export function mayFollow(
  state: Pick<ConversationState, "live" | "path" | "nodes" | "status" | "connection">,
): boolean {
  if (state.status !== "ready" || state.connection !== "live" || state.live.length > 0) return false;
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  return leaf?.role === "assistant" && leaf.interrupted !== true;
}

/**
 * The message at the end of the shown branch that nobody answers, though nothing went wrong that would be told beside it: it was
 * only appended, or nobody could be asked.
 */
export function unanswered(
  state: Pick<ConversationState, "live" | "path" | "nodes" | "status" | "failures">,
): string | undefined {
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  if (state.status !== "ready" || state.live.length > 0 || leaf === undefined) return undefined;
  if ((leaf.role !== "user" && leaf.role !== "tool") || state.failures.has(leaf.id)) return undefined;
  for (const { parentMessageId } of state.nodes.values()) if (parentMessageId === leaf.id) return undefined;
  return leaf.id;
}
