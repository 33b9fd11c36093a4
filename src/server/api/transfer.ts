// Threads out and in as JSON lines, and the blobs that messages hold.
import type { Ledger } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { closingLine, OPENING_LINE } from "../../ledger/transfer/whole.ts";
import { count, object, string } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import { settleRestored } from "../tasks/restored.ts";
import type { Route, ServerRequest, Services, StreamBody } from "../types.ts";
import { param } from "./reading.ts";
import { jsonReply, route, says, text } from "./replies.ts";

const LINES = "application/x-ndjson";
const PAGE = 200;
/** Exported lines are handed on in pieces of about this many characters. */
const PIECE = 64 * 1024;

export function transferRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { importBytes } = config.limits;
  return [
    route("GET", "/v1/export", EXPORT, async (request, caller) => {
      const { ledger } = caller;
      const ids = [...new Set(request.query.getAll("thread"))].filter((id) => id !== "");
      // Told before anything is sent.
      for (const id of ids) {
        await recorder.reveal(caller, id);
        await ledger.thread(id);
      }
      const lines = ids.length > 0 ? exportThese(ledger, ids) : exportAll(ledger);
      const headers = { "content-type": LINES, "content-disposition": 'attachment; filename="koine.jsonl"' };
      return { status: 200, headers, body: written(lines) };
    }),
    route("POST", "/v1/import", IMPORT, async (request, { ledger }) => {
      const restored: string[] = [];
      try {
        return jsonReply(
          200,
          await ledger.import(linesOf(request, importBytes), { onThread: (id) => restored.push(id) }),
        );
      } finally {
        // Also where a later thread was refused.
        await settleRestored(ledger, restored);
      }
    }),
    route("POST", "/v1/blobs", PUT, async (request, { ledger }) =>
      jsonReply(201, await ledger.putBlob(request.chunks())),
    ),
    route("GET", "/v1/blobs/:ref", BLOB, async (request, { ledger }) => {
      const chunks = ledger.blob(param(request, "ref"))[Symbol.asyncIterator]();
      // An unknown one is told before anything is sent.
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

/** Bytes of anybody's making: no browser is to take them for a page of this origin. */
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
    const page = await ledger.threads({ limit: PAGE, before });
    for (const { id } of page) yield id;
    before = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (before !== undefined);
}

/** Several threads stand between two lines that tell whether all of them came. */
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
      // One that was deleted since it was listed is none of them.
      if (isBegun || !(error instanceof LedgerError) || error.code !== "unknown-thread") throw error;
    }
  }
  yield closingLine(threads);
}

async function* exportThese(ledger: Ledger, ids: readonly string[]): AsyncIterable<string> {
  if (ids.length > 1) yield OPENING_LINE;
  for (const id of ids) yield* ledger.export(id);
  if (ids.length > 1) yield closingLine(ids.length);
}

/** Lines as they come, several in one write. */
function written(lines: AsyncIterable<string>): StreamBody {
  return async (sink) => {
    let piece = "";
    for await (const line of lines) {
      piece += line;
      if (piece.length < PIECE) continue;
      await sink.write(piece);
      piece = "";
      if (sink.closed) return;
    }
    if (piece !== "") await sink.write(piece);
  };
}

/** The lines of a body; the ledger passes over blank ones. */
async function* linesOf(request: ServerRequest, most: number): AsyncIterable<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new ServerError("invalid-request", "The body is no UTF-8 text.", { cause });
    }
  };
  let held: string[] = [];
  for await (const bytes of request.chunks(most)) {
    const text = decode(bytes);
    const end = text.lastIndexOf("\n") + 1;
    held.push(end === 0 ? text : text.slice(0, end));
    if (end === 0) continue;
    yield held.join("");
    held = [text.slice(end)];
  }
  yield held.join("") + decode();
}

const EXPORT = {
  id: "exportThreads",
  summary: "Threads as JSON lines, each with its messages, runs and blobs; `POST /v1/import` takes them.",
  query: { thread: text("A thread; may be repeated. Absent: all of them.") },
  replies: { 200: { description: "JSON lines.", type: LINES } },
} as const;
const IMPORT = {
  id: "importThreads",
  summary:
    "Takes the lines of an export (as the body), each thread whole or not at all. What is there already, and the same, is passed over. Tasks that were at work rest.",
  body: string,
  bodyType: LINES,
  replies: { 200: says("What came in.", "Imported") },
} as const;
const PUT = {
  id: "putBlob",
  summary: "Stores bytes (the body) once by their content; a media part names them as its `blob`.",
  body: string,
  bodyType: "application/octet-stream",
  replies: { 201: says("The blob's reference.", object({ blob: string, size: count }, {})) },
} as const;
const BLOB = {
  id: "getBlob",
  summary: "The bytes of a blob.",
  replies: { 200: { description: "The bytes, as they were put.", type: "application/octet-stream" } },
} as const;
