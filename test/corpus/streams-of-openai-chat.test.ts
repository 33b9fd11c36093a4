// Recorded streams of openai-chat through their own dialect.
import { describeSource } from "../support/stream-sources.ts";

describeSource("openai-chat", []);
