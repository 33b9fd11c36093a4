// Tests detection and decoding of pasted payloads of every kind and dialect, and the errors of others.
import { describe, expect, test } from "vitest";
import { dialect, dialects } from "../../../src/dialects/index.ts";
import { parseJson } from "../../../src/model/index.ts";
import { readLine } from "../../../ui/json/json-document.ts";
import { findLine } from "../../../ui/json/json-pointers.ts";
import { encodeColumn } from "../../../ui/translate/engine/encode-column.ts";
import type { DecodedSource } from "../../../ui/translate/engine/read-source.ts";
import { readSource } from "../../../ui/translate/engine/read-source.ts";
import { EXAMPLES } from "../../../ui/translate/examples.ts";
import { createExcerpt, toOffset } from "../../../ui/translate/excerpt.ts";
import { DIALECT_NAMES } from "../../../ui/translate/dialect-names.ts";
import type { ReadFailure, TranslationSource, ColumnTarget } from "../../../ui/translate/types.ts";

function readSuccessfully(source: TranslationSource | string): DecodedSource {
  const result = readSource(typeof source === "string" ? { content: source } : source);
  if ("failure" in result) throw new Error(result.failure.message);
  return result;
}

function readFailure(content: string): ReadFailure {
  const result = readSource({ content });
  if ("failure" in result) return result.failure;
  throw new Error(`It was read as ${result.reading.from}.`);
}

const encodeIn = (source: DecodedSource, target: ColumnTarget["dialect"] | ColumnTarget) =>
  encodeColumn(source, typeof target === "string" ? { dialect: target } : target);

describe("an example", () => {
  const expected: Record<string, string> = {
    "Anthropic: tools, thinking, a cache": "anthropic request",
    "OpenAI Chat: a call with a long number": "openai-chat request",
    "OpenAI Responses: reasoning items": "openai-responses request",
    "Gemini: an image and a thought signature": "gemini request",
    "Bedrock: a cache point": "bedrock request",
    "Anthropic stream: thinking, then words": "anthropic stream",
    "OpenAI Chat stream: words, piece by piece": "openai-chat stream",
    "Anthropic error: overloaded": "anthropic error",
    "AI SDK UI: a tool and its output": "ai-sdk-ui messages",
    "AI SDK model: a call and its result": "ai-sdk-model messages",
    "Flat messages: reasoning beside the words": "flat messages",
    "Tagged messages: a sealed thought": "tagged messages",
    "Run shape: a question and a report": "run messages",
    "Stored messages: an answer with its source": "canonical messages",
  };

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))(
    "%s has the expected dialect and kind",
    (title, text) => {
      const { reading } = readSuccessfully(text);
      expect(`${reading.from} ${reading.kind}`).toBe(expected[title]);
    },
  );

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))("%s is encoded back unchanged", (_, text) => {
    const source = readSuccessfully(text);
    const { from, kind } = source.reading;
    if (from === "koine" || kind === "error") return;
    const { document, wire, losses } = encodeIn(source, from);
    expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
    if (kind === "stream") expect(typeof wire).toBe("string");
    else expect(parseJson(document?.text ?? "")).toStrictEqual(parseJson(text));
  });

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))("%s is encoded in every dialect", (_, text) => {
    const source = readSuccessfully(text);
    for (const id of dialects) {
      const { failure, document } = encodeIn(source, id);
      // Only dialects with HTTP errors encode errors.
      if (source.reading.kind === "error" && !dialect(id).supports.has("errors"))
        expect(failure).toContain("but not errors");
      else expect([id, failure, document === undefined]).toStrictEqual([id, undefined, false]);
    }
  });
});

describe("without a choice of the user", () => {
  const chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}';
  const answer = '{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}';
  test.each([
    ["a single message", '{"role":"user","content":[{"type":"input_text","text":"Hi"}]}', "openai-responses messages"],
    [
      "a bare list of messages",
      '[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}]',
      "openai-chat messages",
    ],
    [
      "messages, one a line",
      '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n',
      "openai-chat messages",
    ],
    ["events, one a line", `${chunk}\n${chunk}\n`, "openai-chat stream"],
    ["a list of events", `[${chunk}]`, "openai-chat stream"],
    ["answers of Gemini that follow each other", `[${answer},${answer}]`, "gemini stream"],
    ["server-sent events after a comment", `: hello\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`, "openai-chat stream"],
    [
      "plain texts for a model of Anthropic",
      '{"model":"claude-x","max_tokens":5,"messages":[{"role":"user","content":"Hi"}]}',
      "anthropic request",
    ],
    [
      "plain texts with a limit that must be there",
      '{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"Hi"}]}',
      "anthropic request",
    ],
    [
      "Koine's own request",
      '{"model":"m","messages":[{"role":"user","parts":[{"type":"text","text":"Hi"}]}],"sampling":{"topK":3}}',
      "koine request",
    ],
    [
      "Koine's own messages",
      '[{"role":"tool","parts":[{"type":"tool-result","toolCallId":"c","toolName":"t","isError":false,"output":1}]}]',
      "koine messages",
    ],
    [
      "deltas",
      '[{"kind":"start","payload":{"modelId":"m","requestId":"r"}},{"kind":"done","payload":{"finishReason":"stop"}}]',
      "run stream",
    ],
    ["a byte order mark before it", `\uFEFF${answer}`, "gemini stream"],
  ])("%s is detected", (_, text, expected) => {
    const { reading } = readSuccessfully(text);
    expect(`${reading.from} ${reading.kind}`).toBe(expected);
  });

  test("an ambiguous payload lists the other dialects", () => {
    const { reading } = readSuccessfully('[{"role":"user","content":"Hi"}]');
    expect(reading.from).toBe("openai-chat");
    expect(reading.alternatives).toContain("anthropic");
  });

  test("unknown fields do not outweigh the model name, and close alternatives are listed", () => {
    const messages = '"messages":[{"role":"user","content":"Hi"}]';
    const news = '"new_a":1,"new_b":2,"thinking":{"type":"enabled","budget_tokens":1024}';
    expect(readSuccessfully(`{"model":"gpt-5","max_tokens":5,${news},${messages}}`).reading).toMatchObject({
      from: "openai-chat",
      alternatives: expect.arrayContaining(["anthropic"]) as string[],
    });
    expect(
      readSuccessfully(`{"model":"claude-x","max_tokens":5,"user":"u","store":true,${messages}}`).reading.from,
    ).toBe("anthropic");
    expect(readSuccessfully(`{"model":"claude-x","max_tokens":5,${messages}}`).reading.alternatives).toStrictEqual([]);
  });

  test("the user's choice wins", () => {
    const { reading } = readSuccessfully({ content: '[{"role":"user","content":"Hi"}]', from: "flat" });
    expect([reading.from, reading.kind]).toStrictEqual(["flat", "messages"]);
  });

  test("an AWS event stream is detected by its bytes", () => {
    const frames = encodeIn(
      readSuccessfully(EXAMPLES.find(({ title }) => title === "Anthropic stream: thinking, then words")?.text ?? ""),
      "bedrock",
    );
    if (!(frames.wire instanceof Uint8Array)) throw new Error("Bedrock's streams are binary.");
    const { reading } = readSuccessfully({ content: frames.wire });
    expect([reading.from, reading.kind]).toStrictEqual(["bedrock", "stream"]);
    expect(reading.canonical.text).toContain("Wait for the evening.");
  });

  test("the first of several records is shown, with a remark", () => {
    const one = '{"model":"gpt-5","messages":[{"role":"user","content":"a"}]}';
    const { reading } = readSuccessfully(`${one}\n${one}\n`);
    expect([reading.kind, reading.remarks]).toStrictEqual(["request", ["Only the first of 2 records is shown."]]);
  });

  test("only one field of a reply is read", () => {
    const content = '{"request":{"messages":[]},"model":"m"}';
    expect(readSuccessfully({ content, field: "request", from: "koine", kind: "request" }).reading.canonical.text).toBe(
      '{\n  "messages": []\n}',
    );
  });
});

describe("a wrapped payload", () => {
  const body = '{"model":"gpt-5","seed":1,"messages":[{"role":"user","content":"It\'s $5, \\"so\\"."}]}';
  const inDouble = body.replaceAll(/["\\$]/g, String.raw`\$&`);
  const inAnsi = body.replaceAll(/['\\]/g, String.raw`\$&`);
  const plain = '{"model":"gpt-5","seed":1,"messages":[{"role":"user","content":"Hi"}]}';
  const pretty = JSON.stringify(JSON.parse(plain), null, 2);
  const chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}';
  test.each([
    ["a curl command", `curl https://x.test/v1 -H 'a: b' -d '${plain}'`, "openai-chat request", "curl"],
    ["one in double quotes", `$ curl -X POST https://x.test \\\n  --data "${inDouble}"`, "openai-chat request", "curl"],
    [
      "one that a browser copied",
      `curl 'https://x.test' --data-raw $'${inAnsi}' --compressed`,
      "openai-chat request",
      "curl",
    ],
    [
      "one that reads the lines after it",
      `curl x.test --data-binary @- <<'JSON'\n${pretty}\nJSON\n`,
      "openai-chat request",
      "curl",
    ],
    ["one with its option joined", `curl x.test --json='${plain}'`, "openai-chat request", "curl"],
    [
      "an HTTP reply",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n${plain}`,
      "openai-chat request",
      "HTTP",
    ],
    ["an HTTP request", `POST /v1/chat/completions HTTP/1.1\nhost: x.test\n\n${plain}`, "openai-chat request", "HTTP"],
    [
      "an HTTP reply with a stream",
      `HTTP/2 200\ncontent-type: text/event-stream\n\ndata: ${chunk}\n\n`,
      "openai-chat stream",
      "HTTP",
    ],
    ["an indented stream", `    data: ${chunk}\n\n    data: [DONE]\n`, "openai-chat stream", ""],
    ["documents of several lines", `${pretty}\n${pretty}`, "openai-chat request", "first of 2"],
    [
      "a line of an OpenAI batch",
      `{"custom_id":"1","method":"POST","url":"/v1","body":${plain}}`,
      "openai-chat request",
      "batch",
    ],
    [
      "a line of an Anthropic batch",
      '{"custom_id":"1","params":{"model":"claude-x","max_tokens":5,"messages":[]}}',
      "anthropic request",
      "batch",
    ],
    ["a text of JSON", JSON.stringify(plain), "openai-chat request", "JSON string"],
  ])("%s is unwrapped, with a remark", (_, text, expected, remark) => {
    const { reading } = readSuccessfully(text);
    expect(`${reading.from} ${reading.kind}`).toBe(expected);
    expect(reading.remarks.join(" ")).toContain(remark);
  });

  test.each([`--data "${inDouble}"`, `-d $'${inAnsi}'`])(
    "quotes of a shell are read as it reads them: %s",
    (option) => {
      const { canonical } = readSuccessfully(`curl x.test ${option}`);
      expect(JSON.stringify(canonical.value)).toContain(String.raw`It's $5, \"so\".`);
    },
  );

  test("an error inside has a position, if there is one", () => {
    expect(readFailure('HTTP/1.1 200 OK\na: b\n\n{\n"a": }')).toMatchObject({ line: 5, column: 6 });
    expect(readFailure("curl x.test -d '{\"a\": }'").message).toContain("body of a curl command");
  });
});

describe("a payload that cannot be read", () => {
  test.each([
    ["a page", "<!doctype html><html>", "HTML"],
    ["a command without a body", "curl https://x.test", "without a body"],
    ["a program", "const x = { a: 1 }", "a program"],
    ["a value of Python", '{"a": True}', "Python"],
    ["single quotes", "{'a': 1}", "double quotes"],
    ["a comma too many", '{"a": 1,}', "does not allow a comma"],
    ["keys without quotes", "{ a: 1 }", "keys need double quotes"],
    ["a line of an export", '{"type":"thread","thread":{"id":"x"}}', "exported"],
  ])("%s gets a hint", (_, text, hint) => {
    expect(readFailure(text).message).toContain(hint);
  });

  test("reports too deep nesting", () => {
    const { message, line, column: at } = readFailure("[".repeat(3000));
    expect(message).toMatch(/^JSON is nested deeper than 1000 levels\./);
    expect([line, at]).toStrictEqual([1, 1001]);
  });

  test.each([
    ["a document", '{\n  "model": "x",\n  "messages": [{"role": user}]\n}', 3, 25],
    ["the second of several lines", '{"role":"user","content":"a"}\n{"role": }\n', 2, 10],
    ["the data of an event", 'data: {"a":1}\n\nevent: x\ndata: {"b":}\n\n', 4, 12],
    ["a text that is no JSON", "Hello", 1, 1],
    ["a text that breaks off", '{"a": [1, 2', 1, 12],
  ])("in %s reports line and column", (_, text, line, at) => {
    const failure = readFailure(text);
    expect([failure.line, failure.column]).toStrictEqual([line, at]);
    expect(failure.message).toMatch(/^Expected/);
    expect(failure.message).not.toContain("near");
  });

  test("of the wrong shape is shown with the line of the error", () => {
    const { message, wire, wireLine } = readFailure(
      '{"model":"gpt-5","seed":1,"messages":[{"role":"user","content":7}]}',
    );
    expect(message).toContain("/messages/0/content");
    if (wire === undefined) throw new Error("The value is there.");
    expect(wireLine).toBe(findLine(wire, "/messages/0/content").line);
    expect(readLine(wire, wireLine ?? 0)).toContain('"content": 7');
  });

  test.each([
    ["an empty text", "  \n", "is empty"],
    ["a mere number", "42", "neither an object nor a list"],
    ["an object without known fields", '{"colour":"blue"}', "no request, answer"],
  ])("%s is reported", (_, text, hint) => {
    expect(readFailure(text).message).toContain(hint);
  });

  test("that is a truncated stream is read as far as possible", () => {
    const whole = EXAMPLES.find(({ title }) => title === "Anthropic stream: thinking, then words")?.text ?? "";
    const { reading } = readSuccessfully(whole.slice(0, whole.indexOf("event: message_delta")));
    expect(reading.remarks.join()).toContain("is incomplete");
    expect(reading.canonical.text).toContain("Wait for the evening.");
  });

  test("is shown in an excerpt, also in a long line", () => {
    expect(createExcerpt("a\nbc\nd", 2, 2)).toStrictEqual([
      { number: 1, text: "a" },
      { number: 2, text: "bc", caret: 1 },
      { number: 3, text: "d" },
    ]);
    const [line] = createExcerpt(`${"x".repeat(500)}!${"y".repeat(500)}`, 1, 501);
    expect(line?.text[line.caret ?? 0]).toBe("!");
    expect(toOffset("a\nbc\nd", 2, 2)).toBe(3);
  });
});

test("every digit of a long number is preserved in every column", () => {
  const text = EXAMPLES.find(({ title }) => title.includes("long number"))?.text ?? "";
  const source = readSuccessfully(text);
  expect(source.reading.canonical.text).toContain("9007199254740993");
  for (const id of dialects)
    expect([id, encodeIn(source, id).document?.text]).toStrictEqual([id, expect.stringContaining("9007199254740993")]);
});

test("the page's dialect names equal those of the dialects", () => {
  const titles = Object.fromEntries(dialects.map((id) => [id, dialect(id).title]));
  const ours = Object.fromEntries(dialects.map((id) => [id, DIALECT_NAMES[id].title]));
  expect(ours).toStrictEqual(titles);
});
