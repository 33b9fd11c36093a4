// OpenAI's Responses: what is read and written, that it comes back equal, and that nothing is lost silently.
import { describe, test } from "vitest";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../src/testkit/index.ts";
import { responseSamples } from "./openai-responses-answers.ts";
import { errorSamples, requestSamples } from "./openai-responses-requests.ts";
import { messageSamples } from "./openai-responses-samples.ts";

const dialect = openaiResponses();

describe("conformance", () => {
  const inRequests = messageSamples.map(({ name, wire }) => ({ name: `items: ${name}`, wire: { input: wire } }));
  const cases = [
    ...messageConformance(dialect, { samples: messageSamples }),
    ...requestConformance(dialect, { samples: requestSamples }),
    ...responseConformance(dialect, { samples: responseSamples }),
    ...errorConformance(dialect, { samples: errorSamples }),
  ];
  for (const { title, run } of cases) test(title, run);
});
