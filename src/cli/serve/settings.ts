// Defines the command-line options of the server configuration, and reads the configuration with them.
import type { ConfigFlags, ConfigFileResult } from "../../server/config/index.ts";
import { ConfigError, readConfigFile, formatMistake } from "../../server/config/index.ts";
import type { CommandArguments, CommandOptions } from "../command.ts";
import { CliError } from "../exit.ts";
import type { CliIo } from "../io.ts";

export const SETTINGS_OPTIONS: CommandOptions = {
  data: {
    type: "string",
    short: "d",
    value: "folder",
    description: "The data folder. Default: koine-data. A file or a URL is used as the database.",
  },
  database: {
    type: "string",
    value: "url",
    description:
      "The ledger: sqlite:path, postgres://… or memory:. Default: koine.db in the data folder. The variable KOINE_DATABASE keeps a password out of the process list.",
  },
  config: {
    type: "string",
    short: "c",
    value: "file",
    description: "The configuration file. Default: koine.config.json in the data folder, then in the working folder.",
  },
};

/** Reads the configuration from options, environment variables and the configuration file. */
export async function readSettings(
  args: CommandArguments,
  io: CliIo,
  flags: ConfigFlags = {},
): Promise<ConfigFileResult> {
  try {
    return await readConfigFile({
      file: args.text("config"),
      flags: { ...flags, data: args.text("data"), database: args.text("database") },
      env: io.env,
      cwd: io.cwd,
      defaults: { logFormat: io.stderr.isTTY === true ? "text" : "json" },
    });
  } catch (error) {
    throw toCliError(error);
  }
}

/** Converts a ConfigError to a CliError with one line per mistake. */
function toCliError(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const { mistakes, file, cause } = error;
  const [first, ...others] = mistakes.map((each) => formatMistake(each, file));
  if (others.length === 0) return new CliError("usage", error.message, { cause });
  const where = file ?? "The configuration";
  return new CliError("usage", `${where} has ${mistakes.length} mistakes.`, { cause, more: [first ?? "", ...others] });
}
