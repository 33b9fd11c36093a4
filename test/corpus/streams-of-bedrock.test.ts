// Recorded streams of bedrock through their own dialect.
import { describeSource } from "../support/stream-sources.ts";

describeSource("bedrock", []);
