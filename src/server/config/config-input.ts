// Defines the type of settings from code: the settings of koine.config.json, extended with values that JSON cannot
// express.
import type { McpUrlOptions } from "../../agent/index.ts";
import type { HttpProvider, LocalProvider } from "../../client/index.ts";
import type { ConfigFile } from "./file-settings.ts";

type ProviderSettings = Exclude<NonNullable<ConfigFile["providers"]>[string], false>;
type TaskSettings = NonNullable<ConfigFile["tasks"]>;
type McpServerSettings = NonNullable<TaskSettings["mcpServers"]>[string];

/** The settings of an HTTP provider from code. They may contain functions for keys and signatures, and any headers. */
type HttpProviderInput = Pick<ProviderSettings, "preset"> & Partial<HttpProvider>;

/** The settings of an MCP server from code, whose headers may be a function. */
type McpServerInput = Omit<McpServerSettings, "headers"> & { readonly headers?: McpUrlOptions["headers"] };

/**
 * Settings from code: the same keys and values as in koine.config.json. In addition, a provider may be an object with
 * functions, such as `demo()`, and the headers of an MCP server may be a function.
 */
export interface ConfigInput extends Omit<ConfigFile, "providers" | "tasks"> {
  /** Providers by name. The provider `demo` is added, unless `demo` is `false`. */
  readonly providers?: Readonly<Record<string, false | HttpProviderInput | LocalProvider>>;
  readonly tasks?: Omit<TaskSettings, "mcpServers"> & {
    readonly mcpServers?: Readonly<Record<string, McpServerInput>>;
  };
}
