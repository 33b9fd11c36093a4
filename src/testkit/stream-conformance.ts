// The suite for streams: what Koine's own dialects pass, and a third party's can run.
import type { Dialect } from "../dialects/dialect.ts";
import type { ModelResponse } from "../model/response.ts";
import type { ConformanceCase } from "./demand.ts";
import { demand } from "./demand.ts";
import { responseGallery } from "./gallery-responses.ts";
import type { StreamCheck, StreamSample } from "./stream-samples.ts";
import {
  comesBackEqual,
  hasOneEnd,
  isDeterministicStream,
  isLegal,
  leavesDeltas,
  readsAnyCut,
  tellsTruncation,
} from "./stream-samples.ts";
import type { StreamException, StreamValueCheck } from "./stream-square.ts";
import { exceptedBy, isSquare, losesTheSame, streamLossesAreDeclared, streamsTheSameTwice } from "./stream-square.ts";
import type { StreamTotality } from "./stream-totality.ts";
import { streamTotality } from "./stream-totality.ts";

export interface StreamConformanceOptions extends Partial<StreamTotality> {
  samples: readonly StreamSample[];
  /** Canonical responses beyond the built-in gallery. */
  responses?: readonly ModelResponse[];
  /** What the protocol cannot say in pieces. Each must be needed. */
  exceptions?: readonly StreamException[];
}

/** Streams in and out: legal deltas, any cut, truncation, streamed equals whole, totality. */
export function streamConformance(dialect: Dialect, options: StreamConformanceOptions): ConformanceCase[] {
  const { samples, responses = [], exceptions = [], mutants = 300, repeats } = options;
  const title = (name: string, claim: string): string => `${dialect.id} streams: ${name}: ${claim}`;
  const own = responses.map((value, index) => ({ name: `response ${index}`, value }));
  // A dialect that carries no whole answers has nothing to compare with.
  const exhibits = dialect.supports.has("responses") ? [...responseGallery(), ...own] : [];
  const used = new Set<StreamException>();
  const isExcepted = exceptedBy(exceptions, (one) => used.add(one));
  return [
    ...samples.flatMap((sample) =>
      streamChecks({ mutants, repeats }).map(([claim, check]) => ({
        title: title(sample.name, claim),
        run: () => check(dialect, sample, isExcepted),
      })),
    ),
    ...exhibits.flatMap(({ name, value }) =>
      STREAM_VALUE_CHECKS.map(([claim, check]) => ({
        title: title(name, claim),
        run: () => check(dialect, value, isExcepted),
      })),
    ),
    {
      title: title("exceptions", "each is needed"),
      run: () => {
        const idle = exceptions.filter((each) => !used.has(each)).map(({ at, reason }) => `${String(at)}: ${reason}`);
        demand(idle.length === 0, "No answer needs these.", idle);
      },
    },
  ];
}

/** What must hold for every stream, as many mutants of it as are wanted included. */
export function streamChecks(options: StreamTotality): readonly [claim: string, check: StreamCheck][] {
  const { keepsNewFields, keepsNewEvents, survivesMutation, survivesDisorder } = streamTotality(options);
  return [
    ["decodes to legal deltas", isLegal],
    ["has one end, and the right one", hasOneEnd],
    ["comes back as an equal answer", comesBackEqual],
    ["B68: any cut of its bytes says the same", readsAnyCut],
    ["B73: cut off anywhere, it is a part of the answer and no end", tellsTruncation],
    ["reads and writes the same twice", isDeterministicStream],
    ["the deltas are left as they were", leavesDeltas],
    ["B43: a new field comes back, wherever it stands", keepsNewFields],
    ["B43: a new event comes back", keepsNewEvents],
    ["B43: never crashes, whatever field is gone or odd", survivesMutation],
    ["B43: never crashes, whatever event is gone, repeated or out of order", survivesDisorder],
  ];
}

/** What must hold for every canonical response. */
const STREAM_VALUE_CHECKS: readonly [claim: string, check: StreamValueCheck][] = [
  ["B80: in pieces it is the same answer as whole", isSquare],
  ["in pieces it loses what it loses whole", losesTheSame],
  ["losses name declared codes and places that exist", streamLossesAreDeclared],
  ["B44: streaming a copy gives the same events, and leaves it as it was", streamsTheSameTwice],
];
