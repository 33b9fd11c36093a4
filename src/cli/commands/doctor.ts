// `koine doctor`: whether a server would run here, and what is in its way.
import type { ServerConfig } from "../../server/config/index.ts";
import type { CommandArguments, Command } from "../command.ts";
import type { Finding } from "../doctor/finding.ts";
import { showFindings } from "../doctor/finding.ts";
import { checkAccess, checkClock, checkNode, checkPort } from "../doctor/machine.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { readSettings, SETTINGS } from "../serve/settings.ts";
import { counted } from "../show/numbers.ts";
import { columnsOf, paintFor } from "../show/style.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Look whether a server would run here: settings, data, providers, tools, port, clock.",
  usage: "doctor [options]",
  about: [
    "Reads the same settings as koine serve, opens the ledger and reads a sample of it, asks every provider for its list of models, and starts every MCP server. Nothing is written, and no key is shown.",
    "Exit code 1 if something fails.",
  ],
  options: {
    port: { type: "string", short: "p", value: "number", description: "As for koine serve." },
    host: { type: "string", value: "address", description: "As for koine serve." },
    ...SETTINGS,
    offline: { type: "boolean", description: "Ask no provider and start no MCP server." },
    timeout: {
      type: "string",
      value: "seconds",
      description: "How long a provider or an MCP server may take; 10 where not given.",
    },
    json: { type: "boolean", description: "Write the findings as JSON." },
  },
  examples: [
    ["koine doctor --offline --port 0", "What can be told without asking anybody."],
    ["koine doctor --offline --port 0 --json", "The same for other programs."],
  ],
  run: runDoctor,
};

async function runDoctor(given: CommandArguments, io: CliIo): Promise<number> {
  const timeoutMs = readTimeout(given.text("timeout"));
  const findings = [checkNode(), ...(await checkSettings(given, io, timeoutMs))];
  const isFine = findings.every(({ state }) => state !== "fail");
  if (given.has("json")) io.stdout.write(`${JSON.stringify({ ok: isFine, findings })}\n`);
  else {
    io.stdout.write(showFindings(findings, columnsOf(io.stdout, io.env), paintFor(io.stdout, io.env)));
    io.stdout.write(`\n${verdict(findings)}\n`);
  }
  return isFine ? EXIT.ok : EXIT.failed;
}

function readTimeout(text: string | undefined): number {
  const seconds = Number(text ?? 10);
  if (seconds > 0 && seconds <= 600) return seconds * 1000;
  throw new CliError("usage", `--timeout is a number of seconds up to 600, not "${text}".`);
}

async function checkSettings(given: CommandArguments, io: CliIo, timeoutMs: number): Promise<Finding[]> {
  const flags = { host: given.text("host"), port: given.text("port") };
  try {
    const { config, file } = await readSettings(given, io, flags);
    const message = file ?? "No koine.config.json, so that everything has its default.";
    return [{ name: "settings", state: "ok", message }, ...(await checkAll(config, given, io, timeoutMs))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const sentences = error.details.length === 0 ? [error.message] : error.details;
    return sentences.map((message) => ({ name: "settings", state: "fail", message }));
  }
}

async function checkAll(config: ServerConfig, given: CommandArguments, io: CliIo, timeoutMs: number): Promise<Finding[]> {
  // Loaded late: the help of all commands needs none of it.
  const { checkFolder, checkLedger } = await import("../doctor/storage.ts");
  const { checkProviders } = await import("../doctor/providers.ts");
  const { checkTools } = await import("../doctor/tools.ts");
  const isOffline = given.has("offline");
  const [folder, ledger, reached, tools, port] = await Promise.all([
    checkFolder(config),
    checkLedger(config, io.clock),
    isOffline ? [] : checkProviders(config, { timeoutMs, clock: io.clock }),
    isOffline ? [] : checkTools(config, timeoutMs),
    checkPort(config),
  ]);
  const dates = reached.flatMap(({ date }) => (date === undefined ? [] : [date]));
  return [
    ...(folder === undefined ? [] : [folder]),
    ledger,
    ...reached.map(({ finding }) => finding),
    ...tools,
    checkAccess(config),
    port,
    checkClock(io.clock(), dates),
  ];
}

function verdict(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number => findings.filter((each) => each.state === state).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed > 0) return `${counted(failed, "thing")} to mend before it runs as it should.`;
  return warned > 0 ? `It runs; ${counted(warned, "thing")} should be looked at.` : "Everything is as it should be.";
}
