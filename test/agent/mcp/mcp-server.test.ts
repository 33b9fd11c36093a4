// Tools of MCP servers, with real servers: a program on standard input and output, and one over HTTP on this machine.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ToolOutput } from "../../../src/agent/index.ts";
import type { McpServer, McpServerOptions } from "../../../src/agent/mcp/index.ts";
import { parseJson } from "../../../src/index.ts";
import {
  buildServer,
  call,
  command,
  type Common,
  connected,
  context,
  endAll,
  ends,
  failure,
  http,
  toolOf,
} from "../support/mcp-calls.ts";
import type { McpHttpOptions } from "../support/mcp-http.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => buildServer(folder));
afterEach(endAll);

const KINDS: [kind: string, options: (more?: Common, http?: McpHttpOptions) => Promise<McpServerOptions>][] = [
  ["a program", async (more) => command(more)],
  ["HTTP", async (more, options) => ({ name: "tools", url: (await http(options)).url, ...more })],
  [
    "HTTP without streams",
    async (more, options) => ({ name: "tools", url: (await http({ ...options, json: true })).url, ...more }),
  ],
];

describe.each(KINDS)("over %s", (_kind, optionsOf) => {
  /** For tests that do not change the server. */
  let shared: McpServer;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    shared = await connected(await optionsOf());
    closers.push(...ends.splice(0));
  });
  afterAll(async () => {
    for (const end of closers.reverse()) await end();
  });

  test("tools have their name, description and schema, and the server's information is available", async () => {
    const echo = await toolOf(shared, "echo");
    expect(echo).toMatchObject({ name: "echo", description: "Returns its text.", retry: "never" });
    expect(echo.inputSchema).toStrictEqual({ type: "object", properties: { text: { type: "string" } } });
    expect((await toolOf(shared, "add")).description).toBe("Adds");
    expect(shared.instructions).toBe("Mind the gap.");
  });

  test.each<[sentence: string, name: string, input: object, output: ToolOutput]>([
    ["a text is the output", "echo", { text: "hello" }, { output: "hello" }],
    ["structured content is the output, and its text is not repeated", "add", { a: 1, b: 2 }, { output: { sum: 3 } }],
    [
      "an image is content, and the output describes it",
      "picture",
      {},
      { output: "1 image", content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] },
    ],
    ["an error result of the tool is marked", "fail", {}, { isError: true, output: "The disk is full." }],
    ["a protocol error is marked", "refuse", {}, { isError: true, output: "Not on Sundays." }],
  ])("%s", async (_sentence, name, input, output) => {
    expect(await call(shared, name, input)).toStrictEqual(output);
  });

  test("calls at the same time each get their own result", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const outputs = await Promise.all(texts.map((text) => call(shared, "echo", { text })));
    expect(outputs.map(({ output }) => output)).toStrictEqual(texts);
  });

  test("an abort notifies the server, and the call ends with the abort's reason", async () => {
    const record = join(folder, `${Math.random()}.txt`);
    const options = await optionsOf({}, { record });
    const server = await connected("command" in options ? { ...options, env: { RECORD: record } } : options);
    const abort = new AbortController();
    const running = call(server, "wait", {}, { signal: abort.signal });
    const recorded = (): string => readFileSync(record, "utf8");
    await vi.waitFor(() => expect(recorded()).toBe("began wait\n"), 10_000);
    abort.abort(new Error("Enough."));
    await expect(running).rejects.toThrow("Enough.");
    await vi.waitFor(() => expect(recorded()).toBe("began wait\ncancelled wait\n"), 10_000);
    expect(await call(server, "echo", { text: "still here" })).toStrictEqual({ output: "still here" });
  });

  test("a closed server rejects calls and lists no tools", async () => {
    const server = await connected(await optionsOf());
    const echo = await toolOf(server, "echo");
    await server.close();
    expect(await failure(Promise.resolve(echo.run({ text: "x" }, context())))).toMatchObject({
      code: "mcp-failed",
      path: "mcp:tools",
      message: 'The MCP server "tools" was closed.',
    });
    expect(await failure(Promise.resolve(server.tools()))).toMatchObject({ code: "mcp-failed" });
    await server.close();
  });
});

describe.each(KINDS.slice(0, 2))("over %s, with notifications", (_kind, optionsOf) => {
  test("progress is reported with its call", async () => {
    const reports: unknown[] = [];
    const server = await connected(await optionsOf({ onProgress: (progress) => reports.push(progress) }));
    const counting = call(server, "count", { to: 2 }, { toolCallId: "call_7", toolName: "count" });
    const common = { toolCallId: "call_7", toolName: "count", total: 2 };
    const expectedReports = [1, 2].map((progress) => ({ ...common, progress, message: `${progress}` }));
    await vi.waitFor(() => expect(reports).toStrictEqual(expectedReports), 10_000);
    await call(server, "release");
    expect(await counting).toStrictEqual({ output: "counted" });
  });

  test("a tool that a server adds is in the next list", async () => {
    const server = await connected(await optionsOf());
    const names = async (): Promise<string[]> => (await server.tools()).map(({ name }) => name);
    expect(await names()).not.toContain("grown");
    await call(server, "grow");
    await vi.waitFor(async () => expect(await names()).toContain("grown"), 10_000);
    expect(await call(server, "grown")).toStrictEqual({ output: "I am new." });
  });

  test("a server that exits during a call gives an error, and is reconnected for the next call", async () => {
    const problems: string[] = [];
    const server = await connected(await optionsOf({ onProblem: ({ message }) => problems.push(message) }));
    const crash = await toolOf(server, "crash");
    const error = await failure(Promise.resolve(crash.run({}, context())));
    expect(error).toMatchObject({ code: "mcp-failed", path: "mcp:tools" });
    expect(error.message).toBe(
      'The MCP server "tools" ended before it answered; whether the tool took effect is unknown.',
    );
    expect(await call(server, "echo", { text: "back" })).toStrictEqual({ output: "back" });
    expect(problems.length).toBeGreaterThan(0);
  });
});

describe("names and rules", () => {
  test("a prefix is part of the agent's tool names and not of the server's", async () => {
    const server = await connected(command({ prefix: "files_" }));
    expect((await server.tools()).every(({ name }) => name.startsWith("files_"))).toBe(true);
    expect(await call(server, "files_echo", { text: "x" })).toStrictEqual({ output: "x" });
  });

  test.each<[sentence: string, options: Common, rules: Record<string, string>]>([
    ["without `retry`, no tool is repeatable", {}, { echo: "never", add: "never", fail: "never" }],
    ["a single value applies to all tools", { retry: "safe" }, { echo: "safe", fail: "safe" }],
    [
      "single tools are named without the prefix",
      { prefix: "p_", retry: { add: "safe" } },
      { p_add: "safe", p_echo: "never" },
    ],
    ["trusted hints make tools repeatable", { trustHints: true }, { echo: "safe", add: "safe", fail: "never" }],
    [
      "`retry` for a tool has precedence over its hint",
      { trustHints: true, retry: { echo: "never" } },
      { echo: "never", add: "safe" },
    ],
  ])("%s", async (_sentence, options, rules) => {
    const server = await connected(command(options));
    const tools = await server.tools();
    const retryRules = tools
      .map(({ name, retry }) => [name, retry])
      .filter(([name]) => Object.hasOwn(rules, String(name)));
    expect(Object.fromEntries(retryRules)).toStrictEqual(rules);
  });

  test("the call limit is the tools' own limit, and absent without one", async () => {
    expect((await toolOf(await connected(command({ timeouts: { callMs: 5 } })), "echo")).timeoutMs).toBe(5);
    expect((await toolOf(await connected(command()), "echo")).timeoutMs).toBeUndefined();
  });

  test("concurrent requests for the list all get the tools", async () => {
    const { url } = await http({ pageSize: 1 });
    const server = await connected({ name: "tools", url });
    await call(server, "grow");
    const lists = await Promise.all([server.tools(), server.tools(), server.tools()]);
    expect(new Set(lists.map(({ length }) => length)).size).toBe(1);
    expect(lists[0]?.length).toBeGreaterThan(5);
  });

  test("B23: a number that JSON.parse would round is rejected, and the tool does not run", async () => {
    const server = await connected(command());
    const input = parseJson('{ "a": 12345678901234567890, "b": 1 }') as object;
    const output = "The number 12345678901234567890 at /a has more digits than can be sent; the tool was not run.";
    expect(await call(server, "add", input)).toStrictEqual({ isError: true, output });
  });

  test("a paged list is read to its end", async () => {
    const { url } = await http({ pageSize: 3 });
    const whole = await (await connected(command())).tools();
    const paged = await (await connected({ name: "tools", url })).tools();
    expect(paged.map(({ name }) => name)).toStrictEqual(whole.map(({ name }) => name));
  });
});
