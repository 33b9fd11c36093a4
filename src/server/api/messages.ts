// Defines the routes that read the transcript or the context of a thread in any dialect, append messages, and read the
// tree of a thread with or without message contents.
import type { AppendOptions, ContextOptions, TranscriptOptions } from "../../ledger/index.ts";
import { dialect, dialects } from "../../dialects/index.ts";
import type { Loss, Message, StoredMessage } from "../../model/index.ts";
import { either, json, list, nullable, object, reference, string } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { ServerReply, Route, ServerRequest, Services } from "../types.ts";
import { createPathIdReader } from "./path-id.ts";
import { readQueryCount, readQueryText, readQueryChoice, readBody } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter, countParameter } from "./define-route.ts";
import { toRunView } from "./runs.ts";
import { decodePayload } from "./decode-payload.ts";

const MAX_MESSAGES = 10_000;

/** The shape of the body that appends messages in any dialect. */
const APPEND = object(
  { messages: json },
  { dialect: string, parentMessageId: nullable(string), expectedLeaf: nullable(string) },
);

export function messageRoutes({ config }: Services, recorder: Recorder): Route[] {
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("GET", "/v1/threads/:id/messages", TRANSCRIPT, async (request, caller) => {
      const options: TranscriptOptions = {
        branch: readQueryText(request, "branch"),
        limit: readQueryCount(request, "limit", MAX_MESSAGES),
        before: readQueryText(request, "before"),
        blobs: readQueryChoice(request, "blobs", ["inline", "reference"]),
      };
      return messagesReply(request, await caller.ledger.transcript(await readId(request, caller), options));
    }),
    defineRoute("POST", "/v1/threads/:id/messages", ADD, async (request, caller) => {
      const body = await readBody(request, config.limits, APPEND);
      const { parentMessageId } = body;
      const options: AppendOptions = { parentMessageId, idempotencyKey: request.headers["idempotency-key"] };
      if (body.expectedLeaf !== undefined) options.expectedLeaf = body.expectedLeaf;
      const messages = readMessages(body.messages, body.dialect, "/messages");
      const threadId = await readId(request, caller);
      return jsonReply(201, { messages: await caller.ledger.append(threadId, messages, options) });
    }),
    defineRoute("GET", "/v1/threads/:id/context", CONTEXT, async (request, caller) => {
      const options: ContextOptions = {
        branch: readQueryText(request, "branch"),
        maxMessages: readQueryCount(request, "maxMessages", MAX_MESSAGES),
        interrupted: readQueryChoice(request, "interrupted", ["true", "false"]) === "true",
      };
      return messagesReply(request, await caller.ledger.context(await readId(request, caller), options));
    }),
    defineRoute("GET", "/v1/threads/:id/tree", TREE, async (request, caller) =>
      jsonReply(200, await caller.ledger.tree(await readId(request, caller))),
    ),
    defineRoute("GET", "/v1/threads/:id/outline", OUTLINE, async (request, caller) => {
      const { runs, ...outline } = await caller.ledger.outline(await readId(request, caller));
      return jsonReply(200, { ...outline, runs: runs.map(toRunView) });
    }),
  ];
}

/** Replies with canonical messages or, if the query has a dialect, with the encoded messages and their losses. */
function messagesReply(request: ServerRequest, messages: readonly StoredMessage[]): ServerReply {
  const name = readQueryChoice(request, "dialect", dialects);
  if (name === undefined) return jsonReply(200, { messages });
  const { wire, losses } = dialect(name).encodeMessages(messages);
  return jsonReply(200, { dialect: name, wire, losses: losses.filter((loss) => !isLedgerFieldLoss(loss)) });
}

const LEDGER_FIELD_PATHS = /^\/\d+\/(?:id|parentMessageId|createdAt|metadata)$/;

/**
 * True for the loss of a field that the ledger has added: id, parent, time or metadata. No wire format has these
 * fields, so their losses are not reported.
 */
function isLedgerFieldLoss({ code, path }: Loss): boolean {
  return code === "metadata-dropped" && LEDGER_FIELD_PATHS.test(path);
}

/**
 * Decodes the messages of a body from the dialect `name`. Canonical messages are returned unchecked, because the ledger
 * checks them.
 */
function readMessages(wire: unknown, name: string | undefined, path: string): readonly Message[] {
  if (name === undefined || name === "canonical") {
    // The cast is safe: the ledger rejects values that are not messages.
    return (Array.isArray(wire) ? wire : [wire]) as readonly Message[];
  }
  if (!(dialects as readonly string[]).includes(name)) {
    throw new ServerError("invalid-request", `Unknown dialect "${name}". Use one of ${dialects.join(", ")}.`, {
      path: "/dialect",
    });
  }
  return decodePayload(path, () => dialect(name).decodeMessages(wire));
}

const DIALECT_PARAMETER = {
  ...textParameter("Returns the messages in this dialect, with losses."),
  enum: [...dialects],
};
const BRANCH_PARAMETER = textParameter("`active` (default), or the id of the message where the path ends.");
const MESSAGES_OR_WIRE = either(reference("Messages"), reference("Translated"));

const TRANSCRIPT = {
  id: "listMessages",
  summary: "The transcript: the messages from the root to the active leaf, or to another message.",
  query: {
    branch: BRANCH_PARAMETER,
    limit: countParameter("Maximum number of messages, counted from the end."),
    before: textParameter("Only messages before this one."),
    blobs: { ...textParameter("Large contents inline (default), or as references."), enum: ["inline", "reference"] },
    dialect: DIALECT_PARAMETER,
  },
  replies: { 200: describeReply("The messages, oldest first.", MESSAGES_OR_WIRE) },
};
const ADD = {
  id: "appendMessages",
  summary: "Appends messages to the active leaf; with another parent they become a new active branch.",
  body: object(
    { messages: either(list(reference("Message")), json) },
    { dialect: string, parentMessageId: nullable(string), expectedLeaf: nullable(string) },
  ),
  headers: { "idempotency-key": textParameter("The same key and messages are appended once.") },
  replies: { 201: describeReply("The stored messages.", "Messages") },
};
const CONTEXT = {
  id: "getContext",
  summary:
    "The context for a model: without interrupted turns, and truncated without separating tool calls from their results.",
  query: {
    branch: BRANCH_PARAMETER,
    maxMessages: countParameter("Maximum number of messages; leading instructions are always included."),
    interrupted: { ...textParameter("`true` includes interrupted turns."), enum: ["true", "false"] },
    dialect: DIALECT_PARAMETER,
  },
  replies: { 200: describeReply("The messages, oldest first.", MESSAGES_OR_WIRE) },
};
const TREE = {
  id: "getTree",
  summary: "All messages of the thread, including superseded and interrupted ones; `parentMessageId` defines the tree.",
  replies: { 200: describeReply("The messages and the active leaf.", "Tree") },
} as const;
const OUTLINE = {
  id: "getOutline",
  summary:
    "A summary of the tree: the start of every message, the live runs, and a cursor. `/events?after=<cursor>` returns all deltas of the live runs and everything after the outline.",
  replies: {
    200: describeReply("The outline, messages oldest first. If `cursor` is null, follow from the start.", "Outline"),
  },
} as const;
