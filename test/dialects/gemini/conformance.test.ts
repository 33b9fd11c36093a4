// Runs the conformance suites of all dialects on Gemini: fidelity, edits, silent losses, totality.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../../src/testkit/index.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { failures } from "./error-samples.ts";
import { responses } from "./response-samples.ts";
import { requests, sdkRequests } from "./request-samples.ts";
import { messages } from "./message-samples.ts";

const dialect = gemini();
const mutants = scaleRunCount(400);

/** True for Gemini's own error bodies; other bodies decode, but encode as Gemini's. */
function hasEnvelope({ wire }: { wire: unknown }): boolean {
  return JSON.stringify(wire).includes('"status"');
}

describe("messages", () => {
  for (const { title, run } of sampleInQuickRun(messageConformance(dialect, { samples: messages, mutants })))
    test(title, run);
});
describe("requests", () => {
  for (const { title, run } of sampleInQuickRun(requestConformance(dialect, { samples: requests, mutants })))
    test(title, run);
});
describe("responses", () => {
  for (const { title, run } of sampleInQuickRun(responseConformance(dialect, { samples: responses, mutants })))
    test(title, run);
});
describe("errors", () => {
  const samples = failures.filter(hasEnvelope);
  for (const { title, run } of sampleInQuickRun(errorConformance(dialect, { samples, mutants }))) test(title, run);

  test.each(failures)("$name is of the kind $kind", ({ wire, status, kind, retryAfterMs }) => {
    const error = dialect.decodeError(wire, status);
    expect([error.kind, error.retryAfterMs]).toStrictEqual([kind, retryAfterMs]);
  });
});

describe("parameters of Google's SDK", () => {
  test.each(sdkRequests)("$name decodes and encodes to the same value", ({ wire }) => {
    const { wire: again, losses } = dialect.encodeRequest(dialect.decodeRequest(wire));
    expect(again).toStrictEqual(wire);
    expect(losses).toStrictEqual([]);
  });

  test("the SDK's config decodes as the body that the SDK would send", () => {
    const [sample] = sdkRequests;
    expect(dialect.decodeRequest(sample?.wire)).toMatchObject({
      model: "gemini-3-flash",
      messages: [
        { role: "system", parts: [{ type: "text", text: "Be brief." }] },
        { role: "user", parts: [{ type: "text", text: "Why is the sky blue?" }] },
      ],
      tools: [{ type: "function", name: "get_weather" }],
      toolChoice: "auto",
      sampling: { temperature: 0.1 },
      reasoning: { effort: "low" },
    });
  });
});
