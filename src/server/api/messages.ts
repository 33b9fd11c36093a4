// The messages of a thread: the active path or another, the tree, the context for a model; in any dialect, with losses.
import type { AppendOptions, ContextOptions, TranscriptOptions } from "../../ledger/index.ts";
import { dialect, dialects } from "../../dialects/index.ts";
import type { Loss, Message, StoredMessage } from "../../model/index.ts";
import { either, json, list, nullable, object, reference, string } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { Reply, Route, ServerRequest, Services } from "../types.ts";
import { namedId } from "./named.ts";
import { queryCount, queryText, queryWord, readBody } from "./reading.ts";
import { jsonReply, route, says, text, whole } from "./replies.ts";
import { shownRun } from "./runs.ts";
import { within } from "./within.ts";

const MOST = 10_000;

/** Messages in some dialect: how they are given. */
const APPEND = object(
  { messages: json },
  { dialect: string, parentMessageId: nullable(string), expectedLeaf: nullable(string) },
);

export function messageRoutes({ config }: Services, recorder: Recorder): Route[] {
  const named = namedId(recorder);
  return [
    route("GET", "/v1/threads/:id/messages", TRANSCRIPT, async (request, caller) => {
      const options: TranscriptOptions = {
        branch: queryText(request, "branch"),
        limit: queryCount(request, "limit", MOST),
        before: queryText(request, "before"),
        blobs: queryWord(request, "blobs", ["inline", "reference"]),
      };
      return shown(request, await caller.ledger.transcript(await named(request, caller), options));
    }),
    route("POST", "/v1/threads/:id/messages", ADD, async (request, caller) => {
      const body = await readBody(request, config.limits, APPEND);
      const { parentMessageId } = body;
      const options: AppendOptions = { parentMessageId, idempotencyKey: request.headers["idempotency-key"] };
      if (body.expectedLeaf !== undefined) options.expectedLeaf = body.expectedLeaf;
      const messages = readMessages(body.messages, body.dialect, "/messages");
      const threadId = await named(request, caller);
      return jsonReply(201, { messages: await caller.ledger.append(threadId, messages, options) });
    }),
    route("GET", "/v1/threads/:id/context", CONTEXT, async (request, caller) => {
      const options: ContextOptions = {
        branch: queryText(request, "branch"),
        maxMessages: queryCount(request, "maxMessages", MOST),
        interrupted: queryWord(request, "interrupted", ["true", "false"]) === "true",
      };
      return shown(request, await caller.ledger.context(await named(request, caller), options));
    }),
    route("GET", "/v1/threads/:id/tree", TREE, async (request, caller) =>
      jsonReply(200, await caller.ledger.tree(await named(request, caller))),
    ),
    route("GET", "/v1/threads/:id/outline", OUTLINE, async (request, caller) => {
      const { runs, ...outline } = await caller.ledger.outline(await named(request, caller));
      return jsonReply(200, { ...outline, runs: runs.map(shownRun) });
    }),
  ];
}

/** Messages as they are, or in the dialect that the query names. */
function shown(request: ServerRequest, messages: readonly StoredMessage[]): Reply {
  const name = queryWord(request, "dialect", dialects);
  if (name === undefined) return jsonReply(200, { messages });
  const { wire, losses } = dialect(name).encodeMessages(messages);
  return jsonReply(200, { dialect: name, wire, losses: losses.filter((loss) => !isOwnNote(loss)) });
}

const OWN_FIELDS = /^\/\d+\/(?:id|parentMessageId|createdAt|metadata)$/;

/** What the ledger notes of a message was never meant for a wire: four such losses per message would be noise. */
function isOwnNote({ code, path }: Loss): boolean {
  return code === "bookkeeping" && OWN_FIELDS.test(path);
}

/** Messages of a body: the canonical ones as they are (the ledger looks at them), others by their dialect. */
function readMessages(wire: unknown, name: string | undefined, path: string): readonly Message[] {
  if (name === undefined || name === "canonical") {
    // The ledger refuses what is no message, with its place.
    return (Array.isArray(wire) ? wire : [wire]) as readonly Message[];
  }
  if (!(dialects as readonly string[]).includes(name)) {
    throw new ServerError("invalid-request", `There is no dialect "${name}"; there are ${dialects.join(", ")}.`, {
      path: "/dialect",
    });
  }
  return within(path, () => dialect(name).decodeMessages(wire));
}

const ANY_DIALECT = { ...text("The messages in this dialect's words, with losses."), enum: [...dialects] };
const BRANCH = text("`active` (default), or a message: the path that ends there.");
const IN_DIALECT = either(reference("Messages"), reference("Translated"));

const TRANSCRIPT = {
  id: "listMessages",
  summary: "The transcript: the messages from the root to the active leaf, or to another message.",
  query: {
    branch: BRANCH,
    limit: whole("The last so many."),
    before: text("Only what stands before this message."),
    blobs: { ...text("Large contents inline (default), or as references."), enum: ["inline", "reference"] },
    dialect: ANY_DIALECT,
  },
  replies: { 200: says("The messages, oldest first.", IN_DIALECT) },
};
const ADD = {
  id: "appendMessages",
  summary: "Appends messages under the active leaf; under another parent they are a branch, which becomes active.",
  body: object(
    { messages: either(list(reference("Message")), json) },
    { dialect: string, parentMessageId: nullable(string), expectedLeaf: nullable(string) },
  ),
  headers: { "idempotency-key": text("The same key and messages are appended once.") },
  replies: { 201: says("The messages as they were stored.", "Messages") },
};
const CONTEXT = {
  id: "getContext",
  summary: "What a model should see of the thread: without interrupted turns, cut where no call loses its result.",
  query: {
    branch: BRANCH,
    maxMessages: whole("At most so many; leading instructions stay."),
    interrupted: { ...text("Whether interrupted turns are part of it."), enum: ["true", "false"] },
    dialect: ANY_DIALECT,
  },
  replies: { 200: says("The messages, oldest first.", IN_DIALECT) },
};
const TREE = {
  id: "getTree",
  summary: "Every message of the thread, replaced and interrupted ones too; `parentMessageId` makes the tree.",
  replies: { 200: says("The messages and the active leaf.", "Tree") },
} as const;
const OUTLINE = {
  id: "getOutline",
  summary:
    "The tree in short: how every message begins, which runs are live, and a cursor. `/events?after=` it gives all deltas of the live runs, and whatever comes after the outline.",
  replies: {
    200: says("The outline, messages oldest first. A `cursor` of null: follow from the beginning.", "Outline"),
  },
} as const;
