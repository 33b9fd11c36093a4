// Reads every record of every source, classifies it and passes it to the command's visitor. A failed record is counted
// and reported, and the walk continues. Records are visited synchronously; `flushBatch` is awaited once per batch.
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
import type { RecordFailure } from "../write/conversion-report.ts";
import { toRecordFailure } from "./record-failure.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import { StreamInput } from "./stream-input.ts";
import type { RecordTally } from "./record-tally.ts";

/** The file of a record and the number of the record's first line. */
export interface RecordPosition {
  file: string;
  line: number;
}

export interface RecordVisitor {
  /** Called at the start of each source. */
  onSource?(source: RecordSource): void;
  /**
   * Lets the visitor read a source that does not consist of records, such as a ledger export. Returns false if the
   * source does consist of records, so that the walk must read it.
   */
  readWholeSource?(source: RecordSource): Promise<boolean>;
  /** Called before each record that is an element of a list. */
  onList?(): void;
  visitRecord(record: ClassifiedRecord, position: RecordPosition): void;
  /** Returns the consumer of a source that is one stream. */
  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer;
  onFailure(failure: RecordFailure, position: RecordPosition): void;
  /** Writes the results of the records that were visited since the last call. */
  flushBatch(): Promise<void>;
}

export interface RecordWalkOptions {
  files: readonly string[];
  format?: InputFormat | undefined;
  expected: ExpectedInput;
  strict: boolean;
  tally: RecordTally;
  progress: Progress;
  /** The line of the only record that is visited; undefined if all records are visited. */
  line?: number | undefined;
}

/** The number of records that are examined to detect whether a source is a stream. */
const STREAM_DETECTION_RECORDS = 8;

export async function walkRecords(options: RecordWalkOptions, visitor: RecordVisitor, io: CliIo): Promise<void> {
  const files = options.files.length === 0 ? ["-"] : options.files;
  // All files are checked before the first file is read, so that a wrong name stops the command at once.
  for (const file of files) if (file !== "-") await assertReadable(file);
  for (const file of files) {
    const source = await openSource(file, toSourceOptions(options), io);
    options.tally.files++;
    options.progress.addSource(source.size);
    visitor.onSource?.(source);
    if ((await visitor.readWholeSource?.(source)) === true) continue;
    await new SourceWalker(source, options, visitor).run();
  }
}

function toSourceOptions({ format, expected, progress }: RecordWalkOptions): Parameters<typeof openSource>[1] {
  return {
    format,
    isMessage: (text) => expected.kind !== "stream" && isMessageText(text),
    onBytes: (count) => progress.addBytes(count),
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

class SourceWalker {
  readonly #source: RecordSource;
  readonly #options: RecordWalkOptions;
  readonly #visitor: RecordVisitor;
  #streamInput: StreamInput | undefined;
  #hasFailed = false;
  #isFirst = true;
  #isHintGiven = false;

  constructor(source: RecordSource, options: RecordWalkOptions, visitor: RecordVisitor) {
    this.#source = source;
    this.#options = options;
    this.#visitor = visitor;
  }

  async run(): Promise<void> {
    const { batches } = this.#source;
    for await (const batch of batches) {
      if (this.#isFirst && this.#detectStream(batch)) this.#beginStream();
      this.#isFirst = false;
      for (const rawRecord of batch) this.#processRecord(rawRecord);
      await this.#visitor.flushBatch();
      this.#options.progress.show(this.#options.tally.read);
    }
    if (this.#streamInput !== undefined) this.#endStream(this.#streamInput);
    await this.#visitor.flushBatch();
  }

  #processRecord(rawRecord: RawRecord): void {
    if (rawRecord.listed === true) this.#visitor.onList?.();
    if (this.#streamInput !== undefined) {
      this.#options.tally.events++;
      this.#runStep(rawRecord.line, () => this.#streamInput?.push(rawRecord));
    } else if (this.#options.line === undefined || this.#options.line === rawRecord.line) {
      const { failed } = this.#options.tally;
      this.#runStep(rawRecord.line, () => this.#visitRecord(rawRecord), rawRecord.text);
      if (this.#options.tally.failed === failed) this.#options.tally.done++;
    }
  }

  #visitRecord(rawRecord: RawRecord): void {
    if (rawRecord.problem !== undefined) throw new CliError("record", rawRecord.problem);
    const record = classifyRecord(parseJson(rawRecord.text), this.#options.expected);
    this.#visitor.visitRecord(record, { file: this.#source.name, line: rawRecord.line });
  }

  /** True if `--kind`, the format or the first classifiable record shows that the source is a stream. */
  #detectStream(batch: readonly RawRecord[]): boolean {
    const { kind, from } = this.#options.expected;
    if (kind !== undefined) return kind === "stream";
    if (this.#source.format === "sse") return true;
    for (const { text } of batch.slice(0, STREAM_DETECTION_RECORDS)) {
      try {
        const value = parseJson(text);
        const detectedKind = from === undefined ? detectDialect(value)?.kind : from.detectKind(value);
        if (detectedKind !== undefined) return detectedKind === "stream";
      } catch {
        // A record that cannot be parsed is skipped here; its failure is reported when the record is visited.
      }
    }
    return false;
  }

  #beginStream(): void {
    const position = { file: this.#source.name, line: 1 };
    this.#streamInput = new StreamInput(this.#options.expected, (dialect) =>
      this.#visitor.visitStream(dialect, position),
    );
  }

  /** Ends the stream and counts it as one record, even if several of its events failed. */
  #endStream(streamInput: StreamInput): void {
    this.#runStep(1, () => streamInput.end());
    if (!this.#hasFailed) this.#options.tally.done++;
  }

  #runStep(line: number, step: () => void, text = ""): void {
    try {
      step();
    } catch (error) {
      if (error instanceof CliError && (error.code === "usage" || error.code === "io")) throw error;
      this.#reportFailure(error, line, this.#createFormatHint(error, text));
    }
  }

  /** Returns a hint, once per source, if a line looks like the beginning of a value that spans several lines. */
  #createFormatHint(error: unknown, text: string): string {
    const { format, isGuessed } = this.#source;
    if (this.#isHintGiven || !isGuessed || format !== "jsonl" || !(error instanceof JsonError)) return "";
    if (!/[{[,:]\s*$/.test(text)) return "";
    this.#isHintGiven = true;
    return " If values span several lines, use --input json.";
  }

  #reportFailure(error: unknown, line: number, hint: string): void {
    const options = this.#options;
    const visitor = this.#visitor;
    const position = { file: this.#source.name, line };
    if (this.#streamInput === undefined || !this.#hasFailed) options.tally.failed++;
    this.#hasFailed = true;
    const failure = toRecordFailure(error, line);
    visitor.onFailure(hint === "" ? failure : { ...failure, message: `${failure.message}.${hint}` }, position);
    if (error instanceof CliError && error.code === "stopped") throw new CliError("stopped", "");
    if (options.strict) throw new CliError("stopped", "Stopped at the first failure because of --strict.");
  }
}
