// What is asked of a model.
import type { JsonObject } from "./json.ts";
import type { Message } from "./message.ts";
import type { CacheBreakpoint, Extra, ToolFormat } from "./parts.ts";

/** A JSON Schema, or another JSON object that a caller writes down, perhaps `as const`. */
export type SchemaObject = Readonly<Record<string, unknown>>;

interface ToolBase {
  cache?: CacheBreakpoint;
  /** Residue: grouping, namespaces, unknown fields. */
  extra?: Extra;
}

/** A tool that the caller runs. */
export interface FunctionTool extends ToolBase {
  type: "function";
  name: string;
  description?: string;
  /** JSON Schema of the input. */
  inputSchema?: SchemaObject;
  outputSchema?: SchemaObject;
  strict?: boolean;
  /** "text" for free-form (custom) tools. */
  format?: ToolFormat;
  /** The grammar of a free-form tool, in the dialect's own shape. */
  grammar?: SchemaObject;
}

/** A tool that only one dialect knows, such as its web search; kept verbatim. */
export interface ProviderTool extends ToolBase {
  type: "provider";
  dialect: string;
  name: string;
  value: JsonObject;
}

export type Tool = FunctionTool | ProviderTool;

export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { toolName: string }
  | { toolNames: string[]; mode: "auto" | "required" };

export type OutputFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "json-schema"; schema: SchemaObject; name?: string; description?: string; strict?: boolean };

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

export interface ReasoningSettings {
  /** none, minimal, low, medium, high … : the vendors keep adding words. */
  effort?: string;
  /** In tokens. */
  budget?: number;
  summary?: string;
}

export interface ModelRequest {
  /** Absent where the wire carries it outside the body. */
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
