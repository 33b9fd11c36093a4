// The dialect `anthropic` passes the suites: nothing is lost silently, and its own data comes back equal.
import { test } from "vitest";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../src/testkit/index.ts";
import { requestSamples } from "./anthropic-request-samples.ts";
import { errorSamples, responseSamples } from "./anthropic-response-samples.ts";
import { messageSamples } from "./anthropic-samples.ts";

const dialect = anthropic();
const cases = [
  ...messageConformance(dialect, { samples: messageSamples }),
  ...requestConformance(dialect, { samples: requestSamples }),
  ...responseConformance(dialect, { samples: responseSamples }),
  ...errorConformance(dialect, { samples: errorSamples }),
];
for (const { title, run } of cases) test(title, run);
