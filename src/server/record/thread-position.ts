// Finds the position of a call: the thread, the message that the new messages of the call follow, and the whole history
// that the model receives.
import type { NewThread, ThreadMatch } from "../../ledger/index.ts";
import { getText } from "../../model/index.ts";
import type { Message } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { PlainThreads } from "./plain-threads.ts";
import { matchActivePath } from "./match-active-path.ts";
import { responseAlias, findRunByAlias } from "./run-aliases.ts";
import { isGoneError } from "./record-errors.ts";
import { readAnswer, withoutLedgerFields } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

export interface ThreadPosition {
  threadId: string;
  /** The thread to create; undefined if the thread exists. */
  thread?: NewThread;
  /** The id of the message that the new messages follow, or the answer if there are none; null at the root. */
  parentMessageId: string | null;
  /** The new messages, which are not stored yet. */
  input: readonly Message[];
  /** The whole history that the model receives. */
  messages: readonly Message[];
  /** True if the history differs from the client's messages. */
  isHistoryChanged: boolean;
}

/** Returns the position of a call. The function reads the ledger, but does not write to it. */
export async function findThreadPosition(call: RecordedCall, kinds: PlainThreads): Promise<ThreadPosition> {
  if (call.previousResponse !== undefined) return positionAfterResponse(call, call.previousResponse);
  const { caller, request, thread: namedThread, after } = call;
  const { messages: requestMessages } = request;
  if (namedThread !== undefined && after !== undefined) {
    // A caller that sets `after` has read the history from the thread, so the history is not searched.
    return {
      threadId: namedThread,
      parentMessageId: after,
      input: [],
      messages: requestMessages,
      isHistoryChanged: false,
    };
  }
  const match = await caller.ledger.findThread(requestMessages, { scope: caller.scope, within: "scope" });
  if (namedThread !== undefined && namedThread !== match.threadId)
    return positionInThread(call, namedThread, match, kinds);
  const isPlainThread = match.threadId !== null && (await kinds.isPlain(caller.ledger, match.threadId));
  if (namedThread !== undefined && !isPlainThread) throw createTaskThreadError(namedThread);
  // A call whose history matches only a task's thread gets a new thread.
  if (match.threadId === null || !isPlainThread) return positionInNewThread(call, match, caller.ledger.newId());
  const { threadId, parentMessageId, known, messages, restored: isHistoryChanged } = match;
  return {
    threadId,
    parentMessageId,
    input: lastMessages(messages, requestMessages.length - known),
    messages,
    isHistoryChanged,
  };
}

function lastMessages(messages: readonly Message[], count: number): readonly Message[] {
  return count === 0 ? [] : messages.slice(-count);
}

/** Returns a position in a new thread. The history is that of `match`, in which dropped parts are restored. */
function positionInNewThread(
  { caller }: RecordedCall,
  { messages, restored: isHistoryChanged }: ThreadMatch,
  id: string,
): ThreadPosition {
  const thread: NewThread = { id, scope: caller.scope };
  const title = createThreadTitle(messages);
  if (title !== "") thread.title = title;
  return { threadId: id, thread, parentMessageId: null, input: messages, messages, isHistoryChanged };
}

/** Returns the position of a call whose thread was deleted while the call ran: a new thread with the whole history. */
export function moveToNewThread(call: RecordedCall, { messages }: ThreadPosition): ThreadPosition {
  const match: ThreadMatch = {
    threadId: null,
    parentMessageId: null,
    known: 0,
    messages: [...messages],
    restored: true,
  };
  return positionInNewThread(call, match, call.thread ?? call.caller.ledger.newId());
}

const MAX_TITLE_LENGTH = 80;
/** Sequences of white space and control characters, which a title replaces with one space. */
// oxlint-disable-next-line no-control-regex -- those are meant
const WHITESPACE_AND_CONTROLS = /[\s\u0000-\u001f\u007f]+/g;

function plainText(text: string): string {
  return text.replace(WHITESPACE_AND_CONTROLS, " ").trim();
}

/** Returns the start of the first user message with text; an empty string if there is no such message. */
function createThreadTitle(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const messageText = getText(message);
    // Only the start of a long text is read; more is read only if the start contains much white space.
    const start = plainText(messageText.slice(0, 2 * MAX_TITLE_LENGTH));
    const text = start.length > MAX_TITLE_LENGTH ? start : plainText(messageText.slice(0, 1000));
    const title = text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1).trimEnd()}…` : text;
    // Lone surrogates are replaced: the client may send them, and shortening the text may split a surrogate pair.
    if (title !== "") return title.toWellFormed();
  }
  return "";
}

/**
 * Returns the position in the thread whose id the client sent. No other thread is searched, and any scope of the tenant
 * may have created the thread.
 */
async function positionInThread(
  call: RecordedCall,
  threadId: string,
  matchElsewhere: ThreadMatch,
  kinds: PlainThreads,
): Promise<ThreadPosition> {
  const { ledger } = call.caller;
  const { messages: requestMessages } = call.request;
  const isPlain = await undefinedIfGone(kinds.isPlain(ledger, threadId));
  if (isPlain === false) throw createTaskThreadError(threadId);
  const match = await ledger.findThread(requestMessages, { threadId });
  if (match.threadId !== null) {
    const { parentMessageId, known, messages, restored: isHistoryChanged } = match;
    return {
      threadId,
      parentMessageId,
      input: lastMessages(messages, requestMessages.length - known),
      messages,
      isHistoryChanged,
    };
  }
  // `findThread` needs a stored answer of the history. Without one, the history is compared with the active path.
  const path = isPlain && (await undefinedIfGone(ledger.transcript(threadId)));
  if (path === undefined) return positionInNewThread(call, matchElsewhere, threadId);
  const { parentMessageId, known } = matchActivePath(path, requestMessages);
  // If the history matches another thread, the parts that were restored from that thread are used here, too.
  const { messages, restored: isHistoryChanged } = matchElsewhere;
  // If no message matches, the whole history becomes a new branch from the root.
  return { threadId, parentMessageId, input: messages.slice(known), messages, isHistoryChanged };
}

async function undefinedIfGone<Value>(read: Promise<Value>): Promise<Value | undefined> {
  return read.catch((error: unknown) => {
    if (isGoneError(error)) return undefined;
    throw error;
  });
}

function createTaskThreadError(threadId: string): ServerError {
  const message = `Thread ${threadId} belongs to a task: post a message to the task instead, or use another thread.`;
  return new ServerError("conflict", message, { path: "x-koine-thread" });
}

/**
 * Creates the error for a response id that several conversations have: some providers number their responses from 1
 * again after every restart.
 */
export function createAmbiguousIdError(responseId: string, path: string): ServerError {
  const message = `The provider gave the id "${responseId}" to responses of several conversations, so it is ambiguous. Send the whole history instead.`;
  return new ServerError("invalid-request", message, { path });
}

/**
 * Returns the position after the answer with a response id. The history is the path up to that answer, followed by the
 * client's messages. Earlier `instructions` are left out, because they apply to one call only.
 */
async function positionAfterResponse(call: RecordedCall, responseId: string): Promise<ThreadPosition> {
  const { caller, request, dialect, thread } = call;
  const { ledger } = caller;
  const run = await findRunByAlias(ledger, responseAlias(caller, responseId));
  if (run === "several") throw createAmbiguousIdError(responseId, "/previous_response_id");
  const answer = run === undefined ? undefined : await readAnswer(ledger, run);
  if (run === undefined || answer === undefined) {
    const message = `There is no response "${responseId}" to continue: it was not recorded, or was deleted. Send the whole history instead.`;
    throw new ServerError("not-found", message, { path: "/previous_response_id", status: 400 });
  }
  const { threadId } = run;
  if (thread !== undefined && thread !== threadId) {
    const message = `The response "${responseId}" is in thread ${threadId}, not in ${thread}: remove the header x-koine-thread.`;
    throw new ServerError("invalid-request", message, { path: "/previous_response_id" });
  }
  const path = (await ledger.transcript(threadId, { branch: answer.id })).map(withoutLedgerFields);
  const own = path.findIndex((message) => !isInstructions(message, dialect));
  const end = request.messages.findIndex((message) => !isInstructions(message, dialect));
  const instructionCount = end === -1 ? request.messages.length : end;
  const input = request.messages.slice(instructionCount);
  const messages = [
    ...request.messages.slice(0, instructionCount),
    ...path.slice(own === -1 ? path.length : own),
    ...input,
  ];
  return { threadId, parentMessageId: answer.id, input, messages, isHistoryChanged: true };
}

/** True for a message from the `instructions` field; false for a system item of the input, which has residue. */
function isInstructions({ role, parts, extra }: Message, dialect: string): boolean {
  const [part] = parts;
  if (role !== "system" || parts.length !== 1 || part?.type !== "text") return false;
  return extra?.[dialect] === undefined && part.extra?.[dialect] === undefined;
}
