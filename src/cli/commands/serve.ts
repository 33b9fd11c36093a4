// `koine serve`: starts the server with its configuration and shuts it down at the first SIGINT or SIGTERM.
import type { ServerConfig } from "../../server/config/index.ts";
import type { KoineServer } from "../../server/server.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../server/config/file-settings.ts";
import { checkAccess } from "../../server/http/access-guard.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { createDataFolder } from "../serve/data-folder.ts";
import { toStartError } from "../serve/start-error.ts";
import { readSettings, SETTINGS_OPTIONS } from "../serve/settings.ts";
import type { StartedServer } from "../serve/startup-message.ts";
import { formatReadyJson, formatReadyLine, formatWelcome } from "../serve/startup-message.ts";
import { readColumns, createPaint } from "../show/style.ts";
import { readVersion } from "../version.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the server: all SDKs can call all models, and every conversation is recorded.",
  usage: "serve [options]",
  about: [
    "Listens on 127.0.0.1:4141 and stores conversations in the folder koine-data. Every provider whose key is in the environment is available, and the model demo/koine, which needs no key. koine.config.json adds providers, model names, tenants, tools and limits.",
    "Logs go to standard error, the address to standard output. At Ctrl-C or SIGTERM the server accepts no new calls and finishes the open ones; a second signal stops it at once.",
  ],
  options: {
    port: {
      type: "string",
      short: "p",
      value: "number",
      description: "The port. Default: 4141; 0 uses any free port.",
    },
    host: {
      type: "string",
      value: "address",
      description: "The address on which the server listens. Default: 127.0.0.1.",
    },
    ...SETTINGS_OPTIONS,
    log: { type: "string", choices: LOG_LEVELS, value: "level", description: "The lowest level that is logged." },
    "log-format": {
      type: "string",
      choices: LOG_FORMATS,
      value: "format",
      description: "The log format. Default: text on a terminal, otherwise JSON.",
    },
    json: { type: "boolean", description: "Print the address as a line of JSON." },
    quiet: { type: "boolean", short: "q", description: "Do not print the address." },
  },
  examples: [
    ["koine serve", "Use SQLite, the demo model, and every provider whose key is in the environment."],
    ["koine serve --port 5000 --data ./team --config team.json", "Use another port, folder and configuration."],
    ["koine serve --host 0.0.0.0 --database postgres://db/koine", "Serve other machines, whose clients need tokens."],
  ],
  run: runServe,
};

async function runServe(args: CommandArguments, io: CliIo): Promise<number> {
  if (args.files.length > 0)
    throw new CliError("usage", 'koine serve takes no files; "koine serve --help" lists its options.');
  const { config, file } = await readSettings(args, io, {
    host: args.text("host"),
    port: args.text("port"),
    logLevel: args.text("log"),
    logFormat: args.text("log-format"),
  });
  assertAccessIsProtected(config);
  await createDataFolder(config);
  // The listener is registered before the start, so that a signal during the start also closes the server.
  const stop = new Promise<void>((resolve) => io.onInterrupt(resolve));
  const server = await startServer(config, io);
  printReady({ url: server.url, config, configFile: file, version: await readVersion() }, args, io);
  await stop;
  await server.close();
  return EXIT.ok;
}

/** Throws if other machines could use the server without a token. Called before any file is created. */
function assertAccessIsProtected(config: ServerConfig): void {
  try {
    checkAccess(config);
  } catch (error) {
    throw toStartError(error);
  }
}

async function startServer(config: ServerConfig, io: CliIo): Promise<KoineServer> {
  // This module is imported only when the command runs, because the help of the commands does not need it.
  const { createServer } = await import("../../server/server.ts");
  try {
    const server = await createServer(config, { clock: io.clock, write: (lines) => void io.stderr.write(lines) });
    try {
      await server.listen();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  } catch (error) {
    throw toStartError(error);
  }
}

function printReady(server: StartedServer, args: CommandArguments, io: CliIo): void {
  if (args.has("quiet")) return;
  if (args.has("json")) io.stdout.write(formatReadyJson(server));
  else if (io.stdout.isTTY !== true) io.stdout.write(formatReadyLine(server));
  else io.stdout.write(formatWelcome(server, readColumns(io.stdout, io.env), createPaint(io.stdout, io.env)));
}
