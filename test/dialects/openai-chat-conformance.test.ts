// The conformance suites, over invented wire data and over canonical values.
import { describe, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../src/testkit/index.ts";
import { tries } from "../support/tries.ts";
import { errorSamples, plainResponses, spelledResponses } from "./openai-chat-reply-samples.ts";
import { plainRequests, spelledRequests } from "./openai-chat-request-samples.ts";
import { plainSamples, spelledSamples } from "./openai-chat-samples.ts";

const dialect = openaiChat();
const mutants = tries(400);

describe("messages", () => {
  const samples = [...plainSamples, ...spelledSamples];
  for (const { title, run } of messageConformance(dialect, { samples, mutants })) test(title, run);
});

describe("requests", () => {
  const samples = [...plainRequests, ...spelledRequests];
  for (const { title, run } of requestConformance(dialect, { samples, mutants })) test(title, run);
});

describe("responses", () => {
  const samples = [...plainResponses, ...spelledResponses];
  for (const { title, run } of responseConformance(dialect, { samples, mutants })) test(title, run);
});

describe("errors", () => {
  for (const { title, run } of errorConformance(dialect, { samples: errorSamples, mutants })) test(title, run);
});
