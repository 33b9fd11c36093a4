// `koine export`: threads of a ledger as lines that `koine import` takes back, or as conversations in a dialect.
import type { Ledger, LedgerProblem } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { createClosingLine, OPENING_LINE } from "../../ledger/transfer/multi-thread-file.ts";
import type { CommandArguments, Command } from "../command.ts";
import { assertOutputIsNotLedger, toCliError, LEDGER_OPTIONS, openData } from "../data.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { FAIL_ON_OPTIONS, readFailOn, readTarget, OUTPUT_OPTIONS, TARGET_OPTIONS } from "../options.ts";
import { createEnvelope } from "../read/record-envelope.ts";
import { failureOf } from "../records/failure.ts";
import { Tally } from "../records/tally.ts";
import type { Target } from "../records/target.ts";
import { encodeMessages } from "../records/target.ts";
import { FailureLog } from "../show/failures.ts";
import { counted } from "../show/numbers.ts";
import { Progress } from "../show/progress.ts";
import { paintFor } from "../show/style.ts";
import { apartLine, lossLines, summaryOf } from "../show/summary.ts";
import { visibleLine } from "../show/visible.ts";
import type { Sink } from "../write/sink.ts";
import { openFile, StreamSink } from "../write/sink.ts";
import { ValueWriter } from "../write/values.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write threads of a ledger as JSON lines, or as conversations in any dialect.",
  usage: "export --data <ledger> (--thread <id> | --all) [options]",
  about: [
    "Writes everything a thread has, branches, runs and media included, so that koine import gives the same thread again; records that are damaged go along as they are, and are told. Runs that are still alive and idempotency keys are not written.",
    "With --to, writes the active conversation of each thread in that dialect instead, a line each, and sums up what does not arrive.",
  ],
  options: {
    ...LEDGER_OPTIONS,
    thread: { type: "string", value: "id", description: "The thread to write." },
    all: { type: "boolean", description: "Write all threads, the newest first." },
    output: {
      type: "string",
      short: "o",
      value: "file",
      description: "Write here instead of standard output; the file appears when it is whole.",
    },
    ...TARGET_OPTIONS,
    to: { type: "string", short: "t", ...TARGET_OPTIONS["to"], description: "Write conversations in this dialect." },
    ...FAIL_ON_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  examples: [
    ["koine export --data koine.db --all -o backup.jsonl", "Everything, to be imported elsewhere."],
    [
      "koine export --data koine.db --all --to openai-chat --model gpt-5 > requests.jsonl",
      "Each conversation as a request to a model.",
    ],
  ],
  run: runExport,
};

async function runExport(given: CommandArguments, io: CliIo): Promise<number> {
  const only = given.text("thread");
  if ((only === undefined) === !given.has("all")) {
    throw new CliError("usage", "Say which thread with --thread, or --all.");
  }
  const target = given.text("to") === undefined ? undefined : readTarget(given, io);
  const failOn = readFailOn(given);
  const path = given.text("output");
  await assertOutputIsNotLedger(given, path);
  const progress = new Progress(io, !given.has("quiet") && !given.has("json") && (path ?? "-") !== "-");
  const problems = new Problems(io, progress);
  const ledger = await openData(given, io, { mustExist: true, onProblem: (problem) => problems.add(problem) });
  try {
    const sink = path === undefined || path === "-" ? new StreamSink(io.stdout) : await openFile(path);
    const work = new Export({ ledger, sink, target, progress, failures: new FailureLog(io, progress, "") });
    try {
      await (only === undefined ? work.runAll(everyThread(ledger)) : work.run([only]));
      await sink.commit();
    } catch (error) {
      await sink.discard();
      throw toCliError(error);
    } finally {
      progress.clear();
    }
    tell(given, io, work, problems.count, sink);
    if (work.tally.failed > 0 || problems.count > 0) return EXIT.failed;
    return failOn !== undefined && work.tally.reaches(failOn) ? EXIT.losses : EXIT.ok;
  } finally {
    await ledger.close();
  }
}

async function* everyThread(ledger: Ledger): AsyncGenerator<string, void, void> {
  let before: string | undefined;
  for (;;) {
    const page = await ledger.threads(before === undefined ? {} : { before });
    for (const { id } of page) yield id;
    before = page.at(-1)?.id;
    if (before === undefined) return;
  }
}

/** Records that cannot be read, told as they are found. */
class Problems {
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
    const place = messageId === "" ? threadId : `${threadId} ${messageId}`;
    this.#io.stderr.write(`${visibleLine(`${place}: ${reason}`)}\n`);
  }
}

interface ExportOptions {
  ledger: Ledger;
  sink: Sink;
  target: Target | undefined;
  progress: Progress;
  failures: FailureLog;
}

/** So much is held before it is handed on. */
const ENOUGH = 1 << 18;

class Export {
  readonly tally = new Tally();
  readonly options: ExportOptions;
  #held = 0;
  #isAll = false;

  constructor(options: ExportOptions) {
    this.options = options;
  }

  async run(threads: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const { target, progress } = this.options;
    progress.begin(undefined);
    for await (const id of threads) {
      if (target === undefined) await this.#writeThread(id);
      else await this.#writeConversation(id, target);
      progress.show(this.tally.read);
    }
  }

  /** All threads there are; those that are deleted meanwhile are none of them. */
  async runAll(threads: AsyncIterable<string>): Promise<void> {
    const { target, sink } = this.options;
    this.#isAll = true;
    if (target === undefined) sink.write(OPENING_LINE);
    await this.run(threads);
    if (target === undefined) sink.write(createClosingLine(this.tally.read));
  }

  /** Whether a thread that is not there any more can be passed over: told where some of it is written. */
  #passOver(error: unknown, id: string, isBegun: boolean): void {
    if (!this.#isAll || !(error instanceof LedgerError) || error.code !== "unknown-thread") throw error;
    if (!isBegun) return;
    this.tally.failed++;
    const failure = { code: "record", message: "The thread was deleted while it was exported." } as const;
    this.options.failures.add(failure, { file: id, line: this.tally.read });
  }

  async #writeThread(id: string): Promise<void> {
    const { ledger, sink } = this.options;
    let isBegun = false;
    try {
      for await (const line of ledger.export(id)) {
        isBegun = true;
        sink.write(line);
        await this.#handOn(line.length);
      }
    } catch (error) {
      return this.#passOver(error, id, isBegun);
    }
    this.tally.done++;
  }

  async #writeConversation(id: string, target: Target): Promise<void> {
    const { ledger, sink, failures } = this.options;
    // As the next call would have it, because nobody outside knows the ledger's blobs.
    const messages = await ledger
      .context(id, { interrupted: true })
      .catch((error: unknown) => this.#passOver(error, id, false));
    if (messages === undefined) return;
    const place = { file: id, line: this.tally.read + 1 };
    try {
      const converted = encodeMessages(messages, target);
      new ValueWriter(sink, { format: "jsonl" }).write(converted.wire);
      if (converted.losses.length > 0) this.tally.add(converted.losses, place.file, place.line);
      const beside = createEnvelope(converted);
      if (beside !== undefined) this.tally.addApart(beside);
      this.tally.done++;
    } catch (error) {
      this.tally.failed++;
      failures.add(failureOf(error, place.line), place);
    }
    await this.#handOn(ENOUGH);
  }

  async #handOn(length: number): Promise<void> {
    this.#held += length;
    this.options.progress.bytes(length);
    if (this.#held < ENOUGH) return;
    this.#held = 0;
    await this.options.sink.flush();
  }
}

function tell(given: CommandArguments, io: CliIo, { tally, options }: Export, problems: number, sink: Sink): void {
  const { target } = options;
  const { done, failed, apart } = tally;
  if (given.has("json")) {
    // Lines and summary never mix.
    const stream = sink instanceof StreamSink ? io.stderr : io.stdout;
    const { files: _files, ...summary } = summaryOf(tally, "exported");
    const own = { records: done, exported: done, problems };
    stream.write(`${JSON.stringify(target === undefined ? own : { to: target.to.id, ...summary, problems })}\n`);
    return;
  }
  if (given.has("quiet")) return;
  const lines = [`${counted(done, "thread")} exported${failed > 0 ? `, ${failed} failed` : ""}.`];
  if (problems > 0) lines.push(`${counted(problems, "record")} of the ledger cannot be read.`);
  if (target !== undefined) lines.push(...lossLines(tally, paintFor(io.stderr, io.env)));
  if (apart.size > 0) lines.push(`Sent beside the body, so not in the output: ${apartLine(tally)}.`);
  io.stderr.write(`${lines.join("\n")}\n`);
}
