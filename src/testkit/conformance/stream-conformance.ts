// Creates the conformance suite for the streams of a dialect.
import type { Dialect } from "../../dialects/dialect.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { assertHolds } from "../conformance-case.ts";
import { canonicalResponses } from "../samples/canonical-responses.ts";
import type { StreamSampleCheck, StreamSample } from "../checks/stream-samples.ts";
import {
  assertStreamRoundTrip,
  assertOneEnd,
  assertDeterministicStream,
  assertLegalStream,
  assertDeltasUnchanged,
  assertAnyCutDecodes,
  assertTruncationReported,
} from "../checks/stream-samples.ts";
import type { StreamException, StreamedResponseCheck } from "../checks/streamed-equals-whole.ts";
import {
  matchExceptions,
  assertStreamedEqualsWhole,
  assertSameLosses,
  assertDeclaredStreamLosses,
  assertPureStreamEncoding,
} from "../checks/streamed-equals-whole.ts";
import type { StreamTotalityOptions } from "../checks/stream-totality.ts";
import { createStreamTotalityChecks } from "../checks/stream-totality.ts";

/** Options of `streamConformance`. */
export interface StreamConformanceOptions extends Partial<StreamTotalityOptions> {
  samples: readonly StreamSample[];
  /** Canonical responses that are tested in addition to the built-in responses. */
  responses?: readonly ModelResponse[];
  /** Differences that the protocol makes inevitable. A case fails if an exception is not needed. */
  exceptions?: readonly StreamException[];
}

/** Returns the cases for streams: legal deltas, any chunks, truncation, streamed equals whole answer, odd input. */
export function streamConformance(dialect: Dialect, options: StreamConformanceOptions): ConformanceCase[] {
  const { samples, responses = [], exceptions = [], mutants = 300, isRepeatedField } = options;
  const title = (name: string, claim: string): string => `${dialect.id} streams: ${name}: ${claim}`;
  const added = responses.map((value, index) => ({ name: `response ${index}`, value }));
  // Canonical responses are tested only if the dialect supports responses, because a streamed answer is compared with
  // the whole answer.
  const values = dialect.supports.has("responses") ? [...canonicalResponses(), ...added] : [];
  const used = new Set<StreamException>();
  const isExcepted = matchExceptions(exceptions, (exception) => used.add(exception));
  return [
    ...samples.flatMap((sample) =>
      createStreamChecks({ mutants, isRepeatedField }).map(([claim, check]) => ({
        title: title(sample.name, claim),
        run: () => check(dialect, sample, isExcepted),
      })),
    ),
    ...values.flatMap(({ name, value }) =>
      STREAM_VALUE_CHECKS.map(([claim, check]) => ({
        title: title(name, claim),
        run: () => check(dialect, value, isExcepted),
      })),
    ),
    {
      title: title("exceptions", "every exception is needed"),
      run: () => {
        const unused = exceptions.filter((each) => !used.has(each)).map(({ at, reason }) => `${String(at)}: ${reason}`);
        assertHolds(unused.length === 0, "No case needs these exceptions.", unused);
      },
    },
  ];
}

/** Returns the checks that run for every stream sample, with at most `mutants` mutants per sample. */
export function createStreamChecks(
  options: StreamTotalityOptions,
): readonly [claim: string, check: StreamSampleCheck][] {
  const { assertNewFieldsRestored, assertNewEventsRestored, assertMutantsHandled, assertReorderingHandled } =
    createStreamTotalityChecks(options);
  return [
    ["decodes to legal deltas", assertLegalStream],
    ["has one end of the expected kind", assertOneEnd],
    ["comes back as an equal answer", assertStreamRoundTrip],
    ["B68: its bytes decode to the same deltas with any chunk boundaries", assertAnyCutDecodes],
    ["B73: a stream that is truncated anywhere decodes to a partial answer", assertTruncationReported],
    ["decoding or encoding twice gives the same result", assertDeterministicStream],
    ["the encoder does not modify the deltas", assertDeltasUnchanged],
    ["B43: a new field at any position is preserved", assertNewFieldsRestored],
    ["B43: a new event is preserved", assertNewEventsRestored],
    ["B43: a missing or invalid field never crashes the dialect", assertMutantsHandled],
    ["B43: a missing, repeated or reordered event never crashes the dialect", assertReorderingHandled],
  ];
}

/** The checks that run for every canonical response. */
const STREAM_VALUE_CHECKS: readonly [claim: string, check: StreamedResponseCheck][] = [
  ["B80: the streamed answer equals the whole answer", assertStreamedEqualsWhole],
  ["the streamed answer has the losses of the whole answer", assertSameLosses],
  ["losses have declared codes and existing paths", assertDeclaredStreamLosses],
  ["B44: streaming a copy gives the same events, and does not modify it", assertPureStreamEncoding],
];
