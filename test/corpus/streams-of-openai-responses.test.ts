// Recorded streams of openai-responses through their own dialect.
import { describeSource } from "../support/stream-sources.ts";

describeSource("openai-responses", []);
