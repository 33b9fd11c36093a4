// Agents with tools of MCP servers: calls reach the server, and its results reach the model.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { type Agent, type AgentOptions, createAgent } from "../../../src/agent/index.ts";
import { mcpServer, type McpServer, type McpServerOptions } from "../../../src/agent/mcp/index.ts";
import { createClient, type LocalProvider } from "../../../src/client/index.ts";
import { checkRequest, type Delta, type Message, type ModelRequest, type ToolResultPart } from "../../../src/index.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { connected, endAll, ends, http } from "../support/mcp-calls.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(endAll);

type Wanted = [tool: string, input?: object];

/** Makes the calls of the next round until none is left, and logs the requests. */
function model(rounds: readonly Wanted[][], requests: ModelRequest[] = []): LocalProvider {
  return {
    *answer(request): Generator<Delta> {
      const round = requests.push(request) - 1;
      yield { kind: "start", payload: { modelId: "m", requestId: `${round}` } };
      for (const [index, [toolName, input = {}]] of (rounds[round] ?? []).entries()) {
        const toolCallId = `call_${round}_${index}`;
        yield { kind: "tool_call_start", payload: { toolCallId, toolName } };
        yield { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: JSON.stringify(input) } };
        yield { kind: "tool_call_end", payload: { toolCallId } };
      }
      if (rounds[round] === undefined) yield { kind: "text", payload: { textDelta: "Done." } };
      yield { kind: "done", payload: { finishReason: rounds[round] === undefined ? "stop" : "tool-calls" } };
    },
  };
}

async function agentWith(provider: LocalProvider, ...tools: McpServer[]): ReturnType<typeof agentWithEffects> {
  return agentWithEffects(provider, tools);
}

async function agentWithEffects(
  provider: LocalProvider,
  tools: McpServer[],
  effects?: AgentOptions["effects"],
): Promise<{ agent: Agent; messages: () => Promise<Message[]> }> {
  const ledger = await openLedger("memory:");
  await ledger.createThread({ id: "thread" });
  const client = createClient({ providers: { local: provider } });
  const agent = createAgent({ client, model: "local/m", tools, ledger, effects });
  ends.push(() => agent.close());
  return { agent, messages: () => ledger.transcript("thread") };
}
const start = (agent: Agent): ReturnType<Agent["run"]> => agent.run("Go.", { threadId: "thread" });
const resultsIn = (messages: readonly Message[]): ToolResultPart[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-result" ? [part] : [])));

async function served(more: Partial<McpServerOptions> = {}, options = {}): Promise<McpServer> {
  const { url } = await http(options);
  return connected({ name: "tools", url, ...more });
}

test("B25: calls of several servers run in parallel, and their results are in the order of the calls", async () => {
  const [one, two] = [await served({ prefix: "one_" }), await served({ prefix: "two_" })];
  const calls: Wanted[] = [
    ["one_echo", { text: "a" }],
    ["two_add", { a: 1, b: 2 }],
    ["one_picture"],
    ["two_fail"],
    ["one_refuse"],
  ];
  const { agent, messages } = await agentWith(model([calls]), one, two);
  expect((await start(agent).result()).text).toBe("Done.");
  const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  expect(resultsIn(await messages())).toMatchObject([
    { toolName: "one_echo", isError: false, output: "a" },
    { toolName: "two_add", isError: false, output: { sum: 3 } },
    { toolName: "one_picture", isError: false, content: [picture] },
    { toolName: "two_fail", isError: true, output: "The disk is full." },
    { toolName: "one_refuse", isError: true, output: "Not on Sundays." },
  ]);
});

test("the request contains the server's schemas unchanged", async () => {
  const requests: ModelRequest[] = [];
  const { agent } = await agentWith(model([], requests), await served());
  await start(agent).result();
  const echo = requests[0]?.tools?.find(({ name }) => name === "echo");
  expect(echo).toStrictEqual({
    type: "function",
    name: "echo",
    description: "Returns its text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  });
});

test("servers with equal tool names are rejected with a hint", async () => {
  const { agent } = await agentWith(model([]), await served(), await served());
  await expect(start(agent).result()).rejects.toMatchObject({
    code: "invalid-tool",
    message: expect.stringContaining("`prefix`"),
  });
});

test("a tool that a server adds can be called in the next step", async () => {
  const requests: ModelRequest[] = [];
  const { agent, messages } = await agentWith(
    model([[["grow"]], [["echo", { text: "x" }]], [["grown"]]], requests),
    await served(),
  );
  await start(agent).result();
  expect(requests.map(({ tools }) => tools?.some(({ name }) => name === "grown")).at(-1)).toBe(true);
  expect(resultsIn(await messages()).at(-1)).toMatchObject({ isError: false, output: "I am new." });
});

test("calls of a stopped server get error results, the agent continues, and the tools stay in the request", async () => {
  const requests: ModelRequest[] = [];
  const server = await http();
  const source = await connected({ name: "tools", url: server.url });
  const { agent, messages } = await agentWith(
    model([[["echo", { text: "x" }]], [["echo", { text: "y" }]]], requests),
    source,
  );
  await server.stop();
  expect((await start(agent).result()).reason).toBe("done");
  expect(resultsIn(await messages()).map(({ isError }) => isError)).toStrictEqual([true, true]);
  expect(String(resultsIn(await messages())[0]?.output)).toContain('The MCP server "tools" could not be called: ');
  expect(requests.every(({ tools }) => tools?.some(({ name }) => name === "echo") === true)).toBe(true);
});

test("B24: a cancelled run notifies the server and leaves a thread that every provider accepts", async () => {
  const record = join(folder, "cancelled.txt");
  const { agent, messages } = await agentWith(
    model([[["wait"], ["echo", { text: "x" }]]]),
    await served({}, { record }),
  );
  const run = start(agent);
  for await (const event of run) if (event.type === "tool-end") break;
  await vi.waitFor(() => expect(readFileSync(record, "utf8")).toBe("began wait\n"), 10_000);
  await run.cancel();
  await vi.waitFor(() => expect(readFileSync(record, "utf8")).toBe("began wait\ncancelled wait\n"), 10_000);
  expect(resultsIn(await messages()).map(({ isError }) => isError)).toStrictEqual([true, false]);
  for (const dialect of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
    const losses = checkRequest({ model: "m", messages: await messages(), sampling: { maxOutputTokens: 9 } }, dialect);
    expect(losses.filter(({ action }) => action === "repaired" || action === "synthesized")).toStrictEqual([]);
  }
});

test("the signal of a tool with a timeout aborts", async () => {
  const record = join(folder, "late.txt");
  const source = await served({ timeouts: { callMs: 300 } }, { record });
  // The limit is reached when the tool has begun. No other sleep ends.
  const sleep = async (ms: number): Promise<void> => {
    if (ms !== 300) return new Promise(() => undefined);
    await vi.waitFor(() => expect(readFileSync(record, "utf8")).toContain("began wait"), 10_000);
  };
  const { agent, messages } = await agentWithEffects(model([[["wait"]]]), [source], { sleep });
  await start(agent).result();
  expect(resultsIn(await messages())).toMatchObject([
    { isError: true, output: expect.stringContaining("did not finish within 0.3 s") },
  ]);
  await vi.waitFor(() => expect(readFileSync(record, "utf8")).toContain("cancelled wait"), 10_000);
});

test("closing the agent closes its servers", async () => {
  const server = await http();
  const source = await mcpServer({ name: "tools", url: server.url });
  const { agent } = await agentWith(model([]), source);
  expect(server.sessions).toBe(1);
  await agent.close();
  expect(server.sessions).toBe(0);
});
