// Recorded streams of every dialect, in the words of openai-responses: read back, and judged by its official SDK.
import type { StreamExceptionRow } from "../support/stream-exceptions.ts";
import { describeTarget } from "../support/stream-targets.ts";

const EXCEPTIONS: readonly StreamExceptionRow[] = [
  {
    streams: /vercel--github-copilot-id-rotation/,
    check: "square",
    reason: "The vendor says something beside the answer in its closing event; a whole answer has no such place.",
  },
];

describeTarget("openai-responses", EXCEPTIONS);
