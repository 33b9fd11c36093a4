// `koine replay`: a recorded question again, of the same model or another, with the differences shown. Nothing is recorded.
import type { Answer } from "../../client/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import type { Recorded } from "../replay/recorded.ts";
import type { Asker } from "../replay/asker.ts";
import type { Outcome } from "../replay/outcome.ts";
import { differences, outcomeOf, tell } from "../replay/outcome.ts";
import { showCompared } from "../replay/show.ts";
import { readSettings, SETTINGS } from "../serve/settings.ts";
import { lossRows } from "../show/losses.ts";
import { Page } from "../show/page.ts";
import { columnsOf, paintFor } from "../show/style.ts";
import { HTTP_DIALECTS } from "../../calls/index.ts";

export const replay: Command = {
  name: "replay",
  summary: "Ask a recorded question again, of any model, and show what differs.",
  usage: "replay <run> [options]",
  about: [
    "Takes the request of a run from the ledger, with its whole history, tools and settings, asks the same model or another one, and compares text, calls, finish, usage and losses. The run is the x-koine-run of a reply. Nothing is recorded.",
    "With --dry-run nothing is asked: the request is shown in the words of the provider, with what would not arrive.",
  ],
  options: {
    ...SETTINGS,
    tenant: { type: "string", value: "name", description: "Whose run it is; without, the default tenant's." },
    model: {
      type: "string",
      short: "m",
      value: "name",
      description: "The model to ask: provider/model, or a name of the configuration; without, the one that answered.",
    },
    dialect: {
      type: "string",
      choices: HTTP_DIALECTS,
      value: "dialect",
      description: "The dialect to ask in, where the provider speaks several.",
    },
    "dry-run": { type: "boolean", description: "Show the request, and ask nobody." },
    force: { type: "boolean", description: "Ask also where the model would be asked another question." },
    json: { type: "boolean", description: "Write both answers and what differs as JSON." },
  },
  examples: [
    [
      "koine replay 01K5ZC9V2XQ3D8T7M4N6P0R1S2 --data koine.db --model demo/koine",
      "The same question, of another model.",
    ],
    [
      "koine replay 01K5ZC9V2XQ3D8T7M4N6P0R1S2 --data koine.db --model demo/koine --dry-run",
      "What that model would be asked.",
    ],
  ],
  run: runReplay,
};

async function runReplay(given: CommandArguments, io: CliIo): Promise<number> {
  const [runId, ...others] = given.files;
  if (runId === undefined || others.length > 0) {
    throw new CliError("usage", "Say which run: the x-koine-run of a reply, or the id of one in a thread.");
  }
  const { config } = await readSettings(given, io);
  // Loaded late: the help of all commands needs none of it.
  const { askerOf } = await import("../replay/asker.ts");
  const recorded = await readRun(runId, config, given, io);
  const model = given.text("model") ?? recorded.model;
  if (model === undefined)
    throw new CliError("usage", "The run does not say which model answered; name one with --model.");
  if (!recorded.hasSettings && !given.has("json")) {
    io.stderr.write("The run has only its messages: tools and settings were not recorded with it.\n");
  }
  await using asker = askerOf(config, model, given.choice("dialect", HTTP_DIALECTS));
  if (given.has("dry-run")) return showRequest(recorded, asker, given, io);
  return compare(recorded, asker, given, io);
}

async function readRun(runId: string, config: ServerConfig, given: CommandArguments, io: CliIo): Promise<Recorded> {
  const { withLedger } = await import("../replay/ledger.ts");
  const { readRecorded } = await import("../replay/recorded.ts");
  const tenant = given.text("tenant");
  return withLedger(config, { clock: io.clock, ...(tenant !== undefined && { tenant }) }, (ledger) =>
    readRecorded(ledger, runId),
  );
}

function showRequest({ run, request }: Recorded, asker: Asker, given: CommandArguments, io: CliIo): number {
  const { model, dialect, wire, losses } = asker.prepare(request);
  if (given.has("json")) {
    io.stdout.write(`${JSON.stringify({ runId: run.id, model, dialect, request: wire, losses })}\n`);
    return EXIT.ok;
  }
  io.stdout.write(`${JSON.stringify(wire, null, 2)}\n`);
  const paint = paintFor(io.stderr, io.env);
  const rows = losses.length === 0 ? ["No losses."] : lossRows(losses, paint, true);
  io.stderr.write(`${[`To ${model}, in ${dialect}:`, ...rows].join("\n")}\n`);
  return EXIT.ok;
}

async function compare(recorded: Recorded, asker: Asker, given: CommandArguments, io: CliIo): Promise<number> {
  const { run, request, outcome, model = "unknown" } = recorded;
  const { answer, error } = await asker.ask(request, given.has("force"));
  const now: Outcome =
    answer === undefined
      ? { losses: [], ...(error !== undefined && { error }) }
      : outcomeOf(answer, asker.dialect, recorded.dialect);
  const [before, after] = [tell(outcome), tell(now)];
  const is = answer === undefined ? asker.model : `${answer.provider}/${answer.attempts.at(-1)?.model ?? answer.model}`;
  const compared = { runId: run.id, threadId: run.threadId, was: model, is, before, after };
  if (given.has("json")) {
    io.stdout.write(`${JSON.stringify({ ...compared, differs: differences(before, after), ...timing(answer) })}\n`);
  } else {
    const page = new Page(columnsOf(io.stdout, io.env), paintFor(io.stdout, io.env));
    showCompared(compared, page);
    io.stdout.write(page.take());
  }
  return error === undefined ? EXIT.ok : EXIT.failed;
}

function timing(answer: Answer | undefined): { attempts?: Answer["attempts"] } {
  return answer === undefined ? {} : { attempts: answer.attempts };
}
