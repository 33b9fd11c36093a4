// `koine validate`: lists the issues of stored messages or of payloads of a dialect, each with its file, line and path.
import type { Dialect } from "../../dialects/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, OUTPUT_OPTIONS, readExpectedInput } from "../options.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { formatCount, formatQuantity } from "../show/format-numbers.ts";
import { Progress } from "../show/progress.ts";
import { createPaint } from "../show/style.ts";
import type { Paint } from "../show/style.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import type { StreamEventConsumer } from "../records/stream-input.ts";
import { RecordTally } from "../records/record-tally.ts";
import { ToolCallPairing } from "../records/tool-call-pairing.ts";
import type { RecordIssue } from "../records/validate-record.ts";
import { validateRecord, validateStream } from "../records/validate-record.ts";
import type { RecordPosition, RecordVisitor } from "../records/walk-records.ts";
import { walkRecords } from "../records/walk-records.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import { StreamSink } from "../write/output-sink.ts";

export const validate: Command = {
  name: "validate",
  summary: "List the issues of stored messages, or of payloads of a dialect.",
  usage: "validate [options] [file …]",
  about: [
    "Canonical messages are checked directly, including their version, and their tool calls and results are paired across the file. A payload of another dialect is decoded, and its canonical value is checked; the paths of such issues point into the canonical value.",
    "The exit code is 1 if a record is not valid.",
  ],
  options: { ...INPUT_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    ["koine validate transcript.jsonl", "Check stored messages, one per line."],
    ["koine validate --from openai-chat requests.jsonl", "Check requests and responses of a provider."],
    ["koine validate --json transcript.jsonl", "Write a JSON line for each issue, and the summary as the last line."],
  ],
  run: runValidate,
};

async function runValidate(args: CommandArguments, io: CliIo): Promise<number> {
  const [isJson, isQuiet] = [args.has("json"), args.has("quiet")];
  const tally = new RecordTally();
  const progress = new Progress(io, !isQuiet && io.stdout.isTTY !== true);
  const sink = new StreamSink(io.stdout);
  const paint = createPaint(io.stdout, io.env);
  const show = isJson ? formatJsonLine : createLineFormatter(paint);
  const visitor = new ValidateVisitor((issue, position) => sink.write(show(issue, position)), sink);
  const walkOptions = {
    files: args.files,
    format: readFormat(args),
    expected: readExpectedInput(args),
    strict: false,
    tally,
    progress,
  };
  try {
    await walkRecords(walkOptions, visitor, io);
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
    const issues = invalid === 0 ? "" : ` (${formatQuantity(visitor.issues, "issue")})`;
    sink.write(
      `${formatQuantity(tally.read, "record")}: ${formatCount(summary.valid)} valid, ${formatCount(invalid)} invalid${issues}.\n`,
    );
  }
  await sink.commit();
  return invalid > 0 ? EXIT.failed : EXIT.ok;
}

function formatJsonLine(issue: RecordIssue, position: RecordPosition): string {
  return `${JSON.stringify({ ...position, ...issue })}\n`;
}

function createLineFormatter(paint: Paint): typeof formatJsonLine {
  return ({ path, code, message, within }, { file, line }) => {
    const position = paint("bold", escapeToLine(`${file}:${line}:`));
    const isPathInMessage = path === "" || message.includes(`"${path}"`);
    const inside = within === undefined ? "" : ` (in the canonical ${within})`;
    return `${position} ${isPathInMessage ? "" : `${escapeToLine(path)}${inside}: `}${escapeToLine(message)} ${paint("dim", `[${code}]`)}\n`;
  };
}

class ValidateVisitor implements RecordVisitor {
  issues = 0;
  /** The line and file of each record that is not valid. */
  readonly invalid = new Set<string>();
  readonly #show: (issue: RecordIssue, position: RecordPosition) => void;
  readonly #sink: StreamSink;
  readonly #toolCalls = new ToolCallPairing((issue, position) => this.#addIssue(issue, position));

  constructor(show: (issue: RecordIssue, position: RecordPosition) => void, sink: StreamSink) {
    this.#show = show;
    this.#sink = sink;
  }

  onSource(): void {
    this.#toolCalls.endConversation();
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    const { issues, messages } = validateRecord(record);
    for (const issue of issues) this.#addIssue(issue, position);
    if (record.isSingleMessage) this.#toolCalls.add(messages, position);
    else this.#toolCalls.endConversation();
  }

  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    return validateStream(dialect, (issue) => this.#addIssue(issue, position));
  }

  onFailure({ code, path = "", message }: RecordFailure, position: RecordPosition): void {
    this.#addIssue({ path, code, message }, position);
  }

  #addIssue(issue: RecordIssue, position: RecordPosition): void {
    this.issues++;
    this.invalid.add(`${position.line} ${position.file}`);
    this.#show(issue, position);
  }

  async flushBatch(): Promise<void> {
    await this.#sink.flush();
  }

  end(): void {
    this.#toolCalls.endConversation();
  }
}
