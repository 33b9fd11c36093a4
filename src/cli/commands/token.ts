// `koine token`: makes tokens for clients of a server, and their hashes for its configuration. Neither is kept anywhere.
import { hash, randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { TENANTS } from "../../server/config/file-settings.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { paintFor } from "../show/style.ts";

export const token: Command = {
  name: "token",
  summary: "Make a token for clients of a server, or the hash of one.",
  usage: "token (create | hash) [options]",
  about: [
    "create prints a new token, once, and the line for koine.config.json that lets it in. The configuration holds only the hash: whoever reads it cannot use the token.",
    "hash reads a token from standard input, so that it is neither in the list of processes nor in the history of the shell, and prints its hash.",
  ],
  options: {
    tenant: { type: "string", value: "name", description: "The tenant in the line for the configuration; without, acme." },
    name: {
      type: "string",
      value: "text",
      description: "Whose token it is: shown in logs, and what it records is known under it.",
    },
    json: { type: "boolean", description: "Write the result as JSON." },
  },
  examples: [
    ["koine token create --tenant acme --name build", "A token, and what to add to the configuration."],
    ["koine token create --json", "The same for a script."],
  ],
  run: runToken,
};

async function runToken(given: CommandArguments, io: CliIo): Promise<number> {
  const [what, ...others] = given.files;
  if (others.length > 0) throw new CliError("usage", "A token is read from standard input, not from the command line.");
  if (what === "create") create(given, io);
  else if (what === "hash") await tellHash(given, io);
  else throw new CliError("usage", 'Say "koine token create" or "koine token hash".');
  return EXIT.ok;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** So many digits hold 32 bytes. */
const LENGTH = 43;

/** 32 bytes of chance in letters and digits only, so that a double click takes all of it. */
function newToken(): string {
  let value = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (let place = 0; place < LENGTH; place++) {
    digits = (DIGITS[Number(value % 62n)] ?? "") + digits;
    value /= 62n;
  }
  return `koine_${digits}`;
}

function hashOf(secret: string): string {
  return `sha256:${hash("sha256", secret, "hex")}`;
}

/** What the configuration would refuse is refused here. */
function checkNames(tenant: string | undefined, name: string | undefined): void {
  if (tenant !== undefined && !new RegExp(TENANTS.pattern).test(tenant)) {
    throw new CliError("usage", `--tenant must be ${TENANTS.means}.`);
  }
  if (name?.trim() === "") throw new CliError("usage", "--name must be a text that is not empty.");
}

function create(given: CommandArguments, io: CliIo): void {
  const [tenant, name] = [given.text("tenant"), given.text("name")];
  checkNames(tenant, name);
  const made = newToken();
  const digest = hashOf(made);
  if (given.has("json")) {
    io.stdout.write(`${JSON.stringify({ token: made, hash: digest })}\n`);
    return;
  }
  const entry = name === undefined ? digest : { hash: digest, name };
  const tenants = { [tenant ?? "acme"]: { tokens: [entry] } };
  const paint = paintFor(io.stdout, io.env);
  io.stdout.write(
    [
      paint("bold", made),
      "",
      "Give it to the client as its API key; it is shown only now. Let it in with this in koine.config.json:",
      "",
      `  "tenants": ${JSON.stringify(tenants)}`,
      "",
    ].join("\n"),
  );
}

async function tellHash(given: CommandArguments, io: CliIo): Promise<void> {
  if (io.stdin.isTTY === true) io.stderr.write("Type the token, then Enter and Ctrl-D.\n");
  const secret = (await text(io.stdin)).trim();
  if (secret === "") throw new CliError("usage", "There is no token on standard input.");
  if (/\s/.test(secret)) throw new CliError("usage", "A token has no spaces or line breaks in it: give one at a time.");
  const digest = hashOf(secret);
  io.stdout.write(given.has("json") ? `${JSON.stringify({ hash: digest })}\n` : `${digest}\n`);
}
