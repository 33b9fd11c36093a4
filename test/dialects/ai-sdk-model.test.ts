// The AI SDK's model messages: samples come back equal, plain ones without residue, and what they decode to.
import { expect, test } from "vitest";
import { aiSdkModel } from "../../src/dialects/ai-sdk-model/index.ts";
import { messageConformance } from "../../src/testkit/index.ts";
import { plainSamples, samples } from "./ai-sdk-model-samples.ts";

const dialect = aiSdkModel();

for (const { title, run } of messageConformance(dialect, { samples })) test(title, run);

test.each(plainSamples)("$name decodes without residue", ({ wire }) => {
  expect(JSON.stringify(dialect.decodeMessages(wire))).not.toContain('"extra"');
});
