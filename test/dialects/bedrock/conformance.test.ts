// Runs the conformance suites for the dialect `bedrock`: no silent loss, and its own data round-trips.
import { test } from "vitest";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../../src/testkit/index.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { requestSamples } from "./request-samples.ts";
import { bareErrors, errorSamples, responseSamples } from "./response-samples.ts";
import { messageSamples } from "./message-samples.ts";

const dialect = bedrock();
const mutants = scaleRunCount(400);
const cases = [
  ...messageConformance(dialect, { samples: messageSamples, mutants }),
  ...requestConformance(dialect, { samples: requestSamples, mutants }),
  ...responseConformance(dialect, { samples: responseSamples, mutants }),
  ...errorConformance(dialect, { samples: [...errorSamples, ...bareErrors], mutants }),
];
for (const { title, run } of sampleInQuickRun(cases)) test(title, run);
