// Failures of MCP servers: programs that exit, tools with invalid results, and invalid lists.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentError } from "../../../src/agent/index.ts";
import { mcpServer, type McpServerOptions } from "../../../src/agent/mcp/index.ts";
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
} from "../support/mcp-calls.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => buildServer(folder));
afterEach(endAll);

describe("programs", () => {
  test("the error for a missing program names it", async () => {
    const error = await failure(mcpServer({ name: "none", command: "no-such-program-anywhere" }));
    expect(error).toMatchObject({ code: "mcp-failed", path: "mcp:none" });
    expect(error.message).toContain('could not be reached at the program "no-such-program-anywhere"');
    expect(error.message).toContain("ENOENT");
  });

  test("the standard error of a program is in the error and is reported as it arrives", async () => {
    const stderrLines: string[] = [];
    const script = 'process.stderr.write("No API key.\\n"); process.exitCode = 1';
    const options = {
      name: "broken",
      command: process.execPath,
      args: ["-e", script],
      onStderr: (text: string) => stderrLines.push(text),
    };
    expect((await failure(mcpServer(options))).message).toContain("It wrote: No API key.");
    expect(stderrLines.join("")).toBe("No API key.\n");
  });

  test("a silent program is abandoned after its time limit", async () => {
    const options = { name: "silent", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const error = await failure(mcpServer({ ...options, timeouts: { connectMs: 200 } }));
    expect(error).toMatchObject({ code: "mcp-failed" });
    expect(error.message).toContain("timed out");
  });

  test("an abandoned program has exited when the error is thrown", async () => {
    const started = join(folder, "started to be abandoned");
    // The program exits some time after its input has ended.
    const script = `
      process.stdin.resume().on("end", () => setTimeout(() => {}, 300));
      require("node:fs").writeFileSync(${JSON.stringify(started)}, String(process.pid));`;
    // A limit that no other timer has.
    const connectMs = 30_001;
    const set = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => set.mockRestore());
    const options = { name: "slow", command: process.execPath, args: ["-e", script], timeouts: { connectMs } };
    const failed = failure(mcpServer(options));
    const pid = await vi.waitFor(() => {
      const text = readFileSync(started, "utf8");
      expect(text).not.toBe("");
      return Number(text);
    }, 30_000);
    set.mock.calls.find(([, ms]) => ms === connectMs)?.[0]();
    expect((await failed).message).toContain("timed out");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("close() does not wait for a program that restarts", async () => {
    const [first, again] = [join(folder, "first"), join(folder, "again")];
    const { args } = command();
    // The second time, the program starts but does not reply.
    const script = `
      const fs = await import("node:fs");
      const isFirst = !fs.existsSync(${JSON.stringify(first)});
      fs.writeFileSync(isFirst ? ${JSON.stringify(first)} : ${JSON.stringify(again)}, "");
      if (isFirst) await import(${JSON.stringify(args?.[0])});
      else process.stdin.resume();`;
    const server = await mcpServer({ ...command(), args: ["--input-type=module", "-e", script] });
    const echo = await toolOf(server, "echo");
    await failure(call(server, "crash"));
    const calling = failure(Promise.resolve(echo.run({ text: "x" }, context())));
    await vi.waitFor(() => readFileSync(again), 10_000);
    await server.close();
    expect((await calling).message).toBe('The MCP server "tools" was closed.');
  }, 20_000);

  test("listeners that throw end neither the call nor the process", async () => {
    const stderrLines: string[] = [];
    const listen = (what: string): never => {
      stderrLines.push(what);
      throw new Error("not now");
    };
    const { args } = command();
    const script = `process.stderr.write("diagnostics"); await import(${JSON.stringify(args?.[0])});`;
    const server = await connected({
      ...command({ onProblem: () => listen("problem"), onProgress: () => listen("progress") }),
      onStderr: () => listen("stderr"),
      args: ["--input-type=module", "-e", script],
    });
    await failure(call(server, "crash"));
    const counting = call(server, "count", { to: 1 });
    await vi.waitFor(() => expect(stderrLines).toContain("progress"), 10_000);
    await call(server, "release");
    expect(await counting).toStrictEqual({ output: "counted" });
    expect(new Set(stderrLines)).toStrictEqual(new Set(["stderr", "problem", "progress"]));
  });

  test("a program receives the given variables and no keys of this process", async () => {
    vi.stubEnv("KOINE_TEST_KEY", "secret");
    try {
      const server = await connected(command({ env: { GIVEN: "yes" } }));
      expect(await call(server, "environment", { name: "GIVEN" })).toStrictEqual({ output: "yes" });
      expect(await call(server, "environment", { name: "KOINE_TEST_KEY" })).toStrictEqual({ output: "(unset)" });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("a program that exits repeatedly restarts at once the first time, then after growing delays", async () => {
    let now = 0;
    const server = await connected(command(), () => now);
    const crash = await toolOf(server, "crash");
    const attempt = async (): Promise<string> => (await failure(Promise.resolve(crash.run({}, context())))).message;
    expect(await attempt()).toContain("ended before it answered");
    // Reconnects at once the first time, not the second.
    expect(await attempt()).toContain("ended before it answered");
    expect(await attempt()).toContain("possible in 1 s");
    now += 1000;
    expect(await attempt()).toContain("ended before it answered");
    now += 1000;
    expect(await attempt()).toContain("possible in 1 s");
    now += 1000;
    // An answered call resets the count.
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
    expect(await attempt()).toContain("ended before it answered");
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
  });

  test("the standard error of a program is reported to the caller and not sent to the model", async () => {
    const problems: string[] = [];
    const marker = join(folder, "started");
    const { args } = command();
    // Starts once; then it only fails.
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

  test("the last known tools stay in the request while a program cannot start", async () => {
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

const ANSWERED: [sentence: string, code: number, text: string][] = [
  ["404", 404, "Ticket not found."],
  ["400 and speaks of a session", 400, "This session of parliament is over."],
];
const PLACES: [place: string, options: (record: string) => Promise<McpServerOptions>][] = [
  ["a program", (record) => Promise.resolve(command({ env: { RECORD: record } }))],
  ["a server over HTTP", async (record) => ({ name: "tools", url: (await http({ record })).url })],
];
describe.each(PLACES)("%s", (place, options) => {
  test.each(ANSWERED)("whose tool answers %s is called once and stays connected", async (_sentence, code, text) => {
    const record = join(folder, `${place} ${code}.txt`);
    const problems: string[] = [];
    const server = await connected({
      ...(await options(record)),
      onProblem: ({ message }) => problems.push(message),
    });
    expect(await call(server, "missing", { code, text })).toStrictEqual({ isError: true, output: text });
    expect(readFileSync(record, "utf8")).toBe("began missing\n");
    expect(await call(server, "echo", { text: "x" })).toStrictEqual({ output: "x" });
    expect(problems).toStrictEqual([]);
  });
});

describe("nonconforming servers", () => {
  const odd = (list: string, more: Common = {}): McpServerOptions => ({
    name: "odd",
    command: process.execPath,
    args: [fileURLToPath(new URL("../support/mcp-nonconforming.ts", import.meta.url)), list],
    ...more,
  });

  test("valid tools are listed, and the problems of the others are reported", async () => {
    const problems: AgentError[] = [];
    const server = await connected(odd("", { onProblem: (problem) => problems.push(problem) }));
    expect((await server.tools()).map(({ name }) => name)).toStrictEqual(["good", "odd schema"]);
    const messages = problems.map(({ message }) => message).join("\n");
    expect(messages).toContain("A tool has no name.");
    expect(messages).toContain('"good" is listed twice.');
    expect(messages).toContain('"bare" has no inputSchema.');
    expect(messages).toContain('"task" can only be run as a task');
    // A line that is not a message is reported, too.
    expect(messages).toContain("reports:");
    expect(new Set(problems.map(({ code }) => code))).toStrictEqual(new Set(["mcp-failed"]));
  });

  test("a result that violates the server's output schema is accepted", async () => {
    const server = await connected(odd(""));
    const value = { type: "hologram", depth: 3 };
    expect(await call(server, "good")).toStrictEqual({
      output: JSON.stringify(value),
      content: [{ type: "opaque", dialect: "mcp", value }],
    });
  });

  test.each([
    ["endless", "lists its tools on more than 1000 pages"],
    ["none", "sent an invalid list of tools"],
  ])("a list that is %s is rejected", async (list, message) => {
    const error = await failure(mcpServer(odd(list)));
    expect(error).toMatchObject({ code: "mcp-failed", path: "mcp:odd" });
    expect(error.message).toContain(message);
  });
});
