// Recorded streams of anthropic, decoded and encoded by its own dialect.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [
  "has one end of the expected kind",
  "comes back as an equal answer",
].map((check) => ({
  streams: /vercel--spliced-message-start/,
  check,
  reason: "Hand-written: another answer starts within an answer, which is therefore truncated.",
}));

describeRecordedDecoding("anthropic", EXCEPTIONS);
