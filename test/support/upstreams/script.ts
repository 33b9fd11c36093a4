// The script of a simulated provider: canonical answers without seals and ids, which the provider issues itself.
import type {
  Part,
  ProviderError,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
  UnifiedFinishReason,
  Usage,
} from "../../../src/index.ts";
import type { ReceivedRequest, Reply } from "../../../src/testkit/index.ts";

export type ScriptedPart = TextPart | ReasoningPart | RefusalPart | ToolCallPart;

/** One answer. `delayMs`, `reset` and `stall` are those of the replay server. */
export interface ScriptedAnswer extends Pick<Reply, "delayMs" | "reset" | "stall" | "headers"> {
  /** Parts without seals. A call with the id "" gets a new id; reasoning without text is redacted or encrypted. */
  parts?: readonly ScriptedPart[];
  /** Default: "tool-calls" if there are calls, else "stop". */
  finishReason?: UnifiedFinishReason;
  usage?: Usage;
  /** An error in place of the answer; with `errorAfter`, an error inside the stream after that many parts. */
  error?: ProviderError;
  errorAfter?: number;
  /** Maximum length of a chunk of a stream in bytes. Default: one chunk per event. */
  pieces?: number;
}

/** An accepted request. */
export interface AcceptedRequest {
  /** The index of the answer, from 0. */
  turn: number;
  model: string;
  stream: boolean;
  body: Readonly<Record<string, unknown>>;
  request: ReceivedRequest;
}

/** An answer, or the text of an answer. */
export type Scripted = ScriptedAnswer | string;
/** One answer for each accepted request, in order; or a function that creates them. */
export type Script = readonly Scripted[] | ((request: AcceptedRequest) => Scripted);

const USAGE: Usage = { inputTokens: 24, outputTokens: 12, totalTokens: 36 };

/** An answer with the fields that every provider sends. */
export interface FullAnswer {
  parts: readonly ScriptedPart[];
  finishReason: UnifiedFinishReason;
  usage: Usage;
}

export function fullAnswer({ parts = [], finishReason, usage = USAGE }: ScriptedAnswer): FullAnswer {
  const asksForTools = parts.some(({ type }: Part) => type === "tool-call");
  return { parts, usage, finishReason: finishReason ?? (asksForTools ? "tool-calls" : "stop") };
}

/** Splits a text into pieces of the size of tokens. */
export function splitTokens(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}
