// Defines the types of a request to a model: messages, tools and settings.
import type { JsonObject } from "./json/index.ts";
import type { Message } from "./message.ts";
import type { CacheBreakpoint, Extra, ToolFormat } from "./parts.ts";

/**
 * A JSON Schema, or another JSON object such as a grammar. The type is readonly, so that callers can pass `as const`
 * values.
 */
export type SchemaObject = Readonly<Record<string, unknown>>;

interface ToolBase {
  cache?: CacheBreakpoint;
  /** Residue of the tool definition, such as the namespace of the tool and unknown fields. */
  extra?: Extra;
}

/** A tool that the client runs. */
export interface FunctionTool extends ToolBase {
  type: "function";
  name: string;
  description?: string;
  /** JSON Schema of the input. */
  inputSchema?: SchemaObject;
  outputSchema?: SchemaObject;
  strict?: boolean;
  /** The format of the input; "text" for free-form (custom) tools. */
  format?: ToolFormat;
  /** The grammar of a free-form tool, in the format of its dialect. */
  grammar?: SchemaObject;
}

/** A tool that only one dialect supports, such as its web search, stored verbatim. */
export interface ProviderTool extends ToolBase {
  type: "provider";
  dialect: string;
  name: string;
  value: JsonObject;
}

/** A tool that the model may call. */
export type Tool = FunctionTool | ProviderTool;

/** The setting that determines which tools the model may or must call. */
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { toolName: string }
  | { toolNames: string[]; mode: "auto" | "required" };

/** The format of the answer. */
export type OutputFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "json-schema"; schema: SchemaObject; name?: string; description?: string; strict?: boolean };

/** Sampling parameters. */
export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stop?: string[];
  maxOutputTokens?: number;
  logprobs?: boolean;
  topLogprobs?: number;
  n?: number;
}

/** Settings of the model's reasoning. */
export interface ReasoningSettings {
  /** The amount of reasoning: none, minimal, low, medium, high, or any other text, because vendors add values. */
  effort?: string;
  /** The maximum number of reasoning tokens. */
  budget?: number;
  summary?: string;
}

/**
 * A request to a model, in the canonical format.
 *
 * @example
 * ```ts
 * import type { ModelRequest } from "koine";
 * import { user, validateRequest } from "koine";
 *
 * const request: ModelRequest = { messages: [user("Hello")], sampling: { maxOutputTokens: 100 } };
 * console.log(validateRequest(request)); // []
 * ```
 */
export interface ModelRequest {
  /** The name of the model. Absent if the wire format has the model outside the body, as in Gemini's URL. */
  model?: string;
  messages: Message[];
  tools?: Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  output?: OutputFormat;
  sampling?: Sampling;
  reasoning?: ReasoningSettings;
  metadata?: Record<string, unknown>;
  stream?: boolean;
  extra?: Extra;
}
