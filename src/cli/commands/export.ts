// `koine export`: writes threads of a ledger as JSON lines for `koine import`, or as conversations in a dialect.
import type { Ledger, LedgerProblem } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { createClosingLine, OPENING_LINE } from "../../ledger/transfer/multi-thread-file.ts";
import type { CommandArguments, Command } from "../command.ts";
import { assertOutputIsNotLedger, toCliError, LEDGER_OPTIONS, openData } from "../data.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { FAIL_ON_OPTIONS, readFailOn, readTarget, OUTPUT_OPTIONS, TARGET_OPTIONS } from "../options.ts";
import { createEnvelope } from "../read/record-envelope.ts";
import { toRecordFailure } from "../records/record-failure.ts";
import { RecordTally } from "../records/record-tally.ts";
import type { ConversionTarget } from "../records/convert-record.ts";
import { encodeMessages } from "../records/convert-record.ts";
import { FailureLog } from "../show/failure-log.ts";
import { formatQuantity } from "../show/format-numbers.ts";
import { Progress } from "../show/progress.ts";
import { createPaint } from "../show/style.ts";
import { formatEnvelopeFields, formatLossTable, toSummaryJson } from "../show/summary.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import type { OutputSink } from "../write/output-sink.ts";
import { openFileSink, StreamSink } from "../write/output-sink.ts";
import { ValueWriter } from "../write/value-writer.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write threads of a ledger as JSON lines, or as conversations in any dialect.",
  usage: "export --data <ledger> (--thread <id> | --all) [options]",
  about: [
    "Writes each thread completely, with branches, runs and media, so that koine import restores the same thread. Damaged records are written unchanged and reported. Open runs and idempotency keys are not written.",
    "With --to, writes the active conversation of each thread in that dialect instead, one line per thread, and a summary of the losses.",
  ],
  options: {
    ...LEDGER_OPTIONS,
    thread: { type: "string", value: "id", description: "The thread to write." },
    all: { type: "boolean", description: "Write all threads, the newest first." },
    output: {
      type: "string",
      short: "o",
      value: "file",
      description: "The output file instead of standard output; it appears when it is complete.",
    },
    ...TARGET_OPTIONS,
    to: { type: "string", short: "t", ...TARGET_OPTIONS["to"], description: "Write conversations in this dialect." },
    ...FAIL_ON_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  examples: [
    ["koine export --data koine.db --all -o backup.jsonl", "Back up all threads, to import them elsewhere."],
    [
      "koine export --data koine.db --all --to openai-chat --model gpt-5 > requests.jsonl",
      "Write each conversation as a request to a model.",
    ],
  ],
  run: runExport,
};

async function runExport(args: CommandArguments, io: CliIo): Promise<number> {
  const threadId = args.text("thread");
  if ((threadId === undefined) === !args.has("all")) {
    throw new CliError("usage", "Name a thread with --thread, or use --all.");
  }
  const target = args.text("to") === undefined ? undefined : readTarget(args, io);
  const failOn = readFailOn(args);
  const path = args.text("output");
  await assertOutputIsNotLedger(args, path);
  const progress = new Progress(io, !args.has("quiet") && !args.has("json") && (path ?? "-") !== "-");
  const problems = new LedgerProblemLog(io, progress);
  const ledger = await openData(args, io, { mustExist: true, onProblem: (problem) => problems.add(problem) });
  try {
    const sink = path === undefined || path === "-" ? new StreamSink(io.stdout) : await openFileSink(path);
    const threadExport = new ThreadExport({
      ledger,
      sink,
      target,
      progress,
      failures: new FailureLog(io, progress, ""),
    });
    try {
      await (threadId === undefined ? threadExport.runAll(listThreadIds(ledger)) : threadExport.run([threadId]));
      await sink.commit();
    } catch (error) {
      await sink.discard();
      throw toCliError(error);
    } finally {
      progress.clear();
    }
    printSummary(args, io, threadExport, problems.count, sink);
    if (threadExport.tally.failed > 0 || problems.count > 0) return EXIT.failed;
    return failOn !== undefined && threadExport.tally.hasLossOfLevel(failOn) ? EXIT.losses : EXIT.ok;
  } finally {
    await ledger.close();
  }
}

async function* listThreadIds(ledger: Ledger): AsyncGenerator<string, void, void> {
  let before: string | undefined;
  for (;;) {
    const page = await ledger.threads(before === undefined ? {} : { before });
    for (const { id } of page) yield id;
    before = page.at(-1)?.id;
    if (before === undefined) return;
  }
}

/** Prints and counts the ledger records that cannot be read. */
class LedgerProblemLog {
  count = 0;
  readonly #io: CliIo;
  readonly #progress: Progress;

  constructor(io: CliIo, progress: Progress) {
    this.#io = io;
    this.#progress = progress;
  }

  add({ threadId, messageId, reason }: LedgerProblem): void {
    this.count++;
    this.#progress.clear();
    const position = messageId === "" ? threadId : `${threadId} ${messageId}`;
    this.#io.stderr.write(`${escapeToLine(`${position}: ${reason}`)}\n`);
  }
}

interface ThreadExportOptions {
  ledger: Ledger;
  sink: OutputSink;
  target: ConversionTarget | undefined;
  progress: Progress;
  failures: FailureLog;
}

/** The number of characters that are written between two flushes. */
const FLUSH_LENGTH = 1 << 18;

class ThreadExport {
  readonly tally = new RecordTally();
  readonly options: ThreadExportOptions;
  #unflushedLength = 0;
  /** True for `--all`, where a thread may be deleted after it was listed. */
  #exportsAll = false;

  constructor(options: ThreadExportOptions) {
    this.options = options;
  }

  async run(threads: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const { target, progress } = this.options;
    progress.addSource(undefined);
    for await (const id of threads) {
      if (target === undefined) await this.#writeThread(id);
      else await this.#writeConversation(id, target);
      progress.show(this.tally.read);
    }
  }

  /** Exports all threads; threads that are deleted during the export are skipped. */
  async runAll(threads: AsyncIterable<string>): Promise<void> {
    const { target, sink } = this.options;
    this.#exportsAll = true;
    if (target === undefined) sink.write(OPENING_LINE);
    await this.run(threads);
    if (target === undefined) sink.write(createClosingLine(this.tally.read));
  }

  /** Skips a thread that was deleted during `--all`; counts a failure if some of its lines are already written. */
  #skipDeletedThread(error: unknown, id: string, isBegun: boolean): void {
    if (!this.#exportsAll || !(error instanceof LedgerError) || error.code !== "unknown-thread") throw error;
    if (!isBegun) return;
    this.tally.failed++;
    const failure = { code: "record", message: "The thread was deleted during the export." } as const;
    this.options.failures.add(failure, { file: id, line: this.tally.read });
  }

  async #writeThread(id: string): Promise<void> {
    const { ledger, sink } = this.options;
    let isBegun = false;
    try {
      for await (const line of ledger.export(id)) {
        isBegun = true;
        sink.write(line);
        await this.#countWritten(line.length);
      }
    } catch (error) {
      return this.#skipDeletedThread(error, id, isBegun);
    }
    this.tally.done++;
  }

  async #writeConversation(id: string, target: ConversionTarget): Promise<void> {
    const { ledger, sink, failures } = this.options;
    // `context` replaces blob references with their data, because readers of the output cannot read the ledger's blobs.
    const messages = await ledger
      .context(id, { interrupted: true })
      .catch((error: unknown) => this.#skipDeletedThread(error, id, false));
    if (messages === undefined) return;
    const position = { file: id, line: this.tally.read + 1 };
    try {
      const converted = encodeMessages(messages, target);
      new ValueWriter(sink, { format: "jsonl" }).write(converted.wire);
      if (converted.losses.length > 0) this.tally.addLosses(converted.losses, position.file, position.line);
      const envelope = createEnvelope(converted);
      if (envelope !== undefined) this.tally.addEnvelope(envelope);
      this.tally.done++;
    } catch (error) {
      this.tally.failed++;
      failures.add(toRecordFailure(error, position.line), position);
    }
    await this.#countWritten(FLUSH_LENGTH);
  }

  async #countWritten(length: number): Promise<void> {
    this.#unflushedLength += length;
    this.options.progress.addBytes(length);
    if (this.#unflushedLength < FLUSH_LENGTH) return;
    this.#unflushedLength = 0;
    await this.options.sink.flush();
  }
}

function printSummary(
  args: CommandArguments,
  io: CliIo,
  { tally, options }: ThreadExport,
  problems: number,
  sink: OutputSink,
): void {
  const { target } = options;
  const { done, failed, envelopeFields } = tally;
  if (args.has("json")) {
    // Exported lines on standard output must not be mixed with the summary, which then goes to standard error.
    const stream = sink instanceof StreamSink ? io.stderr : io.stdout;
    const { files: _files, ...summary } = toSummaryJson(tally, "exported");
    const exportSummary = { records: done, exported: done, problems };
    stream.write(
      `${JSON.stringify(target === undefined ? exportSummary : { to: target.to.id, ...summary, problems })}\n`,
    );
    return;
  }
  if (args.has("quiet")) return;
  const lines = [`${formatQuantity(done, "thread")} exported${failed > 0 ? `, ${failed} failed` : ""}.`];
  if (problems > 0) lines.push(`${formatQuantity(problems, "record")} of the ledger cannot be read.`);
  if (target !== undefined) lines.push(...formatLossTable(tally, createPaint(io.stderr, io.env)));
  if (envelopeFields.size > 0)
    lines.push(`Sent outside the body, so not in the output: ${formatEnvelopeFields(tally)}.`);
  io.stderr.write(`${lines.join("\n")}\n`);
}
