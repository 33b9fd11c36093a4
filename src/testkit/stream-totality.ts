// B43 for streams: what is unknown comes back, and whatever is gone, odd, repeated or out of order does no harm.
import type { Dialect } from "../dialects/dialect.ts";
import type { Delta } from "../model/delta.ts";
import { stringifyJson } from "../model/json/index.ts";
import { isObject } from "../model/value-kind.ts";
import { evenly } from "./choice.ts";
import { demand } from "./demand.ts";
import type { Mutant } from "./mutants.ts";
import { grownMutants, oddMutants } from "./mutants.ts";
import { asRefusal } from "./nonsense.ts";
import { answersOf, asWireEvent, decodeEvents, encodeDeltas } from "./stream-reading.ts";
import type { StreamCheck, StreamSample } from "./stream-samples.ts";
import { demandLegal } from "./stream-samples.ts";

/** What nobody has heard of, in the two ways that streams have: with a name, and without. */
const UNHEARD = { type: "brand_new_event", brand_new: { field: 1 } };

export interface StreamTotality {
  /** How many mutants of one stream are tried. */
  mutants: number;
  /** Whether a field within an event only repeats what another event says, so that nothing new there is kept. */
  repeats?: ((event: unknown, path: string) => boolean) | undefined;
}

export function streamTotality({ mutants: limit, repeats }: StreamTotality): {
  keepsNewFields: StreamCheck;
  keepsNewEvents: StreamCheck;
  survivesMutation: StreamCheck;
  survivesDisorder: StreamCheck;
} {
  return {
    keepsNewFields(dialect, sample) {
      const events = dataOf(sample);
      for (const { what, path, wire } of grownMutants(events, Math.ceil(limit / 3), sample.name)) {
        const [, index = "", within = ""] = /^\/(\d+)(.*)$/.exec(path) ?? [];
        if (repeats?.(events[Number(index)], within) === true) continue;
        const claim = `At "${path}", ${what}`;
        const word = what.includes("__proto__") ? '"__proto__"' : '"brand_new"';
        demandSaid(dialect, wire as unknown[], word, claim);
      }
    },
    keepsNewEvents(dialect, sample) {
      const events = dataOf(sample);
      // What follows a failure belongs to no answer, even where the stream itself has still to be closed.
      const isClosed = sample.ends === "error" && events.at(-1) === "[DONE]";
      for (const at of evenly([...events.keys()].slice(1, isClosed ? -1 : undefined), 8)) {
        const wire = events.toSpliced(at, 0, UNHEARD);
        demandSaid(dialect, wire, '"brand_new"', `An event of a new type before event ${at}`);
      }
    },
    survivesMutation(dialect, sample) {
      for (const mutant of oddMutants(dataOf(sample), limit, sample.name)) {
        if (Array.isArray(mutant.wire)) survives(dialect, mutant as Mutant & { wire: unknown[] });
      }
    },
    survivesDisorder(dialect, sample) {
      for (const mutant of disorder(sample, limit)) survives(dialect, mutant);
    },
  };
}

/** The events without their envelopes, which are the transport's. */
function dataOf({ events }: StreamSample): unknown[] {
  return events.map((event) => asWireEvent(event).data);
}

/** Read and written again, the stream still has the word. */
function demandSaid(dialect: Dialect, wire: readonly unknown[], word: string, claim: string): void {
  const deltas = attempt(dialect, wire, claim);
  demand(deltas !== undefined, `${claim} was refused.`);
  const { events } = encodeDeltas(dialect, deltas ?? []);
  demand(stringifyJson(events).includes(word), `${claim} did not come back.`, events.slice(-5), deltas?.slice(-8));
}

type Disorder = Mutant & { wire: unknown[] };

/** Events gone, repeated, exchanged with the next, and moved to the end. */
function disorder(sample: StreamSample, limit: number): Disorder[] {
  const events = dataOf(sample);
  const made = [...events.keys()].flatMap((at) => {
    const [one, next] = [events[at], events[at + 1]];
    const changes: [what: string, wire: unknown[]][] = [
      ["is gone", events.toSpliced(at, 1)],
      ["comes twice", events.toSpliced(at, 0, one)],
      ["comes again at the end", [...events, one]],
      ["comes last", [...events.toSpliced(at, 1), one]],
    ];
    if (next !== undefined) changes.push(["changes places with the next", events.toSpliced(at, 2, next, one)]);
    return changes.map(([what, wire]): Disorder => ({ what, path: `/${at}`, wire }));
  });
  return evenly(made, limit, sample.name);
}

/** Legal deltas, which can be assembled, written and read again; or a refusal of what is not even an object. */
function survives(dialect: Dialect, { what, path, wire }: Disorder): void {
  const claim = `At "${path}", ${what}`;
  const deltas = attempt(dialect, wire, claim);
  if (deltas === undefined) return;
  demandLegal(deltas, `${claim}: the deltas break a rule.`, wire);
  answersOf(deltas);
  const again = decodeEvents(dialect, encodeDeltas(dialect, deltas).events);
  demandLegal(again, `${claim}: what was written breaks a rule.`, deltas);
}

function attempt(dialect: Dialect, wire: readonly unknown[], claim: string): Delta[] | undefined {
  try {
    return decodeEvents(dialect, wire);
  } catch (error) {
    asRefusal(dialect, error, claim, wire.slice(0, 20));
    demand(!wire.every(isEvent), `${claim}: it was refused, though every event is an object.`, String(error));
    return undefined;
  }
}

function isEvent(event: unknown): boolean {
  return event === "[DONE]" || isObject(event);
}
