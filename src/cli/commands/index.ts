// Lists the commands. A command's module is imported only when the command is run or its help is shown.
import type { Command } from "../command.ts";

export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).serve,
  token: async () => (await import("./token.ts")).token,
  doctor: async () => (await import("./doctor.ts")).doctor,
  replay: async () => (await import("./replay.ts")).replay,
  convert: async () => (await import("./convert.ts")).convert,
  check: async () => (await import("./check.ts")).check,
  inspect: async () => (await import("./inspect.ts")).inspect,
  validate: async () => (await import("./validate.ts")).validate,
  import: async () => (await import("./import.ts")).importCommand,
  export: async () => (await import("./export.ts")).exportCommand,
};
