// Constructors, usage, edits, arguments and data URLs.
import { describe, expect, test } from "vitest";
import {
  addUsage,
  formatArguments,
  assistant,
  audio,
  developer,
  editPart,
  exclusiveUsage,
  file,
  image,
  inclusiveUsage,
  isRetryable,
  Message,
  parseArguments,
  reasoning,
  refusal,
  system,
  text,
  getText,
  toolCall,
  toolResult,
  user,
  video,
} from "../../src/model/index.ts";
import type { Usage } from "../../src/model/index.ts";
import { formatDataUrl, readDataUrl } from "../../src/model/data-url.ts";

describe("constructors", () => {
  test("accept a text or parts", () => {
    expect(user("What is 2 + 2?")).toStrictEqual({ role: "user", parts: [{ type: "text", text: "What is 2 + 2?" }] });
    expect(Message.user([text("What do you see?"), image({ url: "https://example.com/photo.jpg" })])).toStrictEqual({
      role: "user",
      parts: [
        { type: "text", text: "What do you see?" },
        { type: "image", url: "https://example.com/photo.jpg" },
      ],
    });
    expect([system("a"), developer("b"), assistant("c")].map(({ role }) => role)).toEqual([
      "system",
      "developer",
      "assistant",
    ]);
  });

  test("the text of a message has its text parts only", () => {
    const message = assistant([reasoning("hm"), text("Two "), toolCall("1", "f", {}), refusal("no"), text("words.")]);
    expect(getText(message)).toBe("Two words.");
    expect(getText(assistant([]))).toBe("");
  });

  test("create every part", () => {
    expect([
      reasoning("r", { summary: ["s"] }),
      refusal("no"),
      audio({ data: "", transcript: "t" }),
      video({ fileId: "f" }),
      file({ path: "p", size: 1 }),
    ]).toStrictEqual([
      { type: "reasoning", text: "r", summary: ["s"] },
      { type: "refusal", text: "no" },
      { type: "audio", data: "", transcript: "t" },
      { type: "video", fileId: "f" },
      { type: "file", path: "p", size: 1 },
    ]);
  });

  test("a tool result takes id and name from its call", () => {
    const call = toolCall("a", "t", {}, { executor: "client", format: "text", tool: "custom" });
    expect(toolResult(call, "out", { isError: true, content: [text("c")] })).toStrictEqual({
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "t",
          isError: true,
          output: "out",
          content: [text("c")],
          executor: "client",
          format: "text",
          tool: "custom",
        },
      ],
    });
    expect(toolResult(toolCall("a", "t", {}), "").parts).toStrictEqual([
      { type: "tool-result", toolCallId: "a", toolName: "t", isError: false, output: "" },
    ]);
  });
});

describe("usage", () => {
  const usage: Usage = {
    inputTokens: 100,
    outputTokens: 50,
    totalTokens: 150,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    reasoningTokens: 20,
  };

  test("B63: inclusive and exclusive views derive from each other exactly", () => {
    const view = exclusiveUsage(usage);
    expect(view).toStrictEqual({
      inputTokens: 10,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      outputTokens: 30,
      reasoningTokens: 20,
    });
    expect(inclusiveUsage(view)).toStrictEqual(usage);
    expect(inclusiveUsage({ inputTokens: 1, outputTokens: 2 })).toStrictEqual({
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
    });
  });

  test("B64: the split of cache writes counts, and survives both ways", () => {
    const split: Usage = {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 1,
    };
    expect(exclusiveUsage(split)).toMatchObject({
      inputTokens: 5,
      cacheWriteTokens: 5,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 1,
    });
    expect(inclusiveUsage(exclusiveUsage(split))).toMatchObject(split);
  });

  test("B66: contradicting counts never become negative", () => {
    expect(
      exclusiveUsage({ inputTokens: 1, outputTokens: 2, totalTokens: 3, cacheReadTokens: 5, reasoningTokens: 9 }),
    ).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  test("B64: sums preserve the split of cache writes; a count that both lack stays absent", () => {
    const sum = addUsage(
      { ...usage, cacheWrite5mTokens: 10, raw: 1, cost: 0.5 },
      { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheWrite1hTokens: 7, cost: 0.25 },
    );
    expect(sum).toStrictEqual({
      inputTokens: 101,
      outputTokens: 51,
      totalTokens: 152,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      cacheWrite5mTokens: 10,
      cacheWrite1hTokens: 7,
      reasoningTokens: 20,
      cost: 0.75,
    });
  });
});

describe("editPart", () => {
  const seals = [{ dialect: "anthropic", kind: "signature", value: "s" }];

  test("B5: changing the content of a part removes its seals", () => {
    const sealed = text("old", {
      seals,
      annotations: [{ kind: "url", url: "u", span: { start: 0, end: 3 } }],
      logprobs: [],
      cache: {},
    });
    expect(editPart(sealed, { text: "new" })).toStrictEqual({
      type: "text",
      text: "new",
      annotations: [{ kind: "url", url: "u" }],
      cache: {},
    });
    expect(sealed.seals).toBe(seals);
  });

  test("an equal content, or a change of other fields, keeps the seals", () => {
    const sealed = text("old", { seals });
    expect(editPart(sealed, { text: "old" }).seals).toBe(seals);
    expect(editPart(sealed, { cache: { ttl: "1h" } })).toStrictEqual({ ...sealed, cache: { ttl: "1h" } });
  });

  test("another id keeps the input of a call; another source replaces the old one; undefined removes a field", () => {
    const call = toolCall("a", "t", { n: 1 }, { inputText: '{"n": 1}', seals });
    expect(editPart(call, { toolCallId: "b" })).toStrictEqual({ ...call, toolCallId: "b" });
    expect(editPart(image({ data: "aGk=", mimeType: "image/png" }), { url: "u" })).toStrictEqual({
      type: "image",
      url: "u",
      mimeType: "image/png",
    });
    expect(editPart(text("a", { annotations: [], seals }), { annotations: undefined })).toStrictEqual(
      text("a", { seals }),
    );
  });

  test("a new input has no exact text of the old one", () => {
    const call = toolCall("a", "t", "{", { inputText: "{", invalid: true });
    expect(editPart(call, { input: { n: 1 } })).toStrictEqual(toolCall("a", "t", { n: 1 }));
  });
});

describe("arguments", () => {
  test.each([
    ["B20: blank", "", { input: {}, inputText: "" }],
    ["plain", '{"a":1}', { input: { a: 1 } }],
    ["B23: with another spelling", '{"a": 1.0}', { input: { a: 1 }, inputText: '{"a": 1.0}' }],
    [
      "B23: with more digits than a double",
      '{"id":12345678901234567890}',
      { input: { id: 12345678901234567000 }, inputText: '{"id":12345678901234567890}' },
    ],
    ["B22: no JSON", '{"a":', { input: '{"a":', inputText: '{"a":', invalid: true }],
    ["no object", "null", { input: null }],
  ])("%s", (_, written, read) => {
    expect(parseArguments(written)).toMatchObject(read);
    expect(formatArguments({ ...parseArguments(written) })).toBe(written);
  });

  test("B23: a bare number keeps its digits", () => {
    expect(parseArguments("12345678901234567890", { objectArgs: true })).toMatchObject({
      inputText: "12345678901234567890",
    });
    expect(parseArguments("12", { objectArgs: true })).toStrictEqual({ input: 12 });
  });

  test("B23: a stored copy with its keys in another order still has its digits in the text", () => {
    const inputText = '{"b":1,"a":12345678901234567890}';
    expect(formatArguments({ input: { a: 12345678901234567000, b: 1 }, inputText })).toBe(inputText);
  });

  test("B20: a call without an input has empty arguments", () => {
    expect(formatArguments({ input: undefined })).toBe("{}");
  });

  test("an edited input wins over the former exact text", () => {
    expect(formatArguments({ input: { id: 5 }, inputText: '{"id":12345678901234567890}' })).toBe('{"id":5}');
    expect(formatArguments({ input: {}, inputText: '{"a":' })).toBe("{}");
    const copy = structuredClone(parseArguments('{"id": 12345678901234567890}'));
    expect(formatArguments(copy)).toBe('{"id": 12345678901234567890}');
  });
});

describe("data URLs", () => {
  test("are parsed and written in their plain form only", () => {
    const url = formatDataUrl("image/png", "aGk=");
    expect(readDataUrl(url)).toEqual({ mimeType: "image/png", data: "aGk=" });
    expect(
      ["https://example.com", "data:text/plain,hi", "data:text/plain;charset=x;base64,aGk="].map(readDataUrl),
    ).toEqual([undefined, undefined, undefined]);
  });

  test("of 50 MB are parsed quickly", () => {
    const data = "A".repeat(50_000_000);
    expect(readDataUrl(formatDataUrl("image/png", data))?.data.length).toBe(data.length);
  });
});

test("B88: errors that may succeed later are retryable", () => {
  expect(isRetryable({ kind: "overloaded", message: "" })).toBe(true);
  expect(isRetryable({ kind: "invalid-request", message: "" })).toBe(false);
});
