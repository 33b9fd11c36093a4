// `koine token`: creates tokens for clients of the server, and their hashes for the server's configuration. Neither the
// token nor the hash is stored.
import { hash, randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { TENANTS } from "../../server/config/file-settings.ts";
import type { CommandArguments, Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { createPaint } from "../show/style.ts";

export const token: Command = {
  name: "token",
  summary: "Create a token for clients of the server, or the hash of a token.",
  usage: "token (create | hash) [options]",
  about: [
    "create prints a new token, once, and the line for koine.config.json that accepts it. The configuration contains only the hash, from which the token cannot be derived.",
    "hash reads a token from standard input, so that it appears neither in the process list nor in the shell history, and prints its hash.",
  ],
  options: {
    tenant: {
      type: "string",
      value: "name",
      description: "The tenant in the line for the configuration. Default: acme.",
    },
    name: {
      type: "string",
      value: "text",
      description: "The name of the token's owner: shown in logs and stored with its recorded calls.",
    },
    json: { type: "boolean", description: "Write the result as JSON." },
  },
  examples: [
    ["koine token create --tenant acme --name build", "Create a token and the line for the configuration."],
    ["koine token create --json", "Create a token in a script."],
  ],
  run: runToken,
};

async function runToken(args: CommandArguments, io: CliIo): Promise<number> {
  const [action, ...others] = args.files;
  if (others.length > 0)
    throw new CliError("usage", "The token must come from standard input, not from the command line.");
  if (action === "create") printNewToken(args, io);
  else if (action === "hash") await printHash(args, io);
  else throw new CliError("usage", 'Use "koine token create" or "koine token hash".');
  return EXIT.ok;
}

const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The number of base-62 digits that represent 32 bytes. */
const TOKEN_DIGITS = 43;

/** Returns 32 random bytes as letters and digits only, so that a double click selects the whole token. */
function generateToken(): string {
  let value = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (let index = 0; index < TOKEN_DIGITS; index++) {
    digits = (BASE62_DIGITS[Number(value % 62n)] ?? "") + digits;
    value /= 62n;
  }
  return `koine_${digits}`;
}

function hashToken(secret: string): string {
  return `sha256:${hash("sha256", secret, "hex")}`;
}

/** Throws for a tenant or name that the configuration would reject. */
function assertValidNames(tenant: string | undefined, name: string | undefined): void {
  if (tenant !== undefined && !new RegExp(TENANTS.pattern).test(tenant)) {
    throw new CliError("usage", `--tenant must be ${TENANTS.means}.`);
  }
  if (name?.trim() === "") throw new CliError("usage", "--name must not be empty.");
}

function printNewToken(args: CommandArguments, io: CliIo): void {
  const [tenant, name] = [args.text("tenant"), args.text("name")];
  assertValidNames(tenant, name);
  const newToken = generateToken();
  const digest = hashToken(newToken);
  if (args.has("json")) {
    io.stdout.write(`${JSON.stringify({ token: newToken, hash: digest })}\n`);
    return;
  }
  const entry = name === undefined ? digest : { hash: digest, name };
  const tenants = { [tenant ?? "acme"]: { tokens: [entry] } };
  const paint = createPaint(io.stdout, io.env);
  io.stdout.write(
    [
      paint("bold", newToken),
      "",
      "Give it to the client as its API key; it is shown only once. Add this to koine.config.json to accept it:",
      "",
      `  "tenants": ${JSON.stringify(tenants)}`,
      "",
    ].join("\n"),
  );
}

async function printHash(args: CommandArguments, io: CliIo): Promise<void> {
  if (io.stdin.isTTY === true) io.stderr.write("Type the token, then Enter and Ctrl-D.\n");
  const secret = (await text(io.stdin)).trim();
  if (secret === "") throw new CliError("usage", "There is no token on standard input.");
  if (/\s/.test(secret))
    throw new CliError("usage", "A token contains no spaces or line breaks; pass one token at a time.");
  const digest = hashToken(secret);
  io.stdout.write(args.has("json") ? `${JSON.stringify({ hash: digest })}\n` : `${digest}\n`);
}
