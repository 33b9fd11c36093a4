// Recorded streams of gemini through their own dialect.
import { describeSource } from "../support/stream-sources.ts";

describeSource("gemini", []);
