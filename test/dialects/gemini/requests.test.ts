// Gemini's settings and tools as canonical settings and tools, in both directions.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { GeminiRequest } from "../../../src/dialects/gemini/index.ts";
import { user } from "../../../src/model/message.ts";
import type { FunctionTool, ModelRequest } from "../../../src/model/request.ts";

const dialect = gemini();
const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const hi = user("Hi.");

interface EncodeOutcome {
  wire: GeminiRequest;
  losses: string[];
}
/** Returns the wire request, and each loss as "code path". */
function encode(request: ModelRequest): EncodeOutcome {
  const { wire, losses } = dialect.encodeRequest(request);
  return { wire: wire as GeminiRequest, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

describe("settings, both ways", () => {
  const rows: [sentence: string, wire: object, request: object][] = [
    ["an empty config sets nothing (B57)", {}, {}],
    [
      "sampling",
      { generationConfig: { temperature: 0, topP: 0.5, maxOutputTokens: 9, stopSequences: ["."], candidateCount: 2 } },
      { sampling: { temperature: 0, topP: 0.5, maxOutputTokens: 9, stop: ["."], n: 2 } },
    ],
    [
      "B60: log probabilities",
      { generationConfig: { responseLogprobs: true, logprobs: 3 } },
      { sampling: { logprobs: true, topLogprobs: 3 } },
    ],
    [
      "a level of thinking",
      { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } },
      { reasoning: { effort: "high" } },
    ],
    ["no thinking", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, { reasoning: { effort: "none" } }],
    [
      "a budget, and included thoughts",
      { generationConfig: { thinkingConfig: { thinkingBudget: 512, includeThoughts: true } } },
      { reasoning: { budget: 512, summary: "auto" } },
    ],
    ["text", { generationConfig: { responseMimeType: "text/plain" } }, { output: { type: "text" } }],
    ["JSON", { generationConfig: { responseMimeType: "application/json" } }, { output: { type: "json" } }],
    [
      "a schema",
      {
        generationConfig: {
          responseMimeType: "application/json",
          responseSchema: { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } } },
        },
      },
      {
        output: { type: "json-schema", schema: { type: "object", properties: { a: { type: ["string", "null"] } } } },
      },
    ],
    [
      "B51: a schema that only JSON Schema can express",
      {
        generationConfig: {
          responseMimeType: "application/json",
          responseJsonSchema: { type: "object", additionalProperties: false },
        },
      },
      { output: { type: "json-schema", schema: { type: "object", additionalProperties: false } } },
    ],
    [
      "B43: settings without a canonical field stay residue",
      {
        generationConfig: { responseModalities: ["AUDIO"], thinkingConfig: { thinkingBudget: -1 } },
        labels: { a: "b" },
      },
      {
        extra: {
          gemini: {
            generationConfig: { responseModalities: ["AUDIO"], thinkingConfig: { thinkingBudget: -1 } },
            labels: { a: "b" },
          },
        },
      },
    ],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    expect(dialect.decodeRequest({ contents, ...wire })).toStrictEqual({ messages: [hi], ...request });
    expect(encode({ messages: [hi], ...request })).toStrictEqual({ wire: { contents, ...wire }, losses: [] });
  });

  test("the model and the stream flag are outside the body", () => {
    const address = { model: "gemini-3-flash", stream: true };
    const request = dialect.decodeRequest({ contents }, { address });
    expect(request).toMatchObject(address);
    expect(dialect.encodeRequest(request)).toMatchObject({ wire: { contents }, address });
  });
});

describe("tools, both ways", () => {
  const declared = {
    name: "f",
    description: "Does f.",
    parameters: { type: "OBJECT", properties: { x: { type: "INTEGER" } } },
  };
  const tool: FunctionTool = {
    type: "function",
    name: "f",
    description: "Does f.",
    inputSchema: { type: "object", properties: { x: { type: "integer" } } },
  };
  const google = { type: "provider", dialect: "gemini", name: "googleSearch", value: { googleSearch: {} } };
  const group = (value: string): object => ({ extra: { gemini: { $form: { group: value } } } });
  const rows: [sentence: string, tools: object[], canonical: object[]][] = [
    [
      "B52: a function without parameters",
      [{ functionDeclarations: [{ name: "now" }] }],
      [{ type: "function", name: "now" }],
    ],
    ["functions in one group", [{ functionDeclarations: [declared, declared] }], [tool, tool]],
    [
      "functions in two groups",
      [{ functionDeclarations: [declared] }, { functionDeclarations: [declared] }],
      [tool, { ...tool, ...group("own") }],
    ],
    ["a tool of Google's own", [{ functionDeclarations: [declared] }, { googleSearch: {} }], [tool, google]],
    [
      "both in one group",
      [{ functionDeclarations: [declared], googleSearch: {} }],
      [tool, { ...google, ...group("same") }],
    ],
    [
      "B51: a native schema",
      [
        {
          functionDeclarations: [
            { name: "f", parametersJsonSchema: { type: "object", properties: { x: { oneOf: [{}] } } } },
          ],
        },
      ],
      [{ type: "function", name: "f", inputSchema: { type: "object", properties: { x: { oneOf: [{}] } } } }],
    ],
    [
      "a schema with types in lower case stays unchanged",
      [
        {
          functionDeclarations: [{ name: "f", parameters: { type: "object", properties: { x: { type: "integer" } } } }],
        },
      ],
      [
        {
          type: "function",
          name: "f",
          inputSchema: tool.inputSchema,
          extra: { gemini: { $form: { parameters: "own" } } },
        },
      ],
    ],
  ];
  test.each(rows)("%s", (_, tools, canonical) => {
    expect(dialect.decodeRequest({ contents, tools }).tools).toStrictEqual(canonical);
    expect(encode({ messages: [hi], tools: canonical as ModelRequest["tools"] & object }).wire.tools).toStrictEqual(
      tools,
    );
  });

  const choices: [object, ModelRequest["toolChoice"]][] = [
    [{ mode: "AUTO" }, "auto"],
    [{ mode: "NONE" }, "none"],
    [{ mode: "ANY" }, "required"],
    [{ mode: "ANY", allowedFunctionNames: ["f"] }, { toolName: "f" }],
    [
      { mode: "ANY", allowedFunctionNames: ["f", "g"] },
      { toolNames: ["f", "g"], mode: "required" },
    ],
    [
      { mode: "VALIDATED", allowedFunctionNames: ["f"] },
      { toolNames: ["f"], mode: "auto" },
    ],
  ];
  test.each(choices)("B54: %j has its own tool choice", (functionCallingConfig, toolChoice) => {
    const tools = [{ functionDeclarations: [declared] }];
    const request = dialect.decodeRequest({ contents, tools, toolConfig: { functionCallingConfig } });
    expect(request.toolChoice).toStrictEqual(toolChoice);
    expect(encode(request).wire.toolConfig).toStrictEqual({ functionCallingConfig });
  });

  test("B51: for a vendor without JSON Schema support, every change is reported", () => {
    const inputSchema = {
      type: "object",
      properties: { x: { type: "string", const: "a" } },
      additionalProperties: false,
    };
    const { wire, losses } = gemini({ vendor: "openapi-schema" }).encodeRequest({
      messages: [hi],
      tools: [{ type: "function", name: "f", inputSchema }],
    });
    const parameters = { type: "OBJECT", properties: { x: { type: "STRING", enum: ["a"] } } };
    expect((wire as GeminiRequest).tools).toStrictEqual([{ functionDeclarations: [{ name: "f", parameters }] }]);
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain(
      "schema-changed /tools/0/inputSchema/additionalProperties",
    );
  });

  test("B52: an object schema without properties is omitted, unless it came from Gemini's wire", () => {
    const empty = { type: "function", name: "f", inputSchema: { type: "object", properties: {} } } as const;
    expect(encode({ messages: [hi], tools: [empty] })).toStrictEqual({
      wire: { contents, tools: [{ functionDeclarations: [{ name: "f" }] }] },
      losses: ["parameters-empty /tools/0/inputSchema"],
    });
    const tools = [{ functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: {} } }] }];
    expect(encode(dialect.decodeRequest({ contents, tools })).wire.tools).toStrictEqual(tools);
  });
});
