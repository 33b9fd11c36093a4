// Tests `koine replay`: a recorded request is sent again, to the same model or another, and the differences are shown.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diffLines } from "../../src/cli/replay/line-diff.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, user } from "../../src/model/index.ts";
import type { Scripted, Upstream } from "../support/upstreams/index.ts";
import { startUpstream } from "../support/upstreams/index.ts";
import { startKoine } from "../server/support/start-koine.ts";
import type { CommandResult } from "./support.ts";
import { koine } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-replay-"));
const url = `sqlite:${join(folder, "koine.db")}`;
/** A file without a ledger. */
const empty = join(folder, "empty.db");
writeFileSync(empty, "");
/** The next answer of each upstream. */
const nextAnswers: Record<"anthropic" | "gemini", Scripted> = { anthropic: "", gemini: "" };
let anthropic: Upstream;
let gemini: Upstream;

const TOOLS = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Tells the weather of a city, today and tomorrow.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

interface RecordedRunIds {
  first: string;
  second: string;
  failed: string;
}
const runs: RecordedRunIds = { first: "", second: "", failed: "" };

/** Records calls of an openai-chat client with a server. */
async function recordCalls(): Promise<void> {
  const providers = { anthropic: anthropic.config, gemini: gemini.config };
  await using server = await startKoine({ ledger: { url }, providers });
  const call = async (messages: object[]): Promise<{ run: string; message: object }> => {
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: `anthropic/${anthropic.model}`, messages, tools: TOOLS, max_tokens: 99 }),
    });
    const body = (await reply.json()) as { choices?: { message: object }[] };
    return { run: reply.headers.get("x-koine-run") ?? "", message: body.choices?.[0]?.message ?? {} };
  };
  const system = { role: "system", content: "Be brief." };
  const question = { role: "user", content: "How is the weather?" };
  nextAnswers.anthropic = {
    parts: [
      { type: "text", text: "Let me look.\nWhere are you?" },
      { type: "tool-call", toolCallId: "", toolName: "weather", input: { city: "Rome" } },
    ],
  };
  const { run: first, message } = await call([system, question]);
  nextAnswers.anthropic = "It is sunny.";
  const [toolCall] = (message as { tool_calls: { id: string }[] }).tool_calls;
  const result = { role: "tool", tool_call_id: toolCall?.id, content: "sunny" };
  const { run: second } = await call([{ ...system, content: "Be very brief." }, question, message, result]);
  nextAnswers.anthropic = { error: { kind: "invalid-request", message: "No.", status: 400 } };
  await call([{ role: "user", content: "Fail." }]);
  // An error reply does not always have the header x-koine-run.
  const [newest] = await server.ledger.threads({ limit: 1 });
  const [failed] = await server.ledger.runs(newest?.id ?? "");
  Object.assign(runs, { first, second, failed: failed?.id });
}

beforeAll(async () => {
  anthropic = await startUpstream("anthropic", () => nextAnswers.anthropic);
  gemini = await startUpstream("gemini", () => nextAnswers.gemini);
  await recordCalls();
  writeFileSync(
    join(folder, "own.json"),
    JSON.stringify({
      ledger: "sqlite:koine.db",
      providers: {
        anthropic: { dialect: "anthropic", baseUrl: anthropic.baseUrl, apiKey: anthropic.apiKey },
        gemini: { dialect: "gemini", baseUrl: gemini.baseUrl, apiKey: gemini.apiKey },
      },
      models: { other: `gemini/${gemini.model}` },
    }),
  );
});
afterAll(async () => {
  await anthropic.close();
  await gemini.close();
  rmSync(folder, { recursive: true });
});

async function replay(args: string): Promise<CommandResult> {
  return koine(`replay --config ${join(folder, "own.json")} ${args}`, { clock: Date.now });
}

const readRequestBody = ({ requests }: Upstream, at: number): unknown => requests.at(at)?.body;

test("the same model gets exactly the same request, with tools, settings and changed instructions", async () => {
  for (const [run, at, answer] of [
    [runs.first, 0, "Hello."],
    [runs.second, 1, "It is sunny."],
  ] as const) {
    nextAnswers.anthropic = answer;
    const { code } = await replay(run);
    expect(code).toBe(0);
    expect(readRequestBody(anthropic, -1)).toStrictEqual(readRequestBody(anthropic, at));
  }
  expect(anthropic.rejections).toStrictEqual([]);
});

test("an equal answer has no differences", async () => {
  nextAnswers.anthropic = "It is sunny.";
  const { code, stdout } = await replay(runs.second);
  expect(stdout).toContain(`run ${runs.second} of thread `);
  expect(stdout).toContain("\ntext    the same (12 characters)\n");
  expect(stdout).toMatch(/\nNo differences\.\n$/);
  expect(code).toBe(0);
});

test("a model name of the configuration selects another model, and every difference is shown", async () => {
  nextAnswers.gemini = { parts: [{ type: "text", text: "Let me look.\nWhich city?" }], finishReason: "length" };
  const { code, stdout } = await replay(`${runs.first} --model other`);
  expect(code).toBe(0);
  const lines = [
    `- anthropic/${anthropic.model}`,
    `+ gemini/${gemini.model}`,
    "  - tool-calls\n  + length\n",
    "    Let me look.\n  - Where are you?\n  + Which city?\n",
    '  - weather({"city":"Rome"})\n',
  ];
  for (const line of lines) expect(stdout).toContain(line);
  expect(stdout).toMatch(/\nDifferences: text, calls, finish/);
  expect(readRequestBody(gemini, -1)).toMatchObject({ systemInstruction: { parts: [{ text: "Be brief." }] } });
});

test("--json writes both answers and their differences", async () => {
  nextAnswers.gemini = "It is sunny.";
  const { stdout } = await replay(`${runs.second} --model gemini/${gemini.model} --json`);
  const output = JSON.parse(stdout) as Record<string, unknown>;
  expect(output).toMatchObject({
    runId: runs.second,
    was: `anthropic/${anthropic.model}`,
    is: `gemini/${gemini.model}`,
    before: { text: "It is sunny.", calls: [], finish: "stop", usage: { inputTokens: 24 } },
    after: { text: "It is sunny.", calls: [], finish: "stop" },
    attempts: [{ provider: "gemini", status: 200 }],
  });
  expect(output["differs"]).not.toContain("text");
  expect(stdout).not.toContain(gemini.apiKey);
});

test("--dry-run shows the request in the provider's dialect and sends nothing", async () => {
  const before = anthropic.requests.length + gemini.requests.length;
  const { code, stdout, stderr } = await replay(`${runs.first} --dry-run --model other`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ contents: [{ role: "user", parts: [{ text: "How is the weather?" }] }] });
  expect(stderr).toContain(`To gemini/${gemini.model}, in gemini:\n`);
  const chat = await replay(`${runs.first} --dry-run --json --dialect openai-chat`);
  expect(JSON.parse(chat.stdout)).toMatchObject({
    dialect: "openai-chat",
    request: { messages: [{ role: "system" }, {}] },
  });
  expect(anthropic.requests.length + gemini.requests.length).toBe(before);
});

test("a provider's error is an outcome too", async () => {
  nextAnswers.anthropic = { error: { kind: "invalid-request", message: "Never.", status: 400 } };
  const { code, stdout } = await replay(runs.second);
  expect(code).toBe(1);
  expect(stdout).toContain("+ invalid-request: Never.");
  nextAnswers.anthropic = "Now it works.";
  const corrected = await replay(runs.failed);
  expect(corrected.stdout).toContain("- invalid-request: No.");
  expect(corrected.stdout).toContain("+ Now it works.");
  expect(corrected.code).toBe(0);
});

test("a run without a recorded request is replayed from its messages, with a note", async () => {
  const ledger = await openLedger(url);
  const { id } = await ledger.createThread();
  await ledger.append(id, [user("Hello")]);
  const run = await ledger.beginRun({ threadId: id });
  await run.commit([assistant("Hi.")]);
  const live = await ledger.beginRun({ threadId: id });
  const { stdout, stderr, code } = await replay(`${run.id} --model demo/koine`);
  expect(stderr).toBe("Only the messages of this run were recorded, not its tools and settings.\n");
  expect(stdout).toContain("+ I am Koine's demo");
  expect(code).toBe(0);
  const unknown = await replay(run.id);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("name one with --model") as string });
  const early = await replay(live.id);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("has not ended yet") as string });
  await live.cancel();
  await ledger.close();
});

test.each<[sentence: string, args: () => string, code: number, message: RegExp]>([
  ["no run", () => "", 2, /Name the run/],
  ["an unknown run", () => "01K5ZC9V2XQ3D8T7M4N6P0R1S2", 4, /no run/i],
  ["a run of another tenant", () => `${runs.first} --tenant acme`, 4, /no run/i],
  ["an unknown model", () => `${runs.first} --model nobody/x`, 2, /nobody\/x/],
  [
    "a dialect for a provider inside Koine",
    () => `${runs.first} --model demo/koine --dialect gemini`,
    2,
    /runs inside Koine/,
  ],
  ["a missing ledger", () => `${runs.first} --database sqlite:none.db`, 4, /There is no file/],
  [
    "a file without a ledger",
    () => `${runs.first} --database sqlite:${empty}`,
    4,
    /contains no ledger yet.*"koine serve" creates/,
  ],
  ["a ledger in memory", () => `${runs.first} --database memory:`, 2, /A ledger in memory is empty/],
])("%s is reported in one sentence", async (_sentence, args, code, message) => {
  const outcome = await replay(args());
  expect(outcome.stderr).toMatch(message);
  expect([outcome.code, outcome.stderr.split("\n").length]).toStrictEqual([code, 2]);
});

test.each([
  ["a b c", "a b c", " a b c"],
  ["a b c", "a x c", " a -b +x c"],
  ["a b c d", "b d e", "-a b -c d +e"],
  ["", "a", "+a"],
  ["a", "", "-a"],
  ["x a b", "a b", "-x a b"],
])("the line diff from %j to %j is %j", (before, after, expected) => {
  const splitWords = (text: string): string[] => text.split(" ").filter((line) => line !== "");
  const changes = diffLines(splitWords(before), splitWords(after));
  expect(
    changes
      .map(({ sign, line }) => (sign === " " ? ` ${line}` : ` ${sign}${line}`))
      .join("")
      .trim(),
  ).toBe(expected.trim());
});
