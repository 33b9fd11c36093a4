// Failures of MCP servers over HTTP: rejected keys, lost sessions, truncated replies.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { AgentError } from "../../../src/agent/index.ts";
import { mcpServer } from "../../../src/agent/mcp/index.ts";
import { call, connected, context, endAll, failure, http, toolOf } from "../support/mcp-calls.ts";
import { startMcpHttp } from "../support/mcp-http.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(endAll);

/** Stores the sent events, so that they can be replayed. */
class Events implements EventStore {
  readonly #events: [streamId: string, message: JSONRPCMessage][] = [];

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return Promise.resolve(String(this.#events.push([streamId, message]) - 1));
  }
  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.#events[Number(eventId)]?.[0]);
  }
  async replayEventsAfter(
    eventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const [streamId] = this.#events[Number(eventId)] ?? [""];
    for (const [index, [of, message]] of this.#events.entries()) {
      if (index > Number(eventId) && of === streamId) await send(String(index), message);
    }
    return streamId;
  }
}

test("headers are sent with every request, and a function is called each time", async () => {
  const { url, seen } = await http({ key: "k1" });
  let requestCount = 0;
  const server = await connected({
    name: "tools",
    url,
    headers: async () => ({ "x-key": "k1", "x-count": `${requestCount++}` }),
  });
  expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
  expect(seen.length).toBeGreaterThan(2);
  expect(new Set(seen.map((headers) => headers["x-count"])).size).toBe(seen.length);
});

test("the error of a rejected key shows the URL without its query", async () => {
  const { url } = await http({ key: "k1" });
  const error = await failure(mcpServer({ name: "tools", url: `${url}?token=t0p`, headers: { "x-key": "wr0ng" } }));
  expect(error.message).toBe(
    `The MCP server "tools" could not be reached at ${url}: it answered 401; check \`headers\`.`,
  );
});

test("the error for an unreachable server has its URL", async () => {
  const server = await startMcpHttp();
  await server.stop();
  const error = await failure(mcpServer({ name: "tools", url: server.url }));
  expect(error.message).toContain(`could not be reached at ${server.url}`);
  expect(error.message).toContain("ECONNREFUSED");
});

test.each([404, 400])(
  "a server that answers %i for a lost session gets a new session within the call",
  async (unknownSession) => {
    const server = await http({ unknownSession });
    const source = await connected({ name: "tools", url: server.url });
    const echo = await toolOf(source, "echo");
    server.forget();
    expect(await echo.run({ text: "again" }, context())).toStrictEqual({ output: "again" });
    expect(server.sessions).toBe(1);
  },
);

test("a list request with a lost session is repeated in a new session", async () => {
  const server = await http();
  const source = await connected({ name: "tools", url: server.url });
  await call(source, "grow");
  server.forget();
  await vi.waitFor(async () => {
    await source.tools();
    expect(server.sessions).toBe(1);
  }, 10_000);
});

test("a restarted server is reconnected", async () => {
  const first = await startMcpHttp();
  const source = await connected({ name: "tools", url: first.url });
  const echo = await toolOf(source, "echo");
  await first.stop();
  expect(await failure(Promise.resolve(echo.run({ text: "x" }, context())))).toMatchObject({ code: "mcp-failed" });
  await http({ port: Number(new URL(first.url).port) });
  await vi.waitFor(async () => expect(await echo.run({ text: "x" }, context())).toStrictEqual({ output: "x" }), 20_000);
});

test("closing ends the session at the server", async () => {
  const server = await http();
  const source = await mcpServer({ name: "tools", url: server.url });
  expect(server.sessions).toBe(1);
  await source.close();
  expect(server.sessions).toBe(0);
});

test("a truncated reply gives an error at once", async () => {
  const reports: unknown[] = [];
  const server = await http();
  const source = await connected({ name: "tools", url: server.url, onProgress: (progress) => reports.push(progress) });
  const counting = call(source, "count", { to: 1 });
  await vi.waitFor(() => expect(reports).toHaveLength(1), 10_000);
  server.sever();
  const error = await failure(counting);
  expect(error.message).toContain("ended before it answered; whether the tool took effect is unknown.");
  expect(await call(source, "echo", { text: "x" })).toStrictEqual({ output: "x" });
});

test("a resumable reply is requested again, and the call continues", async () => {
  const reports: unknown[] = [];
  const server = await http({ eventStore: new Events() });
  const source = await connected({ name: "tools", url: server.url, onProgress: (progress) => reports.push(progress) });
  const counting = call(source, "count", { to: 1 });
  await vi.waitFor(() => expect(reports).toHaveLength(1), 10_000);
  server.sever();
  await vi.waitFor(() => call(source, "release"), 10_000);
  expect(await counting).toStrictEqual({ output: "counted" });
});

test("a server that is silent for too long is abandoned, and the problem is reported", async () => {
  const record = join(folder, "silent.txt");
  const { url } = await http({ record });
  // A limit that no other timer has.
  const gapMs = 30_001;
  const source = await connected({ name: "tools", url, timeouts: { gapMs } });
  const wait = await toolOf(source, "wait");
  const set = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => set.mockRestore());
  const failed = failure(Promise.resolve(wait.run({}, context())));
  await vi.waitFor(() => expect(readFileSync(record, "utf8")).toContain("began wait"), 10_000);
  set.mock.calls.find(([, ms]) => ms === gapMs)?.[0]();
  const error = await failed;
  expect(error.message).toBe(
    'The MCP server "tools" was silent for too long; whether the tool took effect is unknown.',
  );
  await vi.waitFor(() => expect(readFileSync(record, "utf8")).toContain("cancelled wait"), 10_000);
});

const UNKNOWN = "whether the tool took effect is unknown";
const INSTEAD: [sentence: string, status: number, body: string, message: string][] = [
  ["loses the session again", 404, "Who?", "could not be called: it answered 404: Who?"],
  ["refuses the call", 429, "Later.", "could not be called: it answered 429: Later."],
  ["gave up waiting", 408, "Too late.", `could not be called: it answered 408: Too late. (${UNKNOWN})`],
  ["breaks", 500, "Oops.", `could not be called: it answered 500: Oops. (${UNKNOWN})`],
  [
    "violates the protocol",
    200,
    '{"jsonrpc":"2.0","id":2,"result":null}',
    `sent an answer that violates the protocol; ${UNKNOWN}.`,
  ],
];
test.each(INSTEAD)(
  "if a server %s, the error states whether the call may have run",
  async (_, status, body, message) => {
    const instead = (method: string): { status: number; body: string } | undefined =>
      method === "tools/call" ? { status, body } : undefined;
    const { url } = await http({ instead });
    const problems: string[] = [];
    const onProblem = (problem: AgentError): unknown => problems.push(problem.message);
    const source = await connected({ name: "tools", url, onProblem });
    expect((await failure(call(source, "echo"))).message).toBe(`The MCP server "tools" ${message}`);
    expect(problems.filter((problem) => problem.includes("\n"))).toStrictEqual([]);
  },
);

test("if `headers` throws, the error states that the call was not made", async () => {
  const { url } = await http();
  let isExpired = false;
  const headers = (): Record<string, string> => {
    if (isExpired) throw new Error("No token.");
    return {};
  };
  const source = await connected({ name: "tools", url, headers });
  const echo = await toolOf(source, "echo");
  isExpired = true;
  expect((await failure(Promise.resolve(echo.run({ text: "x" }, context())))).message).toBe(
    'The MCP server "tools" could not be called: `headers` failed: No token.',
  );
  isExpired = false;
});
