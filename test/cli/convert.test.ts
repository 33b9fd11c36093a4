// Tests `koine convert`: input formats, output, failures and the summary.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialect } from "../../src/index.ts";
import {
  agentRequest,
  anthropicError,
  anthropicRequest,
  chatRequest,
  chatResponse,
  geminiRequest,
  convertedGeminiRequest as gemini,
  storedMessages,
} from "./samples.ts";
import { koine, lines, parseLines } from "./support.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

describe("records", () => {
  test("each line is converted with a detected dialect, and the losses are summarized", async () => {
    const { code, stdout, stderr } = await koine("convert --to gemini %/a.jsonl", {
      files: { "a.jsonl": lines(chatRequest, "", anthropicRequest) },
    });
    expect(parseLines(stdout)).toStrictEqual([gemini, { ...gemini, generationConfig: { maxOutputTokens: 1024 } }]);
    expect(stderr).toBe(
      [
        "2 records: 2 converted, 0 failed.",
        "Losses: 1 loss.",
        "  loss    residue-not-portable  1 ×  a.jsonl:1 /extra/openai-chat/logit_bias",
        `          ${dialect("gemini").losses["residue-not-portable"]?.message ?? ""}`,
        "Sent outside the body, so not in the output: model of 2 records; use --address to write it with each record, or --report to write it to a file.",
        "",
      ].join("\n"),
    );
    expect(code).toBe(0);
  });

  test("an invalid line is reported with its position, and the conversion continues", async () => {
    const wrong = { ...chatRequest, messages: [{ role: 7 }] };
    const { code, stdout, stderr } = await koine("convert --from openai-chat --to gemini", {
      stdin: lines(chatRequest, '{"model": oops}', wrong, chatRequest),
    });
    expect(parseLines(stdout)).toStrictEqual([gemini, gemini]);
    expect(stderr).toContain("stdin:2: Invalid JSON at column 11: expected a value");
    expect(stderr).toContain('stdin:3: openai-chat at "/messages/0/role": Expected a string, found a number.');
    expect(stderr).toContain("4 records: 2 converted, 2 failed.");
    expect(code).toBe(1);
  });

  test("--strict stops at the first failure", async () => {
    const { code, stdout, stderr } = await koine("convert --to gemini --strict", {
      stdin: lines(chatRequest, "oops", chatRequest),
    });
    expect(parseLines(stdout)).toHaveLength(1);
    expect(stderr).toContain("2 records: 1 converted, 1 failed.");
    expect(stderr).toContain("Stopped at the first failure because of --strict.");
    expect(code).toBe(1);
  });

  test.each<[sentence: string, args: string, record: unknown, expected: unknown]>([
    [
      "a response",
      "--to anthropic",
      chatResponse,
      { type: "message", stop_reason: "end_turn", content: [{ type: "text", text: "Clear." }] },
    ],
    [
      "a response as a stored message has its finish reason",
      "--to canonical",
      chatResponse,
      [
        {
          role: "assistant",
          metadata: { model: "gpt-5", finishReason: { unified: "stop" }, usage: { totalTokens: 23 } },
        },
      ],
    ],
    ["an error", "--to openai-chat", anthropicError, { error: { message: "Try again." } }],
    [
      "a list of messages",
      "--from openai-chat --to tagged",
      chatRequest.messages,
      [{ role: "SYSTEM" }, { role: "USER" }],
    ],
    [
      "a single message stays a single message",
      "--from openai-chat --to tagged",
      { role: "user", content: "Hi" },
      { role: "USER" },
    ],
    [
      "the messages of a request, if the target has only messages",
      "--to tagged",
      chatRequest,
      [{ role: "SYSTEM" }, { role: "USER" }],
    ],
    [
      "messages become a request to a model",
      "--to openai-chat --model gpt-5",
      storedMessages,
      { model: "gpt-5", messages: [{}, {}, {}] },
    ],
    ["another model", "--to openai-chat --model other", chatRequest, { model: "other" }],
    [
      "a request without a model, as in data for fine-tuning",
      "--from openai-chat --to anthropic",
      { messages: chatRequest.messages },
      { system: "Answer briefly." },
    ],
    [
      "a fragment",
      "--from anthropic --to openai-chat --kind messages",
      { system: "A", messages: [] },
      [{ role: "system", content: "A" }],
    ],
    [
      "a request in its envelope",
      "--to openai-chat",
      { address: { model: "gemini-3" }, body: geminiRequest },
      { model: "gemini-3" },
    ],
    ["the deviations of a vendor", "--to openai-chat --vendor deepseek", anthropicRequest, { max_tokens: 1024 }],
  ])("%s", async (_sentence, args, record, expected) => {
    const { code, stdout, stderr } = await koine(`convert -q ${args}`, { stdin: lines(record) });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject(expected as object);
    expect(code).toBe(0);
  });

  test("request fields outside the messages are reported as losses if the target has only messages", async () => {
    const { stderr } = await koine("convert --to tagged --json", { stdin: lines(agentRequest) });
    const { losses } = JSON.parse(stderr) as { losses: { code: string; count: number }[] };
    expect(losses.find(({ code }) => code === "field-outside-messages")?.count).toBe(3);
  });

  test.each([
    [
      "an ambiguous list of messages",
      [{ role: "user", content: "Hi" }],
      "The dialect of this list of messages cannot be detected",
    ],
    ["an unknown object", { hello: 1 }, "The dialect of this record cannot be detected; set --from (openai-chat,"],
    ["a number", 7, "Expected an object or a list of messages, found a number."],
    ["null", null, "Expected an object or a list of messages, found null."],
    [
      "an ambiguous request",
      { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] },
      "The dialect of this request cannot be detected",
    ],
    ["an ambiguous error", { error: { message: "no" } }, "The dialect of this error cannot be detected"],
    [
      "an event of a stream among records",
      { type: "message_stop" },
      "The record is one event of a stream; use --kind stream",
    ],
  ])("%s is rejected with a remedy", async (_sentence, record, message) => {
    const { code, stderr } = await koine("convert --to gemini", { stdin: lines(chatRequest, record) });
    expect(stderr).toContain(`stdin:2: ${message}`);
    expect(stderr).toContain("2 records: 1 converted, 1 failed.");
    expect(code).toBe(1);
  });

  test("a conversion to the same dialect is equal JSON, and written stored messages are valid", async () => {
    const same = await koine("convert -q --to anthropic --no-repair", { stdin: lines(agentRequest) });
    expect(JSON.parse(same.stdout)).toStrictEqual(agentRequest);
    const canonical = await koine("convert -q --to canonical", { stdin: lines(agentRequest, chatResponse) });
    expect((await koine("validate", { stdin: canonical.stdout })).stdout).toBe("2 records: 2 valid, 0 invalid.\n");
  });

  test("every record is converted in order or reported, for any invalid lines and any chunk size", async () => {
    const line = fc.constantFrom(JSON.stringify(chatRequest), '{"x":', "", "[1", "\u{1F600}");
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), async (texts, size) => {
        const bytes = Buffer.from(texts.join("\n"));
        const stdin = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const { stdout, stderr } = await koine("convert --to gemini --input jsonl", { stdin });
        const good = texts.filter((text) => text.startsWith('{"model"')).length;
        const failedLines = texts.flatMap((text, index) =>
          text === "" || text.startsWith('{"model"') ? [] : [index + 1],
        );
        expect(parseLines(stdout)).toHaveLength(good);
        expect([...stderr.matchAll(/^stdin:(\d+): /gm)].map(([, number]) => Number(number))).toStrictEqual(failedLines);
        expect(stderr).toMatch(
          new RegExp(
            `^${good + failedLines.length} records?: ${good} converted, ${failedLines.length} failed\\.$`,
            "m",
          ),
        );
      }),
      { numRuns: scaleRunCount(90) },
    );
  });

  test("notes describe the result and do not name arguments of the library", async () => {
    const notes: string[] = [];
    for (const to of ["canonical", "run"]) {
      const { stderr } = await koine(`convert --to ${to} --json`, { stdin: lines(chatRequest, chatResponse) });
      const { losses } = JSON.parse(stderr) as { losses: { examples: { message: string }[] }[] };
      notes.push(...losses.flatMap(({ examples }) => examples.map(({ message }) => message)));
    }
    expect(notes).toContain("The message was never stored; the missing id, parent, time and version were generated.");
    expect(notes.filter((note) => /\bpass\b/i.test(note))).toStrictEqual([]);
  });

  test("numbers preserve every digit", async () => {
    const call = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"id":12345678901234567890}}]}`;
    const text = `{"model":"m","max_tokens":5,"system":"s","messages":[{"role":"user","content":"x"},${call}]}`;
    const { stdout } = await koine("convert -q --to anthropic", { stdin: text });
    expect(stdout).toContain('"input":{"id":12345678901234567890}');
  });
});

describe("documents", () => {
  const list = JSON.stringify([chatRequest, chatRequest], null, 2);

  test("a list of payloads is several records and stays a list", async () => {
    const { stdout, stderr } = await koine("convert --to gemini %/a.json", { files: { "a.json": list } });
    expect(JSON.parse(stdout)).toStrictEqual([gemini, gemini]);
    expect(stderr).toContain("2 records: 2 converted");
    expect(stderr).toContain("a.json:2 ");
  });

  test("--format jsonl writes a list as lines", async () => {
    const { stdout } = await koine("convert -q --to gemini --format jsonl %/a.json", { files: { "a.json": list } });
    expect(parseLines(stdout)).toStrictEqual([gemini, gemini]);
  });

  test("--format json writes lines as a list", async () => {
    const { stdout } = await koine("convert -q --to gemini --format json", { stdin: lines(chatRequest, chatRequest) });
    expect(JSON.parse(stdout)).toStrictEqual([gemini, gemini]);
  });

  test("a list of messages is one conversation", async () => {
    const { stdout, stderr } = await koine("convert --to gemini --from openai-chat --pretty", {
      stdin: JSON.stringify(chatRequest.messages, null, 1),
    });
    expect(stdout).toBe(`${JSON.stringify(gemini, null, 2)}\n`);
    expect(stderr).toContain("1 record: 1 converted");
  });

  test("a failed element is omitted from the list and reported with its line", async () => {
    const text = `[\n${JSON.stringify(chatRequest)},\n{"x":1},\n]`;
    const { code, stdout, stderr } = await koine("convert --to gemini %/a.json", { files: { "a.json": text } });
    expect(JSON.parse(stdout)).toStrictEqual([gemini]);
    expect(stderr).toContain("a.json:3: The dialect of this record");
    expect(stderr).toContain("a.json:4: There is a comma before the end of the list.");
    expect(stderr).toContain("3 records: 1 converted, 2 failed.");
    expect(code).toBe(1);
  });

  test.each([
    ["an empty list is an empty conversation", "[]", "[]\n", "1 record: 1 converted, 0 failed."],
    ["an unterminated list fails", "[", "[]\n", "1 record: 0 converted, 1 failed."],
    ["an empty file has no records", "", "", "0 records: 0 converted, 0 failed."],
    [
      "consecutive values with a list among them",
      `{"role":"user","content":"a"}\n \n [{"role":"user","content":"b"},\n{"role":"user","content":"c"}]`,
      "",
      "2 records: 2 converted, 0 failed.",
    ],
  ])("%s", async (_sentence, stdin, expected, summary) => {
    const { stdout, stderr } = await koine("convert --from openai-chat --to tagged --input json", { stdin });
    if (expected !== "") expect(stdout).toBe(expected);
    expect(stderr).toContain(summary);
  });

  test("a multi-line value after a one-line value gives one hint to use --input json", async () => {
    const text = `${JSON.stringify(chatRequest)}\n${JSON.stringify(chatRequest, null, 1)}\n`;
    const files = { "a.json": text, "a.jsonl": text };
    const { code, stderr } = await koine("convert --to gemini %/a.json", { files });
    expect(stderr.match(/^.*--input json.*$/gm)).toStrictEqual([
      expect.stringMatching(/^a\.json:2: Invalid JSON .* If values span several lines, use --input json\.$/),
    ]);
    expect(code).toBe(1);
    const withInputFormat = await koine("convert -q --to gemini --input json %/a.json", { files });
    expect(withInputFormat).toMatchObject({ code: 0, stderr: "" });
    // The file extension .jsonl excludes the hint.
    expect((await koine("convert --to gemini %/a.jsonl", { files })).stderr).not.toContain("--input");
  });

  test("several files are written as lines", async () => {
    const { stdout, stderr } = await koine("convert --to gemini %/a.json %/b.jsonl", {
      files: { "a.json": list, "b.jsonl": lines(chatRequest) },
    });
    expect(parseLines(stdout)).toStrictEqual([gemini, gemini, gemini]);
    expect(stderr).toContain("3 records in 2 files: 3 converted, 0 failed.");
  });

  test.each([
    [
      "a byte order mark is not part of the first record",
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(lines(chatRequest))]),
      0,
      "",
    ],
    [
      "UTF-16 is rejected",
      Buffer.from(`\uFEFF${lines(chatRequest)}`, "utf16le"),
      4,
      '"a.jsonl" is UTF-16; save it as UTF-8 first.',
    ],
    ["a compressed file is rejected", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 4, "is compressed; unpack it first"],
  ])("%s", async (_sentence, content, expected, message) => {
    const { code, stderr } = await koine("convert --to gemini -q %/a.jsonl", { files: { "a.jsonl": content } });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });
});

describe("the envelope", () => {
  test("--address writes it with each record, and it is read again", async () => {
    const stdin = lines({ ...chatRequest, stream: true });
    const converted = await koine("convert --to gemini --address", { stdin });
    expect(parseLines(converted.stdout)).toStrictEqual([{ address: { model: "gpt-5", stream: true }, body: gemini }]);
    expect(converted.stderr).not.toContain("outside the body");
    const back = await koine("convert -q --to openai-chat", { stdin: converted.stdout });
    expect(JSON.parse(back.stdout)).toStrictEqual({ model: "gpt-5", messages: chatRequest.messages, stream: true });
  });

  test("--report contains it, with the status of an error", async () => {
    const { file, stderr } = await koine("convert --to openai-chat --report %/r.jsonl", {
      stdin: lines(anthropicError),
    });
    expect(parseLines(file("r.jsonl"))).toStrictEqual([{ file: "stdin", line: 1, status: 503, losses: [] }]);
    expect(stderr).toContain("status of 1 record; see the report.");
  });
});
