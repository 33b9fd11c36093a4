// `koine doctor`: checks whether a server can run with the current settings.
import type { ServerConfig } from "../../server/config/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import type { DoctorFinding } from "../doctor/finding.ts";
import { formatFindings } from "../doctor/finding.ts";
import { checkAccess, checkClock, checkNode, checkPort } from "../doctor/machine.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { readSettings, SETTINGS_OPTIONS } from "../serve/settings.ts";
import { formatQuantity } from "../show/format-numbers.ts";
import { readColumns, createPaint } from "../show/style.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check whether a server can run here: settings, data, providers, tools, port, clock.",
  usage: "doctor [options]",
  about: [
    "Reads the same settings as koine serve, opens the ledger and reads a sample of its threads, requests the model list of every provider, and starts every MCP server. Nothing is written, and no key is printed.",
    "The exit code is 1 if a check fails.",
  ],
  options: {
    port: { type: "string", short: "p", value: "number", description: "As for koine serve." },
    host: { type: "string", value: "address", description: "As for koine serve." },
    ...SETTINGS_OPTIONS,
    offline: { type: "boolean", description: "Contact no provider and start no MCP server." },
    timeout: {
      type: "string",
      value: "seconds",
      description: "The time limit for a provider or an MCP server. Default: 10.",
    },
    json: { type: "boolean", description: "Write the findings as JSON." },
  },
  examples: [
    ["koine doctor --offline --port 0", "Run the checks that need no network."],
    ["koine doctor --offline --port 0 --json", "Write the same result for other programs."],
  ],
  run: runDoctor,
};

async function runDoctor(args: CommandArguments, io: CliIo): Promise<number> {
  const timeoutMs = readTimeout(args.text("timeout"));
  const findings = [checkNode(), ...(await checkSettings(args, io, timeoutMs))];
  const hasNoFailure = findings.every(({ state }) => state !== "fail");
  if (args.has("json")) io.stdout.write(`${JSON.stringify({ ok: hasNoFailure, findings })}\n`);
  else {
    io.stdout.write(formatFindings(findings, readColumns(io.stdout, io.env), createPaint(io.stdout, io.env)));
    io.stdout.write(`\n${formatVerdict(findings)}\n`);
  }
  return hasNoFailure ? EXIT.ok : EXIT.failed;
}

function readTimeout(text: string | undefined): number {
  const seconds = Number(text ?? 10);
  if (seconds > 0 && seconds <= 600) return seconds * 1000;
  throw new CliError("usage", `--timeout must be a number of seconds up to 600, not "${text}".`);
}

async function checkSettings(args: CommandArguments, io: CliIo, timeoutMs: number): Promise<DoctorFinding[]> {
  const flags = { host: args.text("host"), port: args.text("port") };
  try {
    const { config, file } = await readSettings(args, io, flags);
    const message = file ?? "No koine.config.json found; all settings have their defaults.";
    return [{ name: "settings", state: "ok", message }, ...(await checkAll(config, args, io, timeoutMs))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const sentences = error.details.length === 0 ? [error.message] : error.details;
    return sentences.map((message) => ({ name: "settings", state: "fail", message }));
  }
}

async function checkAll(
  config: ServerConfig,
  args: CommandArguments,
  io: CliIo,
  timeoutMs: number,
): Promise<DoctorFinding[]> {
  // These modules are imported only when the command runs, because the help of the commands does not need them.
  const { checkFolder, checkLedger } = await import("../doctor/storage.ts");
  const { checkProviders } = await import("../doctor/providers.ts");
  const { checkTools } = await import("../doctor/tools.ts");
  const isOffline = args.has("offline");
  const [folder, ledger, providerChecks, tools, port] = await Promise.all([
    checkFolder(config),
    checkLedger(config, io.clock),
    isOffline ? [] : checkProviders(config, { timeoutMs, clock: io.clock }),
    isOffline ? [] : checkTools(config, timeoutMs),
    checkPort(config),
  ]);
  const dates = providerChecks.flatMap(({ date }) => (date === undefined ? [] : [date]));
  return [
    ...(folder === undefined ? [] : [folder]),
    ledger,
    ...providerChecks.map(({ finding }) => finding),
    ...tools,
    checkAccess(config),
    port,
    checkClock(io.clock(), dates),
  ];
}

function formatVerdict(findings: readonly DoctorFinding[]): string {
  const count = (state: DoctorFinding["state"]): number => findings.filter((each) => each.state === state).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed > 0) return `${formatQuantity(failed, "check")} failed; fix the problems before you start the server.`;
  return warned > 0 ? `The server can run; ${formatQuantity(warned, "check")} gave a warning.` : "No problems found.";
}
