// `koine serve`: the server, from its settings to its end.
import type { ServerConfig } from "../../server/config/index.ts";
import type { KoineServer } from "../../server/server.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../server/config/file-settings.ts";
import { checkAccess } from "../../server/http/access-guard.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { makeDataFolder } from "../serve/data-folder.ts";
import { startError } from "../serve/failure.ts";
import { readSettings, SETTINGS } from "../serve/settings.ts";
import type { Standing } from "../serve/welcome.ts";
import { readyData, readyLine, welcome } from "../serve/welcome.ts";
import { columnsOf, paintFor } from "../show/style.ts";
import { readVersion } from "../version.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the server: every SDK in, every model out, every conversation kept.",
  usage: "serve [options]",
  about: [
    "Listens on 127.0.0.1:4141 and keeps conversations in the folder koine-data. Every provider whose key is in the environment is there, and the model demo/koine, which needs none. koine.config.json adds providers, names for models, tenants, tools and limits.",
    "Logs go to standard error, the address to standard output. Ctrl-C and SIGTERM take no new calls and let those under way finish; a second one ends it at once.",
  ],
  options: {
    port: {
      type: "string",
      short: "p",
      value: "number",
      description: "The port, 4141 where not given; 0 takes any that is free.",
    },
    host: { type: "string", value: "address", description: "The address to listen on, 127.0.0.1 where not given." },
    ...SETTINGS,
    log: { type: "string", choices: LOG_LEVELS, value: "level", description: "What is logged." },
    "log-format": {
      type: "string",
      choices: LOG_FORMATS,
      value: "format",
      description: "How it is logged; text on a terminal, JSON elsewhere.",
    },
    json: { type: "boolean", description: "Say where it listens as a line of JSON." },
    quiet: { type: "boolean", short: "q", description: "Do not say where it listens." },
  },
  examples: [
    ["koine serve", "SQLite, the demo model, and every provider whose key is in the environment."],
    ["koine serve --port 5000 --data ./team --config team.json", "Another port, folder and configuration."],
    ["koine serve --host 0.0.0.0 --database postgres://db/koine", "For others, who then need tokens."],
  ],
  run: runServe,
};

async function runServe(given: CommandArguments, io: CliIo): Promise<number> {
  if (given.files.length > 0) throw new CliError("usage", 'It takes no files; "koine serve --help" lists its options.');
  const { config, file } = await readSettings(given, io, {
    host: given.text("host"),
    port: given.text("port"),
    logLevel: given.text("log"),
    logFormat: given.text("log-format"),
  });
  refuseOpenDoor(config);
  await makeDataFolder(config);
  // From here on there is something to finish.
  const stop = new Promise<void>((resolve) => io.onInterrupt(resolve));
  const server = await start(config, io);
  say({ url: server.url, config, file, version: await readVersion() }, given, io);
  await stop;
  await server.close();
  return EXIT.ok;
}

/** Before anything is made: what is refused leaves nothing behind. */
function refuseOpenDoor(config: ServerConfig): void {
  try {
    checkAccess(config);
  } catch (error) {
    throw startError(error);
  }
}

async function start(config: ServerConfig, io: CliIo): Promise<KoineServer> {
  // Loaded late: the help of all commands needs none of it.
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
    throw startError(error);
  }
}

function say(standing: Standing, given: CommandArguments, io: CliIo): void {
  if (given.has("quiet")) return;
  if (given.has("json")) io.stdout.write(readyData(standing));
  else if (io.stdout.isTTY !== true) io.stdout.write(readyLine(standing));
  else io.stdout.write(welcome(standing, columnsOf(io.stdout, io.env), paintFor(io.stdout, io.env)));
}
