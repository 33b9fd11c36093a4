// Recorded streams of gemini through their own dialect.
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

describeRecordedDecoding("gemini", []);
