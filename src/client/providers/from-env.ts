// Providers from the environment: the variables that the official SDKs and the vendors' own documents name.
import { ClientError } from "../errors.ts";
import type { HttpProvider, ProviderConfig } from "../types.ts";
import { checkConfig } from "./check.ts";
import type { PresetName } from "./presets.ts";
import { presets } from "./presets.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Read = (name: string) => string | undefined;

/** A provider, and which variables its settings come from. */
interface Found {
  config: HttpProvider;
  /** By the path of the setting; what is within another comes before it. */
  from: Readonly<Record<string, string>>;
}

/** The variable that holds a key, for presets that need nothing else. */
const KEYS = {
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

/** Every variable that makes a provider, for whoever has set none. */
export const KEY_VARIABLES: readonly string[] = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_OPENAI_API_KEY",
  ...Object.values(KEYS),
];

const FINDERS: Readonly<Record<string, (read: Read) => Found | undefined>> = {
  openai,
  anthropic,
  gemini,
  bedrock,
  azure,
  ...Object.fromEntries(
    Object.entries(KEYS).map(([name, variable]) => [
      name,
      (read: Read): Found | undefined => {
        const apiKey = read(variable);
        // The keys of the table above.
        const preset = presets[name as keyof typeof KEYS];
        return apiKey === undefined ? undefined : { config: { ...preset, apiKey }, from: { apiKey: variable } };
      },
    ]),
  ),
};

/**
 * Providers whose key is in the environment, under the names of their presets. A variable that is not what it must be,
 * or that a key needs beside it, is a `ClientError` "configuration" that names it. `others` are not looked for.
 */
export function providersFromEnv(env: Env, others: readonly string[] = []): Record<string, ProviderConfig> {
  const read: Read = (name) => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };
  const providers: Record<string, ProviderConfig> = {};
  for (const [name, find] of Object.entries(FINDERS)) {
    const found = others.includes(name) ? undefined : find(read);
    if (found === undefined) continue;
    checkFound(name, found);
    providers[name] = found.config;
  }
  return providers;
}

/** Whoever wrote a variable is told of it by its name. */
function checkFound(name: string, { config, from }: Found): void {
  try {
    checkConfig(name, config);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { path, message } = error;
    const source = Object.entries(from).find(([field]) => path.startsWith(`/providers/${name}/${field}`));
    throw source === undefined ? error : new ClientError("configuration", `${source[1]}: ${message}`, { path });
  }
}

/** A key that alone is not enough. */
function incomplete(name: string, field: keyof HttpProvider, key: string, missing: string): ClientError {
  const message = `${key} is set, but not ${missing}: set it, or unset the key.`;
  return new ClientError("configuration", message, { path: `/providers/${name}/${field}` });
}

/** Lines of `name: value`. */
function linesOf(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text?.split("\n") ?? []) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}

/** Only what is there: settings are compared and shown. */
function withHeaders(config: HttpProvider, headers: Record<string, string>): HttpProvider {
  return Object.keys(headers).length === 0 ? config : { ...config, headers };
}

const OPENAI_HOST = /(?:^|\.)api\.openai\.com$/;

function openai(read: Read): Found | undefined {
  const apiKey = read("OPENAI_API_KEY");
  if (apiKey === undefined) return undefined;
  const baseUrl = read("OPENAI_BASE_URL");
  const headers = linesOf(read("OPENAI_CUSTOM_HEADERS"));
  const [organization, project] = [read("OPENAI_ORG_ID"), read("OPENAI_PROJECT_ID")];
  if (organization !== undefined) headers["openai-organization"] = organization;
  if (project !== undefined) headers["openai-project"] = project;
  // Who is compatible with OpenAI speaks Chat Completions.
  const isOwn = baseUrl === undefined || (URL.canParse(baseUrl) && OPENAI_HOST.test(new URL(baseUrl).hostname));
  const dialect = isOwn ? "openai-responses" : "openai-chat";
  return {
    config: withHeaders({ dialect, baseUrl: baseUrl ?? presets.openai.baseUrl, apiKey }, headers),
    from: {
      apiKey: "OPENAI_API_KEY",
      baseUrl: "OPENAI_BASE_URL",
      ...(organization !== undefined && { "headers/openai-organization": "OPENAI_ORG_ID" }),
      ...(project !== undefined && { "headers/openai-project": "OPENAI_PROJECT_ID" }),
      headers: "OPENAI_CUSTOM_HEADERS",
    },
  };
}

function anthropic(read: Read): Found | undefined {
  const [apiKey, token] = [read("ANTHROPIC_API_KEY"), read("ANTHROPIC_AUTH_TOKEN")];
  if (apiKey === undefined && token === undefined) return undefined;
  const headers = linesOf(read("ANTHROPIC_CUSTOM_HEADERS"));
  // Where both are there, the official SDK takes the key.
  if (apiKey === undefined) headers["authorization"] = `Bearer ${token}`;
  const config: HttpProvider = {
    dialect: "anthropic",
    baseUrl: read("ANTHROPIC_BASE_URL") ?? presets.anthropic.baseUrl,
    ...(apiKey !== undefined && { apiKey }),
  };
  return {
    config: withHeaders(config, headers),
    from: {
      apiKey: "ANTHROPIC_API_KEY",
      baseUrl: "ANTHROPIC_BASE_URL",
      ...(apiKey === undefined && { "headers/authorization": "ANTHROPIC_AUTH_TOKEN" }),
      headers: "ANTHROPIC_CUSTOM_HEADERS",
    },
  };
}

function gemini(read: Read): Found | undefined {
  // The official SDK prefers them in this order.
  const variable = ["GOOGLE_API_KEY", "GEMINI_API_KEY"].find((name) => read(name) !== undefined);
  if (variable === undefined) return undefined;
  return {
    config: {
      dialect: "gemini",
      baseUrl: read("GOOGLE_GEMINI_BASE_URL") ?? presets.gemini.baseUrl,
      apiKey: read(variable),
    },
    from: { apiKey: variable, baseUrl: "GOOGLE_GEMINI_BASE_URL" },
  };
}

function bedrock(read: Read): Found | undefined {
  const apiKey = read("AWS_BEARER_TOKEN_BEDROCK");
  if (apiKey === undefined) return undefined;
  const region = read("AWS_REGION") ?? read("AWS_DEFAULT_REGION");
  const baseUrl = read("AWS_ENDPOINT_URL_BEDROCK_RUNTIME");
  if (region === undefined && baseUrl === undefined) {
    throw incomplete("bedrock", "region", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION or AWS_DEFAULT_REGION");
  }
  return {
    config: {
      dialect: "bedrock",
      apiKey,
      ...(region !== undefined && { region }),
      ...(baseUrl !== undefined && { baseUrl }),
    },
    from: {
      apiKey: "AWS_BEARER_TOKEN_BEDROCK",
      region: read("AWS_REGION") === undefined ? "AWS_DEFAULT_REGION" : "AWS_REGION",
      baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    },
  };
}

function azure(read: Read): Found | undefined {
  const [apiKey, endpoint] = [read("AZURE_OPENAI_API_KEY"), read("AZURE_OPENAI_ENDPOINT")];
  if (apiKey === undefined) return undefined;
  if (endpoint === undefined) throw incomplete("azure", "baseUrl", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT");
  return {
    config: { dialect: "openai-chat", vendor: "azure", baseUrl: azureUrl(endpoint), apiKey },
    from: { apiKey: "AZURE_OPENAI_API_KEY", baseUrl: "AZURE_OPENAI_ENDPOINT" },
  };
}

/** The variable holds the resource; some paste the address of its API. */
function azureUrl(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  if (/^(?:\/openai(?:\/v1)?)?\/*$/.test(url.pathname)) url.pathname = "/openai/v1";
  return url.href;
}
