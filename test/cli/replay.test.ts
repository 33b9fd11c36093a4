// `koine replay`: a recorded question is asked again exactly, of the same model or another, and what differs is shown.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lineDiff } from "../../src/cli/replay/line-diff.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, user } from "../../src/model/index.ts";
import type { Scripted, Upstream } from "../support/upstreams/index.ts";
import { startUpstream } from "../support/upstreams/index.ts";
import { startKoine } from "../server/support/start-koine.ts";
import type { Outcome } from "./support.ts";
import { koine } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-replay-"));
const url = `sqlite:${join(folder, "koine.db")}`;
/** A file in which no ledger was made yet. */
const empty = join(folder, "empty.db");
writeFileSync(empty, "");
/** What the upstreams say next. */
const next: Record<"anthropic" | "gemini", Scripted> = { anthropic: "", gemini: "" };
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

interface Recorded {
  first: string;
  second: string;
  failed: string;
}
const runs: Recorded = { first: "", second: "", failed: "" };

/** Records a few calls of a Chat client, as a server does. */
async function record(): Promise<void> {
  const providers = { anthropic: anthropic.config, gemini: gemini.config };
  await using server = await startKoine({ ledger: { url }, providers });
  const ask = async (messages: object[]): Promise<{ run: string; message: object }> => {
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
  next.anthropic = {
    parts: [
      { type: "text", text: "Let me look.\nWhere are you?" },
      { type: "tool-call", toolCallId: "", toolName: "weather", input: { city: "Rome" } },
    ],
  };
  const { run: first, message } = await ask([system, question]);
  next.anthropic = "It is sunny.";
  const [call] = (message as { tool_calls: { id: string }[] }).tool_calls;
  const result = { role: "tool", tool_call_id: call?.id, content: "sunny" };
  const { run: second } = await ask([{ ...system, content: "Be very brief." }, question, message, result]);
  next.anthropic = { error: { kind: "invalid-request", message: "No.", status: 400 } };
  await ask([{ role: "user", content: "Fail." }]);
  // A reply that is an error need not name its run.
  const [newest] = await server.ledger.threads({ limit: 1 });
  const [failed] = await server.ledger.runs(newest?.id ?? "");
  Object.assign(runs, { first, second, failed: failed?.id });
}

beforeAll(async () => {
  anthropic = await startUpstream("anthropic", () => next.anthropic);
  gemini = await startUpstream("gemini", () => next.gemini);
  await record();
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

async function replay(args: string): Promise<Outcome> {
  return koine(`replay --config ${join(folder, "own.json")} ${args}`, { clock: Date.now });
}

const bodyOf = ({ requests }: Upstream, at: number): unknown => requests.at(at)?.body;

test("the same model is asked exactly the same, tools, settings and changed instructions included", async () => {
  for (const [run, at, says] of [
    [runs.first, 0, "Hello."],
    [runs.second, 1, "It is sunny."],
  ] as const) {
    next.anthropic = says;
    const { code } = await replay(run);
    expect(code).toBe(0);
    expect(bodyOf(anthropic, -1)).toStrictEqual(bodyOf(anthropic, at));
  }
  expect(anthropic.refusals).toStrictEqual([]);
});

test("an answer that is the same is said to be", async () => {
  next.anthropic = "It is sunny.";
  const { code, stdout } = await replay(runs.second);
  expect(stdout).toContain(`run ${runs.second} of thread `);
  expect(stdout).toContain("\ntext    the same (12 characters)\n");
  expect(stdout).toMatch(/\nNothing differs\.\n$/);
  expect(code).toBe(0);
});

test("another model is asked by a name of the configuration, and every difference is shown", async () => {
  next.gemini = { parts: [{ type: "text", text: "Let me look.\nWhich city?" }], finishReason: "length" };
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
  expect(stdout).toMatch(/\nDiffers in text, calls, finish/);
  expect(bodyOf(gemini, -1)).toMatchObject({ systemInstruction: { parts: [{ text: "Be brief." }] } });
});

test("--json has both answers and what differs", async () => {
  next.gemini = "It is sunny.";
  const { stdout } = await replay(`${runs.second} --model gemini/${gemini.model} --json`);
  const told = JSON.parse(stdout) as Record<string, unknown>;
  expect(told).toMatchObject({
    runId: runs.second,
    was: `anthropic/${anthropic.model}`,
    is: `gemini/${gemini.model}`,
    before: { text: "It is sunny.", calls: [], finish: "stop", usage: { inputTokens: 24 } },
    after: { text: "It is sunny.", calls: [], finish: "stop" },
    attempts: [{ provider: "gemini", status: 200 }],
  });
  expect(told["differs"]).not.toContain("text");
  expect(stdout).not.toContain(gemini.apiKey);
});

test("--dry-run shows the request in the provider's words, and asks nobody", async () => {
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

test("a provider that refuses is an outcome, too", async () => {
  next.anthropic = { error: { kind: "invalid-request", message: "Never.", status: 400 } };
  const { code, stdout } = await replay(runs.second);
  expect(code).toBe(1);
  expect(stdout).toContain("+ invalid-request: Never.");
  next.anthropic = "Now it works.";
  const mended = await replay(runs.failed);
  expect(mended.stdout).toContain("- invalid-request: No.");
  expect(mended.stdout).toContain("+ Now it works.");
  expect(mended.code).toBe(0);
});

test("a run of other work has only its messages, and says so", async () => {
  const ledger = await openLedger(url);
  const { id } = await ledger.createThread();
  await ledger.append(id, [user("Hello")]);
  const run = await ledger.beginRun({ threadId: id });
  await run.commit([assistant("Hi.")]);
  const live = await ledger.beginRun({ threadId: id });
  const { stdout, stderr, code } = await replay(`${run.id} --model demo/koine`);
  expect(stderr).toBe("The run has only its messages: tools and settings were not recorded with it.\n");
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
  ["no run", () => "", 2, /Say which run/],
  ["a run that is not there", () => "01K5ZC9V2XQ3D8T7M4N6P0R1S2", 4, /no run/i],
  ["a run of another tenant", () => `${runs.first} --tenant acme`, 4, /no run/i],
  ["a model that nobody has", () => `${runs.first} --model nobody/x`, 2, /nobody\/x/],
  [
    "a dialect of what speaks none",
    () => `${runs.first} --model demo/koine --dialect gemini`,
    2,
    /part of this program/,
  ],
  ["a ledger that is not there", () => `${runs.first} --database sqlite:none.db`, 4, /There is no file/],
  [
    "a ledger that is still to be made",
    () => `${runs.first} --database sqlite:${empty}`,
    4,
    /contains no ledger yet.*"koine serve" makes/,
  ],
  ["a ledger that keeps nothing", () => `${runs.first} --database memory:`, 2, /A ledger in memory is empty/],
])("%s is told in one sentence", async (_sentence, args, code, message) => {
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
])("from %j to %j it is %j", (before, after, expected) => {
  const linesOf = (text: string): string[] => text.split(" ").filter((line) => line !== "");
  const changes = lineDiff(linesOf(before), linesOf(after));
  expect(
    changes
      .map(({ sign, line }) => (sign === " " ? ` ${line}` : ` ${sign}${line}`))
      .join("")
      .trim(),
  ).toBe(expected.trim());
});
