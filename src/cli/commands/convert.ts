// `koine convert`: records of one dialect to another, with a report of what did not arrive.
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
import { FailureLog } from "../show/failures.ts";
import { Progress } from "../show/progress.ts";
import { paintFor } from "../show/style.ts";
import { apartLine, lossLines, recordsLine, summaryOf } from "../show/summary.ts";
import { Conversion } from "../records/conversion.ts";
import { Tally } from "../records/tally.ts";
import { walk } from "../records/walk.ts";
import { Report } from "../write/report.ts";
import { isSameFile } from "../write/same-file.ts";
import type { Sink } from "../write/sink.ts";
import { openFile, StreamSink } from "../write/sink.ts";

const options = {
  ...TARGET_OPTIONS,
  ...INPUT_OPTIONS,
  ...STRICT_OPTIONS,
  output: {
    type: "string",
    short: "o",
    value: "file",
    description: "Write here instead of standard output; the file appears when it is whole.",
  },
  format: {
    type: "string",
    choices: FORMATS,
    description: "How to write: one JSON document, a line for each record, or server-sent events (streams); as the input where not given.",
  },
  pretty: { type: "boolean", description: "Indent the JSON." },
  address: {
    type: "boolean",
    description: "Write each record as { address, names, status, body }, so that what does not travel in the body stays with it.",
  },
  assemble: { type: "boolean", description: "Write the whole answer of a stream instead of its events." },
  report: {
    type: "string",
    value: "file",
    description: "Write every loss and failure here: a JSON list where the name ends in .json, else a line for each record.",
  },
  ...FAIL_ON_OPTIONS,
  ...OUTPUT_OPTIONS,
} as const;

export const convert: Command = {
  name: "convert",
  summary: "Convert requests, responses, messages, streams and errors from one dialect to another.",
  usage: "convert --to <dialect> [options] [file …]",
  about: [
    "Reads files, or standard input, as JSON or as a record per line (JSONL), of any size. A record is a request, a response, an error, a message or a list of messages; a file may also be one stream of events.",
    "What does not arrive is summed up on standard error. A record that fails is told with its line, and the others go on: records read = converted + failed.",
  ],
  options,
  examples: [
    [
      "koine convert --from anthropic --to gemini chat.jsonl > out.jsonl",
      "Every line of a file, losses summed up on standard error.",
    ],
    [
      "koine convert --to openai-chat --report losses.jsonl -o out.json request.json",
      "The dialect is told by the record; every loss goes to a file.",
    ],
    [
      "koine convert --from canonical --to anthropic --model claude-opus-4-8 transcript.json",
      "Messages become a request to a model.",
    ],
    ["koine convert --to canonical --kind stream answer.sse", "A recorded stream becomes the message that it brought."],
  ],
  run: runConvert,
};

async function runConvert(given: CommandArguments, io: CliIo): Promise<number> {
  const target = readTarget(given, io);
  const wanted = readExpectedInput(given);
  const failOn = readFailOn(given);
  const isApart = !given.has("address");
  const tally = new Tally();
  const path = given.text("output");
  await checkReport(given.text("report"), path, given.files);
  const sink = path === undefined || path === "-" ? new StreamSink(io.stdout) : await openFile(path);
  const isToTerminal = sink instanceof StreamSink && io.stdout.isTTY === true;
  const progress = new Progress(io, !given.has("quiet") && !given.has("json") && !isToTerminal);
  const report = await openReport(given.text("report"), sink);
  const failures = new FailureLog(io, progress, "Use --report to have all of them.");
  const conversion = new Conversion({
    target,
    sink,
    report,
    tally,
    failures,
    format: given.choice("format", FORMATS),
    isSingle: given.files.length <= 1,
    pretty: given.has("pretty"),
    isApart,
    assemble: given.has("assemble"),
  });
  try {
    await walk(
      { files: given.files, format: readFormat(given), wanted, strict: given.has("strict"), tally, progress },
      conversion,
      io,
    );
    conversion.end();
    await sink.commit();
    await report?.commit();
  } catch (error) {
    progress.clear();
    await keepOrDiscard(error, sink, report);
    if (error instanceof CliError && error.code === "stopped") tell(given, tally, target.to, io, sink);
    throw error;
  }
  progress.clear();
  tell(given, tally, target.to, io, sink);
  if (tally.failed > 0) return EXIT.failed;
  return failOn !== undefined && tally.reaches(failOn) ? EXIT.losses : EXIT.ok;
}

/** A report must not write over what is read or written beside it. */
async function checkReport(
  report: string | undefined,
  output: string | undefined,
  files: CommandArguments["files"],
): Promise<void> {
  if (report === undefined) return;
  if (report === "-")
    throw new CliError("usage", "--report needs the name of a file; standard output is for payloads.");
  if (output !== undefined && output !== "-" && (await isSameFile(report, output))) {
    throw new CliError("usage", `--report and --output are both "${report}"; give the report a file of its own.`);
  }
  for (const file of files) {
    if (file === "-" || !(await isSameFile(report, file))) continue;
    throw new CliError(
      "usage",
      `--report would write over "${file}", which is read; give the report a file of its own.`,
    );
  }
}

/** The output is opened by then, and must not stay behind where the report cannot be. */
async function openReport(path: string | undefined, sink: Sink): Promise<Report | undefined> {
  try {
    return path === undefined ? undefined : await Report.open(path);
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

/** A run that stops leaves no half a file, but its report says what happened. */
async function keepOrDiscard(error: unknown, sink: Sink, report: Report | undefined): Promise<void> {
  if (sink instanceof StreamSink) await sink.commit();
  else await sink.discard();
  if (error instanceof CliError && error.code === "stopped") await report?.commit();
  else await report?.sink.discard();
}

function tell(given: CommandArguments, tally: Tally, to: Dialect, io: CliIo, sink: Sink): void {
  if (given.has("json")) {
    // Payloads and summary never mix.
    const stream = sink instanceof StreamSink ? io.stderr : io.stdout;
    stream.write(`${JSON.stringify({ to: to.id, ...summaryOf(tally, "converted") })}\n`);
    return;
  }
  if (given.has("quiet")) return;
  const lines = [recordsLine(tally, "converted"), ...lossLines(tally, paintFor(io.stderr, io.env))];
  if (tally.apart.size > 0) {
    const isReported = given.text("report") !== undefined;
    const where = isReported ? "it is in the report" : "keep it with each record by --address, or apart by --report";
    lines.push(`Sent beside the body, so not in the output: ${apartLine(tally)}; ${where}.`);
  }
  io.stderr.write(`${lines.join("\n")}\n`);
}
