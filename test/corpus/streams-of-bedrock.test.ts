// Recorded streams of bedrock through their own dialect.
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

describeRecordedDecoding("bedrock", []);
