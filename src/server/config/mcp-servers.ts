// Describes the setting `mcpServers`, which has the format of most MCP clients, and converts it to options of the
// agent.
import type { McpServerOptions } from "../../agent/index.ts";
import type { ConfigInput } from "./config-input.ts";
import {
  anyText,
  dictionary,
  either,
  fields,
  flag,
  list,
  matching,
  describe,
  text,
  choice,
  codeOnly,
  timeLimit,
} from "./setting.ts";

const retry = choice("safe", "never");

const mcpServer = fields(
  {},
  {
    type: describe('"stdio" for a command, "http" for a URL; optional.', choice("stdio", "http", "streamable-http")),
    command: describe("The program to start.", text),
    args: list(anyText),
    env: describe("Environment variables of the program, besides PATH and other basic ones.", dictionary(anyText)),
    cwd: describe("The working folder of the program, relative to this file.", text),
    url: describe(
      "The URL of a server over streamable HTTP.",
      matching("^https?://[^\\s/]", "a URL that begins with https:// or http://"),
    ),
    headers: describe(
      "Headers that are sent with every request.",
      either(
        codeOnly("a function that returns headers", (value) => typeof value === "function"),
        dictionary(anyText),
      ),
    ),
    prefix: describe("A prefix for the names of its tools.", anyText),
    retry: describe(
      "Repeats calls that a crash interrupted: for all tools, or by name.",
      either(retry, dictionary(retry)),
    ),
    trustHints: describe("Trusts the server's hints about which tools are safe to repeat.", flag),
    timeouts: fields({}, { connectMs: timeLimit, callMs: timeLimit, gapMs: timeLimit }),
    disabled: describe("true: the server is ignored.", flag),
  },
  ["command", "url"],
);
export const mcpServers = dictionary(mcpServer, { pattern: "\\S", means: "a non-empty text" });

const COMMAND_FIELDS = ["args", "env", "cwd"] as const;
const URL_FIELDS = ["headers"] as const;

/**
 * Converts the setting `mcpServers` to the agent's options. `addMistake` is called for fields that contradict each
 * other; `resolvePath` makes a path absolute.
 */
export function toMcpServerOptions(
  servers: NonNullable<NonNullable<ConfigInput["tasks"]>["mcpServers"]>,
  resolvePath: (path: string) => string,
  addMistake: (path: readonly string[], message: string) => void,
): McpServerOptions[] {
  const options: McpServerOptions[] = [];
  for (const [name, server] of Object.entries(servers)) {
    // The settings of a server are undefined if they were invalid. The mistake was already added when they were read.
    if (server === undefined) continue;
    const { type, disabled, command, args, env, cwd, url, headers, ...common } = server;
    const isCommand = command !== undefined;
    for (const field of isCommand ? URL_FIELDS : COMMAND_FIELDS) {
      if (server[field] !== undefined)
        addMistake([name, field], `is only valid with "${isCommand ? "url" : "command"}".`);
    }
    if (type !== undefined && (type === "stdio") !== isCommand) {
      addMistake([name, "type"], isCommand ? 'must be "stdio" for a command.' : 'must be "http" for a URL.');
    }
    if (disabled === true) continue;
    if (command !== undefined) options.push({ name, command, args, env, cwd: cwd && resolvePath(cwd), ...common });
    else if (url !== undefined) options.push({ name, url, headers, ...common });
  }
  return options;
}
