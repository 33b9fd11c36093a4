// Recorded streams of every dialect, encoded for gemini and read by its official SDK.
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { describeRecordedEncoding } from "../support/recorded-stream-encoding.ts";

const EXCEPTIONS: readonly ExpectedFailure[] = [];

describeRecordedEncoding("gemini", EXCEPTIONS);
