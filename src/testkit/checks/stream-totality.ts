// Checks B43 for streams: unknown fields and events are encoded again; odd values and missing, repeated or reordered
// events are decoded to legal deltas.
import type { Dialect } from "../../dialects/dialect.ts";
import type { Delta } from "../../model/delta.ts";
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { pickEvenly } from "../pick-evenly.ts";
import { assertHolds } from "../conformance-case.ts";
import type { WireMutant } from "./wire-mutants.ts";
import { createNewFieldMutants, createOddValueMutants } from "./wire-mutants.ts";
import { requireDecoderError } from "./decode-rejections.ts";
import { assembleAnswers, toWireEvent, decodeEvents, encodeDeltas } from "./stream-helpers.ts";
import type { StreamSampleCheck, StreamSample } from "./stream-samples.ts";
import { assertLegalDeltas } from "./stream-samples.ts";

const UNKNOWN_EVENT = { type: "brand_new_event", brand_new: { field: 1 } };

/** The options of the checks with mutated streams. */
export interface StreamTotalityOptions {
  /** The maximum number of mutants per stream. */
  mutants: number;
  /** Returns true for a field that repeats data of another event; unknown fields in it need not be encoded again. */
  isRepeatedField?: ((event: unknown, path: string) => boolean) | undefined;
}

/** Returns the checks that try at most `mutants` mutants of each stream. */
export function createStreamTotalityChecks({ mutants: limit, isRepeatedField }: StreamTotalityOptions): {
  assertNewFieldsRestored: StreamSampleCheck;
  assertNewEventsRestored: StreamSampleCheck;
  assertMutantsHandled: StreamSampleCheck;
  assertReorderingHandled: StreamSampleCheck;
} {
  return {
    assertNewFieldsRestored(dialect, sample) {
      const events = readEventData(sample);
      for (const { change, path, wire } of createNewFieldMutants(events, Math.ceil(limit / 3), sample.name)) {
        const [, index = "", pathInEvent = ""] = /^\/(\d+)(.*)$/.exec(path) ?? [];
        if (isRepeatedField?.(events[Number(index)], pathInEvent) === true) continue;
        const key = change.includes("__proto__") ? '"__proto__"' : '"brand_new"';
        assertKeyRestored(dialect, wire as unknown[], key, `At "${path}", ${change}`);
      }
    },
    assertNewEventsRestored(dialect, sample) {
      const events = readEventData(sample);
      // An event between an error and the closing "[DONE]" belongs to no answer and need not be encoded again.
      const isClosed = sample.ends === "error" && events.at(-1) === "[DONE]";
      for (const index of pickEvenly([...events.keys()].slice(1, isClosed ? -1 : undefined), 8)) {
        const wire = events.toSpliced(index, 0, UNKNOWN_EVENT);
        assertKeyRestored(dialect, wire, '"brand_new"', `An event of a new type before event ${index}`);
      }
    },
    assertMutantsHandled(dialect, sample) {
      for (const mutant of createOddValueMutants(readEventData(sample), limit, sample.name)) {
        if (Array.isArray(mutant.wire)) assertStreamMutantHandled(dialect, mutant as StreamMutant);
      }
    },
    assertReorderingHandled(dialect, sample) {
      for (const mutant of createReorderedMutants(sample, limit)) assertStreamMutantHandled(dialect, mutant);
    },
  };
}

/** Returns the data of the events, without event names. */
function readEventData({ events }: StreamSample): unknown[] {
  return events.map((event) => toWireEvent(event).data);
}

/** Requires that the stream still contains the key after decoding and encoding. */
function assertKeyRestored(dialect: Dialect, wire: readonly unknown[], key: string, description: string): void {
  const deltas = tryDecodeEvents(dialect, wire, description);
  assertHolds(deltas !== undefined, `${description} was rejected.`);
  const { events } = encodeDeltas(dialect, deltas ?? []);
  assertHolds(
    stringifyJson(events).includes(key),
    `${description} did not come back.`,
    events.slice(-5),
    deltas?.slice(-8),
  );
}

type StreamMutant = WireMutant & { wire: unknown[] };

/** Returns streams in which one event is missing, repeated, exchanged with the next event, or moved to the end. */
function createReorderedMutants(sample: StreamSample, limit: number): StreamMutant[] {
  const events = readEventData(sample);
  const mutants = [...events.keys()].flatMap((index) => {
    const [event, next] = [events[index], events[index + 1]];
    const changes: [change: string, wire: unknown[]][] = [
      ["a missing event", events.toSpliced(index, 1)],
      ["a repeated event", events.toSpliced(index, 0, event)],
      ["an event that is repeated at the end", [...events, event]],
      ["an event that is moved to the end", [...events.toSpliced(index, 1), event]],
    ];
    if (next !== undefined) changes.push(["an exchange with the next event", events.toSpliced(index, 2, next, event)]);
    return changes.map(([change, wire]): StreamMutant => ({ change, path: `/${index}`, wire }));
  });
  return pickEvenly(mutants, limit, sample.name);
}

/**
 * Requires legal deltas that can be assembled, encoded and decoded again. The decoder may reject the stream only if an
 * event is not an object.
 */
function assertStreamMutantHandled(dialect: Dialect, { change, path, wire }: StreamMutant): void {
  const description = `At "${path}", ${change}`;
  const deltas = tryDecodeEvents(dialect, wire, description);
  if (deltas === undefined) return;
  assertLegalDeltas(deltas, `${description}: the deltas break a rule.`, wire);
  assembleAnswers(deltas);
  const decoded = decodeEvents(dialect, encodeDeltas(dialect, deltas).events);
  assertLegalDeltas(decoded, `${description}: the encoded stream decodes to deltas that break a rule.`, deltas);
}

function tryDecodeEvents(dialect: Dialect, wire: readonly unknown[], description: string): Delta[] | undefined {
  try {
    return decodeEvents(dialect, wire);
  } catch (error) {
    requireDecoderError(dialect, error, description, wire.slice(0, 20));
    assertHolds(
      !wire.every(isEventData),
      `${description}: the stream was rejected although every event is an object.`,
      String(error),
    );
    return undefined;
  }
}

function isEventData(event: unknown): boolean {
  return event === "[DONE]" || isObject(event);
}
