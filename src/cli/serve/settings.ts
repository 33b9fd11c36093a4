// The settings of a server as a command has them: its options, what they mean, and mistakes in them as lines for people.
import type { ConfigFlags, ConfigFileResult } from "../../server/config/index.ts";
import { ConfigError, readConfigFile, formatMistake } from "../../server/config/index.ts";
import type { CommandArguments, CommandOptions } from "../command.ts";
import { CliError } from "../exit.ts";
import type { CliIo } from "../io.ts";

export const SETTINGS: CommandOptions = {
  data: {
    type: "string",
    short: "d",
    value: "folder",
    description: "The data folder, koine-data where not given; a file or URL is taken as the database.",
  },
  database: {
    type: "string",
    value: "url",
    description: "The ledger: sqlite:path, postgres://… or memory:; without, koine.db in the data folder. KOINE_DATABASE keeps a password out of the list of processes.",
  },
  config: {
    type: "string",
    short: "c",
    value: "file",
    description: "The settings; without, koine.config.json in the data folder, else in the working folder.",
  },
};

/** Reads the settings that flags, variables and the file come to. */
export async function readSettings(given: CommandArguments, io: CliIo, flags: ConfigFlags = {}): Promise<ConfigFileResult> {
  try {
    return await readConfigFile({
      file: given.text("config"),
      flags: { ...flags, data: given.text("data"), database: given.text("database") },
      env: io.env,
      cwd: io.cwd,
      defaults: { logFormat: io.stderr.isTTY === true ? "text" : "json" },
    });
  } catch (error) {
    throw configurationError(error);
  }
}

/** Every mistake is a line of its own. */
function configurationError(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const { mistakes, file, cause } = error;
  const [first, ...others] = mistakes.map(formatMistake);
  if (others.length === 0) return new CliError("usage", error.message, { cause });
  const where = file ?? "The configuration";
  return new CliError("usage", `${where} has ${mistakes.length} mistakes.`, { cause, more: [first ?? "", ...others] });
}
