// Defines the settings of well-known providers: dialect, base URL and vendor, for `{ ...presets.groq, apiKey }`.
import type { HttpProvider } from "../types.ts";

type ProviderPreset = Readonly<Pick<HttpProvider, "dialect" | "baseUrl" | "vendor">>;

/**
 * The settings of well-known providers. Add a key: `{ ...presets.groq, apiKey }`.
 *
 * @example
 * ```ts
 * import { createClient, presets } from "koine/client";
 *
 * const apiKey = "example-key";
 * const client = createClient({
 *   providers: {
 *     openai: { ...presets.openai, apiKey },
 *     anthropic: { ...presets.anthropic, apiKey },
 *     gemini: { ...presets.gemini, apiKey },
 *     bedrock: { ...presets.bedrock, region: "eu-west-1", apiKey },
 *     local: presets.ollama,
 *   },
 * });
 * console.log(client.providers); // ["openai","anthropic","gemini","bedrock","local"]
 * await client.close();
 * ```
 */
export const presets = {
  openai: { dialect: "openai-responses", baseUrl: "https://api.openai.com/v1" },
  anthropic: { dialect: "anthropic", baseUrl: "https://api.anthropic.com" },
  gemini: { dialect: "gemini", baseUrl: "https://generativelanguage.googleapis.com" },
  /** Bedrock has no base URL here, because its URL contains the region. */
  bedrock: { dialect: "bedrock" },
  openrouter: chat("openrouter", "https://openrouter.ai/api/v1"),
  groq: chat("groq", "https://api.groq.com/openai/v1"),
  mistral: chat("mistral", "https://api.mistral.ai/v1"),
  deepseek: chat("deepseek", "https://api.deepseek.com/v1"),
  /** xAI uses the Responses API, because its Chat Completions do not return reasoning. */
  xai: responses("xai", "https://api.x.ai/v1"),
  together: chat("together", "https://api.together.ai/v1"),
  fireworks: chat("fireworks", "https://api.fireworks.ai/inference/v1"),
  cerebras: chat("cerebras", "https://api.cerebras.ai/v1"),
  perplexity: responses("perplexity", "https://api.perplexity.ai/v1"),
  moonshot: chat("moonshot", "https://api.moonshot.ai/v1"),
  qwen: chat("qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
  ollama: chat("ollama", "http://127.0.0.1:11434/v1"),
  lmstudio: chat("lmstudio", "http://127.0.0.1:1234/v1"),
  vllm: chat("vllm", "http://127.0.0.1:8000/v1"),
} as const satisfies Record<string, ProviderPreset>;
/** The name of a well-known provider. */
export type PresetName = keyof typeof presets;

function chat<const Vendor extends string>(vendor: Vendor, baseUrl: string) {
  return { dialect: "openai-chat", vendor, baseUrl } as const;
}

function responses<const Vendor extends string>(vendor: Vendor, baseUrl: string) {
  return { dialect: "openai-responses", vendor, baseUrl } as const;
}

/** Returns the base URL of a well-known vendor; undefined for an unknown vendor. */
export function vendorUrl(vendor: string): string | undefined {
  const preset: ProviderPreset | undefined = Object.hasOwn(presets, vendor) ? presets[vendor as PresetName] : undefined;
  return preset?.vendor === vendor ? preset.baseUrl : undefined;
}
