// Rows of Bedrock blocks, messages, requests and responses and their canonical form.
import { describe, expect, test } from "vitest";
import { detectDialect } from "../../../src/dialects/translate.ts";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import { requestSamples } from "./request-samples.ts";
import { buildResponse, errorSamples, responseSamples } from "./response-samples.ts";
import { streamSamples } from "./stream-samples.ts";

const dialect = bedrock();
const signatureSeal = (value: string): Part["seals"] => [{ dialect: "bedrock", kind: "signature", value }];

describe("a block is a part", () => {
  const rows: [sentence: string, block: object, part: Part][] = [
    ["text", { text: "Hi." }, { type: "text", text: "Hi." }],
    [
      "B43: an unknown field is stored as residue",
      { text: "Hi.", mood: "calm" },
      { type: "text", text: "Hi.", extra: { bedrock: { mood: "calm" } } },
    ],
    [
      "B1: signed reasoning",
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
      { type: "reasoning", text: "Hm.", seals: signatureSeal("c2ln") ?? [] },
    ],
    [
      "B3: redacted reasoning",
      { reasoningContent: { redactedContent: "cmVk" } },
      { type: "reasoning", text: "", seals: [{ dialect: "bedrock", kind: "redacted", value: "cmVk" }] },
    ],
    [
      "unsigned reasoning",
      { reasoningContent: { reasoningText: { text: "Hm." } } },
      { type: "reasoning", text: "Hm.", extra: { bedrock: { $form: { signature: "none" } } } },
    ],
    [
      "an image",
      { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
    [
      "an image in S3",
      { image: { format: "jpeg", source: { s3Location: { uri: "s3://a/b", bucketOwner: "1" } } } },
      {
        type: "image",
        url: "s3://a/b",
        mimeType: "image/jpeg",
        extra: { bedrock: { image: { source: { s3Location: { bucketOwner: "1" } } } } },
      },
    ],
    [
      "a document",
      { document: { format: "docx", name: "Laws", source: { bytes: "UEs=" } } },
      {
        type: "file",
        data: "UEs=",
        name: "Laws",
        mimeType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      },
    ],
    [
      "a document of texts",
      { document: { name: "Laws", source: { content: [{ text: "One." }] } } },
      { type: "file", content: [{ type: "text", text: "One." }], name: "Laws" },
    ],
    [
      "video",
      { video: { format: "mov", source: { bytes: "AA==" } } },
      { type: "video", data: "AA==", mimeType: "video/quicktime" },
    ],
    [
      "audio with a format other than its MIME subtype",
      { audio: { format: "mpeg", source: { bytes: "AA==" } } },
      { type: "audio", data: "AA==", mimeType: "audio/mpeg", extra: { bedrock: { $form: { format: "mpeg" } } } },
    ],
    [
      "bytes as a list of numbers",
      { image: { format: "png", source: { bytes: { type: "Buffer", data: [1, 2, 3] } } } },
      { type: "image", data: "AQID", mimeType: "image/png", extra: { bedrock: { $form: { bytes: "buffer" } } } },
    ],
    [
      "a call",
      { toolUse: { toolUseId: "t1", name: "look", input: { at: "agora" } } },
      { type: "tool-call", toolCallId: "t1", toolName: "look", input: { at: "agora" } },
    ],
    [
      "B33: a call of a provider tool",
      { toolUse: { toolUseId: "t1", name: "nova_grounding", input: {}, type: "server_tool_use" } },
      {
        type: "tool-call",
        toolCallId: "t1",
        toolName: "nova_grounding",
        input: {},
        executor: "provider",
        tool: "systemTool",
      },
    ],
    [
      "B48: a text with citations",
      {
        citationsContent: {
          content: [{ text: "In the middle." }],
          citations: [
            { title: "T", sourceContent: [{ text: "mid" }], location: { web: { url: "https://a.example" } } },
          ],
        },
      },
      {
        type: "text",
        text: "In the middle.",
        annotations: [{ kind: "url", title: "T", citedText: "mid", url: "https://a.example" }],
      },
    ],
    [
      "guard content",
      { guardContent: { text: { text: "Hi.", qualifiers: ["query"] } } },
      {
        type: "text",
        text: "Hi.",
        extra: { bedrock: { guardContent: { text: { qualifiers: ["query"] } }, $form: { type: "guardContent" } } },
      },
    ],
    [
      "B43: an unknown block",
      { hologram: { format: "h1" } },
      { type: "opaque", dialect: "bedrock", value: { hologram: { format: "h1" } } },
    ],
    [
      "B43: a call without a name",
      { toolUse: { toolUseId: "t1" } },
      { type: "opaque", dialect: "bedrock", value: { toolUse: { toolUseId: "t1" } } },
    ],
  ];
  test.each(rows)("%s", (_, block, part) => {
    const wire = [{ role: "assistant", content: [block] }];
    const messages = dialect.decodeMessages(wire);
    expect(messages).toStrictEqual([{ role: "assistant", parts: [part] }]);
    expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  });

  test("B5: a seal has its provider and is sent only there", () => {
    const wire = [{ role: "assistant", content: [{ reasoningContent: { redactedContent: "cmVk" } }] }];
    const messages = bedrock({ provider: "aws" }).decodeMessages(wire);
    expect(messages[0]?.parts[0]?.seals?.[0]?.provider).toBe("aws");
    expect(bedrock({ provider: "aws" }).encodeMessages(messages).wire).toStrictEqual(wire);
    expect(bedrock({ provider: "other" }).encodeMessages(messages).wire).toStrictEqual([]);
  });
});

describe("results", () => {
  const rows: [sentence: string, result: object, part: object][] = [
    ["a single text is the output", { content: [{ text: "Sunny." }] }, { isError: false, output: "Sunny." }],
    ["JSON is the output", { content: [{ json: { sky: "grey" } }] }, { isError: false, output: { sky: "grey" } }],
    [
      "all other blocks are content",
      { content: [{ text: "a" }, { text: "b" }], status: "error" },
      {
        isError: true,
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
    ["B27: an empty content list is preserved", { content: [] }, { isError: false, content: [] }],
  ];
  test.each(rows)("%s", (_, result, part) => {
    const wire = [
      { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "look", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t", ...result } }] },
    ];
    const messages = dialect.decodeMessages(wire);
    expect(messages[1]).toStrictEqual({
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "t", toolName: "look", ...part }],
    });
    expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  });
});

describe("messages", () => {
  test("B28: tool results and user text in one message become two messages, and one again", () => {
    const wire = [
      { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "look", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t", content: [{ text: "1" }] } }, { text: "Go on." }] },
    ];
    const messages = dialect.decodeMessages(wire);
    expect(messages.map(({ role }) => role)).toStrictEqual(["assistant", "tool", "user"]);
    expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  });

  test("B38: a cache point becomes `cache` of the part before it", () => {
    const wire = {
      system: [{ text: "Know this." }, { cachePoint: { type: "default", ttl: "1h" } }],
      messages: [{ role: "user", content: [{ text: "Hi." }, { cachePoint: { type: "default" } }] }],
    };
    const messages: Message[] = [
      { role: "system", parts: [{ type: "text", text: "Know this.", cache: { ttl: "1h" } }] },
      { role: "user", parts: [{ type: "text", text: "Hi.", cache: {} }] },
    ];
    expect(dialect.decodeMessages(wire)).toStrictEqual(messages);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("B40: two consecutive messages of one role stay separate", () => {
    const wire = ["a", "b"].map((text) => ({ role: "user", content: [{ text }] }));
    const messages = dialect.decodeMessages(wire);
    expect(messages[1]?.extra).toStrictEqual({ bedrock: { $form: { turn: "own" } } });
    expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  });

  test.each([
    [[7], "/0"],
    [[{ role: "user", content: 7 }], "/0/content"],
    [[{ role: "user", content: [7] }], "/0/content/0"],
    [[{ content: [] }], "/0/role"],
    [{ messages: [], other: 1 }, "/other"],
  ])("a value of a wrong type is an error with a path: %j", (wire, path) => {
    expect(() => dialect.decodeMessages(wire)).toThrow(expect.objectContaining({ path }) as Error);
  });
});

describe("requests", () => {
  const userMessages = [{ role: "user", content: [{ text: "Hi." }] }];
  const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "Hi." }] }];
  const schema = { type: "object" };
  const rows: [sentence: string, wire: object, request: Partial<ModelRequest>][] = [
    [
      "sampling",
      { inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: ["END"] } },
      { sampling: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9, stop: ["END"] } },
    ],
    [
      "Anthropic's settings",
      { additionalModelRequestFields: { top_k: 4, thinking: { type: "enabled", budget_tokens: 2048 } } },
      { sampling: { topK: 4 }, reasoning: { budget: 2048 } },
    ],
    [
      "no thinking",
      { additionalModelRequestFields: { thinking: { type: "disabled" } } },
      { reasoning: { effort: "none" } },
    ],
    ["effort", { outputConfig: { effort: "xhigh" } }, { reasoning: { effort: "xhigh" } }],
    [
      "the output format",
      {
        outputConfig: {
          textFormat: {
            type: "json_schema",
            structure: { jsonSchema: { schema: '{"type":"object"}', name: "place" } },
          },
        },
      },
      { output: { type: "json-schema", schema, name: "place" } },
    ],
    [
      "tools, one with a breakpoint, and a tool choice",
      {
        toolConfig: {
          tools: [
            { toolSpec: { name: "look", description: "Looks.", inputSchema: { json: schema }, strict: true } },
            { cachePoint: { type: "default" } },
            { systemTool: { name: "nova_grounding" } },
          ],
          toolChoice: { tool: { name: "look" } },
        },
      },
      {
        tools: [
          { type: "function", name: "look", description: "Looks.", strict: true, inputSchema: schema, cache: {} },
          {
            type: "provider",
            dialect: "bedrock",
            name: "nova_grounding",
            value: { systemTool: { name: "nova_grounding" } },
          },
        ],
        toolChoice: { toolName: "look" },
      },
    ],
    ["B54: any tool", { toolConfig: { tools: [], toolChoice: { any: {} } } }, { tools: [], toolChoice: "required" }],
    ["metadata", { requestMetadata: { team: "a" } }, { metadata: { team: "a" } }],
    [
      "all other fields are residue",
      { serviceTier: { type: "flex" }, guardrailConfig: { guardrailIdentifier: "g" } },
      { extra: { bedrock: { serviceTier: { type: "flex" }, guardrailConfig: { guardrailIdentifier: "g" } } } },
    ],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    const { extra, ...decoded } = dialect.decodeRequest({ messages: userMessages, ...wire });
    const residueKeys = Object.keys(extra?.["bedrock"] ?? {}).filter((key) => key !== "$form");
    expect({ ...decoded, ...(residueKeys.length > 0 && { extra }) }).toStrictEqual({ messages, ...request });
  });

  test("model and stream flag are in the envelope", () => {
    const address = { model: "m", stream: true };
    const request = dialect.decodeRequest({ messages: userMessages }, { address });
    expect(request).toStrictEqual({ model: "m", messages, stream: true });
    expect(dialect.encodeRequest(request)).toStrictEqual({ wire: { messages: userMessages }, address, losses: [] });
  });

  test("B6: unsigned reasoning is sent only to models that do not sign", () => {
    const content = [{ reasoningContent: { reasoningText: { text: "Hm." } } }, { text: "So." }];
    const wire = { messages: [...userMessages, { role: "assistant", content }, ...userMessages] };
    const sent = (model: string): unknown =>
      dialect.encodeRequest(dialect.decodeRequest(wire, { address: { model } })).wire;
    expect(sent("us.deepseek.r1-v1:0")).toStrictEqual(wire);
    expect(sent("anthropic.claude-opus-4-1-v1:0")).toMatchObject({
      messages: [{}, { content: [{ text: "So." }] }, {}],
    });
  });
});

describe("responses", () => {
  test("B63, B64: cache counts are excluded from the wire's input count and included in the model's", () => {
    const usage = {
      inputTokens: 12,
      outputTokens: 55,
      totalTokens: 497,
      cacheReadInputTokens: 400,
      cacheWriteInputTokens: 30,
      cacheDetails: [
        { ttl: "1h", inputTokens: 20 },
        { ttl: "5m", inputTokens: 10 },
      ],
    };
    expect(dialect.decodeResponse(buildResponse([], { usage })).usage).toStrictEqual({
      inputTokens: 442,
      outputTokens: 55,
      totalTokens: 497,
      cacheReadTokens: 400,
      cacheWriteTokens: 30,
      cacheWrite1hTokens: 20,
      cacheWrite5mTokens: 10,
      raw: usage,
    });
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-calls"],
    ["content_filtered", "content-filter"],
    ["guardrail_intervened", "content-filter"],
    ["malformed_tool_use", "error"],
    ["moonrise", "other"],
  ])("B61, B62: %s means %s", (raw, unified) => {
    const { finishReason } = dialect.decodeResponse(buildResponse([], { stopReason: raw }));
    expect(finishReason).toStrictEqual({ unified, raw });
  });

  test("B31: a call that was cut off is marked as invalid", () => {
    const call = { toolUse: { toolUseId: "t", name: "look", input: {} } };
    const { message } = dialect.decodeResponse(buildResponse([call], { stopReason: "max_tokens" }));
    expect(message.parts[0]).toMatchObject({ type: "tool-call", invalid: true });
  });

  test("B16, B30: renamed tools and ids are restored", () => {
    const call = { toolUse: { toolUseId: "call_1", name: "look_up", input: { value: "x" } } };
    const names = { toolCallIds: { call_1: "call:1" }, toolNames: { look_up: "look.up" }, textTools: ["look.up"] };
    expect(dialect.decodeResponse(buildResponse([call]), { names }).message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "call:1", toolName: "look.up", input: "x", format: "text" },
    ]);
  });
});

test.each(errorSamples)("B88: an error has its kind: $name", ({ wire, status }) => {
  const { kind } = dialect.decodeError(wire, status);
  expect(kind).not.toBe("unknown");
  // Without the exception's name in the body, the status decides.
  expect(dialect.decodeError({ message: "No." }, status).kind).not.toBe("unknown");
});

test("B88: too many tokens per minute is not the context length", () => {
  const wire = { message: "Too many tokens, please wait before trying again." };
  expect(dialect.decodeError(wire, 429).kind).toBe("rate-limit");
  expect(dialect.decodeError({ ...wire, __type: "ThrottlingException" }).kind).toBe("rate-limit");
});

test("a payload is detected", () => {
  const settled = requestSamples.filter(({ wire }) => /toolConfig|inferenceConfig|modelId/.test(JSON.stringify(wire)));
  for (const { wire } of settled) expect(detectDialect(wire)).toStrictEqual({ dialect: "bedrock", kind: "request" });
  expect(detectDialect(responseSamples[0]?.wire)).toStrictEqual({ dialect: "bedrock", kind: "response" });
  for (const event of streamSamples[0]?.events ?? []) {
    expect(detectDialect(event)).toStrictEqual({ dialect: "bedrock", kind: "stream" });
  }
  expect(detectDialect(errorSamples[0]?.wire)).toStrictEqual({ dialect: "bedrock", kind: "error" });
  expect(detectDialect({ messages: [{ role: "user", content: [{ text: "Hi." }] }] })).toBeUndefined();
});
