// `koine import`: threads that were exported, and conversations in any dialect, into a ledger.
import type { LedgerProblem } from "../../ledger/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { LEDGER_OPTIONS, openData } from "../data.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { INPUT_OPTIONS, readFormat, readExpectedInput, OUTPUT_OPTIONS, STRICT_OPTIONS } from "../options.ts";
import { assertReadable } from "../read/byte-source.ts";
import { Intake } from "../records/intake.ts";
import { LedgerFiles } from "../records/ledger-file.ts";
import { Tally } from "../records/tally.ts";
import { walk } from "../records/walk.ts";
import { FailureLog } from "../show/failures.ts";
import { counted } from "../show/numbers.ts";
import { Progress } from "../show/progress.ts";
import { recordsLine } from "../show/summary.ts";
import { visibleLine } from "../show/visible.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Put exported threads, or conversations in any dialect, into a ledger.",
  usage: "import --data <ledger> [options] [file …]",
  about: [
    "A file that koine export wrote gives its threads again, each whole or not at all; importing it a second time changes nothing. A thread that is there with other messages is told, and the others go on.",
    "Anything else is read as koine convert reads it: every request, response, stream or list of messages becomes a thread, and messages on lines of their own are one thread together. What stands beside the messages is kept in the thread's metadata. Importing it a second time makes the threads a second time.",
  ],
  options: {
    ...LEDGER_OPTIONS,
    ...INPUT_OPTIONS,
    vendor: { type: "string", value: "name", description: "Whose habits openai-chat has (deepseek, mistral, ollama …)." },
    provider: {
      type: "string",
      value: "name",
      description: "The provider that the records come from; it is noted on what only its issuer can read.",
    },
    ...STRICT_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  examples: [
    ["koine import --data koine.db chat.jsonl --from anthropic", "Each request becomes a thread."],
    ["koine import --data koine.db --tenant acme --json requests.jsonl", "Into one tenant, the summary as JSON."],
  ],
  run: runImport,
};

async function runImport(given: CommandArguments, io: CliIo): Promise<number> {
  const wanted = readExpectedInput(given);
  const strict = given.has("strict");
  const tally = new Tally();
  const progress = new Progress(io, !given.has("quiet") && !given.has("json"));
  const failures = new FailureLog(io, progress, "");
  let problems = 0;
  const onProblem = ({ threadId, messageId, reason }: LedgerProblem): void => {
    problems++;
    progress.clear();
    io.stderr.write(`${visibleLine(`${threadId} ${messageId}: ${reason}`)}\n`);
  };
  // Before a ledger is made for nothing.
  for (const file of given.files) if (file !== "-") await assertReadable(file);
  const ledger = await openData(given, io, { mustExist: false, onProblem });
  const files = new LedgerFiles({ ledger, tally, failures, progress, strict });
  const isTold = wanted.from !== undefined || wanted.kind !== undefined;
  const intake = new Intake({ ledger, tally, failures, strict, files: isTold ? undefined : files });
  const counts = (): Counts => {
    const { imported } = files;
    const messages = imported.messages + intake.messages;
    return { ...imported, threads: imported.threads + intake.threads, messages, problems };
  };
  try {
    await walk({ files: given.files, format: readFormat(given), wanted, strict, tally, progress }, intake, io);
    await intake.end();
  } catch (error) {
    if (error instanceof CliError && error.code === "stopped") {
      progress.clear();
      tell(given, io, tally, counts());
    }
    throw error;
  } finally {
    progress.clear();
    await ledger.close();
  }
  tell(given, io, tally, counts());
  return tally.failed > 0 ? EXIT.failed : EXIT.ok;
}

interface Counts {
  threads: number;
  messages: number;
  runs: number;
  blobs: number;
  known: number;
  problems: number;
}

function tell(given: CommandArguments, io: CliIo, tally: Tally, counts: Counts): void {
  const { files, read, done, failed } = tally;
  if (given.has("json")) {
    io.stdout.write(`${JSON.stringify({ files, records: read, imported: done, failed, ...counts })}\n`);
    return;
  }
  if (given.has("quiet")) return;
  const { threads, messages, runs, blobs, known, problems } = counts;
  const parts = [counted(threads, "new thread"), counted(messages, "message")];
  if (runs > 0) parts.push(counted(runs, "run"));
  if (blobs > 0) parts.push(counted(blobs, "blob"));
  const lines = [recordsLine(tally, "imported"), `${parts.join(", ")}.`];
  if (known > 0) lines.push(`${counted(known, "record")} of the files ${known === 1 ? "was" : "were"} there already.`);
  if (problems > 0)
    lines.push(`${counted(problems, "message")} cannot be read, and ${problems === 1 ? "is" : "are"} kept.`);
  io.stdout.write(`${lines.join("\n")}\n`);
}
