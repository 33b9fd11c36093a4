// Gemini under the suites that every dialect runs: fidelity, edits, silent losses, totality.
import { describe, expect, test } from "vitest";
import { gemini } from "../../src/dialects/gemini/index.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../src/testkit/index.ts";
import { tries } from "../support/tries.ts";
import { failures } from "./gemini-failure-samples.ts";
import { responses } from "./gemini-reply-samples.ts";
import { requests, sdkRequests } from "./gemini-request-samples.ts";
import { messages } from "./gemini-samples.ts";

const dialect = gemini();
const mutants = tries(400);

/** Bodies that are no errors of Gemini's are read, but what goes out is an envelope. */
function hasEnvelope({ wire }: { wire: unknown }): boolean {
  return JSON.stringify(wire).includes('"status"');
}

describe("messages", () => {
  for (const { title, run } of messageConformance(dialect, { samples: messages, mutants })) test(title, run);
});
describe("requests", () => {
  for (const { title, run } of requestConformance(dialect, { samples: requests, mutants })) test(title, run);
});
describe("responses", () => {
  for (const { title, run } of responseConformance(dialect, { samples: responses, mutants })) test(title, run);
});
describe("errors", () => {
  const samples = failures.filter(hasEnvelope);
  for (const { title, run } of errorConformance(dialect, { samples, mutants })) test(title, run);

  test.each(failures)("$name is of the kind $kind", ({ wire, status, kind, retryAfterMs }) => {
    const error = dialect.decodeError(wire, status);
    expect([error.kind, error.retryAfterMs]).toStrictEqual([kind, retryAfterMs]);
  });
});

describe("what the SDK takes", () => {
  test.each(sdkRequests)("$name comes back as it was", ({ wire }) => {
    const { wire: again, losses } = dialect.encodeRequest(dialect.decodeRequest(wire));
    expect(again).toStrictEqual(wire);
    expect(losses).toStrictEqual([]);
  });

  test("its config is read as the body that it stands for", () => {
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
