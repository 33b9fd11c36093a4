// Encodes Gemini answers, whole and as events. The first call of an answer has a signature, or else its last text.
import type { UnifiedFinishReason, Usage } from "../../../../src/index.ts";
import type { ProviderRequest, WireAnswer } from "../provider.ts";
import { sse } from "../provider.ts";
import type { FullAnswer, ScriptedPart } from "../script.ts";
import { splitTokens } from "../script.ts";
import type { IssuedSeals } from "../issued-seals.ts";

/** Returns the content that the signature of a call seals. */
export function callSeal(name: string, args: unknown): string {
  return `call ${name} ${sorted(args)}`;
}

export function textSeal(text: string): string {
  return `text ${text}`;
}

/** Returns JSON with sorted keys: the order of keys has no meaning on this wire. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sorted(field)}`).join()}}`;
}

const FINISHES: Readonly<Partial<Record<UnifiedFinishReason, string>>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
};

/** A part, and the parts of its stream events. */
interface Piece {
  whole: object;
  pieces: object[];
}

export function answerContent(
  answer: FullAnswer,
  { model }: ProviderRequest,
  secrets: IssuedSeals,
  upTo?: number,
): WireAnswer {
  const firstCall = answer.parts.findIndex(({ type }) => type === "tool-call");
  const signed = firstCall === -1 ? answer.parts.findLastIndex(({ type }) => type === "text") : firstCall;
  const hasIds = model.startsWith("gemini-3");
  const pieces = answer.parts.map((part, index) => pieceOf(part, index === signed, hasIds, secrets));
  const head = { modelVersion: model, responseId: secrets.id("") };
  const usageMetadata = usageOf(answer.usage);
  const finishReason = FINISHES[answer.finishReason] ?? "OTHER";
  const candidate = (parts: object[], end: object): object => ({ content: { parts, role: "model" }, ...end, index: 0 });
  const selected = pieces.slice(0, upTo).flatMap((piece) => piece.pieces);
  const events = selected.map((part, index) => {
    const end = upTo === undefined && index === selected.length - 1 ? { finishReason } : {};
    return sse({ candidates: [candidate([part], end)], usageMetadata, ...head });
  });
  const body = {
    candidates: [
      candidate(
        pieces.map(({ whole }) => whole),
        { finishReason },
      ),
    ],
    usageMetadata,
    ...head,
  };
  return { body, events };
}

function pieceOf(part: ScriptedPart, isSigned: boolean, hasIds: boolean, secrets: IssuedSeals): Piece {
  if (part.type === "tool-call") {
    const id = part.toolCallId || (hasIds ? secrets.id("") : undefined);
    const functionCall = { ...(id !== undefined && { id }), name: part.toolName, args: part.input };
    const thoughtSignature = isSigned ? secrets.seal(callSeal(part.toolName, part.input)) : undefined;
    const whole = { functionCall, ...(thoughtSignature !== undefined && { thoughtSignature }) };
    return { whole, pieces: [whole] };
  }
  const thought = part.type === "reasoning" && { thought: true };
  const pieces = splitTokens(part.text).map((text) => ({ text, ...thought }));
  if (!isSigned) return { whole: { text: part.text, ...thought }, pieces };
  const thoughtSignature = secrets.seal(textSeal(part.text));
  // In a stream, the signature is sent last, on an empty text.
  return { whole: { text: part.text, thoughtSignature }, pieces: [...pieces, { text: "", thoughtSignature }] };
}

function usageOf({ inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens }: Usage): object {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
    totalTokenCount: totalTokens,
    ...(cacheReadTokens !== undefined && { cachedContentTokenCount: cacheReadTokens }),
    ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
  };
}
