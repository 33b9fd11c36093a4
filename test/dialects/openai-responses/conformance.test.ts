// Runs the conformance suites for Responses: decoded values are encoded unchanged, edited or not, and every loss is
// reported.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import { user } from "../../../src/model/message.ts";
import {
  errorConformance,
  messageConformance,
  requestConformance,
  responseConformance,
} from "../../../src/testkit/index.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { responseSamples } from "./response-samples.ts";
import { errorSamples, requestSamples } from "./request-samples.ts";
import { messageSamples } from "./item-samples.ts";

const dialect = openaiResponses();

describe("conformance", () => {
  const mutants = scaleRunCount(400);
  const cases = [
    ...messageConformance(dialect, { samples: messageSamples, mutants }),
    ...requestConformance(dialect, { samples: requestSamples, mutants }),
    ...responseConformance(dialect, { samples: responseSamples, mutants }),
    ...errorConformance(dialect, { samples: errorSamples, mutants }),
  ];
  for (const { title, run } of sampleInQuickRun(cases)) test(title, run);
});

describe("without repairs every list of items round-trips, even one that the API would reject", () => {
  test.each(messageSamples)("in a request: $name", ({ wire: input }) => {
    const wire = { model: "gpt-star", input };
    expect(dialect.encodeRequest(dialect.decodeRequest(wire), { repair: false }).wire).toStrictEqual(wire);
  });
  test.each(messageSamples)("in an answer: $name", ({ wire: output }) => {
    const wire = { id: "resp_1", object: "response", output };
    expect(dialect.encodeResponse(dialect.decodeResponse(wire)).wire).toStrictEqual(wire);
  });
});

describe("fragments", () => {
  const instructions = "Speak of stars.";
  test("system text beside the items", () => {
    const wire = { instructions, input: [{ role: "user", content: "Go on." }] };
    expect(dialect.encodeMessages(dialect.decodeMessages(wire)).wire).toStrictEqual(wire);
  });
  test("an input string", () => {
    const wire = { instructions, input: "Go on." };
    expect(dialect.encodeMessages(dialect.decodeMessages(wire)).wire).toStrictEqual(wire);
    expect(dialect.encodeMessages(dialect.decodeMessages({ input: "Go on." })).wire).toStrictEqual({ input: "Go on." });
  });
  test.each([
    ["an unknown field", { input: [], model: "gpt-star" }, "/model"],
    ["instructions that are not a string", { input: [], instructions: 7 }, "/instructions"],
    ["an item that is not an object", { input: [7] }, "/input/0"],
    ["a block that is not an object", [{ role: "user", content: ["odd"] }], "/0/content/0"],
    ["no content", [{ role: "user" }], "/0/content"],
  ])("%s is rejected with its path", (_, wire, path) => {
    expect(() => dialect.decodeMessages(wire)).toThrow(expect.objectContaining({ path }));
  });
});

describe("an input string", () => {
  const request = dialect.decodeRequest({ input: "Which star?" });
  test("stays a string if its text is edited", () => {
    const edited = { ...request, messages: [{ ...user("Which moon?"), extra: request.messages[0]?.extra ?? {} }] };
    expect(dialect.encodeRequest(edited).wire).toStrictEqual({ input: "Which moon?" });
  });
  test("becomes a list if messages follow", () => {
    const { wire, losses } = dialect.encodeRequest({ ...request, messages: [...request.messages, user("And why?")] });
    expect(wire).toStrictEqual({
      input: [
        { role: "user", content: "Which star?" },
        { role: "user", content: "And why?" },
      ],
    });
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      "form-stale /messages/0/extra/openai-responses",
    ]);
  });
});

test("an absent or null input round-trips", () => {
  const wire = { model: "gpt-star", input: null, instructions: "" };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire)).wire).toStrictEqual(wire);
});

test("the envelope's model and stream flag apply if the body lacks them", () => {
  const address = { model: "gpt-url", stream: true };
  expect(dialect.decodeRequest({ input: "Hi." }, { address })).toMatchObject(address);
  expect(dialect.decodeRequest({ input: "Hi.", model: "gpt-body" }, { address })).toMatchObject({ model: "gpt-body" });
});

test("B23: arguments, settings and counts keep every digit", () => {
  const text =
    '{"temperature":0.10000000000000000001,"input":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\\"n\\": 12345678901234567890}"},{"type":"shell_call","call_id":"b","action":{"commands":[],"timeout_ms":12345678901234567891}},{"type":"function_call_output","call_id":"a","output":"x","n":12345678901234567892}],"seed_of_stars":12345678901234567893}';
  const wire = dialect.encodeRequest(dialect.decodeRequest(parseJson(text)), { repair: false }).wire;
  const digits = (json: string): string[] => (json.match(/\d[\d.]{15,}/g) ?? []).toSorted();
  expect(digits(stringifyJson(wire))).toStrictEqual(digits(text));
  expect(digits(text)).toHaveLength(5);
});

describe("detection of payloads", () => {
  test.each([
    ["a request with a list", { model: "m", input: [{ role: "user", content: "x" }] }, "request"],
    ["a request with items", { input: [{ type: "function_call_output", call_id: "a", output: "x" }] }, "request"],
    ["a request with a string", { input: "x", instructions: "y" }, "request"],
    ["a request without content", { input: [], previous_response_id: "r" }, "request"],
    ["a text, which can be for embeddings", { model: "m", input: "x" }, undefined],
    ["texts, which are for embeddings", { model: "m", input: ["x", "y"] }, undefined],
    ["moderation input", { input: [{ type: "text", text: "x" }] }, undefined],
    ["speech input", { model: "m", input: "x", instructions: "y", voice: "z" }, undefined],
    ["an error in a stream", { type: "error", code: null, message: "x", param: null, sequence_number: 3 }, "stream"],
    ["a response", { object: "response", output: [] }, "response"],
    ["an event", { type: "response.created", response: {} }, "stream"],
    ["a request of Chat", { model: "m", messages: [] }, undefined],
    ["a request of Gemini", { contents: [] }, undefined],
    ["an error, which Chat has as well", { error: { message: "x", type: "y", param: null, code: null } }, undefined],
    ["an error event, which Anthropic has as well", { type: "error", error: {} }, undefined],
    ["no known field", {}, undefined],
  ])("%s", (_, wire, kind) => {
    expect(dialect.detectKind(wire)).toBe(kind);
  });
});
