// What the next call should see of a thread: the path without interrupted turns (B90), and where it is too long, its
// instructions and as much of its end as fits, cut where no result loses its call (B99). What is stored stays as it is.
import { copyObject } from "../model/json.ts";
import type { StoredMessage } from "../model/message.ts";
import { checkCount } from "./check.ts";
import { walkUp } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { runLater } from "./steps.ts";
import type { ThreadKey } from "./store.ts";
import { threadKey } from "./threads.ts";
import { branchLeaf, messagesUp } from "./transcript.ts";
import type { ContextOptions } from "./types.ts";

export async function context(scope: Scope, threadId: string, options: ContextOptions = {}): Promise<StoredMessage[]> {
  const key = threadKey(scope, threadId);
  const { interrupted = false, maxMessages } = options;
  const most = maxMessages === undefined ? Number.POSITIVE_INFINITY : checkCount(maxMessages, "maxMessages", 1);
  const leaf = await branchLeaf(scope, key, options.branch);
  const { messages, above } = await endOfPath(scope, key, leaf, most, interrupted);
  if (messages.length <= most && above === null) return messages;
  const { leading, isAll } = await instructionsAbove(scope, key, above);
  // Where only instructions stand above, those that the end begins with lead too.
  const own = isAll ? messages.findIndex(({ role }) => !isInstruction(role)) : 0;
  const begin = own === -1 ? messages.length : own;
  leading.push(...messages.slice(0, begin));
  const rest = messages.slice(begin);
  return [...leading, ...rest.slice(cutAt(rest, most - leading.length))];
}

function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

interface EndOfPath {
  /** Oldest first. */
  messages: StoredMessage[];
  /** What stands above the first of them and was not read; null where the path begins with them. */
  above: string | null;
}

/** The end of a path: more messages than `most`, if there are so many. */
async function endOfPath(
  scope: Scope,
  key: ThreadKey,
  leaf: string | null,
  most: number,
  interrupted: boolean,
): Promise<EndOfPath> {
  const read: StoredMessage[] = [];
  for await (const chunk of messagesUp(scope, key, leaf, { limit: most + 1, blobs: "send" })) {
    for (const message of chunk) read.push(message);
    if (read.length <= most) continue;
    const messages = settled(read.toReversed(), interrupted);
    if (messages.length > most) return { messages, above: read.at(-1)?.parentMessageId ?? null };
  }
  return { messages: settled(read.reverse(), interrupted), above: null };
}

/** Messages without the interrupted ones, and without results of calls that went with them. */
function settled(messages: StoredMessage[], interrupted: boolean): StoredMessage[] {
  if (interrupted || !messages.some(isInterrupted)) return messages;
  const settledCalls = new Map<string, boolean>();
  const kept: StoredMessage[] = [];
  for (const message of messages) {
    const isKept = !isInterrupted(message);
    const parts = message.parts.filter((part) => {
      if (part.type === "tool-call") settledCalls.set(part.toolCallId, isKept);
      return part.type !== "tool-result" || settledCalls.get(part.toolCallId) !== false;
    });
    if (!isKept) continue;
    if (parts.length === message.parts.length) kept.push(message);
    else if (parts.length > 0) kept.push(Object.assign(copyObject(message), { parts }));
  }
  return kept;
}

function isInterrupted({ metadata }: StoredMessage): boolean {
  return metadata.interrupted === true;
}

interface Instructions {
  leading: StoredMessage[];
  /** Whether nothing else stands above. */
  isAll: boolean;
}

/** The instructions that a path begins with, of what stands from `above` up to the root. */
async function instructionsAbove(scope: Scope, key: ThreadKey, above: string | null): Promise<Instructions> {
  let last: string | null = null;
  let isAll = true;
  await runLater(
    walkUp(scope.store.reads, key, above, ({ id, role }) => {
      if (isInstruction(role)) last ??= id;
      else [last, isAll] = [null, false];
      return true;
    }),
  );
  const leading: StoredMessage[] = [];
  for await (const chunk of messagesUp(scope, key, last, { blobs: "send" })) leading.push(...chunk);
  return { leading: leading.reverse(), isAll };
}

/**
 * Where the part that is kept begins: at the first message from which on everything fits and every result has its call,
 * or at the first such user message unless that would cost more than half of it; else nowhere, and nothing is kept.
 */
function cutAt(messages: readonly StoredMessage[], room: number): number {
  let first = messages.length;
  let firstUser = messages.length;
  const unanswered = new Set<string>();
  for (let at = messages.length - 1; at >= 0 && messages.length - at <= room; at--) {
    const message = messages[at];
    // The loop stays within the list.
    if (message === undefined) break;
    for (const part of message.parts.toReversed()) {
      if (part.type === "tool-result") unanswered.add(part.toolCallId);
      else if (part.type === "tool-call") unanswered.delete(part.toolCallId);
    }
    if (unanswered.size > 0) continue;
    first = at;
    if (message.role === "user") firstUser = at;
  }
  return (messages.length - firstUser) * 2 >= messages.length - first ? firstUser : first;
}
