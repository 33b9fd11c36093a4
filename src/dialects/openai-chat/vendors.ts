// The habits of those who speak Chat Completions, as data. Decoders understand them all; encoders ask here what the
// vendor takes. Without a vendor, what came in one spelling goes back in it, and nothing is assumed.
import type { NameRule } from "../kit/names.ts";

/** Where a vendor has the model's reasoning: a field of the message, or a block among its content. */
export type ReasoningPlace = "reasoning_content" | "reasoning" | "reasoning_details" | "reasoning_text" | "thinking";

export interface Vendor {
  /** Where reasoning goes back in requests; absent: nowhere. */
  reasoning?: ReasoningPlace;
  /** Parameters under another name. */
  spelling?: Readonly<Record<string, string>>;
  /** There is no developer role. */
  noDeveloper?: true;
  /** What a call's id may be. */
  callIds?: NameRule;
  /** The field of a block that says where the prompt cache ends. */
  cache?: "cache_control" | "prompt_cache_breakpoint";
  /** Media by URL beyond images, `top_k`: what only some take. */
  takes?: readonly ("top_k" | "video_url" | "audio_url" | "file_url" | "images")[];
}

const maxTokens = { max_completion_tokens: "max_tokens" } as const;
const open: Vendor = { spelling: maxTokens, noDeveloper: true };

/** Nine letters and digits, no more and no fewer. */
const nine: NameRule = { fits: /^[a-zA-Z0-9]{9}$/, odd: /[^a-zA-Z0-9]/g, max: 9, exactly: 9 };

const own: Vendor = {};

const VENDORS: Readonly<Record<string, Vendor>> = {
  openai: own,
  azure: own,
  xai: { noDeveloper: true, reasoning: "reasoning_content" },
  deepseek: { ...open, reasoning: "reasoning_content" },
  groq: { noDeveloper: true, reasoning: "reasoning" },
  mistral: {
    spelling: { ...maxTokens, seed: "random_seed" },
    noDeveloper: true,
    callIds: nine,
    reasoning: "thinking",
  },
  openrouter: {
    ...open,
    reasoning: "reasoning",
    cache: "cache_control",
    takes: ["top_k", "video_url", "file_url", "images"],
  },
  together: { ...open, takes: ["top_k", "video_url"] },
  fireworks: { ...open, reasoning: "reasoning_content", takes: ["top_k"] },
  ollama: { ...open, reasoning: "reasoning" },
  vllm: { ...open, reasoning: "reasoning", takes: ["top_k", "video_url", "audio_url"] },
  lmstudio: { ...open, takes: ["top_k"] },
  cerebras: { noDeveloper: true, reasoning: "reasoning" },
  perplexity: { ...open, takes: ["top_k"] },
  moonshot: { ...open, reasoning: "reasoning_content", takes: ["video_url"] },
  qwen: { ...open, reasoning: "reasoning_content", takes: ["top_k", "video_url"] },
};

/** A vendor's habits; undefined where none is named, or none of that name is known. */
export function vendorOf(id: string | undefined): Vendor | undefined {
  return id !== undefined && Object.hasOwn(VENDORS, id) ? VENDORS[id] : undefined;
}

/** Whether OpenAI's own rules hold: nobody else is named. */
export function isOwn(vendor: Vendor | undefined): boolean {
  return vendor === undefined || vendor === own;
}

/** Whether it is OpenAI for sure. */
export function isNamedOwn(vendor: Vendor | undefined): boolean {
  return vendor === own;
}
