// Recorded streams of every dialect, encoded for openai-chat and read by its official SDK.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedEncoding } from "../support/recorded-stream-encoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [
  {
    streams: /vercel--mistral-reasoning/,
    check: "judge",
    reason: "The vendor's content is a list, which is written back unchanged; the SDK joins it as text.",
  },
];

describeRecordedEncoding("openai-chat", EXCEPTIONS);
