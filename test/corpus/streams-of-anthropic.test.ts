// Recorded streams of anthropic through their own dialect.
import type { StreamExceptionRow } from "../support/stream-exceptions.ts";
import { describeSource } from "../support/stream-sources.ts";

const EXCEPTIONS: readonly StreamExceptionRow[] = [
  "has one end, and the right one",
  "comes back as an equal answer",
].map((check) => ({
  streams: /vercel--spliced-message-start/,
  check,
  reason: "Made up: another answer begins within an answer, which is thereby cut off.",
}));

describeSource("anthropic", EXCEPTIONS);
