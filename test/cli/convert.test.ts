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
  stored,
} from "./samples.ts";
import { koine, lines, parsed } from "./support.ts";

const gemini = {
  systemInstruction: { parts: [{ text: "Answer briefly." }] },
  contents: [{ role: "user", parts: [{ text: "How is the weather in Corinth?" }] }],
};

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
        "  loss    residue-foreign  1 ×  a.jsonl:1 /extra/openai-chat/logit_bias",
        `          ${dialect("gemini").losses["residue-foreign"]?.says ?? ""}`,
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
    expect(losses.find(({ code }) => code === "beside-messages")?.count).toBe(3);
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
    ["a number", 7, "Expected an object or a list of messages, found number."],
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
      { numRuns: 30 },
    );
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

describe("the report", () => {
  const stdin = lines(chatRequest, geminiRequest, "oops");

  test.each([
    ["r.jsonl", (text: string): unknown => parsed(text)],
    ["r.json", (text: string): unknown => JSON.parse(text)],
  ])("%s holds every loss and failure", async (name, read) => {
    const { file, code } = await koine(`convert --to flat --report %/${name}`, { stdin });
    expect(read(file(name))).toMatchObject([
      {
        file: "stdin",
        line: 1,
        losses: [{ path: "/model", code: "beside-messages", level: "loss" }, { path: "/extra" }],
      },
      { file: "stdin", line: 3, losses: [], error: { code: "invalid-json" } },
    ]);
    expect(code).toBe(1);
  });

  test("the summary as JSON never mixes with payloads", async () => {
    const apart = await koine("convert --to gemini --json", { stdin: lines(chatRequest) });
    expect(JSON.parse(apart.stderr)).toMatchObject({
      to: "gemini",
      records: 1,
      converted: 1,
      failed: 0,
      levels: { loss: 1 },
      apart: { model: 1 },
    });
    const inFile = await koine("convert --to gemini --json -o %/out.json", { stdin: lines(chatRequest) });
    expect(JSON.parse(inFile.stdout)).toMatchObject({ records: 1 });
    expect(inFile.stderr).toBe("");
  });
});

describe("exit codes", () => {
  test.each([
    ["losses below the level", "--fail-on breaks", 0],
    ["losses of the level", "--fail-on loss", 3],
    ["losses above the level", "--fail-on note", 3],
    ["losses that nobody asked about", "", 0],
  ])("%s", async (_sentence, args, expected) => {
    expect((await koine(`convert --to gemini ${args}`, { stdin: lines(chatRequest) })).code).toBe(expected);
  });

  test.each([
    ["no target", "convert", 2, "Say what to write with --to (openai-chat,"],
    ["an unknown dialect", "convert --to latin", 2, "--to is one of openai-chat, openai-responses, anthropic, gemini,"],
    [
      "an unknown option",
      "convert --to gemini --nope",
      2,
      `Unknown option '--nope'; "koine convert --help" lists the options.`,
    ],
    ["an option without its value", "convert --to", 2, "Option '-t, --to <value>' argument missing"],
    ["an unknown vendor", "convert --to gemini --vendor nobody", 2, 'There is no vendor "nobody"'],
    ["records as events", "convert --to gemini --format sse", 2, "Only streams can be written as server-sent events"],
    ["a file that is not there", "convert --to gemini %/none.json", 4, 'There is no file "none.json".'],
    ["a folder", "convert --to gemini %", 4, "is a folder; name a file."],
    [
      "a folder to write into that is not there",
      "convert --to gemini -o %/no/out.json",
      4,
      'There is no folder to write "no/out.json" into.',
    ],
    [
      "a report that cannot be written",
      "convert --to gemini -o %/out.json --report %/no/r.json",
      4,
      "There is no folder to write",
    ],
  ])("%s", async (_sentence, args, code, message) => {
    const outcome = await koine(args, { stdin: lines(chatRequest) });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr.split("\n")).toHaveLength(2);
    expect(outcome).toMatchObject({ code, files: "" });
  });
});

describe("the output file", () => {
  const files = { "out.json": "old", "in.jsonl": lines(chatRequest) };

  test("appears when it is whole", async () => {
    const outcome = await koine("convert -q --to gemini -o %/out.json %/in.jsonl", { files });
    expect(JSON.parse(outcome.file("out.json"))).toStrictEqual(gemini);
    expect(outcome).toMatchObject({ stdout: "", files: "in.jsonl out.json" });
  });

  test("may be the input itself", async () => {
    const outcome = await koine("convert -q --to gemini -o %/in.jsonl %/in.jsonl", { files });
    expect(JSON.parse(outcome.file("in.jsonl"))).toStrictEqual(gemini);
  });

  test("stays as it was where the run stops", async () => {
    const outcome = await koine("convert --strict --to gemini -o %/out.json", {
      files,
      stdin: lines(chatRequest, "oops"),
    });
    expect(outcome.file("out.json")).toBe("old");
    expect(outcome).toMatchObject({ code: 1, files: "in.jsonl out.json" });
  });
});
