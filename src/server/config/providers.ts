// The providers of a server: those of the file, those whose keys are in the environment, and the demo model.
import type { HttpDialect, HttpProvider, ProviderConfig } from "../../client/index.ts";
import { ClientError, demo, presets, providersFromEnv } from "../../client/index.ts";
import { linkOf } from "../../client/providers/link.ts";
import { pointer } from "../../model/pointer.ts";
import type { ConfigFile } from "./file.ts";
import type { Mistakes } from "./mistakes.ts";
import type { Env } from "./variables.ts";

type Described = NonNullable<ConfigFile["providers"]>;

/** By name. What is wrong with one is a mistake with its path, or with the name of its variable. */
export function providersOf(described: Described, env: Env, mistakes: Mistakes): Record<string, ProviderConfig> {
  const providers: Record<string, ProviderConfig> = {};
  if (described["demo"] === undefined) providers["demo"] = demo();
  try {
    Object.assign(providers, providersFromEnv(env, Object.keys(described)));
  } catch (error) {
    tell(error, mistakes);
  }
  for (const [name, each] of Object.entries(described)) {
    // A wrong value was told when it was read.
    if (each === false || each === undefined) continue;
    const config = providerOf(name, each, mistakes);
    if (config === undefined) continue;
    providers[name] = config;
    try {
      linkOf(name, config);
    } catch (error) {
      tell(error, mistakes);
    }
  }
  return providers;
}

function providerOf(
  name: string,
  { preset, dialect, ...own }: Exclude<Described[string], false>,
  mistakes: Mistakes,
): HttpProvider | undefined {
  const known: { dialect: HttpDialect } | undefined = preset && presets[preset];
  const spoken = dialect ?? known?.dialect;
  if (spoken === undefined) {
    mistakes.add(
      pointer(["providers", name, "dialect"]),
      `is missing: say what the provider speaks, or name a "preset".`,
    );
    return undefined;
  }
  return { ...known, ...own, dialect: spoken };
}

/** The client's messages begin with their path, or with a variable, and never hold a value. */
function tell(error: unknown, mistakes: Mistakes): void {
  if (!(error instanceof ClientError)) throw error;
  const { path, message } = error;
  if (message.startsWith(`${path} `)) mistakes.add(path, message.slice(path.length + 1));
  else {
    const [variable = "", ...rest] = message.split(" ");
    mistakes.add(variable.replace(/:$/, ""), rest.join(" "));
  }
}
