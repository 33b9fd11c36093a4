// Lists, for each dialect, the fields of a request in the order in which prompt caches read them.

/** The part of a request in which two requests differ. */
export const DIFFERENCE_KINDS = ["model", "tools", "system", "messages", "settings"] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** One field of a wire request that the cached prefix contains or depends on. */
export interface PromptField {
  kind: Exclude<DifferenceKind, "model">;
  /** The keys from the root of the request to the field. */
  steps: readonly string[];
}

const field = (kind: PromptField["kind"], ...paths: string[]): PromptField[] =>
  paths.map((path) => ({ kind, steps: path.split(".") }));

/**
 * The fields of each dialect. Sampling, limits of tokens, `stream`, and metadata are not listed, because the cached
 * prefix does not depend on them.
 */
const LAYOUTS: Readonly<Record<string, readonly PromptField[]>> = {
  anthropic: [
    ...field("tools", "tools", "mcp_servers"),
    ...field("system", "system"),
    ...field("messages", "messages"),
    ...field("settings", "tool_choice", "thinking", "output_config", "output_format", "speed", "context_management"),
  ],
  bedrock: [
    ...field("tools", "toolConfig.tools"),
    ...field("system", "system"),
    ...field("messages", "messages"),
    ...field("settings", "toolConfig.toolChoice", "additionalModelRequestFields", "outputConfig", "performanceConfig"),
  ],
  gemini: [
    ...field("tools", "tools"),
    ...field("system", "systemInstruction"),
    ...field("messages", "contents"),
    ...field(
      "settings",
      "cachedContent",
      "toolConfig",
      "generationConfig.responseMimeType",
      "generationConfig.responseSchema",
      "generationConfig.responseJsonSchema",
      "generationConfig.responseModalities",
      "generationConfig.mediaResolution",
      "generationConfig.thinkingConfig",
    ),
  ],
  "openai-chat": [
    ...field("tools", "tools", "functions"),
    ...field("messages", "messages"),
    ...field("settings", "tool_choice", "function_call", "parallel_tool_calls", "response_format"),
    ...field("settings", "reasoning_effort", "reasoning", "verbosity", "modalities", "web_search_options"),
    ...field("settings", "prompt_cache_key", "prompt_cache_retention"),
  ],
  "openai-responses": [
    ...field("tools", "tools"),
    ...field("system", "instructions", "prompt"),
    ...field("messages", "input"),
    ...field("settings", "tool_choice", "parallel_tool_calls", "text", "reasoning", "truncation"),
    ...field("settings", "prompt_cache_key", "prompt_cache_retention"),
  ],
};

/** The fields of a canonical request, which local providers receive. */
const CANONICAL_LAYOUT: readonly PromptField[] = [
  ...field("tools", "tools"),
  ...field("messages", "messages"),
  ...field("settings", "toolChoice", "parallelToolCalls", "output", "reasoning"),
];

/** Returns the fields of a request that the prompt cache depends on, in the order in which the cache reads them. */
export function listPromptFields(dialect: string): readonly PromptField[] {
  return LAYOUTS[dialect] ?? CANONICAL_LAYOUT;
}

/** The keys with which requests set cache breakpoints. The content up to a breakpoint does not depend on them. */
export const BREAKPOINT_KEYS: ReadonlySet<string> = new Set([
  "cache_control",
  "prompt_cache_breakpoint",
  "cachePoint",
  "cache",
]);

/**
 * The keys whose values are data of tools: schemas, arguments and results. Keys such as "cache_control" are ordinary
 * data in them, and the order of their keys is part of the prompt.
 */
export const TOOL_DATA_KEYS: ReadonlySet<string> = new Set([
  "input_schema",
  "inputSchema",
  "parameters",
  "parametersJsonSchema",
  "input",
  "args",
  "arguments",
  "schema",
  "json",
  "response",
]);
