// `koine inspect`: conversations as a person likes to read them.
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, readTarget, readExpectedInput, TARGET_OPTIONS } from "../options.ts";
import { FailureLog } from "../show/failures.ts";
import { Page } from "../show/page.ts";
import { Progress } from "../show/progress.ts";
import { columnsOf, paintFor } from "../show/style.ts";
import { summaryOf } from "../show/summary.ts";
import { InspectionData } from "../records/inspection-data.ts";
import { Inspection } from "../records/inspection.ts";
import { Tally } from "../records/tally.ts";
import { walk } from "../records/walk.ts";
import { StreamSink } from "../write/sink.ts";

export const inspect: Command = {
  name: "inspect",
  summary: "Show conversations so that a person can read them.",
  usage: "inspect [options] [file …]",
  about: [
    "Shows who says what, reasoning and long results folded, each tool call with what came back, media in a word, citations, how an answer ended and what it used. A stream is put together first; messages on lines of their own are one conversation.",
    "Control characters and everything else that could fool a terminal are shown escaped.",
  ],
  options: {
    ...INPUT_OPTIONS,
    full: { type: "boolean", description: "Fold nothing, and list notes among the losses." },
    line: { type: "string", short: "l", value: "number", description: "Only the record on this line." },
    ...TARGET_OPTIONS,
    to: {
      type: "string",
      short: "t",
      ...TARGET_OPTIONS["to"],
      description: "Show, too, what would be lost on the way to this dialect.",
    },
    json: { type: "boolean", description: "Write each record as the model has it, a line of JSON each, and a summary." },
    quiet: { type: "boolean", short: "q", description: "No summary and no remarks; failures are still told." },
  },
  examples: [
    ["koine inspect chat.jsonl | less -R", "Every conversation of a file."],
    ["koine inspect --line 12 --full chat.jsonl", "One record, with nothing folded."],
    ["koine inspect --to gemini request.json", "A request, and what Gemini would not take."],
    ["koine inspect --json chat.jsonl", "Every record as the model has it, for other programs."],
  ],
  run: runInspect,
};

async function runInspect(given: CommandArguments, io: CliIo): Promise<number> {
  const sink = new StreamSink(io.stdout);
  const progress = new Progress(io, false);
  const tally = new Tally();
  const [isJson, quiet] = [given.has("json"), given.has("quiet")];
  const target = given.text("to") === undefined ? undefined : readTarget(given, io);
  const shown = new Inspection({
    page: new Page(columnsOf(io.stdout, io.env), paintFor(io.stdout, io.env)),
    sink,
    full: given.has("full"),
    quiet,
    failures: new FailureLog(io, progress, "Use --json to have all of them."),
    target,
  });
  const line = readLine(given.text("line"));
  const plan = {
    files: given.files,
    format: readFormat(given),
    wanted: { ...readExpectedInput(given), guesses: true },
    strict: false,
    tally,
    progress,
    line,
  };
  await walk(plan, isJson ? new InspectionData(sink, target, tally) : shown, io);
  shown.end();
  if (isJson && !quiet) sink.write(`${JSON.stringify({ summary: summaryOf(tally, "shown") })}\n`);
  await sink.commit();
  if (line !== undefined && tally.read === 0) throw new CliError("record", `There is no record on line ${line}.`);
  return tally.failed > 0 ? EXIT.failed : EXIT.ok;
}

function readLine(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const line = Number(text);
  if (!Number.isInteger(line) || line < 1) throw new CliError("usage", `--line is a number from 1, not "${text}".`);
  return line;
}
