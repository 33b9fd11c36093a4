// Imports files that `koine export` wrote, recognized by their first line. Small threads are imported in parallel, so
// that the store can write several of them in one transaction. A rejected thread is reported with its line, and the
// import continues.
import type { ImportResult, Ledger } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { MultiThreadFile } from "../../ledger/transfer/multi-thread-file.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";
import type { RawRecord } from "../read/raw-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import type { FailureLog } from "../show/failure-log.ts";
import type { Progress } from "../show/progress.ts";
import type { RecordTally } from "./record-tally.ts";
import { TaskPool } from "./task-pool.ts";

const THREAD_HEADER = /^\{"format":"koine-ledger"/;

/** The number of threads that are imported in parallel. */
const PARALLEL_THREADS = 16;
/** The maximum length in characters of a thread that is imported in parallel; a longer thread is imported alone. */
const MAX_BUFFERED_LENGTH = 1 << 20;

export interface LedgerFileImporterOptions {
  ledger: Ledger;
  tally: RecordTally;
  failures: FailureLog;
  progress: Progress;
  strict: boolean;
}

export class LedgerFileImporter {
  readonly imported: ImportResult = { threads: 0, messages: 0, runs: 0, blobs: 0, known: 0 };
  readonly #options: LedgerFileImporterOptions;

  constructor(options: LedgerFileImporterOptions) {
    this.#options = options;
  }

  /** Imports a source if it is a ledger export. Otherwise returns false; the source can then be read from its start. */
  async importSource(source: RecordSource): Promise<boolean> {
    const first = await source.batches.next();
    if (first.done === true) return false;
    const [rawRecord] = first.value;
    const batches = prependBatch(first.value, source.batches);
    if (rawRecord === undefined || !THREAD_HEADER.test(rawRecord.text)) {
      source.batches = batches;
      return false;
    }
    const pool = new TaskPool(this.#options.strict ? 1 : PARALLEL_THREADS);
    const sections = new ThreadSectionReader(batches);
    const multiThreadFile = new MultiThreadFile();
    for (let section = await sections.next(); section !== undefined; section = await sections.next()) {
      const current = section;
      if (this.#checkFileLine(source.name, current.line, () => multiThreadFile.consume(current.header, current.line)))
        continue;
      multiThreadFile.addThread();
      if (await current.buffer(MAX_BUFFERED_LENGTH)) await pool.add(() => this.#importThread(current, source.name));
      else {
        await pool.waitForAll();
        await this.#importThread(current, source.name);
      }
    }
    await pool.waitForAll();
    this.#checkFileLine(source.name, sections.line, () => multiThreadFile.end(sections.line));
    return true;
  }

  /**
   * Runs `check` for a line that may be the opening or closing line of the file, and reports its failure. Returns true
   * if the line is one of these lines or the check failed; otherwise the line begins a thread.
   */
  #checkFileLine(file: string, line: number, check: () => boolean | void): boolean {
    const { tally, failures, strict } = this.#options;
    try {
      return check() === true;
    } catch (error) {
      const { code, message } = requireThreadError(error);
      tally.failed++;
      failures.add({ code, message: message.replace(LINE_NUMBER_PREFIX, "") }, { file, line });
      if (strict) throw new CliError("stopped", "Stopped at the first failure because of --strict.");
      return true;
    }
  }

  async #importThread(section: ThreadSection, file: string): Promise<void> {
    const { ledger, tally, failures, progress, strict } = this.#options;
    try {
      const counts = await ledger.import(section.lines());
      for (const name of ["threads", "messages", "runs", "blobs", "known"] as const)
        this.imported[name] += counts[name];
      tally.done++;
    } catch (error) {
      const threadError = requireThreadError(error);
      tally.failed++;
      failures.add(
        { code: threadError.code, message: withoutLineNumber(threadError) },
        { file, line: section.toFileLine(threadError.line) },
      );
      if (strict) throw new CliError("stopped", "Stopped at the first failure because of --strict.");
    }
    progress.show(tally.read);
  }
}

/** Returns an error that concerns one thread; throws any other error, which ends the command. */
function requireThreadError(error: unknown): LedgerError {
  if (error instanceof LedgerError && (error.code === "invalid-input" || error.code === "conflict")) return error;
  throw toCliError(error);
}

const LINE_NUMBER_PREFIX = /^Line \d+(, )?(: )?/;

/** Returns the message without its line number in the thread; the failure log prints the line number in the file. */
function withoutLineNumber({ message }: LedgerError): string {
  return message.replace(LINE_NUMBER_PREFIX, "");
}

async function* prependBatch(first: RawRecord[], rest: RecordSource["batches"]): RecordSource["batches"] {
  yield first;
  yield* rest;
}

/** Splits the lines of a file into sections: the lines of one thread, or the opening or closing line of the file. */
class ThreadSectionReader {
  readonly #records: AsyncGenerator<RawRecord, void, void>;
  #nextHeader: RawRecord | undefined;
  #current: ThreadSection | undefined;
  /** The number of the line that was read last. */
  line = 1;

  constructor(batches: RecordSource["batches"]) {
    this.#records = flattenBatches(batches);
  }

  /** Skips the unread lines of the previous section and returns the next section; undefined at the end of the file. */
  async next(): Promise<ThreadSection | undefined> {
    while (this.#current !== undefined && (await this.#readLine()) !== undefined);
    const head = this.#nextHeader ?? (await this.#records.next()).value ?? undefined;
    this.#nextHeader = undefined;
    if (head !== undefined) this.line = head.line;
    this.#current = head === undefined ? undefined : new ThreadSection(head, () => this.#readLine());
    return this.#current;
  }

  /**
   * Returns the next line of the current section; undefined if the next line is the header of another section, and at
   * the end of the file.
   */
  async #readLine(): Promise<RawRecord | undefined> {
    if (this.#nextHeader !== undefined) return undefined;
    const next = await this.#records.next();
    if (next.done === true) return undefined;
    this.line = next.value.line;
    if (!THREAD_HEADER.test(next.value.text)) return next.value;
    this.#nextHeader = next.value;
    return undefined;
  }
}

/** A header line and the lines up to the next header; read from memory or from the file. */
class ThreadSection {
  /** The text of the section's first line. */
  readonly header: string;
  /** The number of the section's first line in the file. */
  readonly line: number;
  readonly #buffered: RawRecord[];
  readonly #readLine: () => Promise<RawRecord | undefined>;
  /** The line numbers in the file of the lines that `lines` has returned. */
  readonly #fileLines: number[] = [];
  #isComplete = false;

  constructor(head: RawRecord, readLine: () => Promise<RawRecord | undefined>) {
    this.header = head.text;
    this.line = head.line;
    this.#buffered = [head];
    this.#readLine = readLine;
  }

  /** Reads the section into memory. Returns false and stops if the section is longer than `maxLength` characters. */
  async buffer(maxLength: number): Promise<boolean> {
    let length = 0;
    for (let rawRecord = await this.#readLine(); rawRecord !== undefined; rawRecord = await this.#readLine()) {
      this.#buffered.push(rawRecord);
      length += rawRecord.text.length;
      if (length > maxLength) return false;
    }
    this.#isComplete = true;
    return true;
  }

  async *lines(): AsyncGenerator<string, void, void> {
    for (const rawRecord of this.#buffered.splice(0)) yield this.#toLine(rawRecord);
    // A section that is completely in memory must not read more lines, because the reader may be at a later section.
    if (this.#isComplete) return;
    for (let rawRecord = await this.#readLine(); rawRecord !== undefined; rawRecord = await this.#readLine())
      yield this.#toLine(rawRecord);
  }

  #toLine({ text, line, problem }: RawRecord): string {
    this.#fileLines.push(line);
    if (problem !== undefined) throw new LedgerError("invalid-input", problem, { line: this.#fileLines.length });
    return text;
  }

  /** Converts a line number of the section to a line number of the file. */
  toFileLine(line: number | undefined): number {
    return this.#fileLines[(line ?? 1) - 1] ?? this.#fileLines.at(-1) ?? 1;
  }
}

async function* flattenBatches(batches: RecordSource["batches"]): AsyncGenerator<RawRecord, void, void> {
  for await (const batch of batches) yield* batch;
}
