// Selects the messages for the next model call: the path without interrupted turns, which are the partial answers of
// failed and cancelled runs (B90). A path that is too long is reduced to its leading instructions and the longest end
// that fits, in which every tool result has its call and the answer has its question (B99). Stored data is not changed.
import type { StoredMessage } from "../../model/message.ts";
import { readMessages } from "../messages/message-body.ts";
import { requireCount } from "../check-arguments.ts";
import { isInstruction } from "../identity/normal-form.ts";
import { readAncestorFacts } from "./ancestors.ts";
import { isInterrupted, removeInterruptedTurns } from "./interrupted-turns.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { toThreadKey } from "../threads/threads.ts";
import { findBranchLeaf, readPathUp } from "../messages/transcript.ts";
import type { ContextOptions } from "../types.ts";

export async function readContext(
  scope: LedgerScope,
  threadId: string,
  options: ContextOptions = {},
): Promise<StoredMessage[]> {
  const key = toThreadKey(scope, threadId);
  const { interrupted = false, maxMessages } = options;
  const limit = maxMessages === undefined ? Number.POSITIVE_INFINITY : requireCount(maxMessages, "maxMessages", 1);
  const leaf = await findBranchLeaf(scope, key, options.branch);
  const { messages, ancestorId } = await readPathEnd(scope, key, leaf, limit, interrupted);
  if (messages.length <= limit && ancestorId === null) return messages;
  const { instructionId, isInstructionsOnly: isAll, userId } = await readAncestorFacts(scope, key, ancestorId);
  const leading: StoredMessage[] = [];
  for await (const chunk of readPathUp(scope, key, instructionId, { blobs: "send" })) leading.push(...chunk);
  leading.reverse();
  // If all ancestors of `messages[0]` are instructions, the path begins with instructions that continue into
  // `messages`: the instructions at the start of `messages` are leading instructions, too.
  const firstOther = isAll ? messages.findIndex(({ role }) => !isInstruction(role)) : 0;
  const begin = firstOther === -1 ? messages.length : firstOther;
  leading.push(...messages.slice(0, begin));
  const readQuestion = () => findQuestionAbove(scope, key, userId, interrupted);
  return [...leading, ...(await selectEnd(messages.slice(begin), limit - leading.length, readQuestion))];
}

/** The last messages of a path. */
interface PathEnd {
  /** The messages, oldest first. */
  messages: StoredMessage[];
  /** The id of the parent of the first message; null if that message is the root. */
  ancestorId: string | null;
}

/**
 * Reads messages from the leaf upwards until more than `limit` messages are selected or the root is reached.
 * Interrupted turns are removed, unless `interrupted` is true.
 */
async function readPathEnd(
  scope: LedgerScope,
  key: ThreadKey,
  leaf: string | null,
  limit: number,
  interrupted: boolean,
): Promise<PathEnd> {
  const select = interrupted ? (messages: StoredMessage[]) => messages : removeInterruptedTurns;
  const read: StoredMessage[] = [];
  let count = 0;
  let threshold = limit;
  for await (const chunk of readPathUp(scope, key, leaf, { limit: limit + 1, blobs: "send" })) {
    for (const message of chunk) {
      read.push(message);
      if (interrupted || !isInterrupted(message)) count++;
    }
    if (count <= threshold) continue;
    const messages = select(read.toReversed());
    if (messages.length > limit) return { messages, ancestorId: read.at(-1)?.parentMessageId ?? null };
    // `count` excludes interrupted messages, but `select` also removed calls and results that lost their counterpart,
    // so at most `limit` messages are left. The next selection waits for twice as many messages, because each selection
    // processes all messages that were read.
    threshold = count * 2;
  }
  return { messages: select(read.reverse()), ancestorId: null };
}

/**
 * Finds the nearest question among the user message `userId` and the user messages above it. A question is a user
 * message without tool results. Returns undefined if there is none.
 */
async function findQuestionAbove(
  scope: LedgerScope,
  key: ThreadKey,
  userId: string | null,
  interrupted: boolean,
): Promise<StoredMessage | undefined> {
  for (let id = userId; id !== null;) {
    const row = await scope.store.reads.message(key, id);
    if (row === undefined) return undefined;
    const [message] = await readMessages(scope, [row], "send");
    if (message !== undefined && isQuestion(message) && (interrupted || !isInterrupted(message))) return message;
    ({ userId: id } = await readAncestorFacts(scope, key, row.parentId));
  }
  return undefined;
}

function isQuestion({ role, parts }: StoredMessage): boolean {
  return role === "user" && !parts.some(({ type }) => type === "tool-result");
}

/**
 * Returns the longest end of the messages that has at most `limit` messages and in which every result has its call; an
 * empty list if there is none. If the end does not begin with a user message, the nearest earlier question is put
 * before the end, because some providers reject an answer without its question. `readQuestion` reads a question that is
 * not among the messages.
 */
async function selectEnd(
  messages: readonly StoredMessage[],
  limit: number,
  readQuestion: () => Promise<StoredMessage | undefined>,
): Promise<StoredMessage[]> {
  let ancestorQuestion: Promise<StoredMessage | undefined> | undefined;
  for (const at of listCompleteEnds(messages, limit)) {
    const end = messages.slice(at);
    if (end[0]?.role === "user") return end;
    const question = messages.slice(0, at).findLast(isQuestion) ?? (await (ancestorQuestion ??= readQuestion()));
    if (question === undefined) return end;
    if (end.length < limit) return [question, ...end];
  }
  return [];
}

/**
 * An end is a list of the last messages, such as the last three. Returns the start indexes of the ends that have at
 * most `limit` messages and in which every tool result has its call, the longest end first.
 */
function listCompleteEnds(messages: readonly StoredMessage[], limit: number): number[] {
  const ends: number[] = [];
  const resultsWithoutCall = new Set<string>();
  for (let at = messages.length - 1; at >= 0 && messages.length - at <= limit; at--) {
    for (const part of messages[at]?.parts.toReversed() ?? []) {
      if (part.type === "tool-result") resultsWithoutCall.add(part.toolCallId);
      else if (part.type === "tool-call") resultsWithoutCall.delete(part.toolCallId);
    }
    if (resultsWithoutCall.size === 0) ends.push(at);
  }
  return ends.reverse();
}
