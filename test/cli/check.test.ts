// Tests `koine check` and `koine validate`: their output and exit codes.
import { describe, expect, test } from "vitest";
import { anthropicRequest, chatRequest, chatResponse, runEvents, storedMessages } from "./samples.ts";
import { koine, lines, parseLines } from "./support.ts";

describe("check", () => {
  test("lists the losses of each record and the totals, and writes no payload", async () => {
    const { code, stdout, stderr } = await koine("check --to gemini %/a.jsonl", {
      files: { "a.jsonl": lines(anthropicRequest, chatRequest, "oops") },
    });
    expect(stdout.split("\n").slice(0, 6)).toStrictEqual([
      "a.jsonl:2  openai-chat request to gemini",
      "  loss    residue-not-portable  /extra/openai-chat/logit_bias",
      "",
      "3 records: 2 checked, 1 failed.",
      "Losses: 1 loss.",
      "  loss    residue-not-portable  1 ×  a.jsonl:2 /extra/openai-chat/logit_bias",
    ]);
    expect(stderr).toMatch(/^a\.jsonl:3: Invalid JSON at column 1: .*\n$/);
    expect(code).toBe(1);
  });

  test("--json writes a line for each record and a summary line", async () => {
    const { stdout, stderr } = await koine("check --to gemini --json", { stdin: lines(anthropicRequest, "oops") });
    expect(parseLines(stdout)).toMatchObject([
      { file: "stdin", line: 1, from: "anthropic", kind: "request", to: "gemini", losses: [] },
      { file: "stdin", line: 2, losses: [], error: { code: "invalid-json" } },
      { summary: { to: "gemini", records: 2, checked: 1, failed: 1, losses: [] } },
    ]);
    expect(stderr).toBe("");
  });

  test.each([
    ["--fail-on loss", 3],
    ["--fail-on breaks", 0],
    ["", 0],
  ])("%s exits with %i", async (args, code) => {
    const outcome = await koine(`check --quiet --to gemini ${args}`, { stdin: lines(chatRequest) });
    expect(outcome).toMatchObject({ code, stdout: "", stderr: "" });
  });

  test("a stream is checked as one record", async () => {
    const { stdout } = await koine("check --from run --to tagged --kind stream --json", { stdin: lines(...runEvents) });
    expect(parseLines(stdout)[0]).toMatchObject({
      line: 1,
      from: "run",
      kind: "stream",
      losses: expect.any(Array) as unknown[],
    });
  });

  test("the loss paths of a response point into the response", async () => {
    const { stdout } = await koine("check --to tagged --json", { stdin: lines(chatResponse) });
    const [{ losses }] = parseLines(stdout) as [{ losses: { path: string }[] }];
    expect(losses.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/id", "/model", "/usage", "/finishReason"]),
    );
  });
});

describe("validate", () => {
  const [question, call, result] = storedMessages;

  test("stored messages are valid as lines and as a list", async () => {
    expect(await koine("validate", { stdin: lines(...storedMessages) })).toMatchObject({
      code: 0,
      stdout: "3 records: 3 valid, 0 invalid.\n",
    });
    expect(await koine("validate", { stdin: JSON.stringify(storedMessages) })).toMatchObject({
      code: 0,
      stdout: "1 record: 1 valid, 0 invalid.\n",
    });
  });

  test.each<[sentence: string, records: unknown[], expected: string[]]>([
    [
      "a tool result without its call, across lines",
      [question, result],
      ["stdin:2: /parts/0/toolCallId: No call with the id"],
    ],
    ["a duplicate tool call, across lines", [question, call, call], ["stdin:3: /parts/0/toolCallId: Another call"]],
    ["another conversation can use the same ids", [question, call, question, call], []],
    [
      "a schema version that is too new",
      [{ ...question, metadata: { schemaVersion: 99 } }],
      ["stdin:1: /metadata/schemaVersion: This message has schema version 99"],
    ],
    [
      "a missing schema version",
      [{ ...question, metadata: {} }],
      ["stdin:1: /metadata/schemaVersion: A stored message needs metadata.schemaVersion"],
    ],
    [
      "a part that is not allowed in the role",
      [{ ...question, parts: [{ type: "refusal", text: "No." }] }],
      ["stdin:1: /parts/0: A user message can contain"],
    ],
    ["a list", [[question, { ...question, role: "king" }]], ["stdin:1: /1/role: "]],
    [
      "a payload that its dialect cannot read",
      [{ ...anthropicRequest, messages: [7] }],
      ['stdin:1: anthropic at "/messages/0": Expected'],
    ],
    [
      "a payload whose canonical value is invalid",
      [{ ...chatRequest, messages: [{ role: "tool", tool_call_id: "x", content: "y" }] }],
      ["stdin:1: /messages/0/parts/0/toolCallId (in the canonical request): No call"],
    ],
    ["invalid JSON", ["oops"], ["stdin:1: Invalid JSON at column 1"]],
  ])("%s", async (_sentence, records, expected) => {
    const { code, stdout } = await koine("validate", { stdin: lines(...records) });
    const issueLines = stdout.split("\n").slice(0, -2);
    expect(issueLines).toHaveLength(expected.length);
    expected.forEach((beginning, index) => expect(issueLines[index]).toContain(beginning));
    expect(code).toBe(expected.length === 0 ? 0 : 1);
  });

  test("messages of version 1 are migrated before validation", async () => {
    const { stdout } = await koine("validate", { stdin: lines({ ...question, metadata: { schemaVersion: 1 } }) });
    expect(stdout).toBe("1 record: 1 valid, 0 invalid.\n");
  });

  test("--json writes a line for each issue and a summary line", async () => {
    const { stdout } = await koine("validate --json", { stdin: lines({ ...question, role: "king" }) });
    expect(parseLines(stdout)).toMatchObject([
      { file: "stdin", line: 1, path: "/role", code: "unknown-word" },
      { summary: { records: 1, valid: 0, invalid: 1, issues: 1 } },
    ]);
  });

  test("a stream must obey the rules of the delta contract", async () => {
    const [start, text, , done] = runEvents;
    const good = await koine("validate --from run --kind stream", { stdin: lines(start, text, done) });
    expect(good).toMatchObject({ code: 0, stdout: "1 record: 1 valid, 0 invalid.\n" });
    const bad = await koine("validate --from run --kind stream", { stdin: lines(start, done, text) });
    expect(bad.stdout).toContain("seq-increasing");
    expect(bad.code).toBe(1);
  });
});
