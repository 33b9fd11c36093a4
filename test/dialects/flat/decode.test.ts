// Decodes flat messages: parts, thinking blocks, calls and results, with the forms that must be restored.
import { describe, expect, test } from "vitest";
import { flat } from "../../../src/dialects/flat/index.ts";
import { toolResult } from "../../../src/model/message.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part, Seal } from "../../../src/model/parts.ts";

const dialect = flat();
const decode = (...wire: unknown[]): Message[] => dialect.decodeMessages(wire);
const parts = (wire: object): Part[] =>
  decode({ role: "assistant", content: "", ...wire }).flatMap((each) => each.parts);
const claude = (kind: string, value: string): Seal => ({ dialect: "anthropic", kind, value });
const thinking = (...blocks: unknown[]): object => ({ claude: { thinking_blocks: blocks } });

describe("parts", () => {
  test.each<[string, object, unknown[]]>([
    [
      "have the order reasoning, content, refusal, tool calls",
      { tool_calls: [{ name: "f", arguments: "{}", id: "c" }], refusal: "r", content: "t", reasoning: "h" },
      [
        { type: "reasoning", text: "h" },
        { type: "text", text: "t" },
        { type: "refusal", text: "r" },
        { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
      ],
    ],
    ["B42: an empty content is not a part", { content: "" }, []],
    ["an empty text in a list is a part", { content: [{ type: "text", text: "" }] }, [{ type: "text", text: "" }]],
    [
      "B3, B4: each thinking block is a part with its own seal, redacted ones included",
      {
        reasoning: "a\n\nb",
        extra: thinking(
          { type: "thinking", thinking: "a", signature: "s1" },
          { type: "redacted_thinking", data: "d" },
          { type: "thinking", thinking: "b", signature: "s2" },
        ),
      },
      [
        { type: "reasoning", text: "a", seals: [claude("signature", "s1")] },
        { type: "reasoning", text: "", seals: [claude("redacted", "d")] },
        { type: "reasoning", text: "b", seals: [claude("signature", "s2")] },
      ],
    ],
    [
      "B9: a thought signature stays on its part",
      {
        content: "t",
        tool_calls: [{ name: "f", arguments: "{}", id: "c" }],
        extra: { gemini: { thought_signatures: [null, "s"] } },
      },
      [
        { type: "text", text: "t" },
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "f",
          input: {},
          seals: [{ dialect: "gemini", kind: "signature", value: "s" }],
        },
      ],
    ],
    [
      "B9: the list has an entry for every part, null for a part without a signature",
      {
        content: "t",
        tool_calls: [
          { name: "f", arguments: "{}", id: "c" },
          { name: "g", arguments: "{}", id: "d" },
        ],
        extra: { gemini: { thought_signatures: [null, "s", null] } },
      },
      [
        { type: "text", text: "t" },
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "f",
          input: {},
          seals: [{ dialect: "gemini", kind: "signature", value: "s" }],
        },
        { type: "tool-call", toolCallId: "d", toolName: "g", input: {} },
      ],
    ],
    [
      "B46, B47: media have source, name and MIME type",
      {
        content: [
          { type: "file", format: "application/pdf", data: "AAAA", name: "a.pdf" },
          { type: "image", url: "https://x.test" },
        ],
      },
      [
        { type: "file", data: "AAAA", mimeType: "application/pdf", name: "a.pdf" },
        { type: "image", url: "https://x.test" },
      ],
    ],
    [
      "B23: arguments keep their exact text if parsing would change it",
      { tool_calls: [{ name: "f", arguments: '{"n":12345678901234567890}', id: "c" }] },
      [
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "f",
          input: { n: 12345678901234567000 },
          inputText: '{"n":12345678901234567890}',
        },
      ],
    ],
    [
      "B22: invalid arguments are preserved as text",
      { tool_calls: [{ name: "f", arguments: "{cut", id: "c" }] },
      [{ type: "tool-call", toolCallId: "c", toolName: "f", input: "{cut", inputText: "{cut", invalid: true }],
    ],
    [
      "B43: an unknown part is preserved verbatim",
      {
        content: [
          { type: "sticker", id: 1 },
          { type: "text", text: "x" },
        ],
      },
      [
        { type: "opaque", dialect: "flat", value: { type: "sticker", id: 1 } },
        { type: "text", text: "x" },
      ],
    ],
  ])("%s", (_, wire, expected) => {
    expect(parts(wire)).toStrictEqual(expected);
  });

  test.each([
    ["png", "image", "image/png"],
    ["JPG", "image", "image/jpeg"],
    ["avif", "image", "image/avif"],
    ["mp3", "audio", "audio/mpeg"],
    ["mp4", "audio", "audio/mp4"],
    ["mp4", "file", "video/mp4"],
    ["pdf", "file", "application/pdf"],
    ["unheard-of", "file", undefined],
    ["image/svg+xml", "image", "image/svg+xml"],
    ["constructor", "file", undefined],
  ])("the format %s of an %s becomes the MIME type %s", (format, type, mimeType) => {
    expect(parts({ content: [{ type, format, data: "AAAA" }] })[0]).toMatchObject({ data: "AAAA" });
    expect((parts({ content: [{ type, format, data: "AAAA" }] })[0] as { mimeType?: string }).mimeType).toBe(mimeType);
  });

  test.each([
    ["url", "data:image/png;base64,AAAA"],
    ["data", "data:image/png;base64,AAAA"],
  ])("a data URL under `%s` is inline data", (field, value) => {
    expect(parts({ content: [{ type: "image", [field]: value }] })[0]).toMatchObject({
      data: "AAAA",
      mimeType: "image/png",
    });
  });
});

describe("reasoning and thinking blocks", () => {
  const blocks = thinking(
    { type: "thinking", thinking: "a", signature: "s" },
    { type: "thinking", thinking: "b", signature: "t" },
  );

  test.each<[string, unknown, boolean]>([
    ["a blank line between", "a\n\nb", true],
    ["a line break between", "a\nb", true],
    ["no separator", "ab", true],
    [
      "a list",
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      true,
    ],
    ["null", null, true],
    ["absent", undefined, true],
    ["another text", "a, b", false],
    ["an empty text", "", false],
    ["a shorter list", [{ type: "text", text: "a" }], false],
  ])("B1: reasoning spelled with %s", (_, reasoning, agrees) => {
    const [message] = decode({
      role: "assistant",
      content: "",
      extra: blocks,
      ...(reasoning === undefined ? {} : { reasoning }),
    });
    const { wire, losses } = dialect.encodeMessages(message === undefined ? [] : [message]);
    expect(message?.parts.flatMap((part) => part.seals ?? []).map(({ value }) => value)).toStrictEqual(
      agrees ? ["s", "t"] : [],
    );
    expect(losses.map(({ code, path }) => [code, path])).toStrictEqual(
      agrees ? [] : [["thinking-blocks-stale", "/0/extra/flat/thinking-blocks-stale"]],
    );
    expect(JSON.stringify(wire).includes('"signature":"s"')).toBe(agrees);
  });

  test("if one block has no signature, all blocks are still listed in order", () => {
    const [message] = decode({ role: "assistant", content: "", extra: blocks, reasoning: "a\n\nb" });
    const [first, ...others] = message?.parts ?? [];
    const edited: Message[] = [
      { role: "assistant", parts: [{ ...first, type: "reasoning", text: "c", seals: [] }, ...others] },
    ];
    expect(dialect.encodeMessages(edited).wire).toStrictEqual([
      {
        role: "assistant",
        content: "",
        reasoning: "c\n\nb",
        extra: thinking({ type: "thinking", thinking: "c" }, { type: "thinking", thinking: "b", signature: "t" }),
      },
    ]);
  });

  test("B5: seals have their provider and are sent only there", () => {
    const wire = [
      {
        role: "assistant",
        content: "",
        reasoning: "a",
        extra: thinking({ type: "thinking", thinking: "a", signature: "s" }),
      },
    ];
    const messages = flat({ provider: "vertex" }).decodeMessages(wire);
    expect(messages[0]?.parts[0]?.seals).toStrictEqual([
      { dialect: "anthropic", provider: "vertex", kind: "signature", value: "s" },
    ]);
    expect(flat({ provider: "vertex" }).encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
    expect(
      flat()
        .encodeMessages(messages)
        .losses.map(({ code }) => code),
    ).toStrictEqual(["metadata-dropped"]);
    expect(
      flat({ provider: "bedrock" })
        .encodeMessages(messages)
        .losses.map(({ code }) => code),
    ).toStrictEqual(["seal-not-portable"]);
  });
});

describe("calls and results", () => {
  test("B17: calls with a missing or empty id get a unique id, and results match their calls", () => {
    const call = { name: "f", arguments: "{}" };
    const messages = decode(
      { role: "assistant", content: "", tool_calls: [call, { ...call, id: "" }, { ...call, id: "call_0_0" }] },
      { role: "tool", content: "one", call_id: "call_0_0" },
      { role: "assistant", content: "", tool_calls: [{ ...call, id: "c" }] },
      { role: "tool", content: "two", call_id: "c" },
    );
    const ids = messages.flatMap((message) =>
      message.parts.map((part) => ("toolCallId" in part ? part.toolCallId : "")),
    );
    expect(ids).toStrictEqual(["call_0_0_", "call_0_1", "call_0_0", "call_0_0", "c", "c"]);
  });

  const f = { name: "f", arguments: "{}" };
  const g = { name: "g", arguments: "{}" };
  const toolCalls = (...calls: object[]): object => ({ role: "assistant", content: "", tool_calls: calls });
  const toolMessage = (fields: object): object => ({ role: "tool", content: "", ...fields });

  test.each<[string, object[], string[]]>([
    ["by name", [toolCalls(f, g), toolMessage({ name: "g" }), toolMessage({ name: "f" })], ["call_0_1", "call_0_0"]],
    [
      "in order",
      [toolCalls(f, g), toolMessage({}), toolMessage({ id: "" }), toolMessage({})],
      ["call_0_0", "call_0_1", ""],
    ],
    [
      "in order among equal names",
      [toolCalls(f, f), toolMessage({ name: "f" }), toolMessage({ name: "f" })],
      ["call_0_0", "call_0_1"],
    ],
    [
      "never with a call that has an id",
      [toolCalls({ ...f, id: "c" }), toolMessage({ name: "f" }), toolMessage({})],
      ["", ""],
    ],
    ["never with a call of another name", [toolCalls(f), toolMessage({ name: "g" })], [""]],
    ["by `call_id`", [toolCalls({ ...f, id: "i", call_id: "c" }), toolMessage({ call_id: "c" })], ["c"]],
    ["by the `id` that it names", [toolCalls({ ...f, id: "i", call_id: "c" }), toolMessage({ call_id: "i" })], ["i"]],
  ])("B17: a result is matched %s, and round-trips unchanged", (_, wire, expected) => {
    const messages = decode(...wire);
    const results = messages.flatMap((each) => each.parts).filter((part) => part.type === "tool-result");
    expect(results.map(({ toolCallId }) => toolCallId)).toStrictEqual(expected);
    const ids = messages[0]?.parts.map((part) => part.type === "tool-call" && part.toolCallId);
    expect(ids).toStrictEqual(expect.arrayContaining(expected.filter((id) => id !== "")));
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("if a decoder would match a result without an id to another call, both get the id", () => {
    const [calls, , second] = decode(toolCalls(f, f), toolMessage({}), toolMessage({}));
    const left = [calls, second].filter((each) => each !== undefined);
    expect(dialect.encodeMessages(left).wire).toStrictEqual([
      toolCalls(f, { ...f, id: "call_0_1" }),
      toolMessage({ call_id: "call_0_1" }),
    ]);
    const stray = toolResult({ toolCallId: "", toolName: "" }, "");
    expect(dialect.encodeMessages([...decode(toolCalls(f)), stray]).wire).toStrictEqual([
      toolCalls({ ...f, id: "call_0_0" }),
      toolMessage({}),
    ]);
  });

  test("the id of a call without a wire id is written when it gets a new result", () => {
    const messages = decode({ role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}" }] });
    const [call] = messages[0]?.parts ?? [];
    if (call?.type !== "tool-call") throw new Error("no call");
    expect(dialect.encodeMessages([...messages, toolResult(call, "done")]).wire).toStrictEqual([
      { role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}", id: "call_0_0" }] },
      { role: "tool", content: "done", call_id: "call_0_0" },
    ]);
  });

  test.each([
    ["taken from the call if missing", {}, "f"],
    ["taken from the result", { name: "g" }, "g"],
  ])("B29: a result's tool name is %s", (_, given, toolName) => {
    const [, result] = decode(
      { role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}", id: "c" }] },
      { role: "tool", content: "", call_id: "c", ...given },
    );
    expect(result?.parts).toStrictEqual([
      { type: "tool-result", toolCallId: "c", toolName, isError: false, output: "" },
    ]);
  });

  test("a result whose call was removed has its tool name", () => {
    const messages = decode(
      { role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}", id: "c" }] },
      { role: "tool", content: "x", call_id: "c" },
    );
    expect(dialect.encodeMessages(messages.slice(1)).wire).toStrictEqual([
      { role: "tool", content: "x", call_id: "c", name: "f" },
    ]);
  });
});
