// Tests `koine inspect`: its text output is compared with files in golden/. `vitest -u` writes them again.
import { describe, expect, test } from "vitest";
import { agentRequest, anthropicError, chatResponse, runEvents, storedMessages } from "./samples.ts";
import { koine, lines, parseLines } from "./support.ts";

const hostile = {
  model: "claude-opus-4-8\u001B[2J",
  max_tokens: 5,
  system: "\u001B]0;title\u0007 and \u202Eevil",
  messages: [
    { role: "user", content: "safe\rgone\u009B31m" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t\u0007", name: "f\u001B[0m", input: { "\u009B": "\u007F" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t\u0007", content: "\u001B[1A" }] },
    { role: "user", content: [{ type: "hologram\u001B[5m", depth: 3 }] },
  ],
};

const cited = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-8",
  content: [
    { type: "redacted_thinking", data: "c2VjcmV0" },
    {
      type: "text",
      text: "Corinth lies on an isthmus.",
      citations: [
        {
          type: "web_search_result_location",
          url: "https://example.com/corinth",
          title: "Corinth",
          cited_text: "an isthmus",
          encrypted_index: "aQ==",
        },
      ],
    },
  ],
  stop_reason: "max_tokens",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 1000, cache_creation_input_tokens: 20 },
};

const refused = {
  ...chatResponse,
  choices: [
    { index: 0, message: { role: "assistant", content: null, refusal: "I would rather not." }, finish_reason: "stop" },
    { index: 1, message: { role: "assistant", content: "A second answer." }, finish_reason: "length" },
  ],
};

const long = {
  ...chatResponse,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "write", arguments: JSON.stringify({ text: "word ".repeat(200) }) },
          },
        ],
      },
      finish_reason: "tool_calls",
    },
  ],
};

const code = {
  id: "msg_2",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-8",
  content: [
    {
      type: "server_tool_use",
      id: "srvtoolu_1",
      name: "code_execution",
      input: { language: "python", code: "for i in range(3):\n    print(i)\n", limits: { seconds: 5 } },
    },
    {
      type: "text",
      text: "- The first item of a list, which is longer than a line of this page can hold.\n- The second.",
    },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7 },
};

describe("pages", () => {
  test.each<[name: string, args: string, stdin: string]>([
    ["agent", "inspect", lines(agentRequest)],
    ["agent-narrow-and-full", "inspect --full", lines(agentRequest)],
    ["answers", "inspect", lines(cited, refused, long, anthropicError)],
    ["code", "inspect", lines(code)],
    ["stored-messages-on-lines", "inspect", lines(...storedMessages, ...storedMessages)],
    ["stream", "inspect --from run --kind stream", lines(...runEvents)],
    ["hostile", "inspect", lines(hostile)],
  ])("%s", async (name, args, stdin) => {
    const columns = name.includes("narrow") ? 44 : 80;
    const { code, stdout, stderr } = await koine(args, { stdin, env: { COLUMNS: String(columns) } });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    // eslint-disable-next-line no-control-regex -- the output must contain no control characters
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
    await expect(stdout).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

test("roles are colored only on a terminal", async () => {
  const stdin = lines(agentRequest);
  const shown = await koine("inspect", { stdin, terminals: ["stdout"], columns: 60 });
  expect(shown.stdout).toContain("\u001B[32muser\u001B[39m");
  const plain = await koine("inspect", { stdin, terminals: ["stdout"], columns: 60, env: { NO_COLOR: "1" } });
  expect(plain.stdout).not.toContain("\u001B");
});

test("canonical messages that were never stored are shown", async () => {
  const { stdout } = await koine("inspect --from canonical", {
    stdin: JSON.stringify([{ role: "user", parts: [{ type: "text", text: "Hi." }] }]),
  });
  expect(stdout).toContain("user\n  Hi.\n");
});

test("losses are shown below the record, each explanation once; notes are only counted", async () => {
  const stdin = lines(agentRequest);
  const { stdout } = await koine("inspect --to gemini", { stdin });
  expect(stdout).toMatch(/\nto gemini:\n(?:.*\n)*? {2}loss {4}reasoning-unsupported +\/messages\/2\/parts\/0\n {10}\S/);
  expect(stdout).not.toMatch(/^ {2}note/m);
  const [, counted] = /^ {2}(\d+) notes?; --full shows them$/m.exec(stdout) ?? [];
  const full = await koine("inspect --to gemini --full", { stdin });
  expect(full.stdout.match(/^ {2}note/gm)).toHaveLength(Number(counted));
  expect(full.stdout).not.toContain("--full");
});

test("a record with only notes has no losses", async () => {
  const request = { model: "gpt-5", max_tokens: 5, messages: [{ role: "user", content: "Hi." }] };
  const { stdout } = await koine("inspect --to gemini", { stdin: lines(request) });
  expect(stdout).toContain("\nto gemini: no losses, 1 note; --full shows them\n");
});

describe("a record that could be of several dialects", () => {
  const hi = { role: "user", content: "Hi." };
  const called = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };

  test("is read as the most likely dialect, with one note", async () => {
    const { code, stdout } = await koine("inspect", { stdin: lines([hi], [hi]) });
    expect(stdout.match(/^── stdin:\d · openai-chat\? messages ─/gm)).toHaveLength(2);
    expect(stdout.match(/The record fits several dialects; it was read as/g)).toHaveLength(1);
    expect(code).toBe(0);
    const quiet = await koine("inspect -q", { stdin: lines([hi]) });
    expect(quiet.stdout).toContain("openai-chat? messages");
    expect(quiet.stdout).not.toContain("several dialects");
  });

  test("joins the conversation of its neighbors", async () => {
    const { stdout } = await koine("inspect", { stdin: lines(hi, called, hi) });
    expect(stdout.match(/^──.*$/gm)).toStrictEqual([expect.stringContaining("── stdin:1 · anthropic messages ─")]);
  });
});

test("a trailing line feed is not another line", async () => {
  const result = (count: number): object => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t", content: "line\n".repeat(count) }],
  });
  const stdin = lines(...[9, 12].map((count) => ({ ...agentRequest, messages: [result(count)] })));
  const { stdout } = await koine("inspect", { stdin });
  expect([...stdout.matchAll(/… (\d+) more lines/g)].map(([, count]) => count)).toStrictEqual(["4"]);
});

test.each([
  [100, ["── a-file-with-a-long-name.jsonl:1 · anthropic request · claude-opus-4-8 "]],
  [76, ["── a-file-with-a-long-name.jsonl:1 · anthropic request · claude-opus-4-8 "]],
  [60, ["── a-file-with-a…:1 · anthropic request · claude-opus-4-8 "]],
  [40, ["── a-file-with…:1 · anthropic request ", "claude-opus-4-8"]],
])("in %i columns the file name is clipped before the model", async (columns, expected) => {
  const { stdout } = await koine("inspect %/a-file-with-a-long-name.jsonl", {
    files: { "a-file-with-a-long-name.jsonl": lines(agentRequest) },
    env: { COLUMNS: String(columns) },
  });
  const shown = stdout.split("\n").slice(0, expected.length);
  shown.forEach((line, index) => expect(line.replace(/─+$/, "")).toBe(expected[index]));
  // In wider output the title also contains the folder, which the test helper removes.
  if (columns < 100) expect(shown[0]).toHaveLength(columns);
});

describe("--json", () => {
  test("writes the canonical value of each record as a line, and a summary line", async () => {
    const { code, stdout, stderr } = await koine("inspect --json --to gemini", {
      stdin: lines(agentRequest, chatResponse, anthropicError, "oops", storedMessages),
    });
    expect(parseLines(stdout)).toMatchObject([
      { file: "stdin", line: 1, from: "anthropic", kind: "request", value: { model: "claude-opus-4-8" } },
      { line: 2, from: "openai-chat", kind: "response", value: { message: { role: "assistant" } } },
      { line: 3, kind: "error", value: { kind: "overloaded", message: "Try again." }, losses: [] },
      { line: 4, error: { code: "invalid-json" } },
      { line: 5, from: "canonical", kind: "messages", value: [{ role: "user" }, {}, {}] },
      { summary: { records: 5, shown: 4, failed: 1, levels: { breaks: 0 } } },
    ]);
    expect(stderr).toBe("");
    expect(code).toBe(1);
  });

  test("marks guesses, preserves every digit, and writes no summary with --quiet", async () => {
    const text =
      '{"model":"opus","top_p":0.10000000000000000001,"max_tokens":5,"messages":[{"role":"user","content":"Hi."}]}';
    const { stdout } = await koine("inspect --json --quiet", { stdin: text });
    expect(stdout).toContain("0.10000000000000000001");
    expect(parseLines(stdout)).toMatchObject([{ from: "openai-chat", guessed: true, kind: "request" }]);
  });

  test("writes the answer of a stream, and the partial answer of an interrupted stream", async () => {
    const whole = await koine("inspect --json -q --from run --kind stream", { stdin: lines(...runEvents) });
    expect(parseLines(whole.stdout)).toMatchObject([
      { from: "run", kind: "stream", value: { message: { parts: [{ text: "Hello" }] }, model: "demo" } },
    ]);
    const cut = await koine("inspect --json -q --from run --kind stream", { stdin: lines(...runEvents.slice(0, 2)) });
    expect(parseLines(cut.stdout)).toMatchObject([
      { kind: "stream", value: [{ parts: [{ text: "Hel" }] }], error: { code: "truncated" } },
    ]);
    expect(cut.code).toBe(1);
  });
});

test("--line shows one record", async () => {
  const files = { "a.jsonl": lines(agentRequest, cited, agentRequest) };
  const { stdout, code } = await koine("inspect --line 2 %/a.jsonl", { files });
  expect(stdout.match(/^──.*$/gm)).toStrictEqual([
    expect.stringContaining("── a.jsonl:2 · anthropic response · claude-opus-4-8 ─"),
  ]);
  expect(code).toBe(0);
  expect(await koine("inspect --line 9 %/a.jsonl", { files })).toMatchObject({
    code: 1,
    stderr: "koine: There is no record on line 9.\n",
  });
  expect(await koine("inspect --line x", {})).toMatchObject({
    code: 2,
    stderr: 'koine: --line must be a number from 1, not "x".\n',
  });
});

test("an interrupted stream is shown as far as it arrived, and reported", async () => {
  const { stdout, stderr, code } = await koine("inspect --from run --kind stream", {
    stdin: lines(...runEvents.slice(0, 2)),
  });
  expect(stdout).toContain("assistant\n  Hel\n  (interrupted)\n");
  expect(stderr).toContain("The stream ended before the answer was complete");
  expect(code).toBe(1);
});
