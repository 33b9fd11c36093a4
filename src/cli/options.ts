// The options that several commands share, and what they mean.
import { randomBytes } from "node:crypto";
import type { Dialect, DialectOptions } from "../dialects/index.ts";
import { dialect, dialects } from "../dialects/index.ts";
import { vendorOf } from "../dialects/openai-chat/vendors.ts";
import type { LossLevel } from "../model/index.ts";
import { LOSS_LEVELS } from "../model/index.ts";
import type { Arguments, Options } from "./command.ts";
import { CliError } from "./exit.ts";
import type { Io } from "./io.ts";
import type { Format } from "./read/format.ts";
import { FORMATS } from "./read/format.ts";
import type { Wanted } from "./read/recognise.ts";
import { KINDS } from "./read/recognise.ts";
import type { Target } from "./records/target.ts";
import { ulids } from "./records/ulid.ts";

export const READING: Options = {
  from: {
    type: "string",
    short: "f",
    choices: dialects,
    value: "dialect",
    says: "The dialect of the records; without, each record must tell.",
  },
  kind: { type: "string", choices: KINDS, says: "What the records are; without, each record tells." },
  input: {
    type: "string",
    choices: FORMATS,
    value: "format",
    says: "How records lie in the input; without, the name or the first lines tell.",
  },
};

export const STRICT: Options = {
  strict: { type: "boolean", says: "Stop at the first record that fails." },
};

export const TARGET: Options = {
  to: { type: "string", short: "t", choices: dialects, value: "dialect", says: "The dialect to write." },
  model: {
    type: "string",
    value: "name",
    says: "The model to ask instead of the one in the request; messages become a request to it.",
  },
  vendor: { type: "string", value: "name", says: "Whose habits openai-chat has (deepseek, mistral, ollama …)." },
  provider: {
    type: "string",
    value: "name",
    says: "The provider that the records come from and go to; what only its issuer can read is kept for it.",
  },
  "to-provider": { type: "string", value: "name", says: "The provider that they go to, where it is another one." },
  "no-repair": { type: "boolean", says: "Mend nothing, even where the target would refuse it." },
};

export const FAIL_ON: Options = {
  "fail-on": {
    type: "string",
    choices: LOSS_LEVELS,
    value: "level",
    says: "Exit with 3 if there is a loss of this level or a worse one.",
  },
};

export const REPORTING: Options = {
  json: { type: "boolean", says: "Write results and summary as JSON." },
  quiet: { type: "boolean", short: "q", says: "No summary and no progress; failures are still told." },
};

/** Dialects with the user's options, one of each. */
function dialectsWith(options: DialectOptions): (id: string) => Dialect {
  const made = new Map<string, Dialect>();
  return (id) => {
    const found = made.get(id) ?? dialect(id, options);
    made.set(id, found);
    return found;
  };
}

export function readWanted(given: Arguments): Wanted {
  const dialectOf = dialectsWith({ vendor: readVendor(given), provider: given.text("provider") });
  const from = given.text("from");
  return { from: from === undefined ? undefined : dialectOf(from), kind: given.choice("kind", KINDS), dialectOf };
}

export function readFormat(given: Arguments): Format | undefined {
  return given.choice("input", FORMATS);
}

export function readFailOn(given: Arguments): LossLevel | undefined {
  return given.choice("fail-on", LOSS_LEVELS);
}

export function readTarget(given: Arguments, io: Io): Target {
  const to = given.text("to");
  if (to === undefined) throw new CliError("usage", `Say what to write with --to (${dialects.join(", ")}).`);
  const options = { vendor: readVendor(given), provider: given.text("to-provider") ?? given.text("provider") };
  return {
    to: dialect(to, options),
    model: given.text("model"),
    repair: !given.has("no-repair"),
    making: { clock: io.clock, newId: ulids(io.clock, randomBytes) },
  };
}

function readVendor(given: Arguments): string | undefined {
  const vendor = given.text("vendor");
  if (vendor !== undefined && vendorOf(vendor) === undefined) {
    throw new CliError(
      "usage",
      `There is no vendor "${vendor}" among those whose habits are known; leave --vendor out.`,
    );
  }
  return vendor;
}
