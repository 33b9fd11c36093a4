// Recorded streams of every dialect, encoded for openai-responses and read by its official SDK.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedEncoding } from "../support/recorded-stream-encoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [
  {
    streams: /vercel--github-copilot-id-rotation/,
    check: "square",
    reason: "The vendor says something beside the answer in its closing event; a whole answer has no such place.",
  },
];

describeRecordedEncoding("openai-responses", EXCEPTIONS);
