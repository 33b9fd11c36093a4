// Recorded streams of openai-responses through their own dialect.
import type { StreamExceptionRow } from "../support/stream-exceptions.ts";
import { describeSource } from "../support/stream-sources.ts";

const EXCEPTIONS: readonly StreamExceptionRow[] = [
  {
    streams: /vercel--openai-shell-container\.1/,
    check: "comes back as an equal answer",
    reason: "Edited by hand: its last event says another text than its deltas did. What was said live stands.",
  },
];

describeSource("openai-responses", EXCEPTIONS);
