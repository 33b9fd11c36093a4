// The dialect `bedrock` passes the suite for streams; what its protocol cannot say in pieces is named.
import { test } from "vitest";
import { bedrock } from "../../src/dialects/bedrock/index.ts";
import type { StreamException } from "../../src/testkit/index.ts";
import { streamConformance } from "../../src/testkit/index.ts";
import { tries } from "../support/tries.ts";
import { responseSamples } from "./bedrock-response-samples.ts";
import { streamSamples } from "./bedrock-stream-samples.ts";

const dialect = bedrock();
const responses = responseSamples.map(({ wire }) => dialect.decodeResponse(wire));
const exceptions: readonly StreamException[] = [];

const options = { samples: streamSamples, responses, exceptions, mutants: tries(300) };
for (const { title, run } of streamConformance(dialect, options)) test(title, run);
