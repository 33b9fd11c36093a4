// Branches of a conversation: forked into a thread of its own, edited, and switched.
import type { AppendOptions, Ledger } from "../../ledger/index.ts";
import type { Message, Part, PartChange, StoredMessage } from "../../model/index.ts";
import { editPart, sameJson } from "../../model/index.ts";
import { either, nullable, object, string } from "../../model/shape.ts";
import { message as messageShape, storedMessage } from "../../model/shapes.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { Route, Services } from "../types.ts";
import { namedId } from "./named.ts";
import { readBody } from "./reading.ts";
import { jsonReply, route, says, text } from "./replies.ts";

const FORK = object({ messageId: string }, { id: string, title: string });
const EDIT = object(
  { messageId: string },
  { message: either(messageShape, storedMessage), text: string, expectedLeaf: nullable(string) },
);
const SELECT = object({ messageId: nullable(string) }, {});

export function branchRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { limits } = config;
  const named = namedId(recorder);
  return [
    route("POST", "/v1/threads/:id/fork", FORKING, async (request, caller) => {
      const { ledger, scope } = caller;
      const { messageId, id, title } = await readBody(request, limits, FORK);
      const threadId = await named(request, caller);
      const from = await ledger.thread(threadId);
      const path = await ledger.transcript(threadId, { branch: messageId });
      const metadata = { ...from.metadata, forkedFrom: { threadId, messageId } };
      const thread = { id, title: title ?? from.title ?? undefined, kind: from.kind ?? undefined, scope, metadata };
      return jsonReply(201, await ledger.createThread(thread, { messages: path }));
    }),
    route("POST", "/v1/threads/:id/edit", EDITING, async (request, caller) => {
      const { ledger } = caller;
      const { messageId, message, text: said, expectedLeaf } = await readBody(request, limits, EDIT);
      const threadId = await named(request, caller);
      const original = await messageOf(ledger, threadId, messageId);
      const edited = said === undefined ? withMessage(original, message) : withText(original, said, message);
      const { parentMessageId } = original;
      const options: AppendOptions = { parentMessageId, idempotencyKey: request.headers["idempotency-key"] };
      if (expectedLeaf !== undefined) options.expectedLeaf = expectedLeaf;
      return jsonReply(201, { messages: await ledger.append(threadId, [edited], options) });
    }),
    route("POST", "/v1/threads/:id/select", SELECTING, async (request, caller) => {
      const { ledger } = caller;
      const { messageId } = await readBody(request, limits, SELECT);
      const threadId = await named(request, caller);
      await ledger.select(threadId, messageId);
      return jsonReply(200, await ledger.thread(threadId));
    }),
  ];
}

export async function messageOf(ledger: Ledger, threadId: string, messageId: string): Promise<StoredMessage> {
  const [found] = await ledger.transcript(threadId, { branch: messageId, limit: 1 });
  if (found !== undefined) return found;
  throw new ServerError("not-found", `The message "${messageId}" cannot be read.`, { path: "/messageId" });
}

/** The message with another text: what is no text in it stays, in its place. */
function withText(original: StoredMessage, said: string, message: Message | undefined): Message {
  if (message !== undefined) {
    throw new ServerError("invalid-request", 'Say "text" or "message", not both.', { path: "/text" });
  }
  const first = original.parts.find(({ type }) => type === "text");
  const parts = original.parts.flatMap((part): Part[] => {
    if (part.type !== "text") return [part];
    return part === first ? [editPart(part, { text: said })] : [];
  });
  if (first === undefined) parts.push({ type: "text", text: said });
  return sibling(original, { ...original, parts });
}

/** The message given, in the place of another. Parts whose content changed lose the seals that vouched for the old one. */
function withMessage(original: StoredMessage, message: Message | undefined): Message {
  if (message === undefined) {
    throw new ServerError("invalid-request", 'Say what it becomes: "text" or "message".', { path: "/message" });
  }
  if (message.role !== original.role) {
    const advice = `It is ${original.role === "assistant" ? "an" : "a"} ${original.role} message, and stays one.`;
    throw new ServerError("invalid-request", `An edit keeps the role. ${advice}`, { path: "/message/role" });
  }
  return sibling(original, { ...message, parts: message.parts.map((part) => unsealed(part, original.parts)) });
}

/** What it was made from is noted. Facts about the answer that it replaces are not its own. */
function sibling(original: StoredMessage, { role, parts, name = original.name, extra }: Message): Message {
  const edited: Message = { role, parts, metadata: { editedFrom: original.id } };
  if (name !== undefined) edited.name = name;
  if (extra !== undefined) edited.extra = extra;
  return edited;
}

const VOUCHERS = ["seals", "annotations", "logprobs", "inputText"];

function unsealed(part: Part, originals: readonly Part[]): Part {
  const { seals } = part;
  if (seals === undefined) return part;
  const source = originals.find((each) => each.type === part.type && sameJson(each.seals, seals));
  if (source === undefined || sameJson(source, part)) return part;
  const before: Record<string, unknown> = { ...source };
  const change: Record<string, unknown> = { ...part };
  for (const field of Object.keys(before)) {
    if (!Object.hasOwn(change, field)) change[field] = undefined;
  }
  // What vouches for the old content goes where that changes, unless the change itself names it.
  for (const field of VOUCHERS) if (sameJson(change[field], before[field])) delete change[field];
  // Both are parts of one type.
  return editPart(source, change as PartChange<Part>);
}

const FORKING = {
  id: "forkThread",
  summary: "Makes a new thread that holds the path up to a message. Both go on by themselves from there.",
  body: FORK,
  replies: { 201: says("The new thread; `metadata.forkedFrom` says where it comes from.", "Thread") },
} as const;
const EDITING = {
  id: "editMessage",
  summary:
    "Puts a message with other content beside one, and makes it active: `text` changes the text alone, `message` all of it.",
  body: EDIT,
  headers: { "idempotency-key": text("The same key and edit happens once.") },
  replies: { 201: says("The new message.", "Messages") },
} as const;
const SELECTING = {
  id: "selectMessage",
  summary: "Makes a message the active leaf: the transcript ends there. null empties the active path.",
  body: SELECT,
  replies: { 200: says("The thread as it is now.", "Thread") },
} as const;
