// Runs the conformance suites on invented wire data and on canonical values.
import { describe, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../../src/testkit/index.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { errorSamples, plainResponses, variantResponses } from "./response-samples.ts";
import { plainRequests, variantRequests } from "./request-samples.ts";
import { plainSamples, variantSamples } from "./message-samples.ts";

const dialect = openaiChat();
const mutants = scaleRunCount(400);

describe("messages", () => {
  const samples = [...plainSamples, ...variantSamples];
  for (const { title, run } of sampleInQuickRun(messageConformance(dialect, { samples, mutants }))) test(title, run);
});

describe("requests", () => {
  const samples = [...plainRequests, ...variantRequests];
  for (const { title, run } of sampleInQuickRun(requestConformance(dialect, { samples, mutants }))) test(title, run);
});

describe("responses", () => {
  const samples = [...plainResponses, ...variantResponses];
  for (const { title, run } of sampleInQuickRun(responseConformance(dialect, { samples, mutants }))) test(title, run);
});

describe("errors", () => {
  for (const { title, run } of sampleInQuickRun(errorConformance(dialect, { samples: errorSamples, mutants })))
    test(title, run);
});
