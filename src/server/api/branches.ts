// Defines the routes that fork a thread, edit a message, or select the active leaf.
import type { AppendOptions, Ledger } from "../../ledger/index.ts";
import type { Message, Part, PartChange, StoredMessage } from "../../model/index.ts";
import { editPart, sameJson } from "../../model/index.ts";
import { either, nullable, object, string } from "../../model/validation/shape.ts";
import { message as messageShape, storedMessage } from "../../model/validation/message-shapes.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { Route, Services } from "../types.ts";
import { createPathIdReader } from "./path-id.ts";
import { readBody } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter } from "./define-route.ts";

const FORK = object({ messageId: string }, { id: string, title: string });
const EDIT = object(
  { messageId: string },
  { message: either(messageShape, storedMessage), text: string, expectedLeaf: nullable(string) },
);
const SELECT = object({ messageId: nullable(string) }, {});

export function branchRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { limits } = config;
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("POST", "/v1/threads/:id/fork", FORK_OPERATION, async (request, caller) => {
      const { ledger, scope } = caller;
      const { messageId, id, title } = await readBody(request, limits, FORK);
      const threadId = await readId(request, caller);
      const from = await ledger.thread(threadId);
      const path = await ledger.transcript(threadId, { branch: messageId });
      const metadata = { ...from.metadata, forkedFrom: { threadId, messageId } };
      const thread = { id, title: title ?? from.title ?? undefined, kind: from.kind ?? undefined, scope, metadata };
      return jsonReply(201, await ledger.createThread(thread, { messages: path }));
    }),
    defineRoute("POST", "/v1/threads/:id/edit", EDIT_OPERATION, async (request, caller) => {
      const { ledger } = caller;
      const { messageId, message, text: newText, expectedLeaf } = await readBody(request, limits, EDIT);
      const threadId = await readId(request, caller);
      const original = await requireMessage(ledger, threadId, messageId);
      const edited =
        newText === undefined ? replaceMessage(original, message) : replaceText(original, newText, message);
      const { parentMessageId } = original;
      const options: AppendOptions = { parentMessageId, idempotencyKey: request.headers["idempotency-key"] };
      if (expectedLeaf !== undefined) options.expectedLeaf = expectedLeaf;
      return jsonReply(201, { messages: await ledger.append(threadId, [edited], options) });
    }),
    defineRoute("POST", "/v1/threads/:id/select", SELECT_OPERATION, async (request, caller) => {
      const { ledger } = caller;
      const { messageId } = await readBody(request, limits, SELECT);
      const threadId = await readId(request, caller);
      await ledger.select(threadId, messageId);
      return jsonReply(200, await ledger.thread(threadId));
    }),
  ];
}

export async function requireMessage(ledger: Ledger, threadId: string, messageId: string): Promise<StoredMessage> {
  const [message] = await ledger.transcript(threadId, { branch: messageId, limit: 1 });
  if (message !== undefined) return message;
  throw new ServerError("not-found", `The message "${messageId}" cannot be read.`, { path: "/messageId" });
}

/**
 * Returns a copy of `original` in which one part with `newText` replaces all text parts. Throws if the body also has
 * `message`.
 */
function replaceText(original: StoredMessage, newText: string, message: Message | undefined): Message {
  if (message !== undefined) {
    throw new ServerError("invalid-request", 'The body must have "text" or "message", not both.', { path: "/text" });
  }
  const first = original.parts.find(({ type }) => type === "text");
  const parts = original.parts.flatMap((part): Part[] => {
    if (part.type !== "text") return [part];
    return part === first ? [editPart(part, { text: newText })] : [];
  });
  if (first === undefined) parts.push({ type: "text", text: newText });
  return createSibling(original, { ...original, parts });
}

/**
 * Returns `message` as the edited version of `original`. A part with changed content loses the seals of its old
 * content. Throws if `message` is undefined or its role differs.
 */
function replaceMessage(original: StoredMessage, message: Message | undefined): Message {
  if (message === undefined) {
    throw new ServerError("invalid-request", 'The body has no new content: set "text" or "message".', {
      path: "/message",
    });
  }
  if (message.role !== original.role) {
    const advice = `The message has the role "${original.role}".`;
    throw new ServerError("invalid-request", `An edit cannot change the role of a message. ${advice}`, {
      path: "/message/role",
    });
  }
  return createSibling(original, {
    ...message,
    parts: message.parts.map((part) => dropStaleSeals(part, original.parts)),
  });
}

/**
 * Creates the edited message, which is stored as a sibling of the original. Its metadata contains only the id of the
 * original, because the other metadata describes how the original was created.
 */
function createSibling(original: StoredMessage, { role, parts, name = original.name, extra }: Message): Message {
  const edited: Message = { role, parts, metadata: { editedFrom: original.id } };
  if (name !== undefined) edited.name = name;
  if (extra !== undefined) edited.extra = extra;
  return edited;
}

/**
 * The fields of a part that are valid only for the content that the model wrote, so that an edit of the content drops
 * them.
 */
const SEALED_FIELDS = ["seals", "annotations", "logprobs", "inputText"];

/**
 * Returns the part without stale seals, that is, without the seals of an original part whose content the edit has
 * changed.
 */
function dropStaleSeals(part: Part, originals: readonly Part[]): Part {
  const { seals } = part;
  if (seals === undefined) return part;
  const source = originals.find((each) => each.type === part.type && sameJson(each.seals, seals));
  if (source === undefined || sameJson(source, part)) return part;
  const before: Record<string, unknown> = { ...source };
  const change: Record<string, unknown> = { ...part };
  for (const field of Object.keys(before)) {
    if (!Object.hasOwn(change, field)) change[field] = undefined;
  }
  // The edit changed the content of the part. `editPart` drops the fields of `SEALED_FIELDS` that `change` does not
  // contain, so those that the edit repeats unchanged are deleted from `change`. New values are kept.
  for (const field of SEALED_FIELDS) if (sameJson(change[field], before[field])) delete change[field];
  // The cast is safe, because `part` and `source` have the same type.
  return editPart(source, change as PartChange<Part>);
}

const FORK_OPERATION = {
  id: "forkThread",
  summary: "Creates a new thread with the path up to a message. Both threads continue independently.",
  body: FORK,
  replies: { 201: describeReply("The new thread; `metadata.forkedFrom` names its origin.", "Thread") },
} as const;
const EDIT_OPERATION = {
  id: "editMessage",
  summary:
    "Adds an edited copy of a message beside it and makes it active: `text` replaces the text only, `message` the whole content.",
  body: EDIT,
  headers: { "idempotency-key": textParameter("The same key and edit is applied once.") },
  replies: { 201: describeReply("The new message.", "Messages") },
} as const;
const SELECT_OPERATION = {
  id: "selectMessage",
  summary: "Makes a message the active leaf, where the transcript ends. null clears the active path.",
  body: SELECT,
  replies: { 200: describeReply("The updated thread.", "Thread") },
} as const;
