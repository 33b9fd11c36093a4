// Describes how vendors deviate from OpenAI's Chat Completions. Decoders accept all deviations; encoders follow the
// configured vendor. Without a vendor, every value is encoded in the form in which it was decoded.
import type { NameRule } from "../kit/tools/tool-renames.ts";

/** The place of reasoning in a vendor's messages: a field of the message, or ("thinking") a block of its content. */
export type ReasoningField = "reasoning_content" | "reasoning" | "reasoning_details" | "reasoning_text" | "thinking";

export interface ChatVendor {
  /** The field for reasoning in requests; absent if the vendor accepts no reasoning. */
  reasoning?: ReasoningField;
  /** Renamed parameters: OpenAI's name → the vendor's name. */
  parameterNames?: Readonly<Record<string, string>>;
  /** True if the vendor rejects the developer role. */
  lacksDeveloperRole?: true;
  /** The rule for tool call ids; absent if OpenAI's rule applies. */
  callIds?: NameRule;
  /** The field of a block that marks a cache breakpoint; absent if the vendor has no breakpoints. */
  cache?: "cache_control" | "prompt_cache_breakpoint";
  /** Features that only some vendors have: `top_k`, media other than images by URL (`*_url`), and generated images. */
  supports?: readonly ("top_k" | "video_url" | "audio_url" | "file_url" | "images")[];
}

const MAX_TOKENS = { max_completion_tokens: "max_tokens" } as const;
const compatibleServer: ChatVendor = { parameterNames: MAX_TOKENS, lacksDeveloperRole: true };

/** Mistral accepts only ids of exactly nine letters and digits. */
const NINE_ALPHANUMERICS: NameRule = {
  accepted: /^[a-zA-Z0-9]{9}$/,
  invalidCharacters: /[^a-zA-Z0-9]/g,
  maxLength: 9,
  exactLength: 9,
};

const OPENAI: ChatVendor = {};

const VENDORS: Readonly<Record<string, ChatVendor>> = {
  openai: OPENAI,
  azure: OPENAI,
  xai: { lacksDeveloperRole: true, reasoning: "reasoning_content" },
  deepseek: { ...compatibleServer, reasoning: "reasoning_content" },
  groq: { lacksDeveloperRole: true, reasoning: "reasoning" },
  mistral: {
    parameterNames: { ...MAX_TOKENS, seed: "random_seed" },
    lacksDeveloperRole: true,
    callIds: NINE_ALPHANUMERICS,
    reasoning: "thinking",
  },
  openrouter: {
    ...compatibleServer,
    reasoning: "reasoning",
    cache: "cache_control",
    supports: ["top_k", "video_url", "file_url", "images"],
  },
  together: { ...compatibleServer, supports: ["top_k", "video_url"] },
  fireworks: { ...compatibleServer, reasoning: "reasoning_content", supports: ["top_k"] },
  ollama: { ...compatibleServer, reasoning: "reasoning" },
  vllm: { ...compatibleServer, reasoning: "reasoning", supports: ["top_k", "video_url", "audio_url"] },
  lmstudio: { ...compatibleServer, supports: ["top_k"] },
  cerebras: { lacksDeveloperRole: true, reasoning: "reasoning" },
  perplexity: { ...compatibleServer, supports: ["top_k"] },
  moonshot: { ...compatibleServer, reasoning: "reasoning_content", supports: ["video_url"] },
  qwen: { ...compatibleServer, reasoning: "reasoning_content", supports: ["top_k", "video_url"] },
};

/** Returns the rules of a vendor; undefined if no vendor is configured or the vendor is unknown. */
export function findVendor(id: string | undefined): ChatVendor | undefined {
  return id !== undefined && Object.hasOwn(VENDORS, id) ? VENDORS[id] : undefined;
}

/** True if OpenAI's own rules apply: the vendor is OpenAI, or `findVendor` found no rules for the vendor. */
export function isOpenAiOrUnknown(vendor: ChatVendor | undefined): boolean {
  return vendor === undefined || vendor === OPENAI;
}

/** True if the vendor is known to be OpenAI. */
export function isOpenAi(vendor: ChatVendor | undefined): boolean {
  return vendor === OPENAI;
}
