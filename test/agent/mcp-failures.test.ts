// What goes wrong with MCP servers, and what becomes of it: programs that end, servers that forget, replies that break off.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { AgentError } from "../../src/agent/index.ts";
import { mcpServer, type McpServerOptions } from "../../src/agent/mcp/index.ts";
import {
  buildServer,
  call,
  command,
  type Common,
  connected,
  context,
  endAll,
  failure,
  http,
  toolOf,
} from "./support/mcp-calls.ts";
import { startMcpHttp } from "./support/mcp-http.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => buildServer(folder));
afterEach(endAll);

describe("programs", () => {
  test("a program that is not there is named", async () => {
    const error = await failure(mcpServer({ name: "none", command: "no-such-program-anywhere" }));
    expect(error).toMatchObject({ code: "mcp-failed", path: "mcp:none" });
    expect(error.message).toContain('could not be reached at the program "no-such-program-anywhere"');
    expect(error.message).toContain("ENOENT");
  });

  test("what a program wrote before it ended is in the error, and is told as it comes", async () => {
    const heard: string[] = [];
    const script = 'process.stderr.write("No API key.\\n"); process.exitCode = 1';
    const options = {
      name: "broken",
      command: process.execPath,
      args: ["-e", script],
      onStderr: (text: string) => heard.push(text),
    };
    expect((await failure(mcpServer(options))).message).toContain("It wrote: No API key.");
    expect(heard.join("")).toBe("No API key.\n");
  });

  test("a program that says nothing is given up after its time", async () => {
    const options = { name: "silent", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const error = await failure(mcpServer({ ...options, timeouts: { connectMs: 200 } }));
    expect(error).toMatchObject({ code: "mcp-failed" });
    expect(error.message).toContain("timed out");
  });

  test("a program sees what it is given and no keys of this process", async () => {
    vi.stubEnv("KOINE_TEST_KEY", "secret");
    try {
      const server = await connected(command({ env: { GIVEN: "yes" } }));
      expect(await call(server, "environment", { name: "GIVEN" })).toStrictEqual({ output: "yes" });
      expect(await call(server, "environment", { name: "KOINE_TEST_KEY" })).toStrictEqual({ output: "(unset)" });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("a program that ends again and again is started at once the first time, and then with growing pauses", async () => {
    let now = 0;
    const server = await connected(command(), () => now);
    const crash = await toolOf(server, "crash");
    const attempt = async (): Promise<string> => (await failure(Promise.resolve(crash.run({}, context())))).message;
    expect(await attempt()).toContain("ended before it answered");
    // At once again; then not.
    expect(await attempt()).toContain("ended before it answered");
    expect(await attempt()).toContain("tried again in 1 s");
    now += 1000;
    expect(await attempt()).toContain("ended before it answered");
    now += 1000;
    expect(await attempt()).toContain("tried again in 1 s");
    now += 1000;
    // A call that is answered ends the count.
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
    expect(await attempt()).toContain("ended before it answered");
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
  });

  test("what a program wrote is told to whoever runs the agent, and not to the model", async () => {
    const problems: string[] = [];
    const marker = join(folder, "started");
    const { args } = command();
    // Starts once; then it only complains.
    const script = `
      const fs = await import("node:fs");
      if (fs.existsSync(${JSON.stringify(marker)})) throw new Error("The key s3cret is too old.");
      fs.writeFileSync(${JSON.stringify(marker)}, "");
      await import(${JSON.stringify(args?.[0])});`;
    const options = {
      ...command({ onProblem: ({ message }) => problems.push(message) }),
      args: ["--input-type=module", "-e", script],
    };
    const server = await connected(options);
    const echo = await toolOf(server, "echo");
    await failure(call(server, "crash"));
    const { message } = await failure(Promise.resolve(echo.run({ text: "x" }, context())));
    expect(message).toContain("could not be reached");
    expect(message).not.toContain("s3cret");
    expect(problems.join("\n")).toContain("The key s3cret is too old.");
  });

  test("while a program cannot be started, the tools known last are shown", async () => {
    const problems: string[] = [];
    const server = await connected(command({ onProblem: ({ message }) => problems.push(message) }), () => 0);
    const before = (await server.tools()).map(({ name }) => name);
    const crash = await toolOf(server, "crash");
    await failure(Promise.resolve(crash.run({}, context())));
    await failure(Promise.resolve(crash.run({}, context())));
    expect((await server.tools()).map(({ name }) => name)).toStrictEqual(before);
    expect(problems.at(-1)).toContain("could not list its tools");
  });
});

describe("servers that keep no rules", () => {
  const odd = (list: string, more: Common = {}): McpServerOptions => ({
    name: "odd",
    command: process.execPath,
    args: [fileURLToPath(new URL("support/mcp-odd.ts", import.meta.url)), list],
    ...more,
  });

  test("tools that can be used are there, and what is wrong with the others is told", async () => {
    const problems: AgentError[] = [];
    const server = await connected(odd("", { onProblem: (problem) => problems.push(problem) }));
    expect((await server.tools()).map(({ name }) => name)).toStrictEqual(["good", "odd schema"]);
    const messages = problems.map(({ message }) => message).join("\n");
    expect(messages).toContain("One has no name.");
    expect(messages).toContain('"good" is listed twice.');
    expect(messages).toContain('"bare" has no inputSchema.');
    expect(messages).toContain('"task" can only be run as a task');
    // What is no message at all is told as well.
    expect(messages).toContain("reports:");
    expect(new Set(problems.map(({ code }) => code))).toStrictEqual(new Set(["mcp-failed"]));
  });

  test("a result is kept though it breaks what the server promised", async () => {
    const server = await connected(odd(""));
    const value = { type: "hologram", depth: 3 };
    expect(await call(server, "good")).toStrictEqual({ content: [{ type: "opaque", dialect: "mcp", value }] });
  });

  test.each([
    ["endless", "lists its tools on more than 1000 pages"],
    ["none", "sent a list of tools that is none"],
  ])("a list that is %s is refused", async (list, message) => {
    const error = await failure(mcpServer(odd(list)));
    expect(error).toMatchObject({ code: "mcp-failed", path: "mcp:odd" });
    expect(error.message).toContain(message);
  });
});

/** Remembers what was sent, so that it can be sent again. */
class Events implements EventStore {
  private readonly events: [streamId: string, message: JSONRPCMessage][] = [];

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return Promise.resolve(String(this.events.push([streamId, message]) - 1));
  }
  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.events[Number(eventId)]?.[0]);
  }
  async replayEventsAfter(
    eventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const [streamId] = this.events[Number(eventId)] ?? [""];
    for (const [index, [of, message]] of this.events.entries()) {
      if (index > Number(eventId) && of === streamId) await send(String(index), message);
    }
    return streamId;
  }
}

describe("HTTP", () => {
  test("headers go with every request, and a function is asked each time", async () => {
    const { url, seen } = await http({ key: "k1" });
    let asked = 0;
    const server = await connected({
      name: "tools",
      url,
      headers: async () => ({ "x-key": "k1", "x-count": `${asked++}` }),
    });
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
    expect(seen.length).toBeGreaterThan(2);
    expect(new Set(seen.map((headers) => headers["x-count"])).size).toBe(seen.length);
  });

  test("a server that refuses the key says so, and the address is shown without what may be secret", async () => {
    const { url } = await http({ key: "k1" });
    const error = await failure(mcpServer({ name: "tools", url: `${url}?token=t0p`, headers: { "x-key": "wr0ng" } }));
    expect(error.message).toBe(
      `The MCP server "tools" could not be reached at ${url}: it answered 401; check \`headers\`.`,
    );
  });

  test("a server that is not there is named with its address", async () => {
    const server = await startMcpHttp();
    await server.stop();
    const error = await failure(mcpServer({ name: "tools", url: server.url }));
    expect(error.message).toContain(`could not be reached at ${server.url}`);
    expect(error.message).toContain("ECONNREFUSED");
  });

  test.each([404, 400])(
    "a server that answers %i for a forgotten session is asked anew, within the call",
    async (unknownSession) => {
      const server = await http({ unknownSession });
      const source = await connected({ name: "tools", url: server.url });
      const echo = await toolOf(source, "echo");
      server.forget();
      expect(await echo.run({ text: "again" }, context())).toStrictEqual({ output: "again" });
      expect(server.sessions).toBe(1);
    },
  );

  test("a list that a server has no session for is asked for anew", async () => {
    const server = await http();
    const source = await connected({ name: "tools", url: server.url });
    await call(source, "grow");
    server.forget();
    await vi.waitFor(async () => {
      await source.tools();
      expect(server.sessions).toBe(1);
    }, 10_000);
  });

  test("a server that is started again is found again", async () => {
    const first = await startMcpHttp();
    const source = await connected({ name: "tools", url: first.url });
    const echo = await toolOf(source, "echo");
    await first.stop();
    expect(await failure(Promise.resolve(echo.run({ text: "x" }, context())))).toMatchObject({ code: "mcp-failed" });
    await http({ port: Number(new URL(first.url).port) });
    await vi.waitFor(
      async () => expect(await echo.run({ text: "x" }, context())).toStrictEqual({ output: "x" }),
      20_000,
    );
  });

  test("closing ends the session at the server", async () => {
    const server = await http();
    const source = await mcpServer({ name: "tools", url: server.url });
    expect(server.sessions).toBe(1);
    await source.close();
    expect(server.sessions).toBe(0);
  });

  test("a reply that is cut off after it began gives an error at once", async () => {
    const said: unknown[] = [];
    const server = await http();
    const source = await connected({ name: "tools", url: server.url, onProgress: (progress) => said.push(progress) });
    const counting = call(source, "count", { to: 1 });
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    server.sever();
    const error = await failure(counting);
    expect(error.message).toContain("ended before it answered; whether the tool did its work is not known.");
    expect(await call(source, "echo", { text: "x" })).toStrictEqual({ output: "x" });
  });

  test("a reply that can be asked for again is, and the call goes on", async () => {
    const said: unknown[] = [];
    const server = await http({ eventStore: new Events() });
    const source = await connected({ name: "tools", url: server.url, onProgress: (progress) => said.push(progress) });
    const counting = call(source, "count", { to: 1 });
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    server.sever();
    await vi.waitFor(() => call(source, "release"), 10_000);
    expect(await counting).toStrictEqual({ output: "counted" });
  });

  test("a server that is silent for too long is given up, and told", async () => {
    const record = join(folder, "silent.txt");
    const { url } = await http({ record });
    const source = await connected({ name: "tools", url, timeouts: { gapMs: 300 } });
    const wait = await toolOf(source, "wait");
    const error = await failure(Promise.resolve(wait.run({}, context())));
    expect(error.message).toBe(
      'The MCP server "tools" was silent for too long; whether the tool did its work is not known.',
    );
    await vi.waitFor(() => expect(readFileSync(record, "utf8")).toContain("cancelled wait"), 10_000);
  });
});
