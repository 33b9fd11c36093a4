// Loads the official MCP SDK when the first MCP server is used, because no other part of Koine needs the SDK.
import type * as ClientModule from "@modelcontextprotocol/sdk/client/index.js";
import type * as StdioModule from "@modelcontextprotocol/sdk/client/stdio.js";
import type * as HttpModule from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type * as TypesModule from "@modelcontextprotocol/sdk/types.js";
import { AgentError } from "../errors.ts";

/** Loads a module of the SDK. Throws an error with the install command if the package is missing. */
export async function loadSdkModule<Module>(load: () => Promise<Module>): Promise<Module> {
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
  loadSdkModule(() => import("@modelcontextprotocol/sdk/client/index.js"));
export const loadTypes = (): Promise<typeof TypesModule> =>
  loadSdkModule(() => import("@modelcontextprotocol/sdk/types.js"));
// The stdio module is loaded separately, so that environments without processes do not load it.
export const loadStdio = (): Promise<typeof StdioModule> =>
  loadSdkModule(() => import("@modelcontextprotocol/sdk/client/stdio.js"));
export const loadHttp = (): Promise<typeof HttpModule> =>
  loadSdkModule(() => import("@modelcontextprotocol/sdk/client/streamableHttp.js"));
