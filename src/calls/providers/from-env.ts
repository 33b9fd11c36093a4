// Reads providers from the environment variables that the official SDKs and the vendors document.
import { ClientError } from "../errors.ts";
import type { HttpProvider, ProviderConfig } from "../types.ts";
import { checkProviderConfig } from "./check-provider.ts";
import type { PresetName } from "./presets.ts";
import { presets } from "./presets.ts";

type Env = Readonly<Record<string, string | undefined>>;
type ReadVariable = (name: string) => string | undefined;

/** A provider's configuration, and the environment variables that its settings come from. */
interface EnvProvider {
  config: HttpProvider;
  /**
   * The variable of each setting, by the path of the setting. A nested path, such as `headers/authorization`, comes
   * before the path that contains it, because the first match is used.
   */
  variables: Readonly<Record<string, string>>;
}

/** The environment variable of the key, for presets that need no other setting. */
const KEY_VARIABLE_BY_PRESET = {
  openrouter: "OPENROUTER_API_KEY",
  groq: "GROQ_API_KEY",
  mistral: "MISTRAL_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
  xai: "XAI_API_KEY",
  together: "TOGETHER_API_KEY",
  fireworks: "FIREWORKS_API_KEY",
  cerebras: "CEREBRAS_API_KEY",
  perplexity: "PERPLEXITY_API_KEY",
  moonshot: "MOONSHOT_API_KEY",
  qwen: "DASHSCOPE_API_KEY",
} as const satisfies Partial<Record<PresetName, string>>;

/** Every environment variable that adds a provider; listed in the error about an environment without providers. */
export const KEY_VARIABLES: readonly string[] = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_OPENAI_API_KEY",
  ...Object.values(KEY_VARIABLE_BY_PRESET),
];

const PROVIDER_READERS: Readonly<Record<string, (read: ReadVariable) => EnvProvider | undefined>> = {
  openai,
  anthropic,
  gemini,
  bedrock,
  azure,
  ...Object.fromEntries(
    Object.entries(KEY_VARIABLE_BY_PRESET).map(([name, variable]) => [
      name,
      (read: ReadVariable): EnvProvider | undefined => {
        const apiKey = read(variable);
        const preset = presets[name as keyof typeof KEY_VARIABLE_BY_PRESET];
        return apiKey === undefined ? undefined : { config: { ...preset, apiKey }, variables: { apiKey: variable } };
      },
    ]),
  ),
};

/**
 * Returns the providers whose key is in the environment, under the names of their presets, except the names in
 * `excluded`. Throws a `ClientError` "configuration" with the name of an invalid or missing variable.
 *
 * @example
 * ```ts
 * import { createClient, demo, providersFromEnv } from "koine/client";
 *
 * // In a program: `process.env`.
 * const env = { ANTHROPIC_API_KEY: "sk-ant-example", GROQ_API_KEY: "gsk-example" };
 * const client = createClient({ providers: { ...providersFromEnv(env), demo: demo() } });
 * console.log(client.providers); // ["anthropic","groq","demo"]
 * await client.close();
 * ```
 */
export function providersFromEnv(env: Env, excluded: readonly string[] = []): Record<string, ProviderConfig> {
  const read: ReadVariable = (name) => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };
  const providers: Record<string, ProviderConfig> = {};
  for (const [name, readProvider] of Object.entries(PROVIDER_READERS)) {
    const provider = excluded.includes(name) ? undefined : readProvider(read);
    if (provider === undefined) continue;
    checkEnvProvider(name, provider);
    providers[name] = provider.config;
  }
  return providers;
}

/** Checks the configuration of a provider. The error names the environment variable instead of the setting. */
function checkEnvProvider(name: string, { config, variables: from }: EnvProvider): void {
  try {
    checkProviderConfig(name, config);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { path, message } = error;
    const source = Object.entries(from).find(([field]) => path.startsWith(`/providers/${name}/${field}`));
    throw source === undefined ? error : new ClientError("configuration", `${source[1]}: ${message}`, { path });
  }
}

/** Creates the error for a key whose provider needs another variable that is not set. */
function missingVariableError(name: string, field: keyof HttpProvider, key: string, missing: string): ClientError {
  const message = `${key} is set, but ${missing} is not: set it, or unset the key.`;
  return new ClientError("configuration", message, { path: `/providers/${name}/${field}` });
}

/** Parses headers from lines of the form `name: value`; other lines are ignored. */
function parseHeaderLines(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text?.split("\n") ?? []) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}

/**
 * Returns the configuration with the headers. An empty object is not added, because it would appear in the displayed
 * settings.
 */
function withHeaders(config: HttpProvider, headers: Record<string, string>): HttpProvider {
  return Object.keys(headers).length === 0 ? config : { ...config, headers };
}

const OPENAI_HOST = /(?:^|\.)api\.openai\.com$/;

function openai(read: ReadVariable): EnvProvider | undefined {
  const apiKey = read("OPENAI_API_KEY");
  if (apiKey === undefined) return undefined;
  const baseUrl = read("OPENAI_BASE_URL");
  const headers = parseHeaderLines(read("OPENAI_CUSTOM_HEADERS"));
  const [organization, project] = [read("OPENAI_ORG_ID"), read("OPENAI_PROJECT_ID")];
  if (organization !== undefined) headers["openai-organization"] = organization;
  if (project !== undefined) headers["openai-project"] = project;
  // Another base URL belongs to a compatible server. All such servers support Chat Completions, but not all support
  // Responses.
  const isOfficial = baseUrl === undefined || (URL.canParse(baseUrl) && OPENAI_HOST.test(new URL(baseUrl).hostname));
  const dialect = isOfficial ? "openai-responses" : "openai-chat";
  return {
    config: withHeaders({ dialect, baseUrl: baseUrl ?? presets.openai.baseUrl, apiKey }, headers),
    variables: {
      apiKey: "OPENAI_API_KEY",
      baseUrl: "OPENAI_BASE_URL",
      ...(organization !== undefined && { "headers/openai-organization": "OPENAI_ORG_ID" }),
      ...(project !== undefined && { "headers/openai-project": "OPENAI_PROJECT_ID" }),
      headers: "OPENAI_CUSTOM_HEADERS",
    },
  };
}

function anthropic(read: ReadVariable): EnvProvider | undefined {
  const [apiKey, token] = [read("ANTHROPIC_API_KEY"), read("ANTHROPIC_AUTH_TOKEN")];
  if (apiKey === undefined && token === undefined) return undefined;
  const headers = parseHeaderLines(read("ANTHROPIC_CUSTOM_HEADERS"));
  // If both a key and a token are set, only the key is used, as in the official SDK.
  if (apiKey === undefined) headers["authorization"] = `Bearer ${token}`;
  const config: HttpProvider = {
    dialect: "anthropic",
    baseUrl: read("ANTHROPIC_BASE_URL") ?? presets.anthropic.baseUrl,
    ...(apiKey !== undefined && { apiKey }),
  };
  return {
    config: withHeaders(config, headers),
    variables: {
      apiKey: "ANTHROPIC_API_KEY",
      baseUrl: "ANTHROPIC_BASE_URL",
      ...(apiKey === undefined && { "headers/authorization": "ANTHROPIC_AUTH_TOKEN" }),
      headers: "ANTHROPIC_CUSTOM_HEADERS",
    },
  };
}

function gemini(read: ReadVariable): EnvProvider | undefined {
  // If both variables are set, the first one is used, as in the official SDK.
  const variable = ["GOOGLE_API_KEY", "GEMINI_API_KEY"].find((name) => read(name) !== undefined);
  if (variable === undefined) return undefined;
  return {
    config: {
      dialect: "gemini",
      baseUrl: read("GOOGLE_GEMINI_BASE_URL") ?? presets.gemini.baseUrl,
      apiKey: read(variable),
    },
    variables: { apiKey: variable, baseUrl: "GOOGLE_GEMINI_BASE_URL" },
  };
}

function bedrock(read: ReadVariable): EnvProvider | undefined {
  const apiKey = read("AWS_BEARER_TOKEN_BEDROCK");
  if (apiKey === undefined) return undefined;
  const region = read("AWS_REGION") ?? read("AWS_DEFAULT_REGION");
  const baseUrl = read("AWS_ENDPOINT_URL_BEDROCK_RUNTIME");
  if (region === undefined && baseUrl === undefined) {
    throw missingVariableError("bedrock", "region", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION or AWS_DEFAULT_REGION");
  }
  return {
    config: {
      dialect: "bedrock",
      apiKey,
      ...(region !== undefined && { region }),
      ...(baseUrl !== undefined && { baseUrl }),
    },
    variables: {
      apiKey: "AWS_BEARER_TOKEN_BEDROCK",
      region: read("AWS_REGION") === undefined ? "AWS_DEFAULT_REGION" : "AWS_REGION",
      baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    },
  };
}

function azure(read: ReadVariable): EnvProvider | undefined {
  const [apiKey, endpoint] = [read("AZURE_OPENAI_API_KEY"), read("AZURE_OPENAI_ENDPOINT")];
  if (apiKey === undefined) return undefined;
  if (endpoint === undefined)
    throw missingVariableError("azure", "baseUrl", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT");
  return {
    config: { dialect: "openai-chat", vendor: "azure", baseUrl: azureUrl(endpoint), apiKey },
    variables: { apiKey: "AZURE_OPENAI_API_KEY", baseUrl: "AZURE_OPENAI_ENDPOINT" },
  };
}

/**
 * Returns the endpoint with the API path. The variable contains the resource URL, sometimes with a part of the path.
 */
function azureUrl(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  if (/^(?:\/openai(?:\/v1)?)?\/*$/.test(url.pathname)) url.pathname = "/openai/v1";
  return url.href;
}
