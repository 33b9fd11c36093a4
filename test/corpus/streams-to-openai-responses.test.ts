// Recorded streams of every dialect, encoded for openai-responses and read by its official SDK.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedEncoding } from "../support/recorded-stream-encoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [
  {
    streams: /vercel--github-copilot-id-rotation/,
    check: "square",
    reason: "The vendor adds fields to its last event that a complete answer does not have.",
  },
];

describeRecordedEncoding("openai-responses", EXCEPTIONS);
