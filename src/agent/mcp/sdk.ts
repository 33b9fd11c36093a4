// The official SDK, which is loaded when the first MCP server is used. Nothing else of Koine needs it.
import type * as ClientModule from "@modelcontextprotocol/sdk/client/index.js";
import type * as StdioModule from "@modelcontextprotocol/sdk/client/stdio.js";
import type * as HttpModule from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type * as TypesModule from "@modelcontextprotocol/sdk/types.js";
import { AgentError } from "../errors.ts";

/** A module of the package, or an error that says how to install it. */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new AgentError(
      "missing-package",
      'MCP servers need the package "@modelcontextprotocol/sdk", which is not installed: npm install @modelcontextprotocol/sdk',
      { cause },
    );
  }
}

export const loadClient = (): Promise<typeof ClientModule> =>
  loadModule(() => import("@modelcontextprotocol/sdk/client/index.js"));
export const loadTypes = (): Promise<typeof TypesModule> =>
  loadModule(() => import("@modelcontextprotocol/sdk/types.js"));
// Apart, so that where no program can be started none of the code for it is loaded.
export const loadStdio = (): Promise<typeof StdioModule> =>
  loadModule(() => import("@modelcontextprotocol/sdk/client/stdio.js"));
export const loadHttp = (): Promise<typeof HttpModule> =>
  loadModule(() => import("@modelcontextprotocol/sdk/client/streamableHttp.js"));
