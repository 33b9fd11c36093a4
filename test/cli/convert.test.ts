// `koine convert`, inside this process: what is read, what is written, what is told.
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
  geminiTwin as gemini,
  stored,
} from "./samples.ts";
import { koine, lines, parsed } from "./support.ts";
import { tries } from "../support/tries.ts";

describe("records", () => {
  test("each line is converted, its dialect told by itself, and losses are summed up", async () => {
    const { code, stdout, stderr } = await koine("convert --to gemini %/a.jsonl", {
      files: { "a.jsonl": lines(chatRequest, "", anthropicRequest) },
    });
    expect(parsed(stdout)).toStrictEqual([gemini, { ...gemini, generationConfig: { maxOutputTokens: 1024 } }]);
    expect(stderr).toBe(
      [
        "2 records: 2 converted, 0 failed.",
        "Losses: 1 loss.",
        "  loss    residue-not-portable  1 ×  a.jsonl:1 /extra/openai-chat/logit_bias",
        `          ${dialect("gemini").losses["residue-not-portable"]?.message ?? ""}`,
        "Sent beside the body, so not in the output: model of 2 records; keep it with each record by --address, or apart by --report.",
        "",
      ].join("\n"),
    );
    expect(code).toBe(0);
  });

  test("a broken line is told with its number and its place, and the rest goes on", async () => {
    const wrong = { ...chatRequest, messages: [{ role: 7 }] };
    const { code, stdout, stderr } = await koine("convert --from openai-chat --to gemini", {
      stdin: lines(chatRequest, '{"model": oops}', wrong, chatRequest),
    });
    expect(parsed(stdout)).toStrictEqual([gemini, gemini]);
    expect(stderr).toContain("stdin:2: Invalid JSON at column 11: expected a value");
    expect(stderr).toContain('stdin:3: openai-chat at "/messages/0/role": Expected a string, found a number.');
    expect(stderr).toContain("4 records: 2 converted, 2 failed.");
    expect(code).toBe(1);
  });

  test("--strict stops at the first failure", async () => {
    const { code, stdout, stderr } = await koine("convert --to gemini --strict", {
      stdin: lines(chatRequest, "oops", chatRequest),
    });
    expect(parsed(stdout)).toHaveLength(1);
    expect(stderr).toContain("2 records: 1 converted, 1 failed.");
    expect(stderr).toContain("Stopped at the first failure, as --strict asks.");
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
      "a response as a stored message keeps how it ended",
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
    ["one message stays one", "--from openai-chat --to tagged", { role: "user", content: "Hi" }, { role: "USER" }],
    [
      "messages of a request, where the target has nothing else",
      "--to tagged",
      chatRequest,
      [{ role: "SYSTEM" }, { role: "USER" }],
    ],
    [
      "messages become a request to a model",
      "--to openai-chat --model gpt-5",
      stored,
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
    ["a vendor's habits", "--to openai-chat --vendor deepseek", anthropicRequest, { max_tokens: 1024 }],
  ])("%s", async (_sentence, args, record, expected) => {
    const { code, stdout, stderr } = await koine(`convert -q ${args}`, { stdin: lines(record) });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject(expected as object);
    expect(code).toBe(0);
  });

  test("what a request says beside its messages is lost where the target has messages only, and told", async () => {
    const { stderr } = await koine("convert --to tagged --json", { stdin: lines(agentRequest) });
    const { losses } = JSON.parse(stderr) as { losses: { code: string; count: number }[] };
    expect(losses.find(({ code }) => code === "field-outside-messages")?.count).toBe(3);
  });

  test.each([
    [
      "a list of messages that could be anybody's",
      [{ role: "user", content: "Hi" }],
      "This list of messages could be of several dialects",
    ],
    [
      "an object that nobody knows",
      { hello: 1 },
      "This record could be of several dialects, or of none; give --from (openai-chat,",
    ],
    ["a number", 7, "Expected an object or a list of messages, found a number."],
    ["null", null, "Expected an object or a list of messages, found null."],
    [
      "a request that could be anybody's",
      { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] },
      "This request could be of several dialects",
    ],
    ["an error that could be anybody's", { error: { message: "no" } }, "This error could be of several dialects"],
    ["a stream's event among records", { type: "message_stop" }, "It is one event of a stream; give --kind stream"],
  ])("%s is refused with what to do", async (_sentence, record, message) => {
    const { code, stderr } = await koine("convert --to gemini", { stdin: lines(chatRequest, record) });
    expect(stderr).toContain(`stdin:2: ${message}`);
    expect(stderr).toContain("2 records: 1 converted, 1 failed.");
    expect(code).toBe(1);
  });

  test("the same dialect is equal JSON, and what is written as stored messages is valid", async () => {
    const same = await koine("convert -q --to anthropic --no-repair", { stdin: lines(agentRequest) });
    expect(JSON.parse(same.stdout)).toStrictEqual(agentRequest);
    const kept = await koine("convert -q --to canonical", { stdin: lines(agentRequest, chatResponse) });
    expect((await koine("validate", { stdin: kept.stdout })).stdout).toBe("2 records: 2 valid, 0 not.\n");
  });

  test("whatever is broken and however the bytes come, every record is converted in its place or told", async () => {
    const line = fc.constantFrom(JSON.stringify(chatRequest), '{"x":', "", "[1", "\u{1F600}");
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), async (texts, size) => {
        const bytes = Buffer.from(texts.join("\n"));
        const stdin = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const { stdout, stderr } = await koine("convert --to gemini --input jsonl", { stdin });
        const good = texts.filter((text) => text.startsWith('{"model"')).length;
        const told = texts.flatMap((text, index) => (text === "" || text.startsWith('{"model"') ? [] : [index + 1]));
        expect(parsed(stdout)).toHaveLength(good);
        expect([...stderr.matchAll(/^stdin:(\d+): /gm)].map(([, number]) => Number(number))).toStrictEqual(told);
        expect(stderr).toMatch(
          new RegExp(`^${good + told.length} records?: ${good} converted, ${told.length} failed\\.$`, "m"),
        );
      }),
      { numRuns: tries(90) },
    );
  });

  test("notes say what was done, not which argument of a function to pass", async () => {
    const notes: string[] = [];
    for (const to of ["canonical", "run"]) {
      const { stderr } = await koine(`convert --to ${to} --json`, { stdin: lines(chatRequest, chatResponse) });
      const { losses } = JSON.parse(stderr) as { losses: { examples: { message: string }[] }[] };
      notes.push(...losses.flatMap(({ examples }) => examples.map(({ message }) => message)));
    }
    expect(notes).toContain("Never stored; the id, parent, time and version that were missing have been made.");
    expect(notes.filter((note) => /\bpass\b/i.test(note))).toStrictEqual([]);
  });

  test("numbers keep every digit", async () => {
    const call = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"id":12345678901234567890}}]}`;
    const text = `{"model":"m","max_tokens":5,"system":"s","messages":[{"role":"user","content":"x"},${call}]}`;
    const { stdout } = await koine("convert -q --to anthropic", { stdin: text });
    expect(stdout).toContain('"input":{"id":12345678901234567890}');
  });
});

describe("documents", () => {
  const list = JSON.stringify([chatRequest, chatRequest], null, 2);

  test("a list of payloads is many records, and stays a list", async () => {
    const { stdout, stderr } = await koine("convert --to gemini %/a.json", { files: { "a.json": list } });
    expect(JSON.parse(stdout)).toStrictEqual([gemini, gemini]);
    expect(stderr).toContain("2 records: 2 converted");
    expect(stderr).toContain("a.json:2 ");
  });

  test("or becomes lines, where they are asked for", async () => {
    const { stdout } = await koine("convert -q --to gemini --format jsonl %/a.json", { files: { "a.json": list } });
    expect(parsed(stdout)).toStrictEqual([gemini, gemini]);
  });

  test("lines become a list, where a document is asked for", async () => {
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

  test("an element that fails is left out of the list, and told with its line", async () => {
    const text = `[\n${JSON.stringify(chatRequest)},\n{"x":1},\n]`;
    const { code, stdout, stderr } = await koine("convert --to gemini %/a.json", { files: { "a.json": text } });
    expect(JSON.parse(stdout)).toStrictEqual([gemini]);
    expect(stderr).toContain("a.json:3: This record");
    expect(stderr).toContain("a.json:4: A comma stands before the end of the list.");
    expect(stderr).toContain("3 records: 1 converted, 2 failed.");
    expect(code).toBe(1);
  });

  test.each([
    ["an empty list is a conversation that has not begun", "[]", "[]\n", "1 record: 1 converted, 0 failed."],
    ["a list that never ends is no conversation", "[", "[]\n", "1 record: 0 converted, 1 failed."],
    ["an empty file has no records", "", "", "0 records: 0 converted, 0 failed."],
    [
      "values one after the other, a list among them",
      `{"role":"user","content":"a"}\n \n [{"role":"user","content":"b"},\n{"role":"user","content":"c"}]`,
      "",
      "2 records: 2 converted, 0 failed.",
    ],
  ])("%s", async (_sentence, stdin, expected, summary) => {
    const { stdout, stderr } = await koine("convert --from openai-chat --to tagged --input json", { stdin });
    if (expected !== "") expect(stdout).toBe(expected);
    expect(stderr).toContain(summary);
  });

  test("where the first value has a line to itself and the next has not, the way out is told once", async () => {
    const text = `${JSON.stringify(chatRequest)}\n${JSON.stringify(chatRequest, null, 1)}\n`;
    const files = { "a.json": text, "a.jsonl": text };
    const { code, stderr } = await koine("convert --to gemini %/a.json", { files });
    expect(stderr.match(/^.*--input json.*$/gm)).toStrictEqual([
      expect.stringMatching(/^a\.json:2: Invalid JSON .* If values go over several lines, give --input json\.$/),
    ]);
    expect(code).toBe(1);
    const told = await koine("convert -q --to gemini --input json %/a.json", { files });
    expect(told).toMatchObject({ code: 0, stderr: "" });
    // A name that says lines is believed.
    expect((await koine("convert --to gemini %/a.jsonl", { files })).stderr).not.toContain("--input");
  });

  test("several files are written as lines", async () => {
    const { stdout, stderr } = await koine("convert --to gemini %/a.json %/b.jsonl", {
      files: { "a.json": list, "b.jsonl": lines(chatRequest) },
    });
    expect(parsed(stdout)).toStrictEqual([gemini, gemini, gemini]);
    expect(stderr).toContain("3 records in 2 files: 3 converted, 0 failed.");
  });

  test.each([
    [
      "a byte order mark is no part of the first record",
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(lines(chatRequest))]),
      0,
      "",
    ],
    [
      "UTF-16 is told",
      Buffer.from(`\uFEFF${lines(chatRequest)}`, "utf16le"),
      4,
      '"a.jsonl" is UTF-16; save it as UTF-8 first.',
    ],
    ["a compressed file is told", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 4, "is compressed; unpack it first"],
  ])("%s", async (_sentence, content, expected, message) => {
    const { code, stderr } = await koine("convert --to gemini -q %/a.jsonl", { files: { "a.jsonl": content } });
    expect(stderr).toContain(message);
    expect(code).toBe(expected);
  });
});

describe("what stands beside the body", () => {
  test("--address keeps it with each record, and it is read from there", async () => {
    const stdin = lines({ ...chatRequest, stream: true });
    const there = await koine("convert --to gemini --address", { stdin });
    expect(parsed(there.stdout)).toStrictEqual([{ address: { model: "gpt-5", stream: true }, body: gemini }]);
    expect(there.stderr).not.toContain("beside");
    const back = await koine("convert -q --to openai-chat", { stdin: there.stdout });
    expect(JSON.parse(back.stdout)).toStrictEqual({ model: "gpt-5", messages: chatRequest.messages, stream: true });
  });

  test("--report has it, and the status of an error", async () => {
    const { file, stderr } = await koine("convert --to openai-chat --report %/r.jsonl", {
      stdin: lines(anthropicError),
    });
    expect(parsed(file("r.jsonl"))).toStrictEqual([{ file: "stdin", line: 1, status: 503, losses: [] }]);
    expect(stderr).toContain("status of 1 record; it is in the report.");
  });
});
