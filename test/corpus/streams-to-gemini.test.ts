// Recorded streams of every dialect, in the words of gemini: read back, and judged by its official SDK.
import type { StreamExceptionRow } from "../support/stream-exceptions.ts";
import { describeTarget } from "../support/stream-targets.ts";

const EXCEPTIONS: readonly StreamExceptionRow[] = [];

describeTarget("gemini", EXCEPTIONS);
