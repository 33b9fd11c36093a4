// Streams scripts as deltas, token by token, within the token limit, with usage.
import type { Delta, DoneAlternative, PayloadBase, UnifiedFinishReason } from "../../model/index.ts";
import { CONTRACT_VERSION } from "../../model/index.ts";
import type { ScriptPart, DemoScript } from "./script.ts";
import { readScriptPartText } from "./script.ts";
import { createSeal } from "./signature.ts";
import { splitTokens } from "./count-tokens.ts";

/** The settings with which an answer is streamed. */
export interface DemoStreamSettings {
  model: string;
  id: string;
  issuer: string;
  inputTokens: number;
  /** The maximum number of output tokens of one choice. */
  limit: number;
  /** The number of tokens per delta. */
  chunk: number;
}

const DELTA_KINDS = { text: "text", refusal: "refusal", reasoning: "thinking" } as const;

/** Yields the deltas of an answer with one script per choice. The first script determines how the answer ends. */
export function* streamScripts(scripts: readonly DemoScript[], settings: DemoStreamSettings): Generator<Delta> {
  const { model, id, inputTokens } = settings;
  yield { kind: "start", payload: { modelId: model, requestId: id, contractVersion: CONTRACT_VERSION } };
  yield { kind: "usage", payload: { inputTokens } };
  const writers = scripts.map((script, choice) => new ChoiceWriter(script, choice, settings));
  for (const writer of writers) yield* writer.write();
  const [first, ...others] = writers;
  if (first === undefined || first.script.stalls === true) return;
  yield usageDelta(inputTokens, writers);
  const { error } = first.script;
  if (error !== undefined) {
    const { kind, ...rest } = error;
    yield { kind: "error", payload: { errorCode: kind, ...rest } };
    return;
  }
  const alternatives = others.map(({ finish }): DoneAlternative => ({ finishReason: finish }));
  const done = { finishReason: first.finish, ...(alternatives.length > 0 && { alternatives }) };
  yield { kind: "done", payload: done };
}

function usageDelta(inputTokens: number, writers: readonly ChoiceWriter[]): Delta {
  const outputTokens = writers.reduce((sum, writer) => sum + writer.outputTokens, 0);
  const reasoningTokens = writers.reduce((sum, writer) => sum + writer.reasoningTokens, 0);
  const counts = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  return { kind: "usage", payload: reasoningTokens > 0 ? { ...counts, reasoningTokens } : counts };
}

/** Yields the deltas of one choice and counts its tokens. */
class ChoiceWriter {
  readonly script: DemoScript;
  /** The number of tokens so far, including `reasoningTokens`. */
  outputTokens = 0;
  reasoningTokens = 0;
  readonly #choice: number;
  readonly #settings: DemoStreamSettings;
  #isCut = false;

  constructor(script: DemoScript, choice: number, settings: DemoStreamSettings) {
    this.script = script;
    this.#choice = choice;
    this.#settings = settings;
  }

  get finish(): UnifiedFinishReason {
    return this.#isCut ? "length" : this.script.finish;
  }

  *write(): Generator<Delta> {
    for (const [partKey, part] of this.script.parts.entries()) {
      // A part with text is not started if the token limit is already reached.
      this.#isCut = this.outputTokens >= this.#settings.limit && readScriptPartText(part) !== "";
      if (this.#isCut) return;
      const base: PayloadBase = this.#choice === 0 ? { partKey } : { partKey, choice: this.#choice };
      if (part.type === "call") yield* this.#call(part, base);
      else yield* this.#text(part, DELTA_KINDS[part.type], base);
      if (this.#isCut) return;
    }
  }

  *#text(part: Exclude<ScriptPart, { type: "call" }>, kind: "text" | "refusal" | "thinking", base: PayloadBase) {
    const before = this.outputTokens;
    for (const textDelta of this.#chunks(part)) yield { kind, payload: { textDelta, ...base } } satisfies Delta;
    if (part.type !== "reasoning") return;
    this.reasoningTokens += this.outputTokens - before;
    // Truncated reasoning has no signature, as with real providers.
    if (!this.#isCut)
      yield { kind: "seal", payload: { seal: createSeal(this.#settings.issuer, part.text), ...base } } as const;
  }

  /** Yields the deltas of a tool call. A truncated call has no end delta, so that it is not run (B31). */
  *#call(part: Extract<ScriptPart, { type: "call" }>, base: PayloadBase): Generator<Delta> {
    const { toolCallId, toolName, format } = part;
    yield { kind: "tool_call_start", payload: { toolCallId, toolName, ...(format && { format }), ...base } };
    for (const argsTextDelta of this.#chunks(part))
      yield { kind: "tool_call_args", payload: { toolCallId, argsTextDelta } };
    if (!this.#isCut) yield { kind: "tool_call_end", payload: { toolCallId } };
  }

  *#chunks(part: ScriptPart): Generator<string> {
    const { limit, chunk } = this.#settings;
    const tokens = splitTokens(readScriptPartText(part));
    const allowed = tokens.slice(0, Math.max(0, limit - this.outputTokens));
    this.#isCut = allowed.length < tokens.length;
    for (let at = 0; at < allowed.length; at += chunk) {
      const next = allowed.slice(at, at + chunk);
      this.outputTokens += next.length;
      yield next.join("");
    }
  }
}
