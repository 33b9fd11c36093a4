// `koine replay`: sends the request of a recorded run again, to the same model or another, and shows the differences.
// The new call is not recorded.
import type { Answer } from "../../client/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import type { RecordedRun } from "../replay/recorded-run.ts";
import type { ReplayTarget } from "../replay/replay-target.ts";
import type { ReplayOutcome } from "../replay/call-outcome.ts";
import { listDifferences, toReplayOutcome, summarizeOutcome } from "../replay/call-outcome.ts";
import { showComparison } from "../replay/show-comparison.ts";
import { readSettings, SETTINGS_OPTIONS } from "../serve/settings.ts";
import { formatLossRows } from "../show/loss-rows.ts";
import { TextPage } from "../show/page.ts";
import { readColumns, createPaint } from "../show/style.ts";
import { HTTP_DIALECTS } from "../../calls/index.ts";

export const replay: Command = {
  name: "replay",
  summary: "Send a recorded request again, to any model, and show the differences.",
  usage: "replay <run> [options]",
  about: [
    "Reads the request of a run from the ledger, with its history, tools and settings, sends it to the same model or another one, and compares text, tool calls, finish reason, usage and losses. The run id is the x-koine-run header of a reply. The new call is not recorded.",
    "With --dry-run nothing is sent: the request is shown in the provider's dialect, with its losses.",
  ],
  options: {
    ...SETTINGS_OPTIONS,
    tenant: { type: "string", value: "name", description: "The tenant of the run. Default: the default tenant." },
    model: {
      type: "string",
      short: "m",
      value: "name",
      description:
        "The model to call: provider/model, or a model name of the configuration. Default: the model that answered.",
    },
    dialect: {
      type: "string",
      choices: HTTP_DIALECTS,
      value: "dialect",
      description: "The dialect of the request, if the provider supports several.",
    },
    "dry-run": { type: "boolean", description: "Show the request and do not send it." },
    force: { type: "boolean", description: "Send the request even if losses of the level breaks change its meaning." },
    json: { type: "boolean", description: "Write both answers and their differences as JSON." },
  },
  examples: [
    [
      "koine replay 01K5ZC9V2XQ3D8T7M4N6P0R1S2 --data koine.db --model demo/koine",
      "Send the same request to another model.",
    ],
    [
      "koine replay 01K5ZC9V2XQ3D8T7M4N6P0R1S2 --data koine.db --model demo/koine --dry-run",
      "Show the request for that model.",
    ],
  ],
  run: runReplay,
};

async function runReplay(args: CommandArguments, io: CliIo): Promise<number> {
  const [runId, ...others] = args.files;
  if (runId === undefined || others.length > 0) {
    throw new CliError("usage", "Name the run: the x-koine-run header of a reply, or the id of a run in a thread.");
  }
  const { config } = await readSettings(args, io);
  // This module is imported only when the command runs, because the help of the commands does not need it.
  const { createReplayTarget } = await import("../replay/replay-target.ts");
  const recorded = await readRun(runId, config, args, io);
  const model = args.text("model") ?? recorded.model;
  if (model === undefined) throw new CliError("usage", "The run has no model recorded; name one with --model.");
  if (!recorded.hasSettings && !args.has("json")) {
    io.stderr.write("Only the messages of this run were recorded, not its tools and settings.\n");
  }
  await using target = createReplayTarget(config, model, args.choice("dialect", HTTP_DIALECTS));
  if (args.has("dry-run")) return showRequest(recorded, target, args, io);
  return compareWithRecorded(recorded, target, args, io);
}

async function readRun(runId: string, config: ServerConfig, args: CommandArguments, io: CliIo): Promise<RecordedRun> {
  const { withReadOnlyLedger } = await import("../replay/read-only-ledger.ts");
  const { readRecordedRun } = await import("../replay/recorded-run.ts");
  const tenant = args.text("tenant");
  return withReadOnlyLedger(config, { clock: io.clock, ...(tenant !== undefined && { tenant }) }, (ledger) =>
    readRecordedRun(ledger, runId),
  );
}

function showRequest({ run, request }: RecordedRun, target: ReplayTarget, args: CommandArguments, io: CliIo): number {
  const { model, dialect, wire, losses } = target.prepare(request);
  if (args.has("json")) {
    io.stdout.write(`${JSON.stringify({ runId: run.id, model, dialect, request: wire, losses })}\n`);
    return EXIT.ok;
  }
  io.stdout.write(`${JSON.stringify(wire, null, 2)}\n`);
  const paint = createPaint(io.stderr, io.env);
  const rows = losses.length === 0 ? ["No losses."] : formatLossRows(losses, paint, true);
  io.stderr.write(`${[`To ${model}, in ${dialect}:`, ...rows].join("\n")}\n`);
  return EXIT.ok;
}

async function compareWithRecorded(
  recorded: RecordedRun,
  target: ReplayTarget,
  args: CommandArguments,
  io: CliIo,
): Promise<number> {
  const { run, request, outcome, model = "unknown" } = recorded;
  const { answer, error } = await target.callModel(request, args.has("force"));
  const newOutcome: ReplayOutcome =
    answer === undefined
      ? { losses: [], ...(error !== undefined && { error }) }
      : toReplayOutcome(answer, target.dialect, recorded.dialect);
  const [before, after] = [summarizeOutcome(outcome), summarizeOutcome(newOutcome)];
  const newModel =
    answer === undefined ? target.model : `${answer.provider}/${answer.attempts.at(-1)?.model ?? answer.model}`;
  const comparison = { runId: run.id, threadId: run.threadId, was: model, is: newModel, before, after };
  if (args.has("json")) {
    io.stdout.write(
      `${JSON.stringify({ ...comparison, differs: listDifferences(before, after), ...readAttempts(answer) })}\n`,
    );
  } else {
    const page = new TextPage(readColumns(io.stdout, io.env), createPaint(io.stdout, io.env));
    showComparison(comparison, page);
    io.stdout.write(page.takeText());
  }
  return error === undefined ? EXIT.ok : EXIT.failed;
}

function readAttempts(answer: Answer | undefined): { attempts?: Answer["attempts"] } {
  return answer === undefined ? {} : { attempts: answer.attempts };
}
