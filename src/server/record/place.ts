// Where a call belongs: the thread, the message that its new ones follow, and the whole history that the model is told.
import type { NewThread, ThreadMatch } from "../../ledger/index.ts";
import { textOf } from "../../model/index.ts";
import type { Message } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { ThreadKinds } from "./kinds.ts";
import { findOnPath } from "./named-thread.ts";
import { responseAlias, runNamed } from "./names.ts";
import { isGone } from "./refusal.ts";
import { answerOf, withoutLedgerFields } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

export interface ThreadPosition {
  threadId: string;
  /** How the thread is made, where it may not be there. */
  thread?: NewThread;
  /** null: the new messages, or the answer itself, begin at the root. */
  parentMessageId: string | null;
  /** What is new. */
  input: readonly Message[];
  /** The whole history. */
  messages: readonly Message[];
  /** Whether that is other than what the client sent. */
  changed: boolean;
}

/** Reads only. */
export async function findThreadPosition(call: RecordedCall, kinds: ThreadKinds): Promise<ThreadPosition> {
  if (call.previousResponse !== undefined) return afterResponse(call, call.previousResponse);
  const { caller, request, thread: named, after } = call;
  const { messages: given } = request;
  if (named !== undefined && after !== undefined) {
    // Whoever names the message has read the history from there.
    return { threadId: named, parentMessageId: after, input: [], messages: given, changed: false };
  }
  const found = await caller.ledger.recognise(given, { scope: caller.scope, within: "scope" });
  if (named !== undefined && named !== found.threadId) return inThread(call, named, found, kinds);
  const isOpen = found.threadId !== null && (await kinds.isPlain(caller.ledger, found.threadId));
  if (named !== undefined && !isOpen) throw taskThread(named);
  // The same words as in a task are a conversation beside it.
  if (found.threadId === null || !isOpen) return newThread(call, found, caller.ledger.newId());
  const { threadId, parentMessageId, known, messages, restored: changed } = found;
  return { threadId, parentMessageId, input: newest(messages, given.length - known), messages, changed };
}

function newest(messages: readonly Message[], count: number): readonly Message[] {
  return count === 0 ? [] : messages.slice(-count);
}

/** A copy of what was recognised elsewhere is restored, too. */
function newThread({ caller }: RecordedCall, { messages, restored: changed }: ThreadMatch, id: string): ThreadPosition {
  const thread: NewThread = { id, scope: caller.scope };
  const title = titleOf(messages);
  if (title !== "") thread.title = title;
  return { threadId: id, thread, parentMessageId: null, input: messages, messages, changed };
}

/** The place of a call whose thread was deleted while it was under way: a thread with all of its history. */
export function moveToNewThread(call: RecordedCall, { messages }: ThreadPosition): ThreadPosition {
  const found: ThreadMatch = {
    threadId: null,
    parentMessageId: null,
    known: 0,
    messages: [...messages],
    restored: true,
  };
  return newThread(call, found, call.thread ?? call.caller.ledger.newId());
}

const LONGEST_TITLE = 80;
/** White space, and what a title cannot hold. */
// oxlint-disable-next-line no-control-regex -- those are meant
const UNSEEN = /[\s\u0000-\u001f\u007f]+/g;

function plainText(text: string): string {
  return text.replace(UNSEEN, " ").trim();
}

/** The beginning of what a user says first. */
function titleOf(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const said = textOf(message);
    // What is long is not read to its end, and mostly its beginning will do.
    const near = plainText(said.slice(0, 2 * LONGEST_TITLE));
    const text = near.length > LONGEST_TITLE ? near : plainText(said.slice(0, 1000));
    const title = text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE - 1).trimEnd()}…` : text;
    // Half of a character may be left of what was cut, and users may say anything.
    if (title !== "") return title.toWellFormed();
  }
  return "";
}

/** A thread that the client names is the only one in which the history is looked for, whoever in the tenant made it. */
async function inThread(
  call: RecordedCall,
  threadId: string,
  elsewhere: ThreadMatch,
  kinds: ThreadKinds,
): Promise<ThreadPosition> {
  const { ledger } = call.caller;
  const { messages: given } = call.request;
  const isPlain = await unlessGone(kinds.isPlain(ledger, threadId));
  if (isPlain === false) throw taskThread(threadId);
  const found = await ledger.recognise(given, { threadId });
  if (found.threadId !== null) {
    const { parentMessageId, known, messages, restored: changed } = found;
    return { threadId, parentMessageId, input: newest(messages, given.length - known), messages, changed };
  }
  // Up to the first answer, only the active path tells.
  const path = isPlain && (await unlessGone(ledger.transcript(threadId)));
  if (path === undefined) return newThread(call, elsewhere, threadId);
  const { parentMessageId, known } = findOnPath(path, given);
  // What was said elsewhere, and goes on here, is restored as it was there.
  const { messages, restored: changed } = elsewhere;
  // Without anything known, the whole history is another beginning of the thread.
  return { threadId, parentMessageId, input: messages.slice(known), messages, changed };
}

async function unlessGone<Value>(read: Promise<Value>): Promise<Value | undefined> {
  return read.catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });
}

function taskThread(threadId: string): ServerError {
  const message = `Thread ${threadId} belongs to a task: send it a message instead, or name another thread.`;
  return new ServerError("conflict", message, { path: "x-koine-thread" });
}

/** Some providers count their answers from one with every start. */
export function severalResponses(responseId: string, path: string): ServerError {
  const message = `The provider gave the id "${responseId}" to responses of several conversations, so that it names none of them. Send the whole history instead.`;
  return new ServerError("invalid-request", message, { path });
}

/** The history up to an answer, and after it what the client says. Instructions hold for one call only. */
async function afterResponse(call: RecordedCall, responseId: string): Promise<ThreadPosition> {
  const { caller, request, dialect, thread } = call;
  const { ledger } = caller;
  const run = await runNamed(ledger, responseAlias(caller, responseId));
  if (run === "several") throw severalResponses(responseId, "/previous_response_id");
  const answer = run === undefined ? undefined : await answerOf(ledger, run);
  if (run === undefined || answer === undefined) {
    const message = `There is no response "${responseId}" to go on from: it was not recorded, or was deleted. Send the whole history instead.`;
    throw new ServerError("not-found", message, { path: "/previous_response_id", status: 400 });
  }
  const { threadId } = run;
  if (thread !== undefined && thread !== threadId) {
    const message = `The response "${responseId}" is in thread ${threadId}, not in ${thread}: leave x-koine-thread out.`;
    throw new ServerError("invalid-request", message, { path: "/previous_response_id" });
  }
  const path = (await ledger.transcript(threadId, { branch: answer.id })).map(withoutLedgerFields);
  const own = path.findIndex((message) => !isInstructions(message, dialect));
  const end = request.messages.findIndex((message) => !isInstructions(message, dialect));
  const told = end === -1 ? request.messages.length : end;
  const input = request.messages.slice(told);
  const messages = [...request.messages.slice(0, told), ...path.slice(own === -1 ? path.length : own), ...input];
  return { threadId, parentMessageId: answer.id, input, messages, changed: true };
}

/** Whether it is the text of the field `instructions`; what was said as an item of the input stays. */
function isInstructions({ role, parts, extra }: Message, dialect: string): boolean {
  const [part] = parts;
  if (role !== "system" || parts.length !== 1 || part?.type !== "text") return false;
  return extra?.[dialect] === undefined && part.extra?.[dialect] === undefined;
}
