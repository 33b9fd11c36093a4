// What an upstream is told to answer, in the model's words. It makes the seals and ids itself, and remembers them.
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

/** One answer. The way it travels (`delayMs`, `reset`, `stall`) is as in the replies of a replay server. */
export interface ScriptedAnswer extends Pick<Reply, "delayMs" | "reset" | "stall" | "headers"> {
  /** Without seals. A call whose id is "" gets one; reasoning without a text is redacted or encrypted. */
  parts?: readonly ScriptedPart[];
  /** Default: what the parts suggest. */
  finishReason?: UnifiedFinishReason;
  usage?: Usage;
  /** Instead of the answer, with the status that says it; in a stream after `errorAfter` parts, if that is given. */
  error?: ProviderError;
  errorAfter?: number;
  /** The longest piece of a stream in bytes; default: the pieces are events. */
  pieces?: number;
}

/** What the upstream was asked, once it has taken the request. */
export interface AcceptedRequest {
  /** Which answer this will be, from 0. */
  turn: number;
  model: string;
  stream: boolean;
  body: Readonly<Record<string, unknown>>;
  request: ReceivedRequest;
}

/** A text is an answer that says just that. */
export type Scripted = ScriptedAnswer | string;
/** One answer for each request that is not refused, in this order; or a function that makes them. */
export type Script = readonly Scripted[] | ((asked: AcceptedRequest) => Scripted);

const USAGE: Usage = { inputTokens: 24, outputTokens: 12, totalTokens: 36 };

/** An answer with everything that a provider always says. */
export interface FullAnswer {
  parts: readonly ScriptedPart[];
  finishReason: UnifiedFinishReason;
  usage: Usage;
}

export function fullAnswer({ parts = [], finishReason, usage = USAGE }: ScriptedAnswer): FullAnswer {
  const asksForTools = parts.some(({ type }: Part) => type === "tool-call");
  return { parts, usage, finishReason: finishReason ?? (asksForTools ? "tool-calls" : "stop") };
}

/** A text in the pieces that a model says it in. */
export function splitTokens(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}
