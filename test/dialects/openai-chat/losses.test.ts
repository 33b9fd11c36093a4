// Tests the losses of encoding into Chat, row by row: the canonical value, the losses, and the encoded value.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Loss } from "../../../src/model/loss.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { repairedMessageRows, requestRows, userPartRows, STREAM_CODES } from "./losses.rows.ts";

const dialect = openaiChat();
const occurredCodes = new Set<string>();

function formatLosses(losses: readonly Loss[]): string[] {
  for (const { code } of losses) occurredCodes.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

const result = { type: "tool-result", toolCallId: "a", toolName: "", isError: false } as const;
const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } as const;
const wireCall = (args: string): object => ({ id: "a", type: "function", function: { name: "f", arguments: args } });

describe("user messages", () => {
  test.each(userPartRows)("%s", (_, part, block, losses) => {
    const before = { type: "text", text: "Look:" } as const;
    // Stored messages can have part types of a later version.
    const encoded = dialect.encodeMessages([user([before, part as Part])]);
    const blocks = block === undefined ? "Look:" : [before, block];
    expect({ wire: encoded.wire, losses: formatLosses(encoded.losses) }).toStrictEqual({
      wire: [{ role: "user", content: blocks }],
      losses,
    });
  });
});

describe("assistant messages", () => {
  const rows: [sentence: string, parts: unknown[], message: object, losses: string[]][] = [
    [
      "B2: an order of parts that the fields cannot express is reported",
      [call, { type: "text", text: "x" }],
      { content: "x", tool_calls: [wireCall("{}")] },
      ["parts-reordered /0/parts/1/type"],
    ],
    ["an empty text becomes no part", [{ type: "text", text: "" }], { content: "" }, ["text-empty /0/parts/0/text"]],
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
      ["annotation-unsupported /0/parts/0/annotations"],
    ],
    [
      "B31: parsable arguments do not show that a call was cut off",
      [{ ...call, invalid: true }],
      { content: null, tool_calls: [wireCall("{}")] },
      ["invalid-call-unsupported /0/parts/0/invalid"],
    ],
    [
      "the executor, format and tool of a call are dropped",
      [{ ...call, executor: "client", format: "json", tool: "computer_call" }],
      { content: null, tool_calls: [wireCall("{}")] },
      [
        "tool-default-omitted /0/parts/0/executor",
        "tool-default-omitted /0/parts/0/format",
        "field-unsupported /0/parts/0/tool",
      ],
    ],
    [
      "B33: calls that the provider ran are dropped",
      [
        { ...call, executor: "provider" },
        { ...result, executor: "provider" },
        { type: "text", text: "x" },
      ],
      { content: "x" },
      ["provider-tool-unsupported /0/parts/0", "provider-tool-unsupported /0/parts/1"],
    ],
    [
      "audio output without an id is dropped in a request",
      [
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "text", text: "x" },
      ],
      { content: "x" },
      ["part-unsupported /0/parts/0"],
    ],
    [
      "audio output with an id is sent by its id",
      [
        {
          type: "audio",
          data: "aGk=",
          transcript: "Hi",
          seals: [{ dialect: "openai-chat", kind: "id", value: "audio_1" }],
        },
      ],
      { content: null, audio: { id: "audio_1" } },
      ["audio-sent-by-id /0/parts/0/data", "audio-sent-by-id /0/parts/0/transcript"],
    ],
  ];
  test.each(rows)("%s", (_, parts, message, losses) => {
    const encoded = dialect.encodeMessages([assistant(parts as Part[])]);
    expect(encoded.wire).toStrictEqual([{ role: "assistant", ...message }]);
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });
});

describe("results", () => {
  const image: Part = { type: "image", data: "aGk=", mimeType: "image/png" };
  const block = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const rows: [sentence: string, message: object, wire: object[], losses: string[]][] = [
    [
      "B27: the error flag of a result is dropped",
      { role: "tool", parts: [{ ...result, isError: true, output: "Oh." }] },
      [{ role: "tool", tool_call_id: "a", content: "Oh." }],
      ["error-flag-unsupported /0/parts/0/isError"],
    ],
    [
      "a JSON output is written as text",
      { role: "tool", parts: [{ ...result, output: { x: 1 } }] },
      [{ role: "tool", tool_call_id: "a", content: '{"x":1}' }],
      ["output-as-text /0/parts/0/output"],
    ],
    [
      "a result without output is written as an empty text",
      { role: "tool", parts: [result] },
      [{ role: "tool", tool_call_id: "a", content: "" }],
      ["result-empty /0/parts/0/output"],
    ],
    [
      "B45: media of a result move into a user message, texts stay",
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
      "several results become several messages, and their media follow all of them",
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
      "B28: text beside results becomes a message after them",
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
      "other parts of a tool message become a user message",
      { role: "tool", parts: [{ type: "text", text: "x" }] },
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "parts of a tool message that only another dialect has become no user message",
      {
        role: "tool",
        parts: [
          { ...result, output: "1" },
          { type: "opaque", dialect: "ai-sdk-model", value: {} },
        ],
      },
      [{ role: "tool", tool_call_id: "a", content: "1" }],
      ["results-split /0/role", "opaque-not-portable /0/parts/1"],
    ],
    ["a tool message without results is dropped", { role: "tool", parts: [] }, [], ["results-split /0/parts"]],
    [
      "a tool name that differs from that of the call is reported",
      { role: "tool", parts: [{ ...result, toolName: "f", output: "x" }] },
      [{ role: "tool", tool_call_id: "a", content: "x" }],
      ["result-tool-name-dropped /0/parts/0/toolName"],
    ],
  ];
  test.each(rows)("%s", (_, message, wire, losses) => {
    const encoded = dialect.encodeMessages([message as Message]);
    expect(encoded.wire).toStrictEqual(wire);
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });

  test("media that were decoded from a result stay in it", () => {
    const wire = [{ role: "tool", tool_call_id: "a", content: [block] }];
    expect(dialect.encodeMessages(dialect.decodeMessages(wire))).toStrictEqual({ wire, losses: [] });
  });
});

describe("messages", () => {
  test("ids and metadata are reported", () => {
    const stored = { ...user("x"), id: "1", metadata: {}, createdAt: "now" };
    expect(formatLosses(dialect.encodeMessages([stored]).losses)).toStrictEqual([
      "metadata-dropped /0/id",
      "metadata-dropped /0/metadata",
      "metadata-dropped /0/createdAt",
    ]);
  });

  test("a stored unknown role is dropped if the role has changed", () => {
    const [message] = dialect.decodeMessages([{ role: "critic", content: "x" }]);
    const { wire, losses } = dialect.encodeMessages(message === undefined ? [] : [{ ...message, role: "system" }]);
    expect(wire).toStrictEqual([{ role: "system", content: "x" }]);
    expect(formatLosses(losses)).toStrictEqual(["form-stale /0/extra/openai-chat/$form/role"]);
  });
});

describe("requests", () => {
  test.each(requestRows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x")], ...request });
    expect(encoded.wire).toStrictEqual({ messages: [{ role: "user", content: "x" }], ...wire });
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });

  test.each(repairedMessageRows)("%s", (_, message, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x"), message, user("z")] });
    const around = (content: string): object => ({ role: "user", content });
    expect(encoded.wire).toStrictEqual({ messages: [around("x"), ...wire, around("z")] });
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
    const plain = dialect.encodeRequest({ messages: [message, user("z")] }, { repair: false });
    expect(plain.losses).toStrictEqual([]);
  });

  test("B7, B27: an empty result is an empty text, and a document in a result stays there", () => {
    const answered = (content: Part[]): unknown => {
      const messages: Message[] = [assistant([call]), { role: "tool", parts: [{ ...result, toolName: "f", content }] }];
      const { wire, losses } = dialect.encodeRequest({ messages });
      return { sent: (wire as { messages: object[] }).messages.slice(1), losses: formatLosses(losses) };
    };
    const answer = { role: "tool", tool_call_id: "a" };
    expect(answered([])).toStrictEqual({
      sent: [{ ...answer, content: "" }],
      losses: ["result-empty /messages/1/parts/0/output"],
    });
    expect(answered([{ type: "file", text: "Hi" }])).toStrictEqual({
      sent: [{ ...answer, content: [{ type: "text", text: "Hi" }] }],
      losses: ["document-as-text /messages/1/parts/0/content/0/text"],
    });
  });

  test("repairs are reported with their codes", () => {
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
    formatLosses(codes);
    for (const code of ["result-synthesized", "result-orphan", "results-reordered", "result-duplicate"]) {
      expect(codes.map((loss) => loss.code)).toContain(code);
    }
  });

  test("B33: an approval request and its answer are dropped", () => {
    const approvalCall = { ...call, tool: "mcp_approval_request" };
    const { tool: _, ...bare } = { ...result, output: { approve: true }, tool: approvalCall.tool };
    for (const answer of [{ ...bare, tool: approvalCall.tool }, bare]) {
      const messages: Message[] = [user("x"), assistant([approvalCall]), { role: "tool", parts: [answer] }, user("z")];
      const { wire, losses } = dialect.encodeRequest({ messages });
      expect(JSON.stringify(wire)).not.toMatch(/approv|tool/);
      expect(formatLosses(losses)).toStrictEqual([
        "approval-not-portable /messages/1/parts/0",
        "approval-not-portable /messages/2/parts/0",
      ]);
      expect(losses.map(({ level }) => level)).toStrictEqual(["breaks", "breaks"]);
    }
  });

  test("a developer message becomes a system message for a vendor without that role", () => {
    const { losses } = openaiChat({ vendor: "groq" }).encodeRequest({ messages: [developer("x"), user("y")] });
    expect(formatLosses(losses)).toStrictEqual(["developer-as-system /messages/0/role"]);
  });

  test("metadata is sent to OpenAI only with `store: true`, and to other vendors unchanged", () => {
    const request = { messages: [user("x")], metadata: { a: "x" } };
    const stored = { ...request, extra: { "openai-chat": { store: true } } };
    const rows = [
      ["openai", request, false, ["metadata-requires-store /metadata"]],
      ["openai", stored, true, []],
      ["groq", request, true, []],
      [undefined, request, true, []],
    ] as const;
    for (const [vendor, sentRequest, hasMetadata, losses] of rows) {
      const encoded = openaiChat({ vendor }).encodeRequest(sentRequest);
      expect(Object.hasOwn(encoded.wire as object, "metadata")).toBe(hasMetadata);
      expect(formatLosses(encoded.losses)).toStrictEqual(losses);
    }
    expect(openaiChat({ vendor: "openai" }).encodeRequest(request, { repair: false }).losses).toStrictEqual([]);
  });
});

describe("answers", () => {
  const answer: ModelResponse = { id: "x", model: "m", message: assistant("Hi."), finishReason: { unified: "stop" } };
  const createdAt = "2023-11-14T22:13:20.000Z";
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    ["an answer without a date gets a placeholder", {}, ["field-synthesized /createdAt"]],
    ["an answer without an id gets a placeholder", { createdAt, id: "" }, ["field-synthesized /id"]],
    [
      "texts before a block are joined as in a stream, and empty ones are dropped",
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
    ["fractions of a second are dropped", { createdAt: "2023-11-14T22:13:20.5Z" }, ["metadata-dropped /createdAt"]],
    [
      "B62: a pause has no finish_reason",
      { createdAt, finishReason: { unified: "pause", raw: "pause_turn" } },
      ["raw-finish-reason-dropped /finishReason/raw", "finish-reason-approximated /finishReason/unified"],
    ],
    [
      "residue of another dialect's answer is reported",
      { createdAt, extra: { anthropic: { container: null } } },
      ["response-metadata-not-portable /extra/anthropic/container"],
    ],
    [
      "B64: the durations of cache writes are dropped",
      { createdAt, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheWrite5mTokens: 1 } },
      ["response-metadata-not-portable /usage/cacheWrite5mTokens"],
    ],
    [
      "a citation without a span covers the whole text",
      {
        createdAt,
        message: assistant([{ type: "text", text: "Hi.", annotations: [{ kind: "url", url: "u", citedText: "c" }] }]),
      },
      [
        "field-synthesized /message/parts/0/annotations/0/title",
        "field-synthesized /message/parts/0/annotations/0/span",
        "field-unsupported /message/parts/0/annotations/0/citedText",
      ],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(formatLosses(dialect.encodeResponse({ ...answer, ...response }).losses)).toStrictEqual(losses);
  });
});

test("every declared loss code occurs in a row", () => {
  const declared = Object.keys(dialect.losses).filter((code) => !STREAM_CODES.has(code));
  expect([...occurredCodes].toSorted()).toStrictEqual(declared.toSorted());
});
