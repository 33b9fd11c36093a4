// Defines the routes that export and import threads as JSON lines, and that store and read blobs.
import type { Ledger } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { createClosingLine, OPENING_LINE } from "../../ledger/transfer/multi-thread-file.ts";
import { count, object, string } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import { endImportedTasks } from "../tasks/end-imported-tasks.ts";
import type { Route, ServerRequest, Services, StreamBody } from "../types.ts";
import { readPathParam } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter } from "./define-route.ts";

const NDJSON = "application/x-ndjson";
const THREAD_PAGE_SIZE = 200;
/** The number of characters that an export collects before it writes them to the reply. */
const WRITE_SIZE = 64 * 1024;

export function transferRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { importBytes } = config.limits;
  return [
    defineRoute("GET", "/v1/export", EXPORT, async (request, caller) => {
      const { ledger } = caller;
      const ids = [...new Set(request.query.getAll("thread"))].filter((id) => id !== "");
      // `thread` throws for an unknown thread. It is called before the reply starts, so that the client receives a 404.
      for (const id of ids) {
        await recorder.writePendingRuns(caller, id);
        await ledger.thread(id);
      }
      const lines = ids.length > 0 ? exportThreads(ledger, ids) : exportAll(ledger);
      const headers = { "content-type": NDJSON, "content-disposition": 'attachment; filename="koine.jsonl"' };
      return { status: 200, headers, body: writeLines(lines) };
    }),
    defineRoute("POST", "/v1/import", IMPORT, async (request, { ledger }) => {
      const restored: string[] = [];
      try {
        return jsonReply(
          200,
          await ledger.import(readLines(request, importBytes), { onThread: (id) => restored.push(id) }),
        );
      } finally {
        // Imported tasks are ended even after an error, because the threads before the faulty one have been imported.
        await endImportedTasks(ledger, restored);
      }
    }),
    defineRoute("POST", "/v1/blobs", PUT_BLOB, async (request, { ledger }) =>
      jsonReply(201, await ledger.putBlob(request.chunks())),
    ),
    defineRoute("GET", "/v1/blobs/:ref", GET_BLOB, async (request, { ledger }) => {
      const chunks = ledger.blob(readPathParam(request, "ref"))[Symbol.asyncIterator]();
      // The first chunk is read before the reply starts, so that the client receives an error status for an unknown
      // blob.
      const first = await chunks.next();
      const body: StreamBody = async (sink) => {
        for (let read = first; read.done !== true && !sink.closed; read = await chunks.next())
          await sink.write(read.value);
        await chunks.return?.();
      };
      return { status: 200, headers: BLOB_HEADERS, body };
    }),
  ];
}

/** The headers of a blob. They prevent that a browser renders an uploaded HTML file as a page of this origin. */
const BLOB_HEADERS = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "private, max-age=31536000, immutable",
};

async function* allThreads(ledger: Ledger): AsyncIterable<string> {
  let before: string | undefined;
  do {
    const page = await ledger.threads({ limit: THREAD_PAGE_SIZE, before });
    for (const { id } of page) yield id;
    before = page.length < THREAD_PAGE_SIZE ? undefined : page.at(-1)?.id;
  } while (before !== undefined);
}

/**
 * Yields the lines of all threads, between an opening and a closing line by which an import detects a cut-off export.
 */
async function* exportAll(ledger: Ledger): AsyncIterable<string> {
  let threads = 0;
  yield OPENING_LINE;
  for await (const id of allThreads(ledger)) {
    let isBegun = false;
    try {
      for await (const line of ledger.export(id)) {
        if (!isBegun) threads += 1;
        isBegun = true;
        yield line;
      }
    } catch (error) {
      // A thread that was deleted after it was listed is skipped if none of its lines has been written yet.
      if (isBegun || !(error instanceof LedgerError) || error.code !== "unknown-thread") throw error;
    }
  }
  yield createClosingLine(threads);
}

async function* exportThreads(ledger: Ledger, ids: readonly string[]): AsyncIterable<string> {
  if (ids.length > 1) yield OPENING_LINE;
  for (const id of ids) yield* ledger.export(id);
  if (ids.length > 1) yield createClosingLine(ids.length);
}

/**
 * Returns a body that writes the lines in batches of at least `WRITE_SIZE` characters; the last batch may be shorter.
 */
function writeLines(lines: AsyncIterable<string>): StreamBody {
  return async (sink) => {
    let buffer = "";
    for await (const line of lines) {
      buffer += line;
      if (buffer.length < WRITE_SIZE) continue;
      await sink.write(buffer);
      buffer = "";
      if (sink.closed) return;
    }
    if (buffer !== "") await sink.write(buffer);
  };
}

/** Yields the text of the body in chunks of complete lines; only the last chunk may end without a line break. */
async function* readLines(request: ServerRequest, maxBytes: number): AsyncIterable<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new ServerError("invalid-request", "The body is not valid UTF-8. Encode it as UTF-8.", { cause });
    }
  };
  let buffered: string[] = [];
  for await (const bytes of request.chunks(maxBytes)) {
    const text = decode(bytes);
    const end = text.lastIndexOf("\n") + 1;
    buffered.push(end === 0 ? text : text.slice(0, end));
    if (end === 0) continue;
    yield buffered.join("");
    buffered = [text.slice(end)];
  }
  yield buffered.join("") + decode();
}

const EXPORT = {
  id: "exportThreads",
  summary: "Threads as JSON lines, each with its messages, runs and blobs; `POST /v1/import` takes them.",
  query: { thread: textParameter("A thread id; may be repeated. Absent: all threads.") },
  replies: { 200: { description: "JSON lines.", type: NDJSON } },
} as const;
const IMPORT = {
  id: "importThreads",
  summary:
    "Imports the lines of an export (the body), each thread completely or not at all. Identical threads that exist already are skipped. Running tasks become idle.",
  body: string,
  bodyType: NDJSON,
  replies: { 200: describeReply("The number of imported rows.", "Imported") },
} as const;
const PUT_BLOB = {
  id: "putBlob",
  summary: "Stores the bytes of the body once, by their content hash; a media part refers to them in `blob`.",
  body: string,
  bodyType: "application/octet-stream",
  replies: { 201: describeReply("The blob's reference.", object({ blob: string, size: count }, {})) },
} as const;
const GET_BLOB = {
  id: "getBlob",
  summary: "The bytes of a blob.",
  replies: { 200: { description: "The bytes, unchanged.", type: "application/octet-stream" } },
} as const;
