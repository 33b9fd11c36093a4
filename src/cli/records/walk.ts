// Goes through every record of every source: reads, recognises, counts, reports what fails and goes on. What is done
// with a record is the visitor's; it is called without waiting, and asked once a batch to hand on what it has made.
import type { Dialect } from "../../dialects/index.ts";
import { detectDialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import { JsonError, parseJson } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { CliIo } from "../io.ts";
import type { InputFormat } from "../read/detect-format.ts";
import { isMessage } from "../read/message-dialect.ts";
import type { RawRecord } from "../read/raw-record.ts";
import type { ClassifiedRecord, ExpectedInput } from "../read/classify-record.ts";
import { classifyRecord } from "../read/classify-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import { openSource } from "../read/record-source.ts";
import { assertReadable } from "../read/byte-source.ts";
import type { Progress } from "../show/progress.ts";
import type { Failure } from "../write/report.ts";
import { failureOf } from "./failure.ts";
import type { EventTaker } from "./streams.ts";
import { StreamFeed } from "./streams.ts";
import type { Tally } from "./tally.ts";

/** Where a record stands. */
export interface Place {
  file: string;
  line: number;
}

export interface Visitor {
  /** A source begins. */
  source?(source: RecordSource): void;
  /** Reads a source by itself where it is no matter of records, and says whether it did. */
  takes?(source: RecordSource): Promise<boolean>;
  /** The records that follow are elements of a list. */
  list?(): void;
  record(record: ClassifiedRecord, place: Place): void;
  /** A stream begins. */
  stream(dialect: Dialect, place: Place): EventTaker;
  failure(failure: Failure, place: Place): void;
  /** A batch of records is done. */
  batch(): Promise<void>;
}

export interface Walk {
  files: readonly string[];
  format?: InputFormat | undefined;
  wanted: ExpectedInput;
  strict: boolean;
  tally: Tally;
  progress: Progress;
  /** Only the record on this line. */
  line?: number | undefined;
}

/** So many records may pass before one shows whether the source is a stream. */
const LOOKED_AT = 8;

export async function walk(plan: Walk, visitor: Visitor, io: CliIo): Promise<void> {
  const files = plan.files.length === 0 ? ["-"] : plan.files;
  // A wrong name is told before the work begins, not in the middle of it.
  for (const file of files) if (file !== "-") await assertReadable(file);
  for (const file of files) {
    const source = await openSource(file, sourceOptions(plan), io);
    plan.tally.files++;
    plan.progress.begin(source.size);
    visitor.source?.(source);
    if ((await visitor.takes?.(source)) === true) continue;
    await new SourceWalk(source, plan, visitor).run();
  }
}

function sourceOptions({ format, wanted, progress }: Walk): Parameters<typeof openSource>[1] {
  return {
    format,
    isMessage: (text) => wanted.kind !== "stream" && isMessageText(text),
    onBytes: (count) => progress.bytes(count),
  };
}

function isMessageText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isMessage(value);
  } catch {
    return false;
  }
}

class SourceWalk {
  readonly #source: RecordSource;
  readonly #plan: Walk;
  readonly #visitor: Visitor;
  #feed: StreamFeed | undefined;
  #isFailing = false;
  #isFirst = true;
  #isHinted = false;

  constructor(source: RecordSource, plan: Walk, visitor: Visitor) {
    this.#source = source;
    this.#plan = plan;
    this.#visitor = visitor;
  }

  async run(): Promise<void> {
    const { batches } = this.#source;
    for await (const batch of batches) {
      if (this.#isFirst && this.#isStream(batch)) this.#beginStream();
      this.#isFirst = false;
      for (const piece of batch) this.#take(piece);
      await this.#visitor.batch();
      this.#plan.progress.show(this.#plan.tally.read);
    }
    if (this.#feed !== undefined) this.#endStream(this.#feed);
    await this.#visitor.batch();
  }

  #take(piece: RawRecord): void {
    if (piece.listed === true) this.#visitor.list?.();
    if (this.#feed !== undefined) {
      this.#plan.tally.events++;
      this.#attempt(piece.line, () => this.#feed?.push(piece));
    } else if (this.#plan.line === undefined || this.#plan.line === piece.line) {
      const { failed } = this.#plan.tally;
      this.#attempt(piece.line, () => this.#read(piece), piece.text);
      if (this.#plan.tally.failed === failed) this.#plan.tally.done++;
    }
  }

  #read(piece: RawRecord): void {
    if (piece.problem !== undefined) throw new CliError("record", piece.problem);
    const record = classifyRecord(parseJson(piece.text), this.#plan.wanted);
    this.#visitor.record(record, { file: this.#source.name, line: piece.line });
  }

  /** Told by the user, by the format, or by the first record that shows what it is. */
  #isStream(batch: readonly RawRecord[]): boolean {
    const { kind, from } = this.#plan.wanted;
    if (kind !== undefined) return kind === "stream";
    if (this.#source.format === "sse") return true;
    for (const { text } of batch.slice(0, LOOKED_AT)) {
      try {
        const value = parseJson(text);
        const shown = from === undefined ? detectDialect(value)?.kind : from.detectKind(value);
        if (shown !== undefined) return shown === "stream";
      } catch {
        // It will be told when it is read.
      }
    }
    return false;
  }

  #beginStream(): void {
    const place = { file: this.#source.name, line: 1 };
    this.#feed = new StreamFeed(this.#plan.wanted, (dialect) => this.#visitor.stream(dialect, place));
  }

  /** A stream is one record, however many of its events fail. */
  #endStream(feed: StreamFeed): void {
    this.#attempt(1, () => feed.end());
    if (!this.#isFailing) this.#plan.tally.done++;
  }

  #attempt(line: number, step: () => void, text = ""): void {
    try {
      step();
    } catch (error) {
      if (error instanceof CliError && (error.code === "usage" || error.code === "io")) throw error;
      this.#fail(error, line, this.#hintFor(error, text));
    }
  }

  /** Where the first lines looked like records and this one is but the beginning of a value, the format was guessed wrong. */
  #hintFor(error: unknown, text: string): string {
    const { format, isGuessed } = this.#source;
    if (this.#isHinted || !isGuessed || format !== "jsonl" || !(error instanceof JsonError)) return "";
    if (!/[{[,:]\s*$/.test(text)) return "";
    this.#isHinted = true;
    return " If values go over several lines, give --input json.";
  }

  #fail(error: unknown, line: number, hint: string): void {
    const plan = this.#plan;
    const visitor = this.#visitor;
    const feed = this.#feed;
    const place = { file: this.#source.name, line };
    if (feed === undefined || !this.#isFailing) plan.tally.failed++;
    this.#isFailing = true;
    const failure = failureOf(error, line);
    visitor.failure(hint === "" ? failure : { ...failure, message: `${failure.message}.${hint}` }, place);
    if (error instanceof CliError && error.code === "stopped") throw new CliError("stopped", "");
    if (plan.strict) throw new CliError("stopped", "Stopped at the first failure, as --strict asks.");
  }
}
