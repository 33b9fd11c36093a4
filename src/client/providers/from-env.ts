// Providers from the environment: the variables that the official SDKs and the vendors' own documents name.
import type { HttpProvider, ProviderConfig } from "../types.ts";
import type { PresetName } from "./presets.ts";
import { presets } from "./presets.ts";

type Env = Readonly<Record<string, string | undefined>>;

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

/** Providers whose key is in the environment, under the names of their presets. */
export function providersFromEnv(env: Env): Record<string, ProviderConfig> {
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };
  const found: [string, HttpProvider | undefined][] = [
    ["openai", openai(read)],
    ["anthropic", anthropic(read)],
    ["gemini", gemini(read)],
    ["bedrock", bedrock(read)],
    ["azure", azure(read)],
    ...Object.entries(KEYS).map(([name, variable]): [string, HttpProvider | undefined] => {
      const apiKey = read(variable);
      return [name, apiKey === undefined ? undefined : { ...presets[name as keyof typeof KEYS], apiKey }];
    }),
  ];
  const providers: Record<string, ProviderConfig> = {};
  for (const [name, config] of found) if (config !== undefined) providers[name] = config;
  return providers;
}

type Read = (name: string) => string | undefined;

/** Lines of `name: value`. */
function readHeaders(lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines?.split("\n") ?? []) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}

const OPENAI_HOST = /(?:^|\.)api\.openai\.com$/;

function openai(read: Read): HttpProvider | undefined {
  const apiKey = read("OPENAI_API_KEY");
  if (apiKey === undefined) return undefined;
  const baseUrl = read("OPENAI_BASE_URL");
  const headers = readHeaders(read("OPENAI_CUSTOM_HEADERS"));
  const [organization, project] = [read("OPENAI_ORG_ID"), read("OPENAI_PROJECT_ID")];
  if (organization !== undefined) headers["openai-organization"] = organization;
  if (project !== undefined) headers["openai-project"] = project;
  // Who is compatible with OpenAI speaks Chat Completions.
  const isOwn = baseUrl === undefined || (URL.canParse(baseUrl) && OPENAI_HOST.test(new URL(baseUrl).hostname));
  return {
    dialect: isOwn ? "openai-responses" : "openai-chat",
    baseUrl: baseUrl ?? presets.openai.baseUrl,
    apiKey,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function anthropic(read: Read): HttpProvider | undefined {
  const [apiKey, token] = [read("ANTHROPIC_API_KEY"), read("ANTHROPIC_AUTH_TOKEN")];
  if (apiKey === undefined && token === undefined) return undefined;
  const headers = readHeaders(read("ANTHROPIC_CUSTOM_HEADERS"));
  // Where both are there, the official SDK takes the key.
  if (apiKey === undefined) headers["authorization"] = `Bearer ${token}`;
  return {
    dialect: "anthropic",
    baseUrl: read("ANTHROPIC_BASE_URL") ?? presets.anthropic.baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function gemini(read: Read): HttpProvider | undefined {
  // The official SDK prefers them in this order.
  const apiKey = read("GOOGLE_API_KEY") ?? read("GEMINI_API_KEY");
  if (apiKey === undefined) return undefined;
  return { dialect: "gemini", baseUrl: read("GOOGLE_GEMINI_BASE_URL") ?? presets.gemini.baseUrl, apiKey };
}

function bedrock(read: Read): HttpProvider | undefined {
  const apiKey = read("AWS_BEARER_TOKEN_BEDROCK");
  const region = read("AWS_REGION") ?? read("AWS_DEFAULT_REGION");
  const baseUrl = read("AWS_ENDPOINT_URL_BEDROCK_RUNTIME");
  if (apiKey === undefined || (region === undefined && baseUrl === undefined)) return undefined;
  return {
    dialect: "bedrock",
    apiKey,
    ...(region !== undefined && { region }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

function azure(read: Read): HttpProvider | undefined {
  const [apiKey, endpoint] = [read("AZURE_OPENAI_API_KEY"), read("AZURE_OPENAI_ENDPOINT")];
  if (apiKey === undefined || endpoint === undefined) return undefined;
  return { dialect: "openai-chat", vendor: "azure", baseUrl: `${endpoint.replace(/\/+$/, "")}/openai/v1`, apiKey };
}
