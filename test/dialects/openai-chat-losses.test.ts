// What encoding into Chat loses, row by row: the canonical value, the losses, and what goes out instead.
import { describe, expect, test } from "vitest";
import { STREAM_LOSSES } from "../../src/dialects/kit/losses.ts";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import type { Loss } from "../../src/model/loss.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { mendedRows, requestRows, userRows } from "./openai-chat-loss-rows.ts";

const dialect = openaiChat();
const produced = new Set<string>();

function told(losses: readonly Loss[]): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

const result = { type: "tool-result", toolCallId: "a", toolName: "", isError: false } as const;
const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } as const;
const wireCall = (args: string): object => ({ id: "a", type: "function", function: { name: "f", arguments: args } });

describe("what a user says", () => {
  test.each(userRows)("%s", (_, part, block, losses) => {
    const before = { type: "text", text: "Look:" } as const;
    // Stored messages may hold types of a later Koine.
    const encoded = dialect.encodeMessages([user([before, part as Part])]);
    const blocks = block === undefined ? "Look:" : [before, block];
    expect({ wire: encoded.wire, losses: told(encoded.losses) }).toStrictEqual({
      wire: [{ role: "user", content: blocks }],
      losses,
    });
  });
});

describe("what an assistant says", () => {
  const rows: [sentence: string, parts: unknown[], message: object, losses: string[]][] = [
    [
      "B2: an order that fields cannot keep is reported",
      [call, { type: "text", text: "x" }],
      { content: "x", tool_calls: [wireCall("{}")] },
      ["order-regrouped /0/parts/1/type"],
    ],
    ["an empty text is read as none", [{ type: "text", text: "" }], { content: "" }, ["text-empty /0/parts/0/text"]],
    [
      "two refusals share a field",
      [
        { type: "refusal", text: "No." },
        { type: "refusal", text: "Never." },
      ],
      { content: null, refusal: "No.\n\nNever." },
      ["texts-joined /0/parts/0/text", "texts-joined /0/parts/1/text"],
    ],
    [
      "B48: a request does not repeat citations",
      [{ type: "text", text: "x", annotations: [{ kind: "url", url: "u" }] }],
      { content: "x" },
      ["annotation-unsaid /0/parts/0/annotations"],
    ],
    [
      "B31: readable arguments do not show that a call was cut off",
      [{ ...call, invalid: true }],
      { content: null, tool_calls: [wireCall("{}")] },
      ["call-invalid /0/parts/0/invalid"],
    ],
    [
      "how every function is called goes unsaid, and which tool of another dialect it was",
      [{ ...call, executor: "client", format: "json", tool: "computer_call" }],
      { content: null, tool_calls: [wireCall("{}")] },
      ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format", "field-unsaid /0/parts/0/tool"],
    ],
    [
      "B33: what the provider ran is left out",
      [
        { ...call, executor: "provider" },
        { ...result, executor: "provider" },
        { type: "text", text: "x" },
      ],
      { content: "x" },
      ["provider-tool /0/parts/0", "provider-tool /0/parts/1"],
    ],
    [
      "spoken audio that the provider does not know cannot be said",
      [
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "text", text: "x" },
      ],
      { content: "x" },
      ["part-unsayable /0/parts/0"],
    ],
    [
      "audio that the provider knows goes by its id",
      [
        {
          type: "audio",
          data: "aGk=",
          transcript: "Hi",
          seals: [{ dialect: "openai-chat", kind: "id", value: "audio_1" }],
        },
      ],
      { content: null, audio: { id: "audio_1" } },
      ["audio-by-id /0/parts/0/data", "audio-by-id /0/parts/0/transcript"],
    ],
  ];
  test.each(rows)("%s", (_, parts, message, losses) => {
    const encoded = dialect.encodeMessages([assistant(parts as Part[])]);
    expect(encoded.wire).toStrictEqual([{ role: "assistant", ...message }]);
    expect(told(encoded.losses)).toStrictEqual(losses);
  });
});

describe("results", () => {
  const image: Part = { type: "image", data: "aGk=", mimeType: "image/png" };
  const block = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const rows: [sentence: string, message: object, wire: object[], losses: string[]][] = [
    [
      "B27: nothing can say that a tool failed",
      { role: "tool", parts: [{ ...result, isError: true, output: "Oh." }] },
      [{ role: "tool", tool_call_id: "a", content: "Oh." }],
      ["error-unsaid /0/parts/0/isError"],
    ],
    [
      "JSON is written as text",
      { role: "tool", parts: [{ ...result, output: { x: 1 } }] },
      [{ role: "tool", tool_call_id: "a", content: '{"x":1}' }],
      ["output-as-text /0/parts/0/output"],
    ],
    [
      "a result without output is an empty text",
      { role: "tool", parts: [result] },
      [{ role: "tool", tool_call_id: "a", content: "" }],
      ["result-empty /0/parts/0/output"],
    ],
    [
      "B45: media move into a message of the user's, texts stay",
      { role: "tool", parts: [{ ...result, output: "See:", content: [{ type: "text", text: "this" }, image] }] },
      [
        {
          role: "tool",
          tool_call_id: "a",
          content: [
            { type: "text", text: "See:" },
            { type: "text", text: "this" },
          ],
        },
        { role: "user", content: [block] },
      ],
      ["output-in-content /0/parts/0/output", "media-moved /0/parts/0/content/1"],
    ],
    [
      "several results are several messages, and their media follow them all",
      {
        role: "tool",
        parts: [
          { ...result, content: [image] },
          { ...result, toolCallId: "b", output: "2" },
        ],
      },
      [
        { role: "tool", tool_call_id: "a", content: "" },
        { role: "tool", tool_call_id: "b", content: "2" },
        { role: "user", content: [block] },
      ],
      ["media-moved /0/parts/0/content/0", "result-empty /0/parts/0/output", "results-split /0/role"],
    ],
    [
      "B28: text beside results keeps its place behind them",
      {
        role: "user",
        parts: [
          { type: "text", text: "And?" },
          { ...result, output: "1" },
        ],
      },
      [
        { role: "tool", tool_call_id: "a", content: "1" },
        { role: "user", content: "And?" },
      ],
      ["results-split /0/role"],
    ],
    [
      "a tool says nothing but results",
      { role: "tool", parts: [{ type: "text", text: "x" }] },
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "what only another dialect can say beside results is nothing that the user says",
      {
        role: "tool",
        parts: [
          { ...result, output: "1" },
          { type: "opaque", dialect: "ai-sdk-model", value: {} },
        ],
      },
      [{ role: "tool", tool_call_id: "a", content: "1" }],
      ["results-split /0/role", "opaque-foreign /0/parts/1"],
    ],
    ["a tool message without results is none", { role: "tool", parts: [] }, [], ["results-split /0/parts"]],
    [
      "a name that no call gives is reported",
      { role: "tool", parts: [{ ...result, toolName: "f", output: "x" }] },
      [{ role: "tool", tool_call_id: "a", content: "x" }],
      ["tool-name /0/parts/0/toolName"],
    ],
  ];
  test.each(rows)("%s", (_, message, wire, losses) => {
    const encoded = dialect.encodeMessages([message as Message]);
    expect(encoded.wire).toStrictEqual(wire);
    expect(told(encoded.losses)).toStrictEqual(losses);
  });

  test("media that came in a result stay there", () => {
    const wire = [{ role: "tool", tool_call_id: "a", content: [block] }];
    expect(dialect.encodeMessages(dialect.decodeMessages(wire))).toStrictEqual({ wire, losses: [] });
  });
});

describe("messages", () => {
  test("ids and metadata are reported", () => {
    const stored = { ...user("x"), id: "1", metadata: {}, createdAt: "now" };
    expect(told(dialect.encodeMessages([stored]).losses)).toStrictEqual([
      "bookkeeping /0/id",
      "bookkeeping /0/metadata",
      "bookkeeping /0/createdAt",
    ]);
  });

  test("a role that was spelled in a way of its own and is another now", () => {
    const [message] = dialect.decodeMessages([{ role: "critic", content: "x" }]);
    const { wire, losses } = dialect.encodeMessages(message === undefined ? [] : [{ ...message, role: "system" }]);
    expect(wire).toStrictEqual([{ role: "system", content: "x" }]);
    expect(told(losses)).toStrictEqual(["form-stale /0/extra/openai-chat/$form/role"]);
  });
});

describe("requests", () => {
  test.each(requestRows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x")], ...request });
    expect(encoded.wire).toStrictEqual({ messages: [{ role: "user", content: "x" }], ...wire });
    expect(told(encoded.losses)).toStrictEqual(losses);
  });

  test.each(mendedRows)("%s", (_, message, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x"), message, user("z")] });
    const around = (content: string): object => ({ role: "user", content });
    expect(encoded.wire).toStrictEqual({ messages: [around("x"), ...wire, around("z")] });
    expect(told(encoded.losses)).toStrictEqual(losses);
    const plain = dialect.encodeRequest({ messages: [message, user("z")] }, { repair: false });
    expect(plain.losses).toStrictEqual([]);
  });

  test("B7, B27: a result that says nothing is an empty text, and a document in one stays there", () => {
    const answered = (content: Part[]): unknown => {
      const messages: Message[] = [assistant([call]), { role: "tool", parts: [{ ...result, toolName: "f", content }] }];
      const { wire, losses } = dialect.encodeRequest({ messages });
      return { said: (wire as { messages: object[] }).messages.slice(1), losses: told(losses) };
    };
    const answer = { role: "tool", tool_call_id: "a" };
    expect(answered([])).toStrictEqual({
      said: [{ ...answer, content: "" }],
      losses: ["result-empty /messages/1/parts/0/output"],
    });
    expect(answered([{ type: "file", text: "Hi" }])).toStrictEqual({
      said: [{ ...answer, content: [{ type: "text", text: "Hi" }] }],
      losses: ["document-as-text /messages/1/parts/0/content/0/text"],
    });
  });

  test("repairs are reported under their codes", () => {
    const messages = [
      assistant([{ ...call, toolCallId: "r" }]),
      { role: "tool", parts: [{ ...result, toolCallId: "r" }] } as const,
      assistant([{ ...call, toolCallId: "r" }]),
      { role: "tool", parts: [{ ...result, toolCallId: "r" }] } as const,
      assistant([{ ...call, toolName: "f.g", toolCallId: "x".repeat(41) }]),
      { role: "tool", parts: [result] } as const,
      assistant([
        { ...call, toolCallId: "b" },
        { ...call, toolCallId: "c" },
      ]),
      {
        role: "tool",
        parts: [
          { ...result, toolCallId: "c" },
          { ...result, toolCallId: "b" },
        ],
      } as const,
      { role: "tool", parts: [{ ...result, toolCallId: "c" }] } as const,
      assistant([{ ...call, toolCallId: "d" }]),
      user("\ud83d"),
      { role: "tool", parts: [{ ...result, toolCallId: "d" }] } as const,
      assistant("So:"),
    ].map((message): Message => ({ ...message, parts: [...message.parts] }));
    const codes = dialect.encodeRequest({ messages }).losses;
    told(codes);
    for (const code of ["result-synthesized", "result-orphan", "results-reordered", "result-duplicate"]) {
      expect(codes.map((loss) => loss.code)).toContain(code);
    }
  });

  test("B33: what is to be approved is not asked of the client, and neither is its answer sent", () => {
    const asked = { ...call, tool: "mcp_approval_request" };
    const { tool: _, ...bare } = { ...result, output: { approve: true }, tool: asked.tool };
    for (const answer of [{ ...bare, tool: asked.tool }, bare]) {
      const messages: Message[] = [user("x"), assistant([asked]), { role: "tool", parts: [answer] }, user("z")];
      const { wire, losses } = dialect.encodeRequest({ messages });
      expect(JSON.stringify(wire)).not.toMatch(/approv|tool/);
      expect(told(losses)).toStrictEqual([
        "approval-foreign /messages/1/parts/0",
        "approval-foreign /messages/2/parts/0",
      ]);
      expect(losses.map(({ level }) => level)).toStrictEqual(["breaks", "breaks"]);
    }
  });

  test("a developer's message goes out as the system's where there are none", () => {
    const { losses } = openaiChat({ vendor: "groq" }).encodeRequest({ messages: [developer("x"), user("y")] });
    expect(told(losses)).toStrictEqual(["developer-as-system /messages/0/role"]);
  });

  test("metadata goes to OpenAI only with what it stores, and to others as it is", () => {
    const request = { messages: [user("x")], metadata: { a: "x" } };
    const stored = { ...request, extra: { "openai-chat": { store: true } } };
    const rows = [
      ["openai", request, false, ["metadata-unstored /metadata"]],
      ["openai", stored, true, []],
      ["groq", request, true, []],
      [undefined, request, true, []],
    ] as const;
    for (const [vendor, asked, goes, losses] of rows) {
      const encoded = openaiChat({ vendor }).encodeRequest(asked);
      expect(Object.hasOwn(encoded.wire as object, "metadata")).toBe(goes);
      expect(told(encoded.losses)).toStrictEqual(losses);
    }
    expect(openaiChat({ vendor: "openai" }).encodeRequest(request, { repair: false }).losses).toStrictEqual([]);
  });
});

describe("answers", () => {
  const answer: ModelResponse = { id: "x", model: "m", message: assistant("Hi."), finishReason: { unified: "stop" } };
  const createdAt = "2023-11-14T22:13:20.000Z";
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    ["an answer without a date gets one", {}, ["field-filled /createdAt"]],
    ["an answer without an id gets one", { createdAt, id: "" }, ["field-filled /id"]],
    [
      "texts before a block are one, as a stream has them, and an empty one is none",
      {
        createdAt,
        message: assistant([
          { type: "text", text: "" },
          { type: "text", text: "A" },
          { type: "text", text: "B" },
          { type: "opaque", dialect: "openai-chat", value: { type: "novel" } },
        ]),
      },
      ["text-empty /message/parts/0/text", "texts-joined /message/parts/1/text", "texts-joined /message/parts/2/text"],
    ],
    ["parts of a second are cut off", { createdAt: "2023-11-14T22:13:20.5Z" }, ["bookkeeping /createdAt"]],
    [
      "B62: a pause has no word here",
      { createdAt, finishReason: { unified: "pause", raw: "pause_turn" } },
      ["finish-raw /finishReason/raw", "finish-approximated /finishReason/unified"],
    ],
    [
      "what another dialect's answer says about itself is left out",
      { createdAt, extra: { anthropic: { container: null } } },
      ["echo-foreign /extra/anthropic/container"],
    ],
    [
      "B64: the split of cache writes has no place",
      { createdAt, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheWrite5mTokens: 1 } },
      ["echo-foreign /usage/cacheWrite5mTokens"],
    ],
    [
      "a citation without a place is about the whole text",
      {
        createdAt,
        message: assistant([{ type: "text", text: "Hi.", annotations: [{ kind: "url", url: "u", citedText: "c" }] }]),
      },
      [
        "field-filled /message/parts/0/annotations/0/title",
        "field-filled /message/parts/0/annotations/0/span",
        "field-unsaid /message/parts/0/annotations/0/citedText",
      ],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(told(dialect.encodeResponse({ ...answer, ...response }).losses)).toStrictEqual(losses);
  });
});

test("every declared loss is produced by some row above", () => {
  // What only streams lose is shown where they are written.
  const declared = Object.keys(dialect.losses).filter((code) => !Object.hasOwn(STREAM_LOSSES, code));
  expect([...produced].toSorted()).toStrictEqual(declared.toSorted());
});
