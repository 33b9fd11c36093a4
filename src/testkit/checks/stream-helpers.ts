// Decodes events, encodes deltas, formats bytes, and splits and assembles answers, for the stream checks.
import { assemble, checkDeltas } from "../../assembly/assemble.ts";
import type { Violation } from "../../assembly/rules.ts";
import { AssemblyError } from "../../assembly/rules.ts";
import type { Dialect, WireEvent } from "../../dialects/dialect.ts";
import type { Delta } from "../../model/delta.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Loss } from "../../model/loss.ts";
import type { Message } from "../../model/message.ts";
import type { ModelResponse } from "../../model/response.ts";

/** Decodes all events of one stream. */
export function decodeEvents(dialect: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = dialect.streamDecoder();
  const deltas: Delta[] = [];
  for (const event of events) deltas.push(...decoder.push(event));
  deltas.push(...decoder.end());
  return deltas;
}

/** Encodes deltas to one stream and returns the events and losses. */
export function encodeDeltas(dialect: Dialect, deltas: readonly Delta[]): { events: WireEvent[]; losses: Loss[] } {
  const encoder = dialect.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  for (const delta of deltas) events.push(...encoder.push(delta));
  events.push(...encoder.end());
  return { events, losses: [...encoder.losses] };
}

/** Returns the recorded event, or `{ data: event }` if only the data of the event was recorded. */
export function toWireEvent(event: unknown): WireEvent {
  const isWire = isObject(event) && Object.keys(event).every((key) => key === "event" || key === "data");
  // The casts are not checked: the data can be any JSON value, because decoders must also handle unexpected data.
  return isWire && event["data"] !== undefined ? (event as unknown as WireEvent) : { data: event as object };
}

/** Formats the events of a stream as bytes. */
export function formatStream(dialect: Dialect, events: readonly unknown[]): Uint8Array {
  const encoder = new TextEncoder();
  const frames = events.map((event) => {
    const frame = dialect.formatEvent(toWireEvent(event));
    return typeof frame === "string" ? encoder.encode(frame) : frame;
  });
  const bytes = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let offset = 0;
  for (const frame of frames) {
    bytes.set(frame, offset);
    offset += frame.length;
  }
  return bytes;
}

/** Splits deltas after each `done` and `error`. Deltas after the last of them form an answer without an end. */
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

/** Returns the violations of the delta rules. Deltas after a failed answer are checked as a sequence of their own. */
export function findViolations(deltas: readonly Delta[]): Violation[] {
  const runs: Delta[][] = [[]];
  for (const answer of splitAnswers(deltas)) {
    runs.at(-1)?.push(...answer);
    if (answer.at(-1)?.kind === "error") runs.push([]);
  }
  return runs.flatMap((run) => (run.length === 0 ? [] : checkDeltas(run)));
}

/** Assembles each answer. A failed answer is returned as its partial response with the error. */
export function assembleAnswers(deltas: readonly Delta[]): ModelResponse[] {
  return splitAnswers(deltas).map((answer) => {
    try {
      return assemble(answer);
    } catch (error) {
      if (error instanceof AssemblyError && error.response !== undefined) return error.response;
      throw error;
    }
  });
}

/** Returns the text of a message without reasoning. */
export function readMessageText({ parts }: Message): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/**
 * Returns a response without the data that differ between a streamed and a whole answer: the metadata of the assembler,
 * and the raw usage of the provider, which a stream sends in several events.
 */
export function toComparableResponse(response: ModelResponse): ModelResponse {
  const { usage, message, alternatives, ...rest } = response;
  const comparable: ModelResponse = { ...rest, message: withoutAssemblyMetadata(message) };
  if (alternatives !== undefined)
    comparable.alternatives = alternatives.map((each) =>
      Object.assign({ ...each }, { message: withoutAssemblyMetadata(each.message) }),
    );
  if (usage !== undefined) {
    const { raw: _, ...counts } = usage;
    comparable.usage = counts;
  }
  return comparable;
}

function withoutAssemblyMetadata(message: Message): Message {
  const { metadata, ...rest } = message;
  const { invalidToolCalls: _, interrupted: __, ...otherMetadata } = metadata ?? {};
  return Object.keys(otherMetadata).length === 0 ? rest : { ...rest, metadata: otherMetadata };
}
