// Collects the providers: those of the settings, those with a key in the environment, and the demo provider.
import type { HttpDialect, HttpProvider, LocalProvider, ProviderConfig } from "../../client/index.ts";
import { ClientError, demo, presets, providersFromEnv } from "../../client/index.ts";
import { createProviderAdapter } from "../../calls/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import type { ConfigInput } from "./config-input.ts";
import type { Mistakes } from "./mistakes.ts";
import type { ConfigEnv } from "./variables.ts";

type ProviderSettings = NonNullable<ConfigInput["providers"]>;
type HttpSettings = Exclude<ProviderSettings[string], false | LocalProvider>;

/**
 * Returns the providers by name. Adds each fault to `mistakes`, with the path of the setting or the name of the
 * variable.
 */
export function toProviderConfigs(
  settings: ProviderSettings,
  env: ConfigEnv,
  mistakes: Mistakes,
): Record<string, ProviderConfig> {
  const providers: Record<string, ProviderConfig> = {};
  if (settings["demo"] === undefined) providers["demo"] = demo();
  try {
    Object.assign(providers, providersFromEnv(env, Object.keys(settings)));
  } catch (error) {
    addClientMistake(error, mistakes);
  }
  for (const [name, each] of Object.entries(settings)) {
    // `false` removes a provider. A provider is undefined if its settings were invalid; that mistake was already added
    // when they were read.
    if (each === false || each === undefined) continue;
    const config = "answer" in each ? each : toProviderConfig(name, each, mistakes);
    if (config === undefined) continue;
    providers[name] = config;
    try {
      createProviderAdapter(name, config);
    } catch (error) {
      addClientMistake(error, mistakes);
    }
  }
  return providers;
}

function toProviderConfig(
  name: string,
  { preset, dialect, ...own }: HttpSettings,
  mistakes: Mistakes,
): HttpProvider | undefined {
  const presetConfig: { dialect: HttpDialect } | undefined = preset && presets[preset];
  const dialectId = dialect ?? presetConfig?.dialect;
  if (dialectId === undefined) {
    mistakes.add(pointer(["providers", name, "dialect"]), `is missing: set the provider's dialect, or a "preset".`);
    return undefined;
  }
  return { ...presetConfig, ...own, dialect: dialectId };
}

/**
 * Adds an error of the client library as a mistake. The message of the error starts with a path or the name of a
 * variable, and contains no value of a setting. Other errors are thrown.
 */
function addClientMistake(error: unknown, mistakes: Mistakes): void {
  if (!(error instanceof ClientError)) throw error;
  const { path, message } = error;
  if (message.startsWith(`${path} `)) mistakes.add(path, message.slice(path.length + 1));
  else {
    const [variable = "", ...rest] = message.split(" ");
    mistakes.add(variable.replace(/:$/, ""), rest.join(" "));
  }
}
