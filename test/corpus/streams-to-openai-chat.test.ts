// Recorded streams of every dialect, in the words of openai-chat: read back, and judged by its official SDK.
import type { StreamExceptionRow } from "../support/stream-exceptions.ts";
import { describeTarget } from "../support/stream-targets.ts";

const EXCEPTIONS: readonly StreamExceptionRow[] = [
  {
    streams: /vercel--mistral-reasoning/,
    check: "judge",
    reason: "The vendor's content is a list, which goes back as it came; the SDK joins it as if it were text.",
  },
];

describeTarget("openai-chat", EXCEPTIONS);
