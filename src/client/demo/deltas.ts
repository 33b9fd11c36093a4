// Scripts to deltas: token by token, within a limit, with what a provider reports beside them.
import type { Delta, DoneAlternative, PayloadBase, UnifiedFinishReason } from "../../model/index.ts";
import { CONTRACT_VERSION } from "../../model/index.ts";
import type { Piece, Script } from "./script.ts";
import { textOf } from "./script.ts";
import { sealOf } from "./signature.ts";
import { tokensOf } from "./tokens.ts";

/** What is known of an answer before it begins. */
export interface Heading {
  model: string;
  id: string;
  issuer: string;
  inputTokens: number;
  /** The most tokens of one choice. */
  limit: number;
  /** Tokens in one delta. */
  chunk: number;
}

const KINDS = { text: "text", refusal: "refusal", reasoning: "thinking" } as const;

/** The deltas of an answer, one script per choice; the first one says how the whole ends. */
export function* deltasOf(scripts: readonly Script[], heading: Heading): Generator<Delta> {
  const { model, id, inputTokens } = heading;
  yield { kind: "start", payload: { modelId: model, requestId: id, contractVersion: CONTRACT_VERSION } };
  yield { kind: "usage", payload: { inputTokens } };
  const writers = scripts.map((script, choice) => new Writer(script, choice, heading));
  for (const writer of writers) yield* writer.write();
  const [first, ...others] = writers;
  if (first === undefined || first.script.stalls === true) return;
  yield usage(inputTokens, writers);
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

function usage(inputTokens: number, writers: readonly Writer[]): Delta {
  const outputTokens = writers.reduce((sum, { said }) => sum + said, 0);
  const reasoningTokens = writers.reduce((sum, { reasoned }) => sum + reasoned, 0);
  const counts = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  return { kind: "usage", payload: reasoningTokens > 0 ? { ...counts, reasoningTokens } : counts };
}

/** Writes one choice, and counts what it says. */
class Writer {
  readonly script: Script;
  /** Tokens so far, and how many of them were reasoning. */
  said = 0;
  reasoned = 0;
  readonly #choice: number;
  readonly #heading: Heading;
  #isCut = false;

  constructor(script: Script, choice: number, heading: Heading) {
    this.script = script;
    this.#choice = choice;
    this.#heading = heading;
  }

  get finish(): UnifiedFinishReason {
    return this.#isCut ? "length" : this.script.finish;
  }

  *write(): Generator<Delta> {
    for (const [part, piece] of this.script.pieces.entries()) {
      // Nothing is begun that cannot be said.
      this.#isCut = this.said >= this.#heading.limit && textOf(piece) !== "";
      if (this.#isCut) return;
      const at: PayloadBase = this.#choice === 0 ? { part } : { part, choice: this.#choice };
      if (piece.type === "call") yield* this.#call(piece, at);
      else yield* this.#words(piece, KINDS[piece.type], at);
      if (this.#isCut) return;
    }
  }

  *#words(piece: Exclude<Piece, { type: "call" }>, kind: "text" | "refusal" | "thinking", at: PayloadBase) {
    const before = this.said;
    for (const textDelta of this.#chunks(piece)) yield { kind, payload: { textDelta, ...at } } satisfies Delta;
    if (piece.type !== "reasoning") return;
    this.reasoned += this.said - before;
    // Reasoning that was cut off is not signed.
    if (!this.#isCut)
      yield { kind: "seal", payload: { seal: sealOf(this.#heading.issuer, piece.text), ...at } } as const;
  }

  /** A call that is cut off stays open, so that nobody runs it (B31). */
  *#call(piece: Extract<Piece, { type: "call" }>, at: PayloadBase): Generator<Delta> {
    const { toolCallId, toolName, format } = piece;
    yield { kind: "tool_call_start", payload: { toolCallId, toolName, ...(format && { format }), ...at } };
    for (const argsTextDelta of this.#chunks(piece))
      yield { kind: "tool_call_args", payload: { toolCallId, argsTextDelta } };
    if (!this.#isCut) yield { kind: "tool_call_end", payload: { toolCallId } };
  }

  *#chunks(piece: Piece): Generator<string> {
    const { limit, chunk } = this.#heading;
    const tokens = tokensOf(textOf(piece));
    const allowed = tokens.slice(0, Math.max(0, limit - this.said));
    this.#isCut = allowed.length < tokens.length;
    for (let at = 0; at < allowed.length; at += chunk) {
      const said = allowed.slice(at, at + chunk);
      this.said += said.length;
      yield said.join("");
    }
  }
}
