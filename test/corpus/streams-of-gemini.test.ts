// Recorded streams of gemini, decoded and encoded by its own dialect.
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

describeRecordedDecoding("gemini", []);
