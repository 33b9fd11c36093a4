// `koine import`: imports exported threads, or conversations in any dialect, into a ledger.
import type { LedgerProblem } from "../../ledger/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { LEDGER_OPTIONS, openData } from "../data.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, readExpectedInput, OUTPUT_OPTIONS, STRICT_OPTIONS } from "../options.ts";
import { assertReadable } from "../read/byte-source.ts";
import { ImportVisitor } from "../records/import-visitor.ts";
import { LedgerFileImporter } from "../records/import-ledger-files.ts";
import { RecordTally } from "../records/record-tally.ts";
import { walkRecords } from "../records/walk-records.ts";
import { FailureLog } from "../show/failure-log.ts";
import { formatQuantity } from "../show/format-numbers.ts";
import { Progress } from "../show/progress.ts";
import { formatRecordCounts } from "../show/summary.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Import exported threads, or conversations in any dialect, into a ledger.",
  usage: "import --data <ledger> [options] [file …]",
  about: [
    "The threads of a file from koine export are restored, each completely or not at all; a second import of the same file changes nothing. A thread that exists with other messages is reported, and the import continues.",
    "Other files are read as by koine convert: each request, response, stream or message list becomes a thread, and consecutive single messages become one thread. The other fields of a request or response are stored in the thread's metadata. A second import of such a file creates the threads again.",
  ],
  options: {
    ...LEDGER_OPTIONS,
    ...INPUT_OPTIONS,
    vendor: {
      type: "string",
      value: "name",
      description: "The vendor whose deviations openai-chat has (deepseek, mistral, ollama …).",
    },
    provider: {
      type: "string",
      value: "name",
      description: "The provider of the records; it is stored as the issuer of their seals.",
    },
    ...STRICT_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  examples: [
    ["koine import --data koine.db chat.jsonl --from anthropic", "Import each request as a thread."],
    [
      "koine import --data koine.db --tenant acme --json requests.jsonl",
      "Import into one tenant; write the summary as JSON.",
    ],
  ],
  run: runImport,
};

async function runImport(args: CommandArguments, io: CliIo): Promise<number> {
  const expected = readExpectedInput(args);
  const strict = args.has("strict");
  const tally = new RecordTally();
  const progress = new Progress(io, !args.has("quiet") && !args.has("json"));
  const failures = new FailureLog(io, progress, "");
  let problems = 0;
  const onProblem = ({ threadId, messageId, reason }: LedgerProblem): void => {
    problems++;
    progress.clear();
    io.stderr.write(`${escapeToLine(`${threadId} ${messageId}: ${reason}`)}\n`);
  };
  // Input files are checked before the ledger is opened, because opening creates a missing ledger.
  for (const file of args.files) if (file !== "-") await assertReadable(file);
  const ledger = await openData(args, io, { mustExist: false, onProblem });
  const files = new LedgerFileImporter({ ledger, tally, failures, progress, strict });
  const hasExpectation = expected.from !== undefined || expected.kind !== undefined;
  const visitor = new ImportVisitor({
    ledger,
    tally,
    failures,
    strict,
    ledgerFiles: hasExpectation ? undefined : files,
  });
  const countImported = (): ImportCounts => {
    const { imported } = files;
    const messages = imported.messages + visitor.messages;
    return { ...imported, threads: imported.threads + visitor.threads, messages, problems };
  };
  try {
    await walkRecords({ files: args.files, format: readFormat(args), expected, strict, tally, progress }, visitor, io);
    await visitor.end();
  } catch (error) {
    if (error instanceof CliError && error.code === "stopped") {
      progress.clear();
      printSummary(args, io, tally, countImported());
    }
    throw error;
  } finally {
    progress.clear();
    await ledger.close();
  }
  printSummary(args, io, tally, countImported());
  return tally.failed > 0 ? EXIT.failed : EXIT.ok;
}

interface ImportCounts {
  threads: number;
  messages: number;
  runs: number;
  blobs: number;
  known: number;
  problems: number;
}

function printSummary(args: CommandArguments, io: CliIo, tally: RecordTally, counts: ImportCounts): void {
  const { files, read, done, failed } = tally;
  if (args.has("json")) {
    io.stdout.write(`${JSON.stringify({ files, records: read, imported: done, failed, ...counts })}\n`);
    return;
  }
  if (args.has("quiet")) return;
  const { threads, messages, runs, blobs, known, problems } = counts;
  const parts = [formatQuantity(threads, "new thread"), formatQuantity(messages, "message")];
  if (runs > 0) parts.push(formatQuantity(runs, "run"));
  if (blobs > 0) parts.push(formatQuantity(blobs, "blob"));
  const lines = [formatRecordCounts(tally, "imported"), `${parts.join(", ")}.`];
  if (known > 0)
    lines.push(
      `${formatQuantity(known, "record")} of the files ${known === 1 ? "was" : "were"} already in the ledger.`,
    );
  if (problems > 0)
    lines.push(
      `${formatQuantity(problems, "message")} cannot be read; ${problems === 1 ? "it was" : "they were"} imported unchanged.`,
    );
  io.stdout.write(`${lines.join("\n")}\n`);
}
