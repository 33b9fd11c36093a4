// Helpers that decode and encode Anthropic streams.
import Anthropic from "@anthropic-ai/sdk";
import { assemble, AssemblyError } from "../../../src/assembly/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import type { DecodeReplyOptions, WireEvent } from "../../../src/dialects/dialect.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Loss } from "../../../src/model/loss.ts";
import type { ModelResponse } from "../../../src/model/response.ts";

const dialect = anthropic();

export function decode(events: readonly unknown[], options: DecodeReplyOptions = {}): Delta[] {
  const decoder = dialect.streamDecoder(options);
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

export function encode(deltas: readonly Delta[]): { events: WireEvent[]; losses: Loss[] } {
  const encoder = dialect.streamEncoder();
  const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
  return { events, losses: encoder.losses };
}

/** Assembles an answer; a truncated one as far as it arrived. */
export function assembleAnswer(deltas: readonly Delta[]): ModelResponse | undefined {
  try {
    return assemble(deltas);
  } catch (error) {
    if (error instanceof AssemblyError) return error.response;
    throw error;
  }
}

/** Splits deltas into those of each answer. */
export function splitAnswers(deltas: readonly Delta[]): Delta[][] {
  const answers: Delta[][] = [];
  let isOpen = false;
  for (const delta of deltas) {
    if (!isOpen) answers.push([]);
    answers.at(-1)?.push(delta);
    isOpen = delta.kind !== "done" && delta.kind !== "error";
  }
  return answers;
}

interface WithResidue {
  extra?: Record<string, Record<string, unknown>>;
}

function dropFields(target: WithResidue, ...fields: string[]): void {
  const residue = target.extra?.["anthropic"];
  if (residue === undefined) return;
  for (const field of fields) delete residue[field];
  if (Object.keys(residue).length === 0) delete target.extra?.["anthropic"];
  if (Object.keys(target.extra ?? {}).length === 0) delete target.extra;
}

/**
 * Removes the differences between a streamed and a whole answer: the spelling of missing citations, metadata of the
 * assembly, raw counts, and fields that the SDK adds.
 */
export function toComparable(response: ModelResponse | undefined): unknown {
  if (response === undefined) return undefined;
  const copy = structuredClone(response);
  delete copy.message.metadata?.invalidToolCalls;
  if (Object.keys(copy.message.metadata ?? {}).length === 0) delete copy.message.metadata;
  delete copy.usage?.raw;
  dropFields(copy, "parsed_output", "amazon-bedrock-invocationMetrics");
  for (const part of copy.message.parts) {
    dropFields(part, "parsed_output");
    if (part.type === "text" && part.extra?.["anthropic"]?.["citations"] === null) dropFields(part, "citations");
    // A stream preserves the white space of the arguments; a whole response has none.
    if (part.type === "tool-call" && part.inputText !== undefined)
      part.inputText = part.inputText.replaceAll(/\s/g, "");
  }
  return copy;
}

/** Returns the message that the official SDK accumulates from a stream. */
export async function accumulateWithSdk(events: readonly WireEvent[], isBeta: boolean): Promise<unknown> {
  const body = events.map((event) => String(dialect.formatEvent(event))).join("");
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    fetch: () => Promise.resolve(new globalThis.Response(body, { headers: { "content-type": "text/event-stream" } })),
  });
  const request = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "?" }] };
  const stream = isBeta ? client.beta.messages.stream(request) : client.messages.stream(request);
  // The SDK's objects have getters; clients read JSON.
  return JSON.parse(JSON.stringify(await stream.finalMessage()));
}
