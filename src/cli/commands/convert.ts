// `koine convert`: converts records from one dialect to another and reports the losses.
import type { Dialect } from "../../dialects/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
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
import { FORMATS } from "../read/detect-format.ts";
import { FailureLog } from "../show/failure-log.ts";
import { Progress } from "../show/progress.ts";
import { createPaint } from "../show/style.ts";
import { formatEnvelopeFields, formatLossTable, formatRecordCounts, toSummaryJson } from "../show/summary.ts";
import { ConvertVisitor } from "../records/convert-visitor.ts";
import { RecordTally } from "../records/record-tally.ts";
import { walkRecords } from "../records/walk-records.ts";
import { ConversionReport } from "../write/conversion-report.ts";
import { isSameFile } from "../write/same-file.ts";
import type { OutputSink } from "../write/output-sink.ts";
import { openFileSink, StreamSink } from "../write/output-sink.ts";

const options = {
  ...TARGET_OPTIONS,
  ...INPUT_OPTIONS,
  ...STRICT_OPTIONS,
  output: {
    type: "string",
    short: "o",
    value: "file",
    description: "The output file instead of standard output; it appears when it is complete.",
  },
  format: {
    type: "string",
    choices: FORMATS,
    description:
      "The output format: one JSON document, one line per record, or server-sent events (only streams). Default: the format of the input.",
  },
  pretty: { type: "boolean", description: "Indent the JSON." },
  address: {
    type: "boolean",
    description:
      "Write each record as { address, names, status, body }, with the request data that belongs outside the body.",
  },
  assemble: { type: "boolean", description: "Write the whole answer of a stream instead of its events." },
  report: {
    type: "string",
    value: "file",
    description:
      "Write every loss and failure to this file: a JSON list if the name ends in .json, otherwise one line per record.",
  },
  ...FAIL_ON_OPTIONS,
  ...OUTPUT_OPTIONS,
} as const;

export const convert: Command = {
  name: "convert",
  summary: "Convert requests, responses, messages, streams and errors from one dialect to another.",
  usage: "convert --to <dialect> [options] [file …]",
  about: [
    "Reads files or standard input of any size, as JSON or with one record per line (JSONL). A record is a request, a response, an error, a message or a list of messages; a file can also be one stream of events.",
    "A summary of the losses goes to standard error. A failed record is reported with its line, and the conversion continues: records read = converted + failed.",
  ],
  options,
  examples: [
    [
      "koine convert --from anthropic --to gemini chat.jsonl > out.jsonl",
      "Convert every line of a file; the summary of the losses goes to standard error.",
    ],
    [
      "koine convert --to openai-chat --report losses.jsonl -o out.json request.json",
      "Detect the dialect of the record; write every loss to a file.",
    ],
    [
      "koine convert --from canonical --to anthropic --model claude-opus-4-8 transcript.json",
      "Make a request to a model from messages.",
    ],
    ["koine convert --to canonical --kind stream answer.sse", "Assemble a recorded stream to its message."],
  ],
  run: runConvert,
};

async function runConvert(args: CommandArguments, io: CliIo): Promise<number> {
  const target = readTarget(args, io);
  const expected = readExpectedInput(args);
  const failOn = readFailOn(args);
  const bodiesOnly = !args.has("address");
  const tally = new RecordTally();
  const path = args.text("output");
  await assertReportPathIsFree(args.text("report"), path, args.files);
  const sink = path === undefined || path === "-" ? new StreamSink(io.stdout) : await openFileSink(path);
  const isToTerminal = sink instanceof StreamSink && io.stdout.isTTY === true;
  const progress = new Progress(io, !args.has("quiet") && !args.has("json") && !isToTerminal);
  const report = await openReport(args.text("report"), sink);
  const failures = new FailureLog(io, progress, "Use --report to list all of them.");
  const conversion = new ConvertVisitor({
    target,
    sink,
    report,
    tally,
    failures,
    format: args.choice("format", FORMATS),
    isSingleSource: args.files.length <= 1,
    pretty: args.has("pretty"),
    bodiesOnly: bodiesOnly,
    assemble: args.has("assemble"),
  });
  try {
    await walkRecords(
      { files: args.files, format: readFormat(args), expected: expected, strict: args.has("strict"), tally, progress },
      conversion,
      io,
    );
    conversion.end();
    await sink.commit();
    await report?.commit();
  } catch (error) {
    progress.clear();
    await finishStoppedRun(error, sink, report);
    if (error instanceof CliError && error.code === "stopped") printSummary(args, tally, target.to, io, sink);
    throw error;
  }
  progress.clear();
  printSummary(args, tally, target.to, io, sink);
  if (tally.failed > 0) return EXIT.failed;
  return failOn !== undefined && tally.hasLossOfLevel(failOn) ? EXIT.losses : EXIT.ok;
}

/** Throws if the report would overwrite the output or an input file. */
async function assertReportPathIsFree(
  report: string | undefined,
  output: string | undefined,
  files: CommandArguments["files"],
): Promise<void> {
  if (report === undefined) return;
  if (report === "-") throw new CliError("usage", "--report needs a file name; standard output is for payloads.");
  if (output !== undefined && output !== "-" && (await isSameFile(report, output))) {
    throw new CliError("usage", `--report and --output are both "${report}"; choose another file for the report.`);
  }
  for (const file of files) {
    if (file === "-" || !(await isSameFile(report, file))) continue;
    throw new CliError(
      "usage",
      `--report would overwrite the input file "${file}"; choose another file for the report.`,
    );
  }
}

/** Opens the report file. If that fails, discards the output file, which is already open, and rethrows the error. */
async function openReport(path: string | undefined, sink: OutputSink): Promise<ConversionReport | undefined> {
  try {
    return path === undefined ? undefined : await ConversionReport.open(path);
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

/**
 * Finishes a conversion that an error stopped. Discards an output file, because it is incomplete; standard output keeps
 * its records. Commits the report if `--strict` stopped the conversion, and otherwise discards it.
 */
async function finishStoppedRun(error: unknown, sink: OutputSink, report: ConversionReport | undefined): Promise<void> {
  if (sink instanceof StreamSink) await sink.commit();
  else await sink.discard();
  if (error instanceof CliError && error.code === "stopped") await report?.commit();
  else await report?.sink.discard();
}

function printSummary(args: CommandArguments, tally: RecordTally, to: Dialect, io: CliIo, sink: OutputSink): void {
  if (args.has("json")) {
    // Payloads on standard output must not be mixed with the summary, which then goes to standard error.
    const stream = sink instanceof StreamSink ? io.stderr : io.stdout;
    stream.write(`${JSON.stringify({ to: to.id, ...toSummaryJson(tally, "converted") })}\n`);
    return;
  }
  if (args.has("quiet")) return;
  const lines = [formatRecordCounts(tally, "converted"), ...formatLossTable(tally, createPaint(io.stderr, io.env))];
  if (tally.envelopeFields.size > 0) {
    const isReported = args.text("report") !== undefined;
    const where = isReported
      ? "see the report"
      : "use --address to write it with each record, or --report to write it to a file";
    lines.push(`Sent outside the body, so not in the output: ${formatEnvelopeFields(tally)}; ${where}.`);
  }
  io.stderr.write(`${lines.join("\n")}\n`);
}
