// The transport on Node: connections that do not open, that are idle, or that are closed; compressed replies.
import type { ExecFileOptions } from "node:child_process";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { defaultTransport as undiciTransport } from "../../../src/calls/transport/undici.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";
import { caught, never, post, rawServer, read, UNLIMITED, until } from "../support/byte-requests.ts";

const TRANSPORT = new URL("../../../src/calls/transport/undici.ts", import.meta.url).href;

const READ = "for await (const piece of reply.body) process.stdout.write(piece);";

/** Returns the output of a separate process that reads the URL, with the number of handles that keep it alive. */
async function inChild(url: string, options: ExecFileOptions = {}, read = READ): Promise<string> {
  const script = `
    import { defaultTransport } from ${JSON.stringify(TRANSPORT)};
    const signal = new AbortController().signal;
    const request = { method: "POST", url: ${JSON.stringify(url)}, headers: {}, body: "{}" };
    const reply = await defaultTransport().send(request, { signal, connectMs: 5000 });
    ${read}
    const alive = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name));
    setImmediate(() => console.log(" " + alive().length));
  `;
  const args = ["--input-type=module", "--eval", script];
  return String((await promisify(execFile)(process.execPath, args, options)).stdout);
}

/** A limit that no other timer has. */
const CONNECT_MS = 30_001;

test.each<[what: string, end: (expire: () => void, controller: AbortController) => void, expected: object]>([
  ["its limit is reached", (expire) => expire(), { kind: "timeout", stage: "connect" }],
  ["the caller aborts", (_, controller) => controller.abort({ why: "left" }), { why: "left" }],
])("a connection that does not open is abandoned if %s", async (_, end, expected) => {
  // The server accepts the connection, but never answers the TLS handshake.
  const { port, sockets, close } = await rawServer();
  const transport = undiciTransport();
  const controller = new AbortController();
  const limits = { signal: controller.signal, connectMs: CONNECT_MS };
  const set = vi.spyOn(globalThis, "setTimeout");
  const failed = caught(transport.send(post(`https://127.0.0.1:${port}/`), limits));
  const timers = set.mock.calls.filter(([, ms]) => ms === CONNECT_MS);
  set.mockRestore();
  expect(timers).toHaveLength(1);
  await until(() => sockets.size === 1);
  end(() => timers[0]?.[0](), controller);
  expect(await failed).toMatchObject(expected);
  await until(() => sockets.size === 0);
  close();
  await transport.close();
});

test("the connection limit applies to each request, only until it is sent", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await replayServer(async () => (await gate.promise, { body: "late" }));
  const transport = undiciTransport();
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  // Limits that no other timer has.
  const connectMs = [30_001, 30_002, Infinity, 30_003];
  const texts = connectMs.map(async (ms) =>
    read(await transport.send(post(server.url), { signal: never, connectMs: ms })),
  );
  await until(() => server.requests.length === 4);
  const timers = set.mock.results.flatMap(({ value }, at) =>
    connectMs.includes(set.mock.calls[at]?.[1] ?? 0) ? [value] : [],
  );
  const cleared = new Set(clear.mock.calls.map(([timer]) => timer));
  vi.restoreAllMocks();
  expect(timers.map((timer) => cleared.has(timer as NodeJS.Timeout))).toStrictEqual([true, true, true]);
  gate.resolve();
  expect(await Promise.all(texts)).toStrictEqual(["late", "late", "late", "late"]);
  await transport.close();
});

test("close() ends idle connections, lets active calls continue, and does not wait for them", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await replayServer({
    "/idle": { body: "done" },
    "/slow": async () => {
      await gate.promise;
      return { body: "slow" };
    },
  });
  const transport = undiciTransport();
  await read(await transport.send(post(`${server.url}/idle`), UNLIMITED));
  const slow = transport.send(post(`${server.url}/slow`), UNLIMITED);
  await until(() => server.requests.length === 2);
  await transport.close();
  gate.resolve();
  expect(await read(await slow)).toBe("slow");
  await until(() => server.connections === 0);
  expect(await read(await transport.send(post(`${server.url}/idle`), UNLIMITED))).toBe("done");
  await transport.close();
  await until(() => server.connections === 0);
});

test("connecting without a limit has no timer", async () => {
  // The server accepts the connection, but never answers the TLS handshake.
  const { port, sockets, close } = await rawServer();
  const script = `
    import { defaultTransport } from ${JSON.stringify(TRANSPORT)};
    const waits = [];
    const set = globalThis.setTimeout;
    globalThis.setTimeout = (act, ms, ...rest) => (waits.push(ms), set(act, ms, ...rest));
    const controller = new AbortController();
    const request = { method: "POST", url: "https://127.0.0.1:${port}/", headers: {}, body: "{}" };
    const sent = defaultTransport().send(request, { signal: controller.signal, connectMs: Infinity });
    sent.catch((reason) => console.log(reason, waits.length));
    process.stdin.on("data", () => controller.abort("enough"));
  `;
  const running = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  await until(() => sockets.size === 1);
  running.child.stdin?.end("The connection has arrived.");
  expect((await running).stdout).toBe("enough 0\n");
  close();
});

test("an abort of a compressed reply rejects with its reason", async () => {
  const bytes = gzipSync(randomBytes(100_000));
  await using server = await replayServer({
    "*": { headers: { "content-encoding": "gzip" }, chunks: [bytes], stall: bytes.length - 10 },
  });
  const transport = undiciTransport();
  const controller = new AbortController();
  const reply = await transport.send(post(server.url), { ...UNLIMITED, signal: controller.signal });
  const body = reply.body[Symbol.asyncIterator]();
  expect((await body.next()).done).not.toBe(true);
  const failed = caught(read({ body: { [Symbol.asyncIterator]: () => body } }));
  controller.abort("enough");
  expect(await failed).toBe("enough");
  await until(() => server.connections === 0);
});

test("proxies of the environment are used if Node enables them", async () => {
  await using server = await replayServer({ "*": { body: "straight" } });
  await using proxy = await replayServer({ "*": { body: "around" } });
  const env = { ...process.env, HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: "", no_proxy: "" };
  expect(await inChild(server.url, { env: { ...env, NODE_USE_ENV_PROXY: "1" } })).toBe("around 0\n");
  expect(await inChild(server.url, { env: { ...env, NODE_USE_ENV_PROXY: "" } })).toBe("straight 0\n");
  expect(proxy.requests).toHaveLength(1);
});

test("a process without pending calls ends without close()", async () => {
  await using server = await replayServer({ "*": { body: "hello" } });
  expect(await inChild(server.url)).toBe("hello 0\n");
});

test("a process ends although an unread reply is open", async () => {
  await using server = await replayServer({ "*": { chunks: ["hello", "never"], stall: 5 } });
  const read = `
    const pieces = reply.body[Symbol.asyncIterator]();
    process.stdout.write((await pieces.next()).value);
    reply.unref();
    void pieces.next();
  `;
  expect(await inChild(server.url, {}, read)).toBe("hello 0\n");
});
