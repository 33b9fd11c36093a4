// The AI SDK's UI messages: samples come back equal, plain ones without residue, and what they decode to.
import { expect, test } from "vitest";
import { aiSdkUi } from "../../src/dialects/ai-sdk-ui/index.ts";
import { messageConformance } from "../../src/testkit/index.ts";
import { plainSamples, samples } from "./ai-sdk-ui-samples.ts";

const dialect = aiSdkUi();

for (const { title, run } of messageConformance(dialect, { samples })) test(title, run);

test.each(plainSamples)("$name decodes without residue", ({ wire }) => {
  expect(JSON.stringify(dialect.decodeMessages(wire))).not.toContain('"extra"');
});
