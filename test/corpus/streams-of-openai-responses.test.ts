// Recorded streams of openai-responses, decoded and encoded by its own dialect.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [
  {
    streams: /vercel--openai-shell-container\.1/,
    check: "comes back as an equal answer",
    reason: "Edited by hand: its last event has another text than its deltas. The deltas win.",
  },
];

describeRecordedDecoding("openai-responses", EXCEPTIONS);
