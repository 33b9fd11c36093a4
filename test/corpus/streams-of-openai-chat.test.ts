// Recorded streams of openai-chat, decoded and encoded by its own dialect.
import { describeRecordedDecoding } from "../support/recorded-stream-decoding.ts";

describeRecordedDecoding("openai-chat", []);
