// `generateObject`: the request, the parsed object, and the errors.
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Message, Part, ModelRequest } from "koine";
import { assistant, dialect, reasoning, refusal, text, toolCall, user } from "koine";
import type { AnySchema, Answer, HttpDialect, ObjectRequest } from "koine/client";
import { ClientError, createClient, OutputError } from "koine/client";
import { replayServer } from "koine/testkit";
import { generateObject } from "../../src/client/generate-object.ts";

const City = z.object({ name: z.string(), people: z.number() });
const CITY = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

function answerOf(parts: Part[], more: Partial<Answer> = {}): Answer {
  const message: Message = assistant(parts);
  const beside = { provider: "near", losses: [], attempts: [] };
  return { id: "r1", model: "m", message, finishReason: { unified: "stop" }, ...beside, ...more };
}

/** A `complete` that returns an answer and records its requests. */
function scripted(answer: Answer): { complete: (request: ModelRequest) => Promise<Answer>; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    complete: (request) => {
      requests.push(request);
      return Promise.resolve(answer);
    },
  };
}

async function objectOf(schema: AnySchema, answer: Answer): Promise<unknown> {
  const { complete } = scripted(answer);
  return (await generateObject(complete, { messages: [user("?")], schema })).object;
}

async function faultOf(schema: AnySchema, answer: Answer): Promise<OutputError> {
  const error: unknown = await objectOf(schema, answer).catch((thrown: unknown) => thrown);
  if (!(error instanceof OutputError)) throw new Error(`Expected an OutputError, got ${String(error)}`);
  return error;
}

describe("the request", () => {
  const objectText = '{"name":"Corinth","people":30000}';

  test("the request contains the schema and no option of the call", async () => {
    const { complete, requests } = scripted(answerOf([text(objectText)]));
    const messages = [user("Which city?")];
    const request = { model: "near/m", messages, schema: CITY, name: "city", description: "A city." };
    const { object, answer } = await generateObject(complete, request);
    expect(requests).toStrictEqual([
      {
        model: "near/m",
        messages,
        output: { type: "json-schema", schema: CITY, name: "city", description: "A city." },
      },
    ]);
    expect(object).toStrictEqual({ name: "Corinth", people: 30_000 });
    expect(answer.id).toBe("r1");
  });

  const spoken = {
    type: "object",
    properties: { name: { type: "string" }, people: { type: "number" } },
    required: ["name", "people"],
  };
  const closed = { ...spoken, additionalProperties: false };

  test.each<[string, AnySchema, object]>([
    ["B53: a JSON Schema that complies is sent as strict", closed, { schema: closed, strict: true }],
    ["a schema that does not comply is sent unchanged", CITY, { schema: CITY }],
    ["B53: a Standard Schema is sent closed and strict", City, { schema: closed, strict: true }],
    [
      "a Standard Schema that cannot be strict is sent as its JSON Schema",
      z.object({ name: z.string().optional() }),
      { schema: { type: "object", properties: { name: { type: "string" } } } },
    ],
  ])("%s", async (_, schema, output) => {
    const { complete, requests } = scripted(answerOf([text(objectText)]));
    await generateObject(complete, { messages: [], schema });
    expect(requests[0]?.output).toStrictEqual({ type: "json-schema", ...output });
  });

  test("a schema without a JSON Schema uses the one that the caller gives", async () => {
    const Dated = z.object({ at: z.codec(z.string(), z.date(), { decode: (it) => new Date(it), encode: String }) });
    const { complete, requests } = scripted(answerOf([text('{"at":"2020-01-01"}')]));
    const request = { messages: [], schema: Dated, jsonSchema: { type: "object" } };
    const { object } = await generateObject(complete, request);
    expect(requests[0]?.output).toStrictEqual({ type: "json-schema", schema: { type: "object" } });
    expect(object.at).toStrictEqual(new Date("2020-01-01"));
  });

  test("an invalid schema is rejected before a request is sent", async () => {
    const { complete, requests } = scripted(answerOf([]));
    const refused = generateObject(complete, { messages: [], schema: { type: "objekt" } });
    await expect(refused).rejects.toMatchObject({ code: "configuration", path: "/schema/type" });
    await expect(refused).rejects.toBeInstanceOf(ClientError);
    expect(requests).toStrictEqual([]);
  });

  test("an invalid request is rejected as such", async () => {
    const { complete } = scripted(answerOf([]));
    // A caller without static types.
    const refused = generateObject(complete, undefined as unknown as ObjectRequest<AnySchema>);
    await expect(refused).rejects.toMatchObject({ code: "configuration" });
  });

  test("the options of the call are passed on", async () => {
    const options = { provider: "near" };
    let received: unknown;
    const complete = (_: ModelRequest, passed?: unknown): Promise<Answer> => {
      received = passed;
      return Promise.resolve(answerOf([text("{}")]));
    };
    await generateObject(complete, { messages: [], schema: {} }, options);
    expect(received).toBe(options);
  });

  test("the object has the type that the schema declares", async () => {
    const { complete } = scripted(answerOf([text(objectText)]));
    const { object } = await generateObject(complete, { messages: [], schema: City });
    expectTypeOf(object).toEqualTypeOf<{ name: string; people: number }>();
    const other = await generateObject(complete, { messages: [], schema: CITY });
    expectTypeOf(other.object).toEqualTypeOf<unknown>();
    expect(object).toStrictEqual(other.object);
  });
});

describe("the parsed object", () => {
  const fence = "```";
  test.each<[string, Part[], unknown]>([
    ["bare JSON", [text('{"a":1}')], { a: 1 }],
    ["JSON across several texts", [text('{"a":'), text("1}")], { a: 1 }],
    ["a value that is no object", [text(" [1, 2] ")], [1, 2]],
    ["JSON after reasoning", [reasoning("{}?"), text('{"a":1}')], { a: 1 }],
    ["JSON in a fence", [text(`${fence}json\n{"a":1}\n${fence}`)], { a: 1 }],
    ["a fence with text around it", [text(`Here it is:\n\n${fence}\n{"a":1}\n${fence}\nAnything else?`)], { a: 1 }],
    ["a fence within the JSON", [text(JSON.stringify({ a: `${fence}\nx\n${fence}` }))], { a: `${fence}\nx\n${fence}` }],
    ["a byte order mark", [text('\uFEFF{"a":1}')], { a: 1 }],
    ["a byte order mark before a fence", [text(`\uFEFF${fence}json\n{"a":1}\n${fence}`)], { a: 1 }],
    ["a fence with CRLF line ends", [text(`${fence}json\r\n{"a":1}\r\n${fence}\r\n`)], { a: 1 }],
    ["a closing fence at the end of the JSON line", [text(`${fence}json\n{"a":\n1}${fence}`)], { a: 1 }],
    ["a longer fence", [text(`  ${fence}${fence}json\n{"a":"${fence}"}\n  ${fence}${fence}  `)], { a: fence }],
    ["a fence of tildes", [text('~~~\n{"a":1}\n~~~')], { a: 1 }],
    [
      "a text after a built-in tool call",
      [text("Let me look."), toolCall("c1", "search", {}, { executor: "provider" }), text('{"a":1}')],
      { a: 1 },
    ],
  ])("%s", async (_, parts, object) => {
    expect(await objectOf({}, answerOf(parts))).toStrictEqual(object);
  });

  test("an object that was complete before the answer was cut is returned", async () => {
    const cut = answerOf([text('{"a":1}\n\n')], { finishReason: { unified: "length" } });
    expect(await objectOf({}, cut)).toStrictEqual({ a: 1 });
  });
});

describe("an invalid output", () => {
  const cut = { finishReason: { unified: "length" as const } };
  test.each<[string, Answer, OutputError["reason"], RegExp]>([
    ["plain text", answerOf([text("Corinth, I think.")]), "not-json", /not JSON: .*line 1/],
    ["two fences", answerOf([text("```\n{}\n```\nor\n```\n[]\n```")]), "not-json", /not JSON/],
    ["a fence without an end", answerOf([text('```json\n{"name":"Corinth"}\n')]), "not-json", /not JSON/],
    ["a fence on one line", answerOf([text('```{"name":"Corinth"}```')]), "not-json", /not JSON/],
    ["many opening fences", answerOf([text("```a\n".repeat(100_000))]), "not-json", /not JSON/],
    ["many backticks", answerOf([text(`${"`".repeat(200_000)}x\``)]), "not-json", /not JSON/],
    ["a fence around plain text", answerOf([text("```\nCorinth\n```")]), "not-json", /not JSON/],
    ["another object", answerOf([text('{"people":3}')]), "schema", /does not match the schema: at "": .*"name"/],
    ["half an object", answerOf([text('{"name":"Cor')], cut), "cut-off", /before the object was complete/],
    ["no text because of the token limit", answerOf([reasoning("Hm.")], cut), "cut-off", /more output tokens/],
    [
      "a number that the token limit may have cut",
      answerOf([text("12")], cut),
      "cut-off",
      /before the object was complete/,
    ],
    ["a pause", answerOf([], { finishReason: { unified: "pause" } }), "cut-off", /ended with pause/],
    ["B49: a refusal", answerOf([refusal("I will not.")]), "refused", /It is a refusal: I will not\./],
    ["a filter", answerOf([text("{")], { finishReason: { unified: "content-filter" } }), "refused", /content-filter/],
    ["an empty answer", answerOf([]), "empty", /no text/],
    ["blanks", answerOf([text(" \n")]), "empty", /no text/],
    ["a tool call", answerOf([text("One moment."), toolCall("c1", "find", {})]), "empty", /calls find instead/],
  ])("%s", async (_, answer, reason, message) => {
    const error = await faultOf(CITY, answer);
    expect(error).toMatchObject({ name: "OutputError", code: "invalid-output", reason, provider: "near", model: "m" });
    expect(error.message).toMatch(message);
    expect(error.response).toBe(answer);
  });

  test("the error contains the text unchanged", async () => {
    const error = await faultOf({}, answerOf([text("```\n"), text("no")]));
    expect(error.text).toBe("```\nno");
  });

  test("issues are listed with their paths", async () => {
    const error = await faultOf(City, answerOf([text('{"name":1,"people":"many"}')]));
    expect(error.issues.map(({ path }) => path)).toStrictEqual(["/name", "/people"]);
    expect(error.message).toContain('at "/name": Invalid input: expected string, received number');
  });

  test("the message lists some of many issues and the number of the others", async () => {
    const schema = { items: { type: "string" } };
    expect((await faultOf(schema, answerOf([text("[1,2,3,4,5]")]))).message).toMatch(/\(and 2 more in \.issues\)$/);
  });

  test("a schema that the target did not receive is named as the likely reason", async () => {
    const loss = {
      path: "/output",
      action: "dropped",
      level: "loss",
      code: "field-unsupported",
      message: "Not supported.",
    } as const;
    const error = await faultOf(CITY, answerOf([text("Corinth")], { losses: [loss] }));
    expect(error.message).toContain("The provider did not receive the whole schema: Not supported.");
  });
});

describe("over HTTP", () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, people: { type: "number" } },
    required: ["name", "people"],
    additionalProperties: false,
  };
  test.each<[HttpDialect, object]>([
    ["openai-chat", { response_format: { json_schema: { name: "city", schema, strict: true } } }],
    ["openai-responses", { text: { format: { type: "json_schema", name: "city", schema, strict: true } } }],
    ["anthropic", { output_config: { format: { type: "json_schema", schema } } }],
    ["gemini", { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } }],
    ["bedrock", { outputConfig: { textFormat: { structure: { jsonSchema: { schema: JSON.stringify(schema) } } } } }],
  ])("%s receives the schema in its own fields, and its answer is parsed", async (id, body) => {
    const reply = answerOf([text('{"name":"Corinth","people":30000}')]);
    await using server = await replayServer({ "*": { body: dialect(id).encodeResponse(reply).wire as object } });
    const config = { dialect: id, baseUrl: server.url, apiKey: "key" };
    await using client = createClient({ providers: { near: config } });
    const request = { model: "near/m", messages: [user("Which?")], schema: City, name: "city" };
    const { object, answer } = await client.generateObject(request);
    expect(object).toStrictEqual({ name: "Corinth", people: 30_000 });
    expect(answer.provider).toBe("near");
    expect(server.requests[0]?.body).toMatchObject(body);
  });
});
