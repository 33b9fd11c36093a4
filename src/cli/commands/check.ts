// `koine check`: lists the losses and repairs of a conversion for each record, without writing the output.
import type { Dialect } from "../../dialects/index.ts";
import type { Loss } from "../../model/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import {
  FAIL_ON_OPTIONS,
  INPUT_OPTIONS,
  readFailOn,
  readFormat,
  OUTPUT_OPTIONS,
  readTarget,
  readExpectedInput,
  STRICT_OPTIONS,
  TARGET_OPTIONS,
} from "../options.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { FailureLog } from "../show/failure-log.ts";
import { formatLossRows } from "../show/loss-rows.ts";
import { Progress } from "../show/progress.ts";
import type { Paint } from "../show/style.ts";
import { createPaint } from "../show/style.ts";
import { formatLossTable, formatRecordCounts, toSummaryJson } from "../show/summary.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import type { StreamEventConsumer } from "../records/stream-input.ts";
import { RecordTally } from "../records/record-tally.ts";
import type { ConversionTarget } from "../records/convert-record.ts";
import { convertRecord } from "../records/convert-record.ts";
import { convertAssembledStream, convertStreamEvents } from "../records/convert-stream.ts";
import type { RecordPosition, RecordVisitor } from "../records/walk-records.ts";
import { walkRecords } from "../records/walk-records.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import { StreamSink } from "../write/output-sink.ts";

export const check: Command = {
  name: "check",
  summary: "List what a conversion to another dialect would lose or repair; write no payload.",
  usage: "check --to <dialect> [options] [file …]",
  about: [
    "Lists every loss of each record with its level, code and path (a JSON pointer into the canonical value), then the totals by code.",
  ],
  options: { ...TARGET_OPTIONS, ...INPUT_OPTIONS, ...STRICT_OPTIONS, ...FAIL_ON_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    ["koine check --to gemini chat.jsonl", "List the content that Gemini does not receive unchanged."],
    [
      "koine check --to openai-chat --fail-on loss --quiet chat.jsonl && echo whole",
      "For scripts: exit code 3 if content would be lost.",
    ],
    [
      "koine check --to anthropic --json chat.jsonl",
      "Write a JSON line for each record, and the summary as the last line.",
    ],
  ],
  run: runCheck,
};

async function runCheck(args: CommandArguments, io: CliIo): Promise<number> {
  const target = readTarget(args, io);
  const failOn = readFailOn(args);
  const [isJson, isQuiet] = [args.has("json"), args.has("quiet")];
  const tally = new RecordTally();
  const progress = new Progress(io, !isQuiet && io.stdout.isTTY !== true);
  const sink = new StreamSink(io.stdout);
  const paint = createPaint(io.stdout, io.env);
  const show = isJson ? formatJsonLine : isQuiet ? () => "" : createRowFormatter(paint);
  const failures = isJson ? undefined : new FailureLog(io, progress, "Use --json to list all of them.");
  const visitor = new CheckVisitor(target, tally, (entry) => sink.write(show(entry)), sink, failures);
  const walkOptions = {
    files: args.files,
    format: readFormat(args),
    expected: readExpectedInput(args),
    strict: args.has("strict"),
    tally,
    progress,
  };
  try {
    await walkRecords(walkOptions, visitor, io);
  } finally {
    progress.clear();
    await sink.commit();
  }
  if (isJson) sink.write(`${JSON.stringify({ summary: { to: target.to.id, ...toSummaryJson(tally, "checked") } })}\n`);
  else if (!isQuiet)
    sink.write(`${[formatRecordCounts(tally, "checked"), ...formatLossTable(tally, paint)].join("\n")}\n`);
  await sink.commit();
  if (tally.failed > 0) return EXIT.failed;
  return failOn !== undefined && tally.hasLossOfLevel(failOn) ? EXIT.losses : EXIT.ok;
}

interface CheckedRecord extends RecordPosition {
  from?: string;
  kind?: string;
  to: string;
  losses: readonly Loss[];
  error?: RecordFailure;
}

function formatJsonLine(entry: CheckedRecord): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Returns a function that formats a record as a heading and one row per loss, or as an empty text if it has no losses.
 */
function createRowFormatter(paint: Paint): (entry: CheckedRecord) => string {
  return ({ file, line, from, kind, to, losses }) => {
    if (losses.length === 0) return "";
    const head = `${paint("bold", escapeToLine(`${file}:${line}`))}  ${from ?? ""} ${kind ?? ""} to ${to}`;
    return `${[head, ...formatLossRows(losses, paint)].join("\n")}\n\n`;
  };
}

class CheckVisitor implements RecordVisitor {
  readonly #target: ConversionTarget;
  readonly #tally: RecordTally;
  readonly #show: (entry: CheckedRecord) => void;
  readonly #sink: StreamSink;
  readonly #failures: FailureLog | undefined;

  constructor(
    target: ConversionTarget,
    tally: RecordTally,
    show: (entry: CheckedRecord) => void,
    sink: StreamSink,
    failures: FailureLog | undefined,
  ) {
    this.#target = target;
    this.#tally = tally;
    this.#show = show;
    this.#sink = sink;
    this.#failures = failures;
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    const { losses } = convertRecord(record, this.#target);
    this.#addResult(record.dialect, record.kind, losses, position);
  }

  #addResult(dialect: Dialect, kind: string, losses: readonly Loss[], position: RecordPosition): void {
    this.#tally.addLosses(losses, position.file, position.line);
    this.#show({ ...position, from: dialect.id, kind, to: this.#target.to.id, losses });
  }

  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    const createConsumer = this.#target.to.supports.has("streams") ? convertStreamEvents : convertAssembledStream;
    return createConsumer(dialect, this.#target, {
      event: () => undefined,
      end: (losses) => this.#addResult(dialect, "stream", losses, position),
    });
  }

  onFailure(error: RecordFailure, position: RecordPosition): void {
    if (this.#failures === undefined) this.#show({ ...position, to: this.#target.to.id, losses: [], error });
    else this.#failures.add(error, position);
  }

  async flushBatch(): Promise<void> {
    await this.#sink.flush();
  }
}
