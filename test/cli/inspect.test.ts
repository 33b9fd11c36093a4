// `koine inspect`: what a person reads, compared with what was found good to read. `vitest -u` writes the pages anew.
import { describe, expect, test } from "vitest";
import { agentRequest, anthropicError, chatResponse, runEvents, stored } from "./samples.ts";
import { koine, lines } from "./support.ts";

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
    ["stored-messages-on-lines", "inspect", lines(...stored, ...stored)],
    ["stream", "inspect --from run --kind stream", lines(...runEvents)],
    ["hostile", "inspect", lines(hostile)],
  ])("%s", async (name, args, stdin) => {
    const columns = name.includes("narrow") ? 44 : 80;
    const { code, stdout, stderr } = await koine(args, { stdin, env: { COLUMNS: String(columns) } });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    // eslint-disable-next-line no-control-regex -- none of these may be left
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
    await expect(stdout).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

test("roles are coloured on a terminal, and only there", async () => {
  const stdin = lines(agentRequest);
  const shown = await koine("inspect", { stdin, terminals: ["stdout"], columns: 60 });
  expect(shown.stdout).toContain("\u001B[32muser\u001B[39m");
  const plain = await koine("inspect", { stdin, terminals: ["stdout"], columns: 60, env: { NO_COLOR: "1" } });
  expect(plain.stdout).not.toContain("\u001B");
});

test("messages of the model that were never stored are shown, too", async () => {
  const { stdout } = await koine("inspect --from canonical", {
    stdin: JSON.stringify([{ role: "user", parts: [{ type: "text", text: "Hi." }] }]),
  });
  expect(stdout).toContain("user\n  Hi.\n");
});

test("what would be lost stands below the record, each explanation once", async () => {
  const { stdout } = await koine("inspect --to gemini", { stdin: lines(agentRequest) });
  expect(stdout).toMatch(/\nto gemini:\n(?:.*\n)*? {2}loss {4}reasoning-unsaid +\/messages\/2\/parts\/0\n {10}\S/);
});

test("one record by its line", async () => {
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
    stderr: 'koine: --line is a number from 1, not "x".\n',
  });
});

test("what came of a stream that breaks off is shown, and that it breaks off", async () => {
  const { stdout, stderr, code } = await koine("inspect --from run --kind stream", {
    stdin: lines(...runEvents.slice(0, 2)),
  });
  expect(stdout).toContain("assistant\n  Hel\n  (interrupted)\n");
  expect(stderr).toContain("The stream ended before the answer did");
  expect(code).toBe(1);
});
