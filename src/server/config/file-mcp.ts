// MCP servers in koine.config.json, in the shape that most programs use for them.
import type { McpServerOptions } from "../../agent/index.ts";
import type { ValueOf } from "./setting.ts";
import {
  anyText,
  dictionary,
  either,
  fields,
  flag,
  list,
  matching,
  milliseconds,
  said,
  text,
  words,
} from "./setting.ts";

const retry = words("safe", "never");

const mcpServer = fields(
  {},
  {
    type: said('"stdio" for a command, "http" for a URL; may be left out.', words("stdio", "http", "streamable-http")),
    command: said("The program to start.", text),
    args: list(anyText),
    env: said("What it sees of the environment, beside PATH and the like.", dictionary(anyText)),
    cwd: said("The folder that it runs in, from this file's folder.", text),
    url: said(
      "Where it is, over streamable HTTP.",
      matching("^https?://[^\\s/]", "a URL that begins with https:// or http://"),
    ),
    headers: said("Sent with every request.", dictionary(anyText)),
    prefix: said("Put in front of its tools' names.", anyText),
    retry: said(
      "Whether calls that a crash cut off are run again: for all tools, or by name.",
      either(retry, dictionary(retry)),
    ),
    trustHints: said("Whether to believe the server about which tools are safe to run again.", flag),
    timeouts: fields({}, { connectMs: milliseconds(1), callMs: milliseconds(1), gapMs: milliseconds(1) }),
    disabled: said("true: as if it were not there.", flag),
  },
  ["command", "url"],
);
export const mcpServers = dictionary(mcpServer, { pattern: "\\S", means: "a text that is not empty" });

const OF_COMMANDS = ["args", "env", "cwd"] as const;
const OF_URLS = ["headers"] as const;

/** What they are to the agent. `mistake` hears what does not go together; `place` resolves a path. */
export function mcpServersOf(
  servers: ValueOf<typeof mcpServers>,
  place: (path: string) => string,
  mistake: (path: readonly string[], message: string) => void,
): McpServerOptions[] {
  const made: McpServerOptions[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const { type, disabled, command, args, env, cwd, url, headers, ...common } = server;
    const isCommand = command !== undefined;
    for (const field of isCommand ? OF_URLS : OF_COMMANDS) {
      if (server[field] !== undefined) mistake([name, field], `goes with "${isCommand ? "url" : "command"}" only.`);
    }
    if (type !== undefined && (type === "stdio") !== isCommand) {
      mistake([name, "type"], isCommand ? 'must be "stdio" for a command.' : 'must be "http" for a URL.');
    }
    if (disabled === true) continue;
    if (command !== undefined) made.push({ name, command, args, env, cwd: cwd && place(cwd), ...common });
    else if (url !== undefined) made.push({ name, url, headers, ...common });
  }
  return made;
}
