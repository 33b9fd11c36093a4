// Rows of Anthropic blocks and messages and their canonical form, in both directions.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, system, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";

const dialect = anthropic();
const decode = (wire: unknown): Message[] => dialect.decodeMessages(wire);
const encode = (messages: readonly Message[]): unknown => dialect.encodeMessages(messages).wire;
const withResidue = (residue: object): { extra: { anthropic: never } } => ({ extra: { anthropic: residue as never } });
const withForm = (forms: object): { extra: { anthropic: never } } => withResidue({ $form: forms });
const seal = { dialect: "anthropic" } as const;

describe("a block is a part", () => {
  const rows: [sentence: string, block: object, part: Part][] = [
    ["text", { type: "text", text: "Hello." }, { type: "text", text: "Hello." }],
    [
      "B39: a breakpoint",
      { type: "text", text: "Hello.", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "Hello.", cache: { ttl: "1h" } },
    ],
    [
      "B42: a null breakpoint is preserved",
      { type: "text", text: "Hello.", cache_control: null },
      { type: "text", text: "Hello.", ...withResidue({ cache_control: null }) },
    ],
    [
      "B1: signed thinking",
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "reasoning", text: "Hm.", seals: [{ ...seal, kind: "signature", value: "c2ln" }] },
    ],
    [
      "B3: signed thinking with an empty text",
      { type: "thinking", thinking: "", signature: "c2ln" },
      { type: "reasoning", text: "", seals: [{ ...seal, kind: "signature", value: "c2ln" }] },
    ],
    [
      "B3: redacted thinking",
      { type: "redacted_thinking", data: "cmVk" },
      { type: "reasoning", text: "", seals: [{ ...seal, kind: "redacted", value: "cmVk" }] },
    ],
    [
      "unsigned thinking",
      { type: "thinking", thinking: "Hm.", signature: "" },
      { type: "reasoning", text: "Hm.", ...withResidue({ $form: { signature: "none" }, signature: "" }) },
    ],
    [
      "a call of the client's tool",
      { type: "tool_use", id: "toolu_1", name: "look", input: { at: 1 } },
      { type: "tool-call", toolCallId: "toolu_1", toolName: "look", input: { at: 1 } },
    ],
    [
      "B20: a call without input",
      { type: "tool_use", id: "toolu_1", name: "look" },
      { type: "tool-call", toolCallId: "toolu_1", toolName: "look", input: {}, ...withForm({ input: "none" }) },
    ],
    [
      "B33: a call of the provider's tool",
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "agora" } },
      {
        type: "tool-call",
        toolCallId: "srvtoolu_1",
        toolName: "web_search",
        input: { query: "agora" },
        executor: "provider",
        tool: "server_tool_use",
      },
    ],
    [
      "B33: a result of the provider's tool",
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ encrypted_content: "c2Vj" }] },
      {
        type: "tool-result",
        toolCallId: "srvtoolu_1",
        toolName: "",
        isError: false,
        executor: "provider",
        tool: "web_search_tool_result",
        output: [{ encrypted_content: "c2Vj" }],
      },
    ],
    [
      "a failure of the provider's tool",
      { type: "web_fetch_tool_result", tool_use_id: "s", content: { type: "web_fetch_tool_result_error" } },
      {
        type: "tool-result",
        toolCallId: "s",
        toolName: "",
        isError: true,
        executor: "provider",
        tool: "web_fetch_tool_result",
        output: { type: "web_fetch_tool_result_error" },
      },
    ],
    [
      "a call of an MCP server's tool",
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echoes", input: {} },
      {
        type: "tool-call",
        toolCallId: "mcptoolu_1",
        toolName: "echo",
        input: {},
        executor: "provider",
        tool: "mcp_tool_use",
        ...withResidue({ server_name: "echoes" }),
      },
    ],
    [
      "a result of an MCP server's tool",
      { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: "Hello." },
      {
        type: "tool-result",
        toolCallId: "mcptoolu_1",
        toolName: "",
        isError: false,
        executor: "provider",
        tool: "mcp_tool_result",
        output: "Hello.",
      },
    ],
    [
      "B47: an image",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
    [
      "an image URL",
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", url: "https://example.com/a.png" },
    ],
    [
      "B46: a document with a file id has its issuer",
      { type: "document", source: { type: "file", file_id: "file_1" }, title: "a.pdf", context: "Read it." },
      { type: "file", fileId: "file_1", issuer: seal, name: "a.pdf", ...withResidue({ context: "Read it." }) },
    ],
    [
      "B46: a document of plain text",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Words." } },
      { type: "file", text: "Words.", mimeType: "text/plain" },
    ],
    [
      "a document of blocks",
      { type: "document", source: { type: "content", content: [{ type: "text", text: "Words." }] } },
      { type: "file", content: [{ type: "text", text: "Words." }] },
    ],
    [
      "a search result is a document of blocks",
      { type: "search_result", source: "s", title: "Athens", content: [{ type: "text", text: "Words." }] },
      {
        type: "file",
        content: [{ type: "text", text: "Words." }],
        name: "Athens",
        ...withResidue({ $form: { type: "search_result" }, source: "s" }),
      },
    ],
    [
      "B48: the encrypted index of a web citation becomes a seal",
      {
        type: "text",
        text: "A market.",
        citations: [
          { type: "web_search_result_location", url: "u", title: "t", cited_text: "c", encrypted_index: "aW5k" },
        ],
      },
      {
        type: "text",
        text: "A market.",
        annotations: [
          {
            kind: "url",
            citedText: "c",
            title: "t",
            url: "u",
            seals: [{ ...seal, kind: "encrypted", value: "aW5k" }],
          },
        ],
      },
    ],
    [
      "B48: the position of a document citation is residue",
      {
        type: "text",
        text: "A market.",
        citations: [{ type: "page_location", cited_text: "c", document_title: "d", document_index: 0, file_id: "f" }],
      },
      {
        type: "text",
        text: "A market.",
        annotations: [
          {
            kind: "document",
            citedText: "c",
            title: "d",
            fileId: "f",
            ...withResidue({ type: "page_location", document_index: 0 }),
          },
        ],
      },
    ],
    [
      "B43: an unknown block",
      { type: "hologram", depth: 3 },
      { type: "opaque", dialect: "anthropic", value: { type: "hologram", depth: 3 } },
    ],
    [
      "B43: a block without a required field",
      { type: "text" },
      { type: "opaque", dialect: "anthropic", value: { type: "text" } },
    ],
  ];
  test.each(rows)("%s", (_, block, part) => {
    const wire = [{ role: "assistant", content: [block] }];
    const list = Object.keys(block).join() === "type,text" && "text" in block ? withForm({ content: "list" }) : {};
    const messages: Message[] = [{ role: "assistant", parts: [part], ...list }];
    expect(decode(wire)).toStrictEqual(messages);
    expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  });
});

const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const callPart: Part = { type: "tool-call", toolCallId: "toolu_1", toolName: "look", input: {} };
const resultPart: Part = { type: "tool-result", toolCallId: "toolu_1", toolName: "look", isError: false };

describe("a turn is a message", () => {
  const rows: [sentence: string, wire: unknown, messages: Message[]][] = [
    ["text", [{ role: "user", content: "Hello." }], [user("Hello.")]],
    [
      "a list with a single text stores its form",
      [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
      [{ ...user("Hello."), ...withForm({ content: "list" }) }],
    ],
    ["B42: an empty text differs from an empty list", [{ role: "user", content: "" }], [user("")]],
    ["an empty list", [{ role: "user", content: [] }], [user([])]],
    [
      "B28: tool results and user text in one message become two messages",
      [
        { role: "assistant", content: [call] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1" },
            { type: "text", text: "So?" },
          ],
        },
      ],
      [assistant([callPart]), { role: "tool", parts: [resultPart] }, user("So?")],
    ],
    [
      "B27: an empty result and an error flag are preserved",
      [
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "", is_error: true }] },
      ],
      [assistant([callPart]), { role: "tool", parts: [{ ...resultPart, output: "", isError: true }] }],
    ],
    [
      "B45: an image in a result",
      [
        { role: "assistant", content: [call] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
            },
          ],
        },
      ],
      [
        assistant([callPart]),
        { role: "tool", parts: [{ ...resultPart, content: [{ type: "image", url: "https://example.com/a.png" }] }] },
      ],
    ],
    [
      "B40: two consecutive messages of one role stay separate",
      [
        { role: "user", content: "One." },
        { role: "user", content: "Two." },
      ],
      [user("One."), { ...user("Two."), ...withForm({ turn: "own" }) }],
    ],
    [
      "B37: a system message within the history stays there",
      [
        { role: "user", content: "One." },
        { role: "system", content: "In verse." },
        { role: "user", content: "Two." },
      ],
      [user("One."), system("In verse."), user("Two.")],
    ],
    ["`system` becomes a leading system message", { system: "Be brief.", messages: [] }, [system("Be brief.")]],
    [
      "B38: several system blocks stay blocks",
      {
        system: [
          { type: "text", text: "One." },
          { type: "text", text: "Two.", cache_control: { type: "ephemeral" } },
        ],
        messages: [],
      },
      [
        system([
          { type: "text", text: "One." },
          { type: "text", text: "Two.", cache: {} },
        ]),
      ],
    ],
    [
      "B43: an unknown role",
      [{ role: "critic", content: "Meh." }],
      [{ ...user("Meh."), ...withForm({ role: "critic" }) }],
    ],
  ];
  test.each(rows)("%s", (_, wire, messages) => {
    expect(decode(wire)).toStrictEqual(messages);
    expect(encode(messages)).toStrictEqual(wire);
  });
});

test("B2: the order of thinking, text and calls is preserved", () => {
  const thinking = (text: string): object => ({ type: "thinking", thinking: text, signature: `sign ${text}` });
  const content = [thinking("a"), { type: "text", text: "b" }, call, thinking("c"), { ...call, id: "toolu_2" }];
  const wire = [{ role: "assistant", content }];
  expect(encode(decode(wire))).toStrictEqual(wire);
});

test("B34: a blank text beside signed thinking is preserved, as the signature may cover it", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const blank = { type: "text", text: "\n\n" };
  const wire = {
    max_tokens: 9,
    messages: [
      { role: "user", content: "Hello." },
      { role: "assistant", content: [thinking, blank, thinking, { type: "text", text: "So." }] },
      { role: "user", content: "Go on." },
    ],
  };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toStrictEqual({ wire, losses: [] });
});

test("B4, B5: each signature stays with its block and has its issuer", () => {
  const blocks = ["one", "two"].map((text) => ({ type: "thinking", thinking: text, signature: `sign ${text}` }));
  const [message] = anthropic({ provider: "vertex" }).decodeMessages([{ role: "assistant", content: blocks }]);
  expect(message?.parts.map(({ seals }) => seals)).toStrictEqual(
    ["one", "two"].map((text) => [{ ...seal, provider: "vertex", kind: "signature", value: `sign ${text}` }]),
  );
  const elsewhere = anthropic({ provider: "bedrock" }).encodeMessages(message === undefined ? [] : [message]);
  expect(elsewhere.wire).toStrictEqual([]);
});

test("B17: repeated and missing ids are replaced, and results keep their calls", () => {
  const answer = { type: "tool_result", tool_use_id: "same", content: "" };
  const wire = [
    {
      role: "assistant",
      content: [
        { ...call, id: "same" },
        { ...call, id: "same" },
        { type: "tool_use", name: "look" },
      ],
    },
    { role: "user", content: [answer, answer] },
  ];
  const messages = decode(wire);
  const ids = messages.flatMap(({ parts }) => parts.map((part) => "toolCallId" in part && part.toolCallId));
  expect(ids).toStrictEqual(["same", "call_2", "call_3", "same", "call_2"]);
  expect(encode(messages)).toStrictEqual(wire);
});

test("B23: every digit of an input is preserved, also in a copy of the message", () => {
  const text =
    '[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"big":9007199254740993}}]}]';
  const messages = decode(parseJson(text));
  expect(stringifyJson(encode(messages))).toBe(text);
  expect(stringifyJson(encode(structuredClone(messages)))).toBe(text);
});

test("B48: an edited text keeps its citations", () => {
  const citation = {
    type: "char_location",
    cited_text: "c",
    document_index: 0,
    start_char_index: 1,
    end_char_index: 2,
  };
  const [message] = decode([{ role: "assistant", content: [{ type: "text", text: "Old.", citations: [citation] }] }]);
  const part = message?.parts[0];
  const edited = part?.type === "text" ? [assistant([{ ...part, text: "New." }])] : [];
  expect(encode(edited)).toStrictEqual([
    { role: "assistant", content: [{ type: "text", text: "New.", citations: [citation] }] },
  ]);
});
