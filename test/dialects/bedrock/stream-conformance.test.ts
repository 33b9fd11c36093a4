// Runs the stream conformance suite for the dialect `bedrock`.
import { test } from "vitest";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import type { StreamException } from "../../../src/testkit/index.ts";
import { streamConformance } from "../../../src/testkit/index.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { responseSamples } from "./response-samples.ts";
import { streamSamples } from "./stream-samples.ts";

const dialect = bedrock();
const responses = responseSamples.map(({ wire }) => dialect.decodeResponse(wire));
const exceptions: readonly StreamException[] = [];

const options = { samples: streamSamples, responses, exceptions, mutants: scaleRunCount(300) };
for (const { title, run } of streamConformance(dialect, options)) test(title, run);
