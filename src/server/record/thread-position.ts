// Finds the position of a call: the thread, the message that its new messages follow, and the whole history for the
// model.
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
  /** The thread to create, if it may not exist. */
  thread?: NewThread;
  /** null: the new messages, or the answer itself, start at the root. */
  parentMessageId: string | null;
  /** The messages that are not stored yet. */
  input: readonly Message[];
  /** The whole history. */
  messages: readonly Message[];
  /** True if the history differs from the client's messages. */
  isHistoryChanged: boolean;
}

/** Only reads the ledger. */
export async function findThreadPosition(call: RecordedCall, kinds: PlainThreads): Promise<ThreadPosition> {
  if (call.previousResponse !== undefined) return positionAfterResponse(call, call.previousResponse);
  const { caller, request, thread: namedThread, after } = call;
  const { messages: requestMessages } = request;
  if (namedThread !== undefined && after !== undefined) {
    // A caller that names the message has read the history from the thread.
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
  // A history that matches a task's thread gets a thread of its own.
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

/** A history that is copied from another thread keeps what was restored there. */
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

/** Returns the position for a call whose thread was deleted while it ran: a new thread with the whole history. */
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
/** Whitespace and control characters, which a title cannot contain. */
// oxlint-disable-next-line no-control-regex -- those are meant
const WHITESPACE_AND_CONTROLS = /[\s\u0000-\u001f\u007f]+/g;

function plainText(text: string): string {
  return text.replace(WHITESPACE_AND_CONTROLS, " ").trim();
}

/** Returns the start of the first user message. */
function createThreadTitle(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const messageText = getText(message);
    // Long texts are not scanned to the end; usually the start is enough.
    const start = plainText(messageText.slice(0, 2 * MAX_TITLE_LENGTH));
    const text = start.length > MAX_TITLE_LENGTH ? start : plainText(messageText.slice(0, 1000));
    const title = text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1).trimEnd()}…` : text;
    // The cut may split a surrogate pair, and clients may send lone surrogates.
    if (title !== "") return title.toWellFormed();
  }
  return "";
}

/** A thread that the client names is the only one searched, whichever scope of the tenant created it. */
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
  // Before the first answer, only the active path can be compared.
  const path = isPlain && (await undefinedIfGone(ledger.transcript(threadId)));
  if (path === undefined) return positionInNewThread(call, matchElsewhere, threadId);
  const { parentMessageId, known } = matchActivePath(path, requestMessages);
  // A history of another thread that continues here is restored as it was there.
  const { messages, restored: isHistoryChanged } = matchElsewhere;
  // If no message matches, the whole history becomes another branch from the root.
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

/** Some providers number their responses from one at every start. */
export function createAmbiguousIdError(responseId: string, path: string): ServerError {
  const message = `The provider gave the id "${responseId}" to responses of several conversations, so it is ambiguous. Send the whole history instead.`;
  return new ServerError("invalid-request", message, { path });
}

/** Returns the history up to the answer, followed by the client's messages. `instructions` apply to one call only. */
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

/** True for the text of the `instructions` field; system items of the input stay. */
function isInstructions({ role, parts, extra }: Message, dialect: string): boolean {
  const [part] = parts;
  if (role !== "system" || parts.length !== 1 || part?.type !== "text") return false;
  return extra?.[dialect] === undefined && part.extra?.[dialect] === undefined;
}
