// What the next call should see of a thread: the path without interrupted turns (B90), and where it is too long, its
// instructions and as much of its end as fits, cut where no result loses its call and the end keeps its question (B99).
// What is stored stays as it is.
import type { StoredMessage } from "../../model/message.ts";
import { readRows } from "../body.ts";
import { checkCount } from "../check.ts";
import { isInstruction, lookAbove } from "./above.ts";
import { isInterrupted, settled } from "./settled.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { threadKey } from "../threads.ts";
import { branchLeaf, messagesUp } from "../transcript.ts";
import type { ContextOptions } from "../types.ts";

export async function context(scope: Scope, threadId: string, options: ContextOptions = {}): Promise<StoredMessage[]> {
  const key = threadKey(scope, threadId);
  const { interrupted = false, maxMessages } = options;
  const most = maxMessages === undefined ? Number.POSITIVE_INFINITY : checkCount(maxMessages, "maxMessages", 1);
  const leaf = await branchLeaf(scope, key, options.branch);
  const { messages, above } = await endOfPath(scope, key, leaf, most, interrupted);
  if (messages.length <= most && above === null) return messages;
  const { instructionId, isAll, userId } = await lookAbove(scope, key, above);
  const leading: StoredMessage[] = [];
  for await (const chunk of messagesUp(scope, key, instructionId, { blobs: "send" })) leading.push(...chunk);
  leading.reverse();
  // Where only instructions stand above, those that the end begins with lead too.
  const own = isAll ? messages.findIndex(({ role }) => !isInstruction(role)) : 0;
  const begin = own === -1 ? messages.length : own;
  leading.push(...messages.slice(0, begin));
  const ask = () => questionAbove(scope, key, userId, interrupted);
  return [...leading, ...(await keptEnd(messages.slice(begin), most - leading.length, ask))];
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
  const settle = interrupted ? (messages: StoredMessage[]) => messages : settled;
  const read: StoredMessage[] = [];
  let count = 0;
  let promising = most;
  for await (const chunk of messagesUp(scope, key, leaf, { limit: most + 1, blobs: "send" })) {
    for (const message of chunk) {
      read.push(message);
      if (interrupted || !isInterrupted(message)) count++;
    }
    if (count <= promising) continue;
    const messages = settle(read.toReversed());
    if (messages.length > most) return { messages, above: read.at(-1)?.parentMessageId ?? null };
    // Halves of pairs went, too. The next look is worth its while when there is twice as much to look at.
    promising = count * 2;
  }
  return { messages: settle(read.reverse()), above: null };
}

/** The nearest message from `userId` upwards that is a question, and not a user's word about a call. */
async function questionAbove(
  scope: Scope,
  key: ThreadKey,
  userId: string | null,
  interrupted: boolean,
): Promise<StoredMessage | undefined> {
  for (let id = userId; id !== null;) {
    const row = await scope.store.reads.message(key, id);
    if (row === undefined) return undefined;
    const [message] = await readRows(scope, [row], "send");
    if (message !== undefined && isQuestion(message) && (interrupted || !isInterrupted(message))) return message;
    ({ userId: id } = await lookAbove(scope, key, row.parentId));
  }
  return undefined;
}

function isQuestion({ role, parts }: StoredMessage): boolean {
  return role === "user" && !parts.some(({ type }) => type === "tool-result");
}

/**
 * The longest end that fits and in which every result has its call. One that does not begin with a user message has the
 * nearest question above in front of it, if there is one: an answer without its question would be read as nonsense, and
 * is refused by some providers. `ask` gives the question where none is among the messages.
 */
async function keptEnd(
  messages: readonly StoredMessage[],
  room: number,
  ask: () => Promise<StoredMessage | undefined>,
): Promise<StoredMessage[]> {
  let asked: Promise<StoredMessage | undefined> | undefined;
  for (const at of wholeEnds(messages, room)) {
    const end = messages.slice(at);
    if (end[0]?.role === "user") return end;
    const question = messages.slice(0, at).findLast(isQuestion) ?? (await (asked ??= ask()));
    if (question === undefined) return end;
    if (end.length < room) return [question, ...end];
  }
  return [];
}

/** Where ends begin that fit and in which every result has its call, the longest first. */
function wholeEnds(messages: readonly StoredMessage[], room: number): number[] {
  const ends: number[] = [];
  const unanswered = new Set<string>();
  for (let at = messages.length - 1; at >= 0 && messages.length - at <= room; at--) {
    for (const part of messages[at]?.parts.toReversed() ?? []) {
      if (part.type === "tool-result") unanswered.add(part.toolCallId);
      else if (part.type === "tool-call") unanswered.delete(part.toolCallId);
    }
    if (unanswered.size === 0) ends.push(at);
  }
  return ends.reverse();
}
