// Reads and checks the lines of one thread of an import. Blobs are written while they are read, because a blob without
// a message is invisible; import.ts writes all other rows after the last line of the thread.
import { refreshExistingBlob, storeByteStream } from "../blobs/index.ts";
import { LedgerError } from "../errors.ts";
import { toIdPrefix } from "../ids.ts";
import type { AliasRow, BlobRefRow, LogRow, MessageRow, RunRow, ThreadRow } from "../store/rows.ts";
import { RUN_STATES } from "../store/rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { ReportedProblem, LedgerScope } from "../scope.ts";
import type { LineFields } from "./line-fields.ts";
import { FORMAT, FORMAT_VERSION, type LineKind, LINE_KINDS, BLOB_PIECE_SIZE } from "./line-format.ts";
import type { LineReader } from "./line-reader.ts";
import { inspectMessage } from "./message-row-faults.ts";

/** The rows of an imported thread. */
export interface ImportedThread {
  /** The number of the thread's first line. */
  line: number;
  thread: ThreadRow;
  messages: MessageRow[];
  runs: RunRow[];
  states: LogRow[];
  entries: LogRow[];
  /** The aliases of the thread's runs. */
  aliases: AliasRow[];
  /** The blob references of the thread's messages. */
  refs: BlobRefRow[];
  /** The faults of unreadable messages, which are imported unchanged. */
  faults: ReportedProblem[];
  /** The number of the thread's blobs that were written. */
  newBlobs: number;
  /** The number of the thread's blobs that existed already. */
  knownBlobs: number;
}

/** Reads the lines of the next thread, up to its end line. */
export async function readThreadLines(scope: LedgerScope, lines: LineReader): Promise<ImportedThread> {
  const head = await lines.next();
  if (head === undefined) throw new LedgerError("invalid-input", "The input contains no thread.");
  return new ThreadLinesReader(scope, lines, head).read();
}

/** The maximum time in milliseconds by which the time in an imported id may be ahead of this machine's clock. */
const MAX_CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

/** The position of each kind of line in the required order of the lines of a thread. */
const LINE_ORDER: Readonly<Record<LineKind, number>> = {
  thread: 0,
  blob: 1,
  message: 2,
  run: 3,
  state: 4,
  entry: 5,
  end: 6,
};

class ThreadLinesReader {
  readonly #scope: LedgerScope;
  readonly #lines: LineReader;
  readonly #section: ImportedThread;
  readonly #leaf: { id: string | null; fields: LineFields };
  #last: LineKind = "thread";
  #lastId = "";
  /**
   * The time prefix of the largest accepted id. Larger ids are rejected: new ids of the thread must be larger than all
   * existing ids, so after an id from the future the times in all new ids would be wrong, too.
   */
  readonly #latest: string;
  readonly #ids = new Set<string>();
  readonly #runIds = new Set<string>();
  readonly #stateIds = new Set<string>();

  constructor(scope: LedgerScope, lines: LineReader, head: LineFields) {
    this.#scope = scope;
    this.#lines = lines;
    this.#latest = toIdPrefix(scope.now() + MAX_CLOCK_SKEW_MS);
    assertFormat(head);
    const thread: ThreadRow = {
      tenant: scope.tenant,
      id: head.readName("id"),
      title: head.readNullable("title", "Text"),
      scope: head.readNullable("scope", "Name"),
      kind: head.peek("threadKind") === undefined ? null : head.readName("threadKind"),
      createdAt: head.readTime("createdAt"),
      metadata: head.readJsonColumn("metadata"),
      pinned: false,
      leafId: null,
    };
    this.#leaf = { id: head.readNullable("activeLeafId", "Id"), fields: head };
    head.assertAllRead();
    const rows = { messages: [], runs: [], states: [], entries: [], aliases: [], refs: [], faults: [] };
    this.#section = { line: head.line, thread, ...rows, newBlobs: 0, knownBlobs: 0 };
  }

  async read(): Promise<ImportedThread> {
    for (;;) {
      const fields = await this.#lines.next();
      if (fields === undefined) {
        const reason = `Line ${this.#lines.line}: The thread "${this.#section.thread.id}" has no end line; the file is incomplete.`;
        throw new LedgerError("invalid-input", reason, { line: this.#lines.line });
      }
      const kind = this.#readKind(fields);
      if (kind === "blob") await this.#blob(fields);
      else if (kind === "message") this.#message(fields);
      else if (kind === "run") this.#run(fields);
      else if (kind === "state") this.#state(fields);
      else if (kind === "entry") this.#entry(fields);
      else {
        this.#end(fields);
        return this.#section;
      }
    }
  }

  #readKind(fields: LineFields): LineKind {
    const kind = fields.readOneOf("kind", LINE_KINDS);
    if (kind === "thread")
      throw fields.createError("/kind", "This thread line comes before the end line of the previous thread.");
    if (LINE_ORDER[kind] < LINE_ORDER[this.#last]) {
      throw fields.createError(
        "/kind",
        `A ${kind} line cannot follow a ${this.#last} line; the lines are out of order.`,
      );
    }
    if (kind !== this.#last) this.#lastId = "";
    this.#last = kind;
    return kind;
  }

  /**
   * Returns the id of a line. Throws if the id is not larger than the id of the previous line of this kind, or if the
   * time in the id is too far ahead.
   */
  #requireNextId(fields: LineFields, id: string): string {
    if (this.#last !== "run" && id.slice(0, this.#latest.length) > this.#latest) {
      throw fields.createError("/id", "The time in this id is more than a day ahead; check the clocks.");
    }
    if (id <= this.#lastId)
      throw fields.createError("/id", `The id must be larger than the previous one, ${this.#lastId}.`);
    this.#lastId = id;
    return id;
  }

  #key(): { tenant: string; threadId: string } {
    return { tenant: this.#scope.tenant, threadId: this.#section.thread.id };
  }

  #message(fields: LineFields): void {
    const id = this.#requireNextId(fields, fields.readId("id"));
    const parentId = fields.readNullable("parentId", "Id");
    if (parentId !== null && !this.#ids.has(parentId)) {
      throw fields.createError("/parentId", `The message ${parentId} does not precede this line.`);
    }
    const runId = fields.readNullable("runId", "Name");
    const [role, digest] = [fields.readText("role"), fields.readText("digest")];
    const row: MessageRow = {
      ...this.#key(),
      id,
      parentId,
      runId,
      role,
      digest,
      body: fields.requireJsonColumn("body"),
    };
    const references = fields.readBlobReferences("blobs");
    fields.assertAllRead();
    this.#ids.add(id);
    this.#section.messages.push(row);
    const { blobs, fault } = inspectMessage(row);
    for (const hash of references ?? blobs) this.#section.refs.push({ ...this.#key(), messageId: id, hash });
    if (fault !== undefined) this.#section.faults.push({ threadId: row.threadId, messageId: id, reason: fault });
  }

  #run(fields: LineFields): void {
    const state = fields.readOneOf("state", RUN_STATES);
    if (isLive(state)) throw fields.createError("/state", "A live run cannot be imported.");
    const row: RunRow = {
      ...this.#key(),
      id: this.#requireNextId(fields, fields.readName("id")),
      state,
      mode: fields.readOneOf("mode", ["replace", "branch"]),
      forks: fields.readBoolean("forks"),
      forkFromId: fields.readNullable("forkFromId", "Id"),
      idempotencyKey: fields.readNullable("idempotencyKey", "Name"),
      epoch: fields.readInteger("epoch"),
      leaseUntil: 0,
      createdAt: fields.readTime("createdAt"),
      finishedAt: fields.readInteger("finishedAt"),
      error: fields.readJsonColumn("error"),
      usage: fields.readJsonColumn("usage"),
      metadata: fields.readJsonColumn("metadata"),
      firstDeltaId: fields.readNullable("firstDeltaId", "Id"),
      lastDeltaId: fields.readNullable("lastDeltaId", "Id"),
      lastSeq: fields.readInteger("lastSeq", -1),
      compacted: true,
    };
    const aliases = fields.readNames("aliases");
    fields.assertAllRead();
    this.#runIds.add(row.id);
    this.#section.runs.push(row);
    for (const name of aliases) this.#section.aliases.push({ ...this.#key(), name, runId: row.id });
  }

  #state(fields: LineFields): void {
    const id = this.#requireNextId(fields, fields.readId("id"));
    const runId = fields.readName("runId");
    if (!this.#runIds.has(runId)) {
      throw fields.createError("/runId", `The run "${runId}" does not precede this line.`);
    }
    if (this.#ids.has(id)) throw fields.createError("/id", "A message already has this id.");
    this.#stateIds.add(id);
    this.#section.states.push({ ...this.#key(), id, runId, kind: "run", body: fields.requireJsonColumn("body") });
    fields.assertAllRead();
  }

  #entry(fields: LineFields): void {
    const id = this.#requireNextId(fields, fields.readId("id"));
    if (this.#ids.has(id) || this.#stateIds.has(id)) {
      throw fields.createError("/id", "Another record of the thread already has this id.");
    }
    this.#section.entries.push({
      ...this.#key(),
      id,
      runId: "",
      kind: "entry",
      body: fields.requireJsonColumn("body"),
    });
    fields.assertAllRead();
  }

  #end(fields: LineFields): void {
    const { messages, runs, states, entries, thread } = this.#section;
    for (const [name, { length }] of Object.entries({ messages, runs, states, entries })) {
      // The end line of a thread without a journal has no `entries`.
      const expected = name === "entries" && fields.peek(name) === undefined ? 0 : fields.readInteger(name);
      if (expected !== length) {
        throw fields.createError(`/${name}`, `Expected ${expected}, but read ${length}; lines are missing.`);
      }
    }
    fields.assertAllRead();
    const { id } = this.#leaf;
    if (id !== null && !this.#ids.has(id)) {
      throw this.#leaf.fields.createError("/activeLeafId", `The thread has no message ${id}.`);
    }
    thread.pinned = id !== (messages.at(-1)?.id ?? null);
    thread.leafId = thread.pinned ? id : null;
  }

  async #blob(first: LineFields): Promise<void> {
    const hash = first.readName("hash");
    const size = first.readInteger("size");
    // An existing blob is refreshed, so that a purge does not delete the blob before the thread is written.
    const exists = await refreshExistingBlob(this.#scope, hash);
    const pieces = this.#pieces(first, hash, size);
    if (exists) {
      // The lines of an existing blob are read and checked, but not written.
      while ((await pieces.next()).done !== true);
      this.#section.knownBlobs++;
      return;
    }
    const assertHash = (actual: string): void => {
      if (actual !== hash) throw first.createError("/hash", `The bytes have the hash ${actual}.`);
    };
    const { isNew } = await storeByteStream(this.#scope, pieces, assertHash);
    if (isNew) this.#section.newBlobs++;
    else this.#section.knownBlobs++;
  }

  /** Yields the bytes of a blob, which may span several lines. */
  async *#pieces(first: LineFields, hash: string, size: number): AsyncGenerator<Uint8Array, void, void> {
    let fields = first;
    for (let at = 0; ;) {
      if (fields.readInteger("at") !== at)
        throw fields.createError("/at", `Expected ${at}; pieces are missing or out of order.`);
      const bytes = decodePiece(fields);
      fields.assertAllRead();
      at += bytes.length;
      if (at > size) throw fields.createError("/data", `The lines contain more bytes than the blob's size, ${size}.`);
      yield bytes;
      if (at === size) return;
      const next = await this.#lines.next();
      if (next?.peek("kind") !== "blob" || next.peek("hash") !== hash || next.peek("size") !== size) {
        throw (next ?? fields).createError(
          "",
          `The blob ${hash} is incomplete: ${at} of ${size} bytes; its next line is missing.`,
        );
      }
      for (const name of ["kind", "hash"]) next.readString(name);
      next.readInteger("size");
      fields = next;
    }
  }
}

function decodePiece(fields: LineFields): Buffer {
  const data = fields.readString("data");
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) throw fields.createError("/data", "The data must be base64.");
  if (bytes.length > BLOB_PIECE_SIZE)
    throw fields.createError("/data", `A piece can have at most ${BLOB_PIECE_SIZE} bytes.`);
  return bytes;
}

function assertFormat(head: LineFields): void {
  if (head.peek("format") !== FORMAT || head.peek("kind") !== "thread") {
    throw head.createError(
      "",
      `A thread must begin with {"format":"${FORMAT}","version":${FORMAT_VERSION},"kind":"thread",…}.`,
    );
  }
  const version = head.peek("version");
  if (version !== FORMAT_VERSION) {
    const advice = typeof version === "number" && version > FORMAT_VERSION ? "; update Koine" : "";
    throw head.createError("/version", `This Koine reads version ${FORMAT_VERSION} of the format${advice}.`);
  }
  for (const name of ["format", "kind"]) head.readString(name);
  head.readInteger("version");
}
