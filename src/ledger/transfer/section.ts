// One thread of an import: its lines, checked one by one, to rows. Only blobs are written on the way, because nobody
// sees them before a message does; the rest waits until the last line has come.
import { isThere, storeStream } from "../blobs/index.ts";
import { LedgerError } from "../errors.ts";
import { idTime } from "../ids.ts";
import type { AliasRow, BlobRefRow, LogRow, MessageRow, RunRow, ThreadRow } from "../rows.ts";
import { RUN_STATES } from "../rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { Finding, Scope } from "../scope.ts";
import type { Fields } from "./fields.ts";
import { FORMAT, FORMAT_VERSION, type Kind, KINDS, PIECE } from "./format.ts";
import type { Lines } from "./lines.ts";
import { surveyRow } from "./survey.ts";

/** What the lines of a thread come to. */
export interface Section {
  /** Where it begins. */
  line: number;
  thread: ThreadRow;
  messages: MessageRow[];
  runs: RunRow[];
  states: LogRow[];
  entries: LogRow[];
  /** Other names of the runs. */
  aliases: AliasRow[];
  /** The blobs that messages hold or name. */
  refs: BlobRefRow[];
  /** Messages that cannot be read. They are imported as they are. */
  faults: Finding[];
  /** Blobs that were written, and blobs that were there. */
  newBlobs: number;
  knownBlobs: number;
}

/** Reads up to the end of the thread. */
export async function readSection(scope: Scope, lines: Lines): Promise<Section> {
  const head = await lines.next();
  if (head === undefined) throw new LedgerError("invalid-input", "There is no line to read.");
  return new SectionReader(scope, lines, head).read();
}

/** How far the clock of whoever made an id may be ahead. */
const AHEAD_MS = 24 * 60 * 60 * 1000;

/** The order of the lines. */
const ORDER: Readonly<Record<Kind, number>> = { thread: 0, blob: 1, message: 2, run: 3, state: 4, entry: 5, end: 6 };

class SectionReader {
  readonly #scope: Scope;
  readonly #lines: Lines;
  readonly #section: Section;
  readonly #leaf: { id: string | null; fields: Fields };
  #last: Kind = "thread";
  #lastId = "";
  /** The beginning of the largest id that may come: new ids of the thread follow its last one, whatever the clock says. */
  readonly #latest: string;
  readonly #ids = new Set<string>();
  readonly #runIds = new Set<string>();
  readonly #stateIds = new Set<string>();

  constructor(scope: Scope, lines: Lines, head: Fields) {
    this.#scope = scope;
    this.#lines = lines;
    this.#latest = idTime(scope.now() + AHEAD_MS);
    demandFormat(head);
    const thread: ThreadRow = {
      tenant: scope.tenant,
      id: head.name("id"),
      title: head.nullable("title", "plain"),
      scope: head.nullable("scope", "name"),
      kind: head.peek("threadKind") === undefined ? null : head.name("threadKind"),
      createdAt: head.time("createdAt"),
      metadata: head.column("metadata"),
      pinned: false,
      leafId: null,
    };
    this.#leaf = { id: head.nullable("activeLeafId", "id"), fields: head };
    head.end();
    const rows = { messages: [], runs: [], states: [], entries: [], aliases: [], refs: [], faults: [] };
    this.#section = { line: head.line, thread, ...rows, newBlobs: 0, knownBlobs: 0 };
  }

  async read(): Promise<Section> {
    for (;;) {
      const fields = await this.#lines.next();
      if (fields === undefined) {
        const reason = `Line ${this.#lines.line}: The thread "${this.#section.thread.id}" has no end; the file was cut off.`;
        throw new LedgerError("invalid-input", reason, { line: this.#lines.line });
      }
      const kind = this.#kindOf(fields);
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

  #kindOf(fields: Fields): Kind {
    const kind = fields.oneOf("kind", KINDS);
    if (kind === "thread") throw fields.refusal("/kind", "Another thread begins before the end of the one before.");
    if (ORDER[kind] < ORDER[this.#last]) {
      throw fields.refusal("/kind", `A ${kind} cannot stand behind a ${this.#last}; the lines are out of order.`);
    }
    if (kind !== this.#last) this.#lastId = "";
    this.#last = kind;
    return kind;
  }

  /** Ids grow from line to line. */
  #nextId(fields: Fields, id: string): string {
    if (this.#last !== "run" && id.slice(0, this.#latest.length) > this.#latest) {
      throw fields.refusal("/id", "It says a time that is more than a day ahead: look at the clocks.");
    }
    if (id <= this.#lastId) throw fields.refusal("/id", `It must be larger than the one before, ${this.#lastId}.`);
    this.#lastId = id;
    return id;
  }

  #key(): { tenant: string; threadId: string } {
    return { tenant: this.#scope.tenant, threadId: this.#section.thread.id };
  }

  #message(fields: Fields): void {
    const id = this.#nextId(fields, fields.id("id"));
    const parentId = fields.nullable("parentId", "id");
    if (parentId !== null && !this.#ids.has(parentId)) {
      throw fields.refusal("/parentId", `There is no message ${parentId} before this one.`);
    }
    const runId = fields.nullable("runId", "name");
    const [role, digest] = [fields.plain("role"), fields.plain("digest")];
    const row: MessageRow = { ...this.#key(), id, parentId, runId, role, digest, body: fields.demandColumn("body") };
    const held = fields.blobs("blobs");
    fields.end();
    this.#ids.add(id);
    this.#section.messages.push(row);
    const { blobs, fault } = surveyRow(row);
    for (const hash of held ?? blobs) this.#section.refs.push({ ...this.#key(), messageId: id, hash });
    if (fault !== undefined) this.#section.faults.push({ threadId: row.threadId, messageId: id, reason: fault });
  }

  #run(fields: Fields): void {
    const state = fields.oneOf("state", RUN_STATES);
    if (isLive(state)) throw fields.refusal("/state", "A run that is still alive cannot be imported.");
    const row: RunRow = {
      ...this.#key(),
      id: this.#nextId(fields, fields.name("id")),
      state,
      mode: fields.oneOf("mode", ["replace", "branch"]),
      forks: fields.flag("forks"),
      forkFromId: fields.nullable("forkFromId", "id"),
      idempotencyKey: fields.nullable("idempotencyKey", "name"),
      epoch: fields.whole("epoch"),
      leaseUntil: 0,
      createdAt: fields.time("createdAt"),
      finishedAt: fields.whole("finishedAt"),
      error: fields.column("error"),
      usage: fields.column("usage"),
      metadata: fields.column("metadata"),
      firstDeltaId: fields.nullable("firstDeltaId", "id"),
      lastDeltaId: fields.nullable("lastDeltaId", "id"),
      lastSeq: fields.whole("lastSeq", -1),
      compacted: true,
    };
    const aliases = fields.names("aliases");
    fields.end();
    this.#runIds.add(row.id);
    this.#section.runs.push(row);
    for (const name of aliases) this.#section.aliases.push({ ...this.#key(), name, runId: row.id });
  }

  #state(fields: Fields): void {
    const id = this.#nextId(fields, fields.id("id"));
    const runId = fields.name("runId");
    if (!this.#runIds.has(runId)) {
      throw fields.refusal("/runId", `There is no run "${runId}" before this line.`);
    }
    if (this.#ids.has(id)) throw fields.refusal("/id", "A message has this id.");
    this.#stateIds.add(id);
    this.#section.states.push({ ...this.#key(), id, runId, kind: "run", body: fields.demandColumn("body") });
    fields.end();
  }

  #entry(fields: Fields): void {
    const id = this.#nextId(fields, fields.id("id"));
    if (this.#ids.has(id) || this.#stateIds.has(id)) {
      throw fields.refusal("/id", "Something else in the thread has this id.");
    }
    this.#section.entries.push({ ...this.#key(), id, runId: "", kind: "entry", body: fields.demandColumn("body") });
    fields.end();
  }

  #end(fields: Fields): void {
    const { messages, runs, states, entries, thread } = this.#section;
    for (const [name, { length }] of Object.entries({ messages, runs, states, entries })) {
      // A thread without a journal does not speak of it.
      const expected = name === "entries" && fields.peek(name) === undefined ? 0 : fields.whole(name);
      if (expected !== length) {
        throw fields.refusal(`/${name}`, `There should be ${expected}, but ${length} have come; lines are missing.`);
      }
    }
    fields.end();
    const { id } = this.#leaf;
    if (id !== null && !this.#ids.has(id)) {
      throw this.#leaf.fields.refusal("/activeLeafId", `The thread has no message ${id}.`);
    }
    thread.pinned = id !== (messages.at(-1)?.id ?? null);
    thread.leafId = thread.pinned ? id : null;
  }

  async #blob(first: Fields): Promise<void> {
    const hash = first.name("hash");
    const size = first.whole("size");
    // It stays until the thread that holds it is written.
    const there = await isThere(this.#scope, hash);
    const pieces = this.#pieces(first, hash, size);
    if (there) {
      // They are read all the same: the lines must be what they should.
      while ((await pieces.next()).done !== true);
      this.#section.knownBlobs++;
      return;
    }
    const isSame = (found: string): void => {
      if (found !== hash) throw first.refusal("/hash", `The bytes are those of ${found}.`);
    };
    const { isNew } = await storeStream(this.#scope, pieces, isSame);
    if (isNew) this.#section.newBlobs++;
    else this.#section.knownBlobs++;
  }

  /** The bytes of a blob, which may go over several lines. */
  async *#pieces(first: Fields, hash: string, size: number): AsyncGenerator<Uint8Array, void, void> {
    let fields = first;
    for (let at = 0; ;) {
      if (fields.whole("at") !== at) throw fields.refusal("/at", `Expected ${at}: pieces are missing or out of order.`);
      const bytes = piece(fields);
      fields.end();
      at += bytes.length;
      if (at > size) throw fields.refusal("/data", `There are more bytes than the ${size} that the blob has.`);
      yield bytes;
      if (at === size) return;
      const next = await this.#lines.next();
      if (next?.peek("kind") !== "blob" || next.peek("hash") !== hash || next.peek("size") !== size) {
        throw (next ?? fields).refusal(
          "",
          `The blob ${hash} goes on after ${at} of ${size} bytes, but it is not here.`,
        );
      }
      for (const name of ["kind", "hash"]) next.text(name);
      next.whole("size");
      fields = next;
    }
  }
}

function piece(fields: Fields): Buffer {
  const data = fields.text("data");
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) throw fields.refusal("/data", "It is no base64.");
  if (bytes.length > PIECE) throw fields.refusal("/data", `A piece has at most ${PIECE} bytes.`);
  return bytes;
}

function demandFormat(head: Fields): void {
  if (head.peek("format") !== FORMAT || head.peek("kind") !== "thread") {
    throw head.refusal(
      "",
      `A thread begins with {"format":"${FORMAT}","version":${FORMAT_VERSION},"kind":"thread",…}.`,
    );
  }
  const version = head.peek("version");
  if (version !== FORMAT_VERSION) {
    const advice = typeof version === "number" && version > FORMAT_VERSION ? "; update Koine" : "";
    throw head.refusal("/version", `This Koine reads version ${FORMAT_VERSION} of the format${advice}.`);
  }
  for (const name of ["format", "kind"]) head.text(name);
  head.whole("version");
}
