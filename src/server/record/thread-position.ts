// Finds the position of a call in a thread: the message that the new messages of the call follow, and the whole history
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
  /** The thread to create; undefined if the thread already exists. */
  thread?: NewThread;
  /**
   * The id of the message that the new messages follow or, if there are no new messages, that the answer follows. Null
   * at the root of the thread.
   */
  parentMessageId: string | null;
  /** The new messages of the call, which are not stored yet. */
  input: readonly Message[];
  /** The whole history that the model receives. */
  messages: readonly Message[];
  /** True if the history differs from the client's messages. */
  isHistoryChanged: boolean;
}

/** Finds the position of a call in a thread. Reads the ledger, but does not write to it. */
export async function findThreadPosition(call: RecordedCall, kinds: PlainThreads): Promise<ThreadPosition> {
  if (call.previousResponse !== undefined) return positionAfterResponse(call, call.previousResponse);
  const { caller, request, thread: namedThread, after } = call;
  const { messages: requestMessages } = request;
  if (namedThread !== undefined && after !== undefined) {
    // A caller that sets `after` has read the history from this thread, so no thread is searched for the history.
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
  // A call gets a new thread if its history matches no thread, or only the thread of a task.
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

/**
 * Returns a position in a new thread. `match` is the result of `findThread`; its history is used, because `findThread`
 * has restored the parts that the client dropped.
 */
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
/** Matches a sequence of white space and control characters, which is replaced with one space in a title. */
// oxlint-disable-next-line no-control-regex -- The expression must match control characters.
const WHITESPACE_AND_CONTROLS = /[\s\u0000-\u001f\u007f]+/g;

function plainText(text: string): string {
  return text.replace(WHITESPACE_AND_CONTROLS, " ").trim();
}

/** Returns the start of the first user message with text; an empty string if no user message has text. */
function createThreadTitle(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const messageText = getText(message);
    // Only the start of a long text is read. More of the text is read only if the start contains much white space.
    const start = plainText(messageText.slice(0, 2 * MAX_TITLE_LENGTH));
    const text = start.length > MAX_TITLE_LENGTH ? start : plainText(messageText.slice(0, 1000));
    const title = text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1).trimEnd()}…` : text;
    // Lone surrogates are replaced. The client may send them, and shortening the text may split a surrogate pair.
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
  // `findThread` recognizes a history only by an answer in it that is stored in the thread. It found none, so the
  // history is compared with the active path.
  const path = isPlain && (await undefinedIfGone(ledger.transcript(threadId)));
  if (path === undefined) return positionInNewThread(call, matchElsewhere, threadId);
  const { parentMessageId, known } = matchActivePath(path, requestMessages);
  // `findThread` may have found the history in another thread. The parts that it restored from that thread are also
  // used here.
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
 * Creates the error for a response id that several conversations have. Such ids exist, because some providers number
 * their responses from 1 again after every restart.
 */
export function createAmbiguousIdError(responseId: string, path: string): ServerError {
  const message = `The provider gave the id "${responseId}" to responses of several conversations, so it is ambiguous. Send the whole history instead.`;
  return new ServerError("invalid-request", message, { path });
}

/**
 * Returns the position after the answer with a response id. The history is the path up to that answer, followed by the
 * client's messages. The `instructions` of earlier calls are left out, because they apply to one call only.
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

/**
 * True for a message that was decoded from the `instructions` field of a request. A system message that was decoded
 * from an item of `input` has residue, so the result is false for it.
 */
function isInstructions({ role, parts, extra }: Message, dialect: string): boolean {
  const [part] = parts;
  if (role !== "system" || parts.length !== 1 || part?.type !== "text") return false;
  return extra?.[dialect] === undefined && part.extra?.[dialect] === undefined;
}
