// The shapes that several routes speak of, by the names they have in the OpenAPI document. What the model has a shape for
// comes from there.
import { LOSS_ACTIONS, LOSS_LEVELS } from "../../model/index.ts";
import {
  boolean,
  count,
  dictionary,
  integer,
  json,
  list,
  nullable,
  object,
  reference,
  string,
  words,
} from "../../model/shape.ts";
import type { AnyShape } from "../../model/shape.ts";
import { usage } from "../../model/shapes.ts";
import { ROLES } from "../../model/message.ts";
import { RUN_STATES, THREAD_CHANGES } from "../../ledger/index.ts";
import { SERVER_ERRORS } from "../errors.ts";
import type { ServerErrorCode } from "../errors.ts";

/** The caller's own facts. */
export const facts = dictionary(json);

const error = object(
  {
    error: object(
      // The table's keys are its codes.
      { code: words(...(Object.keys(SERVER_ERRORS) as ServerErrorCode[])), message: string },
      { path: string, requestId: string },
    ),
  },
  {},
);

const thread = object(
  {
    id: string,
    title: nullable(string),
    scope: nullable(string),
    kind: nullable(string),
    metadata: facts,
    createdAt: string,
    activeLeafId: nullable(string),
  },
  {},
);

const summary = object(
  { updatedAt: string, messages: count, models: list(string), live: count, preview: string },
  { usage },
);

/** Threads as lists show them: with a summary where it was asked for. */
const listedThread = object(thread.required, { summary: reference("ThreadSummary") });

const outlinedMessage = object(
  { id: string, parentMessageId: nullable(string), role: words(...ROLES), createdAt: string, preview: string },
  {
    runId: string,
    model: string,
    interrupted: boolean,
    superseded: boolean,
    toolCalls: list(string),
    toolResults: count,
  },
);

const searchHit = object({ threadId: string, messageId: string, snippet: string }, {});

const loss = object(
  { path: string, action: words(...LOSS_ACTIONS), level: words(...LOSS_LEVELS), code: string, message: string },
  {},
);

const providerError = object({ kind: string, message: string }, { status: integer }, { open: true });

const run = object(
  {
    id: string,
    threadId: string,
    state: words(...RUN_STATES),
    mode: words("replace", "branch"),
    createdAt: string,
    epoch: integer,
    lastSeq: integer,
    losses: list(reference("Loss")),
    attempts: list(facts),
    metadata: facts,
  },
  {
    forkFromMessageId: nullable(string),
    idempotencyKey: string,
    finishedAt: string,
    error: providerError,
    usage,
  },
);

/** Something in another dialect's words, and what did not arrive. */
const translated = object(
  { dialect: string, wire: json, losses: list(reference("Loss")) },
  { from: string, kind: string, address: facts, status: integer },
);

/** What an export took in, or a purge deleted. */
const imported = object({ threads: count, messages: count, runs: count, blobs: count, known: count }, {});
const deleted = object(
  { threads: count, messages: count, runs: count, logRows: count, keys: count, blobs: count, bytes: count },
  {},
  { open: true },
);

/** Routes name these; the document has them beside the model's own. */
export const SHAPES: Readonly<Record<string, AnyShape>> = {
  Error: error,
  Thread: thread,
  ThreadSummary: summary,
  ListedThread: listedThread,
  ThreadList: object(
    { threads: list(reference("ListedThread")), next: nullable(string) },
    { hits: list(reference("SearchHit")), more: boolean },
  ),
  SearchHit: searchHit,
  OutlinedMessage: outlinedMessage,
  Outline: object(
    {
      thread: reference("Thread"),
      cursor: nullable(string),
      activeLeafId: nullable(string),
      messages: list(reference("OutlinedMessage")),
      runs: list(reference("Run")),
    },
    {},
  ),
  ThreadChange: object({ threadId: string, change: words(...THREAD_CHANGES) }, {}),
  Messages: object({ messages: list(reference("StoredMessage")) }, {}),
  Tree: object({ messages: list(reference("StoredMessage")), activeLeafId: nullable(string) }, {}),
  Run: run,
  RunList: object({ runs: list(reference("Run")) }, {}),
  Loss: loss,
  Translated: translated,
  Imported: imported,
  Deleted: deleted,
};
