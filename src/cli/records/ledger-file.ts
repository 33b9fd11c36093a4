// Files that `koine export` wrote: told by their first line, read thread by thread, small threads several at once, so
// that they share commits. A thread that is refused is told with its line, and the others go on.
import type { ImportResult, Ledger } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { MultiThreadFile } from "../../ledger/transfer/multi-thread-file.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";
import type { RawRecord } from "../read/raw-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import type { FailureLog } from "../show/failures.ts";
import type { Progress } from "../show/progress.ts";
import type { Tally } from "./tally.ts";
import { Together } from "./together.ts";

const HEAD = /^\{"format":"koine-ledger"/;

/** How many threads may be written at the same time, and how long, in characters, each of them may be. */
const TOGETHER = 16;
const SMALL = 1 << 20;

export interface LedgerFileOptions {
  ledger: Ledger;
  tally: Tally;
  failures: FailureLog;
  progress: Progress;
  strict: boolean;
}

export class LedgerFiles {
  readonly imported: ImportResult = { threads: 0, messages: 0, runs: 0, blobs: 0, known: 0 };
  readonly #options: LedgerFileOptions;

  constructor(options: LedgerFileOptions) {
    this.#options = options;
  }

  /** Imports a source that is an export; one that is none is left as it was. */
  async take(source: RecordSource): Promise<boolean> {
    const first = await source.batches.next();
    if (first.done === true) return false;
    const [piece] = first.value;
    const batches = again(first.value, source.batches);
    if (piece === undefined || !HEAD.test(piece.text)) {
      source.batches = batches;
      return false;
    }
    const pool = new Together(this.#options.strict ? 1 : TOGETHER);
    const sections = new Sections(batches);
    const whole = new MultiThreadFile();
    for (let section = await sections.next(); section !== undefined; section = await sections.next()) {
      const current = section;
      if (this.#told(source.name, current.line, () => whole.consume(current.head, current.line))) continue;
      whole.addThread();
      if (await current.gather(SMALL)) await pool.add(() => this.#import(current, source.name));
      else {
        await pool.settle();
        await this.#import(current, source.name);
      }
    }
    await pool.settle();
    this.#told(source.name, sections.line, () => whole.end(sections.line));
    return true;
  }

  /** Whether the look at a file as a whole took the line; what is missing is told, and the rest goes on. */
  #told(file: string, line: number, look: () => boolean | void): boolean {
    const { tally, failures, strict } = this.#options;
    try {
      return look() === true;
    } catch (error) {
      const { code, message } = refusalOf(error);
      tally.failed++;
      failures.add({ code, message: message.replace(NUMBER, "") }, { file, line });
      if (strict) throw new CliError("stopped", "Stopped at the first failure, as --strict asks.");
      return true;
    }
  }

  async #import(section: Section, file: string): Promise<void> {
    const { ledger, tally, failures, progress, strict } = this.#options;
    try {
      const counts = await ledger.import(section.lines());
      for (const name of ["threads", "messages", "runs", "blobs", "known"] as const)
        this.imported[name] += counts[name];
      tally.done++;
    } catch (error) {
      const refusal = refusalOf(error);
      tally.failed++;
      failures.add({ code: refusal.code, message: sentenceOf(refusal) }, { file, line: section.lineOf(refusal.line) });
      if (strict) throw new CliError("stopped", "Stopped at the first failure, as --strict asks.");
    }
    progress.show(tally.read);
  }
}

/** The error of one thread; what is wrong with the ledger itself ends the command. */
function refusalOf(error: unknown): LedgerError {
  if (error instanceof LedgerError && (error.code === "invalid-input" || error.code === "conflict")) return error;
  throw toCliError(error);
}

const NUMBER = /^Line \d+(, )?(: )?/;

/** The message without the number of the line, which is told in front of it. */
function sentenceOf({ message }: LedgerError): string {
  return message.replace(NUMBER, "");
}

async function* again(first: RawRecord[], rest: RecordSource["batches"]): RecordSource["batches"] {
  yield first;
  yield* rest;
}

/** The lines of a file, thread by thread. */
class Sections {
  readonly #pieces: AsyncGenerator<RawRecord, void, void>;
  #ahead: RawRecord | undefined;
  #current: Section | undefined;
  /** The line that was read last. */
  line = 1;

  constructor(batches: RecordSource["batches"]) {
    this.#pieces = singly(batches);
  }

  /** The next thread. What nobody has read of the one before is passed over. */
  async next(): Promise<Section | undefined> {
    while (this.#current !== undefined && (await this.#take()) !== undefined);
    const head = this.#ahead ?? (await this.#pieces.next()).value ?? undefined;
    this.#ahead = undefined;
    if (head !== undefined) this.line = head.line;
    this.#current = head === undefined ? undefined : new Section(head, () => this.#take());
    return this.#current;
  }

  /** The next line of the thread in hand; undefined where another one begins. */
  async #take(): Promise<RawRecord | undefined> {
    if (this.#ahead !== undefined) return undefined;
    const next = await this.#pieces.next();
    if (next.done === true) return undefined;
    this.line = next.value.line;
    if (!HEAD.test(next.value.text)) return next.value;
    this.#ahead = next.value;
    return undefined;
  }
}

/** The lines of one thread. */
class Section {
  /** Its first line, and where it stands. */
  readonly head: string;
  readonly line: number;
  readonly #held: RawRecord[];
  readonly #take: () => Promise<RawRecord | undefined>;
  /** Where the lines stand in the file. */
  readonly #places: number[] = [];
  #isWhole = false;

  constructor(head: RawRecord, take: () => Promise<RawRecord | undefined>) {
    this.head = head.text;
    this.line = head.line;
    this.#held = [head];
    this.#take = take;
  }

  /** Reads all of it, if that is not too long. */
  async gather(longest: number): Promise<boolean> {
    let length = 0;
    for (let piece = await this.#take(); piece !== undefined; piece = await this.#take()) {
      this.#held.push(piece);
      length += piece.text.length;
      if (length > longest) return false;
    }
    this.#isWhole = true;
    return true;
  }

  async *lines(): AsyncGenerator<string, void, void> {
    for (const piece of this.#held.splice(0)) yield this.#read(piece);
    // By now the file may be read by others.
    if (this.#isWhole) return;
    for (let piece = await this.#take(); piece !== undefined; piece = await this.#take()) yield this.#read(piece);
  }

  #read({ text, line, problem }: RawRecord): string {
    this.#places.push(line);
    if (problem !== undefined) throw new LedgerError("invalid-input", problem, { line: this.#places.length });
    return text;
  }

  /** Where a line of the thread stands in the file. */
  lineOf(line: number | undefined): number {
    return this.#places[(line ?? 1) - 1] ?? this.#places.at(-1) ?? 1;
  }
}

async function* singly(batches: RecordSource["batches"]): AsyncGenerator<RawRecord, void, void> {
  for await (const batch of batches) yield* batch;
}
