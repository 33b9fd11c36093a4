// Every pair of providers over the project's own wire data: what recordings rarely hold, and each dialect's samples.
import { describe, test } from "vitest";
import { dialect } from "../../src/dialects/registry.ts";
import type { WireSample } from "../../src/testkit/exchange.ts";
import { pairConformance, requestConformance, responseConformance } from "../../src/testkit/index.ts";
import { tries } from "../support/tries.ts";
import { requestSamples as anthropicRequests } from "./anthropic-request-samples.ts";
import { responseSamples as anthropicResponses } from "./anthropic-response-samples.ts";
import { requestSamples as bedrockRequests } from "./bedrock-request-samples.ts";
import { responseSamples as bedrockResponses } from "./bedrock-response-samples.ts";
import { responses as geminiResponses } from "./gemini-reply-samples.ts";
import { requests as geminiRequests } from "./gemini-request-samples.ts";
import { plainResponses, spelledResponses } from "./openai-chat-reply-samples.ts";
import { plainRequests, spelledRequests } from "./openai-chat-request-samples.ts";
import { responseSamples as responsesResponses } from "./openai-responses-answers.ts";
import { requestSamples as responsesRequests } from "./openai-responses-requests.ts";
import { RARE } from "./rare-samples.ts";

type Provider = keyof typeof RARE;
const OWN: Record<Provider, { requests: readonly WireSample[]; responses: readonly WireSample[] }> = {
  "openai-chat": {
    requests: [...plainRequests, ...spelledRequests],
    responses: [...plainResponses, ...spelledResponses],
  },
  "openai-responses": { requests: responsesRequests, responses: responsesResponses },
  anthropic: { requests: anthropicRequests, responses: anthropicResponses },
  gemini: { requests: geminiRequests, responses: geminiResponses },
  bedrock: { requests: bedrockRequests, responses: bedrockResponses },
};
// Object.keys forgets that they are the providers.
const PROVIDERS = Object.keys(RARE) as Provider[];

describe.each(PROVIDERS)("what %s rarely says", (id) => {
  const { requests, responses } = RARE[id];
  const mutants = tries(400);
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
  for (const { title, run } of pairConformance(dialect(from), dialect(to), { requests, responses })) test(title, run);
});
