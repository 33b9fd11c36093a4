// Defines the options that several commands share, and reads their values.
import { randomBytes } from "node:crypto";
import type { Dialect, DialectOptions } from "../dialects/index.ts";
import { dialect, dialects } from "../dialects/index.ts";
import { findVendor } from "../dialects/openai-chat/vendors.ts";
import type { LossLevel } from "../model/index.ts";
import { LOSS_LEVELS } from "../model/index.ts";
import type { CommandArguments, CommandOptions } from "./command.ts";
import { CliError } from "./exit.ts";
import type { CliIo } from "./io.ts";
import type { InputFormat } from "./read/detect-format.ts";
import { FORMATS } from "./read/detect-format.ts";
import type { ExpectedInput } from "./read/classify-record.ts";
import { RECORD_KINDS } from "./read/classify-record.ts";
import type { ConversionTarget } from "./records/convert-record.ts";
import { createUlidGenerator } from "./records/ulid.ts";

export const INPUT_OPTIONS: CommandOptions = {
  from: {
    type: "string",
    short: "f",
    choices: dialects,
    value: "dialect",
    description: "The dialect of the records. Default: detected for each record.",
  },
  kind: {
    type: "string",
    choices: RECORD_KINDS,
    description: "The kind of the records. Default: detected for each record.",
  },
  input: {
    type: "string",
    choices: FORMATS,
    value: "format",
    description: "The format of the input. Default: detected from the file name or the first lines.",
  },
};

export const STRICT_OPTIONS: CommandOptions = {
  strict: { type: "boolean", description: "Stop at the first record that fails." },
};

export const TARGET_OPTIONS: CommandOptions = {
  to: { type: "string", short: "t", choices: dialects, value: "dialect", description: "The dialect to write." },
  model: {
    type: "string",
    value: "name",
    description: "The model of the output, instead of the one in the request; messages become a request to it.",
  },
  vendor: {
    type: "string",
    value: "name",
    description: "The vendor whose deviations openai-chat has (deepseek, mistral, ollama …).",
  },
  provider: {
    type: "string",
    value: "name",
    description: "The provider of the records and of the output; seals of this provider are preserved.",
  },
  "to-provider": { type: "string", value: "name", description: "The provider of the output, if it is another one." },
  "no-repair": { type: "boolean", description: "Make no repairs, even if the target would reject the output." },
};

export const FAIL_ON_OPTIONS: CommandOptions = {
  "fail-on": {
    type: "string",
    choices: LOSS_LEVELS,
    value: "level",
    description: "Exit with 3 if there is a loss of this level or a higher one.",
  },
};

export const OUTPUT_OPTIONS: CommandOptions = {
  json: { type: "boolean", description: "Write results and summary as JSON." },
  quiet: { type: "boolean", short: "q", description: "Print no summary and no progress; failures are still printed." },
};

/** Returns a function that returns a dialect by its id. Each dialect is created once, with the user's options. */
function createDialectCache(options: DialectOptions): (id: string) => Dialect {
  const dialectsById = new Map<string, Dialect>();
  return (id) => {
    const cachedDialect = dialectsById.get(id) ?? dialect(id, options);
    dialectsById.set(id, cachedDialect);
    return cachedDialect;
  };
}

export function readExpectedInput(args: CommandArguments): ExpectedInput {
  const dialectOf = createDialectCache({ vendor: readVendor(args), provider: args.text("provider") });
  const from = args.text("from");
  return {
    from: from === undefined ? undefined : dialectOf(from),
    kind: args.choice("kind", RECORD_KINDS),
    getDialect: dialectOf,
  };
}

export function readFormat(args: CommandArguments): InputFormat | undefined {
  return args.choice("input", FORMATS);
}

export function readFailOn(args: CommandArguments): LossLevel | undefined {
  return args.choice("fail-on", LOSS_LEVELS);
}

export function readTarget(args: CommandArguments, io: CliIo): ConversionTarget {
  const to = args.text("to");
  if (to === undefined) throw new CliError("usage", `Name the dialect to write with --to (${dialects.join(", ")}).`);
  const options = { vendor: readVendor(args), provider: args.text("to-provider") ?? args.text("provider") };
  return {
    to: dialect(to, options),
    model: args.text("model"),
    repair: !args.has("no-repair"),
    encodeOptions: { clock: io.clock, newId: createUlidGenerator(io.clock, randomBytes) },
  };
}

function readVendor(args: CommandArguments): string | undefined {
  const vendor = args.text("vendor");
  if (vendor !== undefined && findVendor(vendor) === undefined) {
    throw new CliError("usage", `The vendor "${vendor}" is not known; omit --vendor.`);
  }
  return vendor;
}
