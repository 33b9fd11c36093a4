// Defines the shapes that several routes share, by their names in the OpenAPI document. The shapes of the canonical
// model are in src/model.
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
  oneOf,
} from "../../model/validation/shape.ts";
import type { AnyShape } from "../../model/validation/shape.ts";
import { usage } from "../../model/validation/message-shapes.ts";
import { ROLES } from "../../model/message.ts";
import { RUN_STATES, THREAD_CHANGES } from "../../ledger/index.ts";
import { SERVER_ERRORS } from "../errors.ts";
import { DIFFERENCE_KINDS } from "../record/prompt-cache/prompt-layout.ts";
import type { ServerErrorCode } from "../errors.ts";

/** The shape of metadata that clients set: any JSON object. */
export const anyMetadata = dictionary(json);

const error = object(
  {
    error: object(
      // The cast is safe: the keys of `SERVER_ERRORS` are the error codes.
      { code: oneOf(...(Object.keys(SERVER_ERRORS) as ServerErrorCode[])), message: string },
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
    metadata: anyMetadata,
    createdAt: string,
    activeLeafId: nullable(string),
  },
  {},
);

const summary = object(
  { updatedAt: string, messages: count, models: list(string), live: count, preview: string },
  { usage },
);

/** The shape of a thread in a list, with a summary if the query requests it. */
const listedThread = object(thread.required, { summary: reference("ThreadSummary") });

const outlinedMessage = object(
  { id: string, parentMessageId: nullable(string), role: oneOf(...ROLES), createdAt: string, preview: string },
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
  { path: string, action: oneOf(...LOSS_ACTIONS), level: oneOf(...LOSS_LEVELS), code: string, message: string },
  {},
);

const providerError = object({ kind: string, message: string }, { status: integer }, { open: true });

const requestDifference = object(
  { path: string, kind: oneOf(...DIFFERENCE_KINDS) },
  { previous: string, current: string },
);

/** The shape of a run's use of the prompt cache. `firstDifference` is null if the request only appends messages. */
const cacheReport = object(
  { firstDifference: nullable(reference("RequestDifference")) },
  { readTokens: count, writeTokens: count, previousRunId: string },
);

const run = object(
  {
    id: string,
    threadId: string,
    state: oneOf(...RUN_STATES),
    mode: oneOf("replace", "branch"),
    createdAt: string,
    epoch: integer,
    lastSeq: integer,
    losses: list(reference("Loss")),
    attempts: list(anyMetadata),
    metadata: anyMetadata,
  },
  {
    forkFromMessageId: nullable(string),
    idempotencyKey: string,
    finishedAt: string,
    error: providerError,
    usage,
    cache: reference("CacheReport"),
  },
);

/** The shape of a translated payload and its losses. */
const translated = object(
  { dialect: string, wire: json, losses: list(reference("Loss")) },
  { from: string, kind: string, address: anyMetadata, status: integer },
);

/** The shape of the counts that an import returns. */
const imported = object({ threads: count, messages: count, runs: count, blobs: count, known: count }, {});
/** The shape of the counts that a deletion returns. */
const deleted = object(
  { threads: count, messages: count, runs: count, logRows: count, keys: count, blobs: count, bytes: count },
  {},
  { open: true },
);

/** The shapes of the OpenAPI document by name, except the shapes of the canonical model. */
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
  ThreadChange: object({ threadId: string, change: oneOf(...THREAD_CHANGES) }, {}),
  Messages: object({ messages: list(reference("StoredMessage")) }, {}),
  Tree: object({ messages: list(reference("StoredMessage")), activeLeafId: nullable(string) }, {}),
  Run: run,
  CacheReport: cacheReport,
  RequestDifference: requestDifference,
  RunList: object({ runs: list(reference("Run")) }, {}),
  Loss: loss,
  Translated: translated,
  Imported: imported,
  Deleted: deleted,
};
