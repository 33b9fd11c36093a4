// `koine validate`: what is wrong with stored messages, or with the payloads of a dialect, each with its place.
import type { Dialect } from "../../dialects/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, OUTPUT_OPTIONS, readExpectedInput } from "../options.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { count, counted } from "../show/numbers.ts";
import { Progress } from "../show/progress.ts";
import { paintFor } from "../show/style.ts";
import type { Paint } from "../show/style.ts";
import { visibleLine } from "../show/visible.ts";
import type { EventTaker } from "../records/streams.ts";
import { Tally } from "../records/tally.ts";
import { CallTrail } from "../records/call-trail.ts";
import type { Finding } from "../records/validation.ts";
import { validateRecord, validateStream } from "../records/validation.ts";
import type { Place, Visitor } from "../records/walk.ts";
import { walk } from "../records/walk.ts";
import type { Failure } from "../write/report.ts";
import { StreamSink } from "../write/sink.ts";

export const validate: Command = {
  name: "validate",
  summary: "Say what is wrong with stored messages, or with the payloads of a dialect.",
  usage: "validate [options] [file …]",
  about: [
    "Messages of the canonical shape are checked as they are, versions included, and so are their tool calls and results across a file. A payload of another dialect must be one that it can read, and what it says must make sense; paths of such issues point into its canonical value.",
    "Exit code 1 if any record is not valid.",
  ],
  options: { ...INPUT_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    ["koine validate transcript.jsonl", "Stored messages, a line each."],
    ["koine validate --from openai-chat requests.jsonl", "Requests and responses of a provider."],
    ["koine validate --json transcript.jsonl", "A JSON line for each issue, and a last one that sums up."],
  ],
  run: runValidate,
};

async function runValidate(given: CommandArguments, io: CliIo): Promise<number> {
  const [isJson, isQuiet] = [given.has("json"), given.has("quiet")];
  const tally = new Tally();
  const progress = new Progress(io, !isQuiet && io.stdout.isTTY !== true);
  const sink = new StreamSink(io.stdout);
  const paint = paintFor(io.stdout, io.env);
  const show = isJson ? showJson : showLine(paint);
  const visitor = new Validation((finding, place) => sink.write(show(finding, place)), sink);
  const plan = {
    files: given.files,
    format: readFormat(given),
    wanted: readExpectedInput(given),
    strict: false,
    tally,
    progress,
  };
  try {
    await walk(plan, visitor, io);
    visitor.end();
  } finally {
    progress.clear();
    await sink.commit();
  }
  const invalid = visitor.invalid.size;
  const summary = {
    files: tally.files,
    records: tally.read,
    valid: tally.read - invalid,
    invalid,
    issues: visitor.issues,
  };
  if (isJson) sink.write(`${JSON.stringify({ summary })}\n`);
  else if (!isQuiet) {
    const issues = invalid === 0 ? "" : ` (${counted(visitor.issues, "issue")})`;
    sink.write(`${counted(tally.read, "record")}: ${count(summary.valid)} valid, ${count(invalid)} not${issues}.\n`);
  }
  await sink.commit();
  return invalid > 0 ? EXIT.failed : EXIT.ok;
}

function showJson(finding: Finding, place: Place): string {
  return `${JSON.stringify({ ...place, ...finding })}\n`;
}

function showLine(paint: Paint): typeof showJson {
  return ({ path, code, message, within }, { file, line }) => {
    const place = paint("bold", visibleLine(`${file}:${line}:`));
    const isTold = path === "" || message.includes(`"${path}"`);
    const inside = within === undefined ? "" : ` (of its canonical ${within})`;
    return `${place} ${isTold ? "" : `${visibleLine(path)}${inside}: `}${visibleLine(message)} ${paint("dim", `[${code}]`)}\n`;
  };
}

class Validation implements Visitor {
  issues = 0;
  /** The records that are not valid, by their places. */
  readonly invalid = new Set<string>();
  readonly #show: (finding: Finding, place: Place) => void;
  readonly #sink: StreamSink;
  readonly #calls = new CallTrail((issue, place) => this.#add(issue, place));

  constructor(show: (finding: Finding, place: Place) => void, sink: StreamSink) {
    this.#show = show;
    this.#sink = sink;
  }

  source(): void {
    this.#calls.end();
  }

  record(record: ClassifiedRecord, place: Place): void {
    const { findings, messages } = validateRecord(record);
    for (const finding of findings) this.#add(finding, place);
    if (record.isSingleMessage) this.#calls.add(messages, place);
    else this.#calls.end();
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    return validateStream(dialect, (finding) => this.#add(finding, place));
  }

  failure({ code, path = "", message }: Failure, place: Place): void {
    this.#add({ path, code, message }, place);
  }

  #add(finding: Finding, place: Place): void {
    this.issues++;
    this.invalid.add(`${place.line} ${place.file}`);
    this.#show(finding, place);
  }

  async batch(): Promise<void> {
    await this.#sink.flush();
  }

  end(): void {
    this.#calls.end();
  }
}
