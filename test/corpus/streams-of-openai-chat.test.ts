// Recorded streams of openai-chat through their own dialect.
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

describeRecordedDecoding("openai-chat", []);
