// Tests the outputs of `koine convert`: the report, the output file, and the exit code.
import { describe, expect, test } from "vitest";
import { chatRequest, geminiRequest, convertedGeminiRequest } from "./samples.ts";
import { koine, lines, parseLines } from "./support.ts";

describe("the report", () => {
  const stdin = lines(chatRequest, geminiRequest, "oops");

  test.each([
    ["r.jsonl", (text: string): unknown => parseLines(text)],
    ["r.json", (text: string): unknown => JSON.parse(text)],
  ])("%s contains every loss and failure", async (name, read) => {
    const { file, code } = await koine(`convert --to flat --report %/${name}`, { stdin });
    expect(read(file(name))).toMatchObject([
      {
        file: "stdin",
        line: 1,
        losses: [{ path: "/model", code: "field-outside-messages", level: "loss" }, { path: "/extra" }],
      },
      { file: "stdin", line: 3, losses: [], error: { code: "invalid-json" } },
    ]);
    expect(code).toBe(1);
  });

  test.each([
    ["the input", "--report %/in.jsonl %/in.jsonl", '--report would overwrite the input file "in.jsonl"'],
    [
      "the input by another path",
      "--report %/./in.jsonl %/in.jsonl",
      '--report would overwrite the input file "in.jsonl"',
    ],
    ["the output itself", "-o %/x.json --report %/./x.json %/in.jsonl", "--report and --output are both"],
    ["an existing output", "-o %/old.json --report %/old.json %/in.jsonl", "--report and --output are both"],
    ["standard output", "--report - %/in.jsonl", "--report needs a file name"],
  ])("must not be %s", async (_sentence, args, message) => {
    const files = { "in.jsonl": lines(chatRequest), "old.json": "old" };
    const outcome = await koine(`convert --to gemini ${args}`, { files });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr.split("\n")).toHaveLength(2);
    expect(outcome).toMatchObject({ code: 2, stdout: "", files: "in.jsonl old.json" });
    expect(outcome.file("in.jsonl")).toBe(files["in.jsonl"]);
    expect(outcome.file("old.json")).toBe("old");
  });

  test("the JSON summary never goes to the stream of the payloads", async () => {
    const onStderr = await koine("convert --to gemini --json", { stdin: lines(chatRequest) });
    expect(JSON.parse(onStderr.stderr)).toMatchObject({
      to: "gemini",
      records: 1,
      converted: 1,
      failed: 0,
      levels: { loss: 1 },
      outsideBody: { model: 1 },
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
    ["losses without --fail-on", "", 0],
  ])("%s", async (_sentence, args, expected) => {
    expect((await koine(`convert --to gemini ${args}`, { stdin: lines(chatRequest) })).code).toBe(expected);
  });

  test.each([
    ["no target", "convert", 2, "Name the dialect to write with --to (openai-chat,"],
    [
      "an unknown dialect",
      "convert --to latin",
      2,
      "--to must be one of openai-chat, openai-responses, anthropic, gemini,",
    ],
    [
      "an unknown option",
      "convert --to gemini --nope",
      2,
      `Unknown option '--nope'; "koine convert --help" lists the options.`,
    ],
    ["an option without its value", "convert --to", 2, "Option '-t, --to <value>' argument missing"],
    ["an unknown vendor", "convert --to gemini --vendor nobody", 2, 'The vendor "nobody" is not known'],
    ["records as events", "convert --to gemini --format sse", 2, "Only streams can be written as server-sent events"],
    ["a missing file", "convert --to gemini %/none.json", 4, 'There is no file "none.json".'],
    ["a folder", "convert --to gemini %", 4, "is a folder; name a file."],
    [
      "a missing output folder",
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

  test("appears when it is complete", async () => {
    const outcome = await koine("convert -q --to gemini -o %/out.json %/in.jsonl", { files });
    expect(JSON.parse(outcome.file("out.json"))).toStrictEqual(convertedGeminiRequest);
    expect(outcome).toMatchObject({ stdout: "", files: "in.jsonl out.json" });
  });

  test("can be the input file", async () => {
    const outcome = await koine("convert -q --to gemini -o %/in.jsonl %/in.jsonl", { files });
    expect(JSON.parse(outcome.file("in.jsonl"))).toStrictEqual(convertedGeminiRequest);
  });

  test("is not changed if --strict stops the conversion", async () => {
    const outcome = await koine("convert --strict --to gemini -o %/out.json", {
      files,
      stdin: lines(chatRequest, "oops"),
    });
    expect(outcome.file("out.json")).toBe("old");
    expect(outcome).toMatchObject({ code: 1, files: "in.jsonl out.json" });
  });
});
