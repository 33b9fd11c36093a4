// Streams as the checks see them: events to deltas and back, bytes, and the answers that deltas assemble to.
import { assemble, checkDeltas } from "../assembly/assemble.ts";
import type { Violation } from "../assembly/rules.ts";
import { AssemblyError } from "../assembly/rules.ts";
import type { Dialect, WireEvent } from "../dialects/dialect.ts";
import type { Delta } from "../model/delta.ts";
import { isObject } from "../model/value-kind.ts";
import type { Loss } from "../model/loss.ts";
import type { Message } from "../model/message.ts";
import type { ModelResponse } from "../model/response.ts";

/** What one stream decodes to. */
export function decodeEvents(dialect: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = dialect.streamDecoder();
  const deltas: Delta[] = [];
  for (const event of events) deltas.push(...decoder.push(event));
  deltas.push(...decoder.end());
  return deltas;
}

/** The stream that deltas make, with its losses. */
export function encodeDeltas(dialect: Dialect, deltas: readonly Delta[]): { events: WireEvent[]; losses: Loss[] } {
  const encoder = dialect.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  for (const delta of deltas) events.push(...encoder.push(delta));
  events.push(...encoder.end());
  return { events, losses: [...encoder.losses] };
}

/** An event as a dialect writes it; recorded data has no envelope. */
export function asWireEvent(event: unknown): WireEvent {
  const isWire = isObject(event) && Object.keys(event).every((key) => key === "event" || key === "data");
  // Whatever a sample holds is to be read; that it is an object, or "[DONE]", a decoder must not take for granted.
  return isWire && event["data"] !== undefined ? (event as unknown as WireEvent) : { data: event as object };
}

/** The bytes of a stream. */
export function bytesOf(dialect: Dialect, events: readonly unknown[]): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = events.map((event) => {
    const piece = dialect.formatEvent(asWireEvent(event));
    return typeof piece === "string" ? encoder.encode(piece) : piece;
  });
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The deltas of each answer, up to its end. What follows the last end, if anything does, is an answer without one. */
export function splitAnswers(deltas: readonly Delta[]): Delta[][] {
  const answers: Delta[][] = [];
  let open: Delta[] = [];
  for (const delta of deltas) {
    open.push(delta);
    if (delta.kind !== "done" && delta.kind !== "error") continue;
    answers.push(open);
    open = [];
  }
  return open.length === 0 ? answers : [...answers, open];
}

/** The broken rules of a sequence. An answer that failed ends its run: what follows it is one of its own. */
export function illegalities(deltas: readonly Delta[]): Violation[] {
  const runs: Delta[][] = [[]];
  for (const answer of splitAnswers(deltas)) {
    runs.at(-1)?.push(...answer);
    if (answer.at(-1)?.kind === "error") runs.push([]);
  }
  return runs.flatMap((run) => (run.length === 0 ? [] : checkDeltas(run)));
}

/** What each answer assembles to; one that failed, to what came of it, with its error. */
export function answersOf(deltas: readonly Delta[]): ModelResponse[] {
  return splitAnswers(deltas).map((answer) => {
    try {
      return assemble(answer);
    } catch (error) {
      if (error instanceof AssemblyError && error.response !== undefined) return error.response;
      throw error;
    }
  });
}

/** The visible text of a message. */
export function textOf({ parts }: Message): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/**
 * An answer without what belongs to how it came: the notes of the assembler, and the provider's own words for its
 * counts, which a stream says in pieces.
 */
export function comparable(response: ModelResponse): ModelResponse {
  const { usage, message, alternatives, ...rest } = response;
  const same: ModelResponse = { ...rest, message: withoutNotes(message) };
  if (alternatives !== undefined)
    same.alternatives = alternatives.map((each) => Object.assign({ ...each }, { message: withoutNotes(each.message) }));
  if (usage !== undefined) {
    const { raw: _, ...counts } = usage;
    same.usage = counts;
  }
  return same;
}

function withoutNotes(message: Message): Message {
  const { metadata, ...rest } = message;
  const { invalidToolCalls: _, interrupted: __, ...kept } = metadata ?? {};
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}
