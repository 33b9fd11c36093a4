// Every pair of providers on the project's own wire data: rare values, and the samples of each dialect.
import { describe, test } from "vitest";
import { dialect } from "../../../src/dialects/registry.ts";
import type { WireSample } from "../../../src/testkit/checks/payload-codec.ts";
import { pairConformance, requestConformance, responseConformance } from "../../../src/testkit/index.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { requestSamples as anthropicRequests } from "../anthropic/request-samples.ts";
import { responseSamples as anthropicResponses } from "../anthropic/response-samples.ts";
import { requestSamples as bedrockRequests } from "../bedrock/request-samples.ts";
import { responseSamples as bedrockResponses } from "../bedrock/response-samples.ts";
import { responses as geminiResponses } from "../gemini/response-samples.ts";
import { requests as geminiRequests } from "../gemini/request-samples.ts";
import { plainResponses, variantResponses } from "../openai-chat/response-samples.ts";
import { plainRequests, variantRequests } from "../openai-chat/request-samples.ts";
import { responseSamples as responsesResponses } from "../openai-responses/response-samples.ts";
import { requestSamples as responsesRequests } from "../openai-responses/request-samples.ts";
import { RARE } from "./rare-samples.rows.ts";

type Provider = keyof typeof RARE;
const OWN: Record<Provider, { requests: readonly WireSample[]; responses: readonly WireSample[] }> = {
  "openai-chat": {
    requests: [...plainRequests, ...variantRequests],
    responses: [...plainResponses, ...variantResponses],
  },
  "openai-responses": { requests: responsesRequests, responses: responsesResponses },
  anthropic: { requests: anthropicRequests, responses: anthropicResponses },
  gemini: { requests: geminiRequests, responses: geminiResponses },
  bedrock: { requests: bedrockRequests, responses: bedrockResponses },
};
// `Object.keys` returns strings.
const PROVIDERS = Object.keys(RARE) as Provider[];

describe.each(PROVIDERS)("rare data of %s", (id) => {
  const { requests, responses } = RARE[id];
  const mutants = scaleRunCount(400);
  const cases = [
    ...requestConformance(dialect(id), { samples: requests, requests: [], mutants }),
    ...responseConformance(dialect(id), { samples: responses, responses: [], mutants }),
  ];
  for (const { title, run } of cases) test(title, run);
});

const PAIRS = PROVIDERS.flatMap((from) => PROVIDERS.filter((to) => to !== from).map((to) => [from, to] as const));

describe.each(PAIRS)("from %s to %s", (from, to) => {
  const requests = [...RARE[from].requests, ...OWN[from].requests];
  const responses = [...RARE[from].responses, ...OWN[from].responses];
  const cases = pairConformance(dialect(from), dialect(to), { requests, responses });
  for (const { title, run } of sampleInQuickRun(cases)) test(title, run);
});
