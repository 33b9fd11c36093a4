// `koine inspect`: prints conversations as readable text, or their canonical values as JSON.
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, readTarget, readExpectedInput, TARGET_OPTIONS } from "../options.ts";
import { FailureLog } from "../show/failure-log.ts";
import { TextPage } from "../show/page.ts";
import { Progress } from "../show/progress.ts";
import { readColumns, createPaint } from "../show/style.ts";
import { toSummaryJson } from "../show/summary.ts";
import { InspectJsonVisitor } from "../records/inspect-json-visitor.ts";
import { InspectVisitor } from "../records/inspect-visitor.ts";
import { RecordTally } from "../records/record-tally.ts";
import { walkRecords } from "../records/walk-records.ts";
import { StreamSink } from "../write/output-sink.ts";

export const inspect: Command = {
  name: "inspect",
  summary: "Show conversations as readable text.",
  usage: "inspect [options] [file …]",
  about: [
    "Shows each message with its role, reasoning and long results folded, each tool call with its result, media as one line, citations, finish reason and usage. A stream is assembled first; consecutive single messages are shown as one conversation.",
    "Control characters and other characters that could mislead a terminal are escaped.",
  ],
  options: {
    ...INPUT_OPTIONS,
    full: { type: "boolean", description: "Show long parts completely, and list losses of the level note." },
    line: { type: "string", short: "l", value: "number", description: "Show only the record on this line." },
    ...TARGET_OPTIONS,
    to: {
      type: "string",
      short: "t",
      ...TARGET_OPTIONS["to"],
      description: "Also show the losses of a conversion to this dialect.",
    },
    json: {
      type: "boolean",
      description: "Write the canonical value of each record as a line of JSON, and a summary.",
    },
    quiet: { type: "boolean", short: "q", description: "Print no summary and no notes; failures are still printed." },
  },
  examples: [
    ["koine inspect chat.jsonl | less -R", "Show every conversation of a file."],
    ["koine inspect --line 12 --full chat.jsonl", "Show one record completely."],
    ["koine inspect --to gemini request.json", "Show a request and its losses in a conversion to Gemini."],
    ["koine inspect --json chat.jsonl", "Write the canonical value of every record for other programs."],
  ],
  run: runInspect,
};

async function runInspect(args: CommandArguments, io: CliIo): Promise<number> {
  const sink = new StreamSink(io.stdout);
  const progress = new Progress(io, false);
  const tally = new RecordTally();
  const [isJson, quiet] = [args.has("json"), args.has("quiet")];
  const target = args.text("to") === undefined ? undefined : readTarget(args, io);
  const textVisitor = new InspectVisitor({
    page: new TextPage(readColumns(io.stdout, io.env), createPaint(io.stdout, io.env)),
    sink,
    full: args.has("full"),
    quiet,
    failures: new FailureLog(io, progress, "Use --json to list all of them."),
    target,
  });
  const line = readLineNumber(args.text("line"));
  const walkOptions = {
    files: args.files,
    format: readFormat(args),
    expected: { ...readExpectedInput(args), allowGuess: true },
    strict: false,
    tally,
    progress,
    line,
  };
  await walkRecords(walkOptions, isJson ? new InspectJsonVisitor(sink, target, tally) : textVisitor, io);
  textVisitor.end();
  if (isJson && !quiet) sink.write(`${JSON.stringify({ summary: toSummaryJson(tally, "shown") })}\n`);
  await sink.commit();
  if (line !== undefined && tally.read === 0) throw new CliError("record", `There is no record on line ${line}.`);
  return tally.failed > 0 ? EXIT.failed : EXIT.ok;
}

function readLineNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const line = Number(text);
  if (!Number.isInteger(line) || line < 1)
    throw new CliError("usage", `--line must be a number from 1, not "${text}".`);
  return line;
}
