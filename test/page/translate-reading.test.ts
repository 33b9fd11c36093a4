// What was pasted, recognised and read: every kind of payload of every dialect, and what is wrong with what is none.
import { describe, expect, test } from "vitest";
import { dialect, dialects } from "../../src/dialects/index.ts";
import { parseJson } from "../../src/model/index.ts";
import { lineText } from "../../ui/json/document.ts";
import { lineAt } from "../../ui/json/pointers.ts";
import { encodeColumn } from "../../ui/translate/engine/encode.ts";
import type { Read } from "../../ui/translate/engine/read.ts";
import { read } from "../../ui/translate/engine/read.ts";
import { EXAMPLES } from "../../ui/translate/examples.ts";
import { excerptOf, offsetOf } from "../../ui/translate/excerpt.ts";
import { SPEAKER_NAMES } from "../../ui/translate/names.ts";
import type { ReadFailure, Source, Target } from "../../ui/translate/types.ts";

function readWell(source: Source | string): Read {
  const found = read(typeof source === "string" ? { content: source } : source);
  if ("failure" in found) throw new Error(found.failure.message);
  return found;
}

function failureOf(content: string): ReadFailure {
  const found = read({ content });
  if ("failure" in found) return found.failure;
  throw new Error(`It was read as ${found.reading.from}.`);
}

const column = (given: Read, target: Target["dialect"] | Target) =>
  encodeColumn(given, typeof target === "string" ? { dialect: target } : target);

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

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))("%s is what it says", (title, text) => {
    const { reading } = readWell(text);
    expect(`${reading.from} ${reading.kind}`).toBe(expected[title]);
  });

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))("%s comes back as it was", (_, text) => {
    const given = readWell(text);
    const { from, kind } = given.reading;
    if (from === "koine" || kind === "error") return;
    const { document, wire, losses } = column(given, from);
    expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
    if (kind === "stream") expect(typeof wire).toBe("string");
    else expect(parseJson(document?.text ?? "")).toStrictEqual(parseJson(text));
  });

  test.each(EXAMPLES.map(({ title, text }) => [title, text] as const))("%s is said in every dialect", (_, text) => {
    const given = readWell(text);
    for (const id of dialects) {
      const { failure, document } = column(given, id);
      // Errors are for those who answer over HTTP.
      if (given.reading.kind === "error" && !dialect(id).supports.has("errors")) expect(failure).toContain("no errors");
      else expect([id, failure, document === undefined]).toStrictEqual([id, undefined, false]);
    }
  });
});

describe("without saying what it is", () => {
  const chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}';
  const answer = '{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}';
  test.each([
    [
      "one message by itself",
      '{"role":"user","content":[{"type":"input_text","text":"Hi"}]}',
      "openai-responses messages",
    ],
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
  ])("%s is recognised", (_, text, expected) => {
    const { reading } = readWell(text);
    expect(`${reading.from} ${reading.kind}`).toBe(expected);
  });

  test("what could be of several dialects says of which", () => {
    const { reading } = readWell('[{"role":"user","content":"Hi"}]');
    expect(reading.from).toBe("openai-chat");
    expect(reading.maybe).toContain("anthropic");
  });

  test("a few new fields are no reason to doubt the name of a model, and who comes close is told", () => {
    const messages = '"messages":[{"role":"user","content":"Hi"}]';
    const news = '"new_a":1,"new_b":2,"thinking":{"type":"enabled","budget_tokens":1024}';
    expect(readWell(`{"model":"gpt-5","max_tokens":5,${news},${messages}}`).reading).toMatchObject({
      from: "openai-chat",
      maybe: expect.arrayContaining(["anthropic"]) as string[],
    });
    expect(readWell(`{"model":"claude-x","max_tokens":5,"user":"u","store":true,${messages}}`).reading.from).toBe(
      "anthropic",
    );
    expect(readWell(`{"model":"claude-x","max_tokens":5,${messages}}`).reading.maybe).toStrictEqual([]);
  });

  test("what the reader says wins", () => {
    const { reading } = readWell({ content: '[{"role":"user","content":"Hi"}]', from: "flat" });
    expect([reading.from, reading.kind]).toStrictEqual(["flat", "messages"]);
  });

  test("frames of an event stream are known by their bytes", () => {
    const frames = column(
      readWell(EXAMPLES.find(({ title }) => title === "Anthropic stream: thinking, then words")?.text ?? ""),
      "bedrock",
    );
    if (!(frames.wire instanceof Uint8Array)) throw new Error("Bedrock's streams are binary.");
    const { reading } = readWell({ content: frames.wire });
    expect([reading.from, reading.kind]).toStrictEqual(["bedrock", "stream"]);
    expect(reading.canonical.text).toContain("Wait for the evening.");
  });

  test("of records, the first one is shown, and the others are told", () => {
    const one = '{"model":"gpt-5","messages":[{"role":"user","content":"a"}]}';
    const { reading } = readWell(`${one}\n${one}\n`);
    expect([reading.kind, reading.remarks]).toStrictEqual(["request", ["The first of 2 records is shown."]]);
  });

  test("only one field of a reply", () => {
    const content = '{"request":{"messages":[]},"model":"m"}';
    expect(readWell({ content, field: "request", from: "koine", kind: "request" }).reading.canonical.text).toBe(
      '{\n  "messages": []\n}',
    );
  });
});

describe("what a payload is wrapped in", () => {
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
    ["a text of JSON", JSON.stringify(plain), "openai-chat request", "JSON in a text"],
  ])("%s is taken off, and told", (_, text, expected, remark) => {
    const { reading } = readWell(text);
    expect(`${reading.from} ${reading.kind}`).toBe(expected);
    expect(reading.remarks.join(" ")).toContain(remark);
  });

  test.each([`--data "${inDouble}"`, `-d $'${inAnsi}'`])(
    "quotes of a shell are read as it reads them: %s",
    (option) => {
      const { canonical } = readWell(`curl x.test ${option}`);
      expect(JSON.stringify(canonical.value)).toContain(String.raw`It's $5, \"so\".`);
    },
  );

  test("a fault within it is told with its place, where it has one", () => {
    expect(failureOf('HTTP/1.1 200 OK\na: b\n\n{\n"a": }')).toMatchObject({ line: 5, column: 6 });
    expect(failureOf("curl x.test -d '{\"a\": }'").message).toContain("body of a curl command");
  });
});

describe("what is wrong", () => {
  test.each([
    ["a page", "<!doctype html><html>", "HTML"],
    ["a command without a body", "curl https://x.test", "without a body"],
    ["a program", "const x = { a: 1 }", "a program"],
    ["a value of Python", '{"a": True}', "Python"],
    ["single quotes", "{'a': 1}", "double quotes"],
    ["a comma too many", '{"a": 1,}', "no comma"],
    ["keys without quotes", "{ a: 1 }", "keys stand in double quotes"],
    ["a line of an export", '{"type":"thread","thread":{"id":"x"}}', "exported"],
  ])("%s is called what it looks like", (_, text, words) => {
    expect(failureOf(text).message).toContain(words);
  });

  test("a depth that cannot be read is told as such", () => {
    const { message, line, column: at } = failureOf("[".repeat(3000));
    expect(message).toMatch(/^JSON is nested deeper than 1000 levels\./);
    expect([line, at]).toStrictEqual([1, 1001]);
  });

  test.each([
    ["a document", '{\n  "model": "x",\n  "messages": [{"role": user}]\n}', 3, 25],
    ["the second of several lines", '{"role":"user","content":"a"}\n{"role": }\n', 2, 10],
    ["the data of an event", 'data: {"a":1}\n\nevent: x\ndata: {"b":}\n\n', 4, 12],
    ["a text that is none at all", "Hello", 1, 1],
    ["a text that breaks off", '{"a": [1, 2', 1, 12],
  ])("in %s is told with its line and column", (_, text, line, at) => {
    const failure = failureOf(text);
    expect([failure.line, failure.column]).toStrictEqual([line, at]);
    expect(failure.message).toMatch(/^Expected/);
    expect(failure.message).not.toContain("near");
  });

  test("in a value of the wrong type is shown in the value", () => {
    const { message, wire, wireLine } = failureOf(
      '{"model":"gpt-5","seed":1,"messages":[{"role":"user","content":7}]}',
    );
    expect(message).toContain("/messages/0/content");
    if (wire === undefined) throw new Error("The value is there.");
    expect(wireLine).toBe(lineAt(wire, "/messages/0/content").line);
    expect(lineText(wire, wireLine ?? 0)).toContain('"content": 7');
  });

  test.each([
    ["nothing", "  \n", "nothing to read"],
    ["a mere number", "42", "neither an object nor a list"],
    ["an object that says nothing", '{"colour":"blue"}', "no request, answer"],
  ])("%s is told in words", (_, text, words) => {
    expect(failureOf(text).message).toContain(words);
  });

  test("a stream that breaks off is read as far as it goes", () => {
    const whole = EXAMPLES.find(({ title }) => title === "Anthropic stream: thinking, then words")?.text ?? "";
    const { reading } = readWell(whole.slice(0, whole.indexOf("event: message_delta")));
    expect(reading.remarks.join()).toContain("does not end well");
    expect(reading.canonical.text).toContain("Wait for the evening.");
  });

  test("an excerpt shows the place, also in a long line", () => {
    expect(excerptOf("a\nbc\nd", 2, 2)).toStrictEqual([
      { number: 1, text: "a" },
      { number: 2, text: "bc", caret: 1 },
      { number: 3, text: "d" },
    ]);
    const [line] = excerptOf(`${"x".repeat(500)}!${"y".repeat(500)}`, 1, 501);
    expect(line?.text[line.caret ?? 0]).toBe("!");
    expect(offsetOf("a\nbc\nd", 2, 2)).toBe(3);
  });
});

test("every digit of a long number arrives in every column", () => {
  const text = EXAMPLES.find(({ title }) => title.includes("long number"))?.text ?? "";
  const given = readWell(text);
  expect(given.reading.canonical.text).toContain("9007199254740993");
  for (const id of dialects)
    expect([id, column(given, id).document?.text]).toStrictEqual([id, expect.stringContaining("9007199254740993")]);
});

test("the names of the page are those of the dialects", () => {
  const titles = Object.fromEntries(dialects.map((id) => [id, dialect(id).title]));
  const ours = Object.fromEntries(dialects.map((id) => [id, SPEAKER_NAMES[id].title]));
  expect(ours).toStrictEqual(titles);
});
