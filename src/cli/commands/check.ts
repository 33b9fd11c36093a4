// `koine check`: what a conversion would lose or mend, record by record, without converting anything.
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
import { FailureLog } from "../show/failures.ts";
import { lossRows } from "../show/losses.ts";
import { Progress } from "../show/progress.ts";
import type { Paint } from "../show/style.ts";
import { paintFor } from "../show/style.ts";
import { lossLines, recordsLine, summaryOf } from "../show/summary.ts";
import { visibleLine } from "../show/visible.ts";
import type { EventTaker } from "../records/streams.ts";
import { Tally } from "../records/tally.ts";
import type { Target } from "../records/target.ts";
import { convertRecord } from "../records/target.ts";
import { assembleEvents, transcodeEvents } from "../records/transcoding.ts";
import type { Place, Visitor } from "../records/walk.ts";
import { walk } from "../records/walk.ts";
import type { Failure } from "../write/report.ts";
import { StreamSink } from "../write/sink.ts";

export const check: Command = {
  name: "check",
  summary: "Say what would be lost or mended on the way to another dialect; write no payload.",
  usage: "check --to <dialect> [options] [file …]",
  about: [
    "Lists, for each record, every loss with its level, code and path (a JSON pointer into the canonical value), then all of them by code.",
  ],
  options: { ...TARGET_OPTIONS, ...INPUT_OPTIONS, ...STRICT_OPTIONS, ...FAIL_ON_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    ["koine check --to gemini chat.jsonl", "What Gemini would not take as it is."],
    [
      "koine check --to openai-chat --fail-on loss --quiet chat.jsonl && echo whole",
      "For scripts: exit code 3 if content would be lost.",
    ],
    ["koine check --to anthropic --json chat.jsonl", "A JSON line for each record, and a last one that sums up."],
  ],
  run: runCheck,
};

async function runCheck(given: CommandArguments, io: CliIo): Promise<number> {
  const target = readTarget(given, io);
  const failOn = readFailOn(given);
  const [isJson, isQuiet] = [given.has("json"), given.has("quiet")];
  const tally = new Tally();
  const progress = new Progress(io, !isQuiet && io.stdout.isTTY !== true);
  const sink = new StreamSink(io.stdout);
  const paint = paintFor(io.stdout, io.env);
  const show = isJson ? showJson : isQuiet ? () => "" : showRows(paint);
  const failures = isJson ? undefined : new FailureLog(io, progress, "Use --json to have all of them.");
  const visitor = new Check(target, tally, (entry) => sink.write(show(entry)), sink, failures);
  const plan = {
    files: given.files,
    format: readFormat(given),
    wanted: readExpectedInput(given),
    strict: given.has("strict"),
    tally,
    progress,
  };
  try {
    await walk(plan, visitor, io);
  } finally {
    progress.clear();
    await sink.commit();
  }
  if (isJson) sink.write(`${JSON.stringify({ summary: { to: target.to.id, ...summaryOf(tally, "checked") } })}\n`);
  else if (!isQuiet) sink.write(`${[recordsLine(tally, "checked"), ...lossLines(tally, paint)].join("\n")}\n`);
  await sink.commit();
  if (tally.failed > 0) return EXIT.failed;
  return failOn !== undefined && tally.reaches(failOn) ? EXIT.losses : EXIT.ok;
}

interface Checked extends Place {
  from?: string;
  kind?: string;
  to: string;
  losses: readonly Loss[];
  error?: Failure;
}

function showJson(entry: Checked): string {
  return `${JSON.stringify(entry)}\n`;
}

/** A heading and a row for each loss; nothing for a record that arrives whole. */
function showRows(paint: Paint): (entry: Checked) => string {
  return ({ file, line, from, kind, to, losses }) => {
    if (losses.length === 0) return "";
    const head = `${paint("bold", visibleLine(`${file}:${line}`))}  ${from ?? ""} ${kind ?? ""} to ${to}`;
    return `${[head, ...lossRows(losses, paint)].join("\n")}\n\n`;
  };
}

class Check implements Visitor {
  readonly #target: Target;
  readonly #tally: Tally;
  readonly #show: (entry: Checked) => void;
  readonly #sink: StreamSink;
  readonly #failures: FailureLog | undefined;

  constructor(
    target: Target,
    tally: Tally,
    show: (entry: Checked) => void,
    sink: StreamSink,
    failures: FailureLog | undefined,
  ) {
    this.#target = target;
    this.#tally = tally;
    this.#show = show;
    this.#sink = sink;
    this.#failures = failures;
  }

  record(record: ClassifiedRecord, place: Place): void {
    const { losses } = convertRecord(record, this.#target);
    this.#add(record.dialect, record.kind, losses, place);
  }

  #add(dialect: Dialect, kind: string, losses: readonly Loss[], place: Place): void {
    this.#tally.add(losses, place.file, place.line);
    this.#show({ ...place, from: dialect.id, kind, to: this.#target.to.id, losses });
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    const begin = this.#target.to.supports.has("streams") ? transcodeEvents : assembleEvents;
    return begin(dialect, this.#target, {
      event: () => undefined,
      end: (losses) => this.#add(dialect, "stream", losses, place),
    });
  }

  failure(error: Failure, place: Place): void {
    if (this.#failures === undefined) this.#show({ ...place, to: this.#target.to.id, losses: [], error });
    else this.#failures.add(error, place);
  }

  async batch(): Promise<void> {
    await this.#sink.flush();
  }
}
