// Slow clients: slow headers, slow bodies, slow reading. Each is disconnected after its time limit, and others are not
// affected.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import type { Delta } from "../../../src/model/index.ts";
import type { ServerLimits } from "../../../src/server/config/types.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";
import { connectRaw, type RawClient } from "../support/raw-client.ts";
import { readErrorMessage, pathTo, ROUTES, titled, detectErrorFormat } from "./routes.ts";
import { sendAndRead } from "./support.ts";

/** A model that emits text without end. */
class Talker {
  deltaCount = 0;
  readonly stopped = Promise.withResolvers<void>();
  readonly provider: LocalProvider = { models: ["talker"], answer: (_, { signal }) => this.#answer(signal) };

  async *#answer(signal: AbortSignal): AsyncGenerator<Delta> {
    signal.addEventListener("abort", () => this.stopped.resolve(), { once: true });
    yield { kind: "start", payload: { modelId: "talker", requestId: "r", contractVersion: 1 } };
    while (!signal.aborted) {
      this.deltaCount++;
      yield { kind: "text", payload: { textDelta: "word ".repeat(4000), partKey: 0 } };
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Starts a server for the tests of a group. Only the limit under test is short: a busy machine may be slow. */
function startWith(limits: Partial<ServerLimits>, provider: LocalProvider = demo()): { koine: KoineServer } {
  // Set before the tests of the group run.
  const started = {} as { koine: KoineServer };
  beforeAll(async () => {
    started.koine = await startKoine({ limits, providers: { demo: demo(), talk: provider } });
  });
  afterAll(() => started.koine.close());
  return started;
}

const isWell = async (koine: KoineServer): Promise<boolean> =>
  (await sendAndRead(koine, { method: "GET", path: "/v1/threads" })).status === 200;
const bodyIn = (received: string): string => received.slice(received.indexOf("\r\n\r\n") + 4);

/** Writes single characters until the connection is closed. */
async function drip(client: RawClient, letter: string): Promise<string> {
  const timer = setInterval(() => client.write(letter), 40);
  try {
    return await client.closed();
  } finally {
    clearInterval(timer);
  }
}

describe("headers that arrive byte by byte", () => {
  const server = startWith({ headersMs: 200 });

  test("time out, for any number of clients", async () => {
    const clients = Array.from({ length: 50 }, () => connectRaw(server.koine.url));
    const received = Promise.all(
      clients.map((client) => {
        client.write("GET /v1/threads HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        return drip(client, "a");
      }),
    );
    expect(await isWell(server.koine)).toBe(true);
    for (const text of await received) expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"timeout"/);
  });

  test("time out if nothing arrives", async () => {
    const clients = Array.from({ length: 20 }, () => connectRaw(server.koine.url));
    await Promise.all(clients.map((client) => client.closed()));
    expect(await isWell(server.koine)).toBe(true);
  });
});

// Concurrent, because each connection lingers after its error reply.
describe.concurrent("a body that arrives byte by byte", () => {
  const server = startWith({ requestMs: 200 });
  const reading = ROUTES.filter(({ method, operation }) => method === "POST" && operation.body !== undefined);
  const known = reading.filter(({ paths }) => !paths[0].startsWith("/v1/task/"));

  test.each(titled(known))("times out at %s, with an error in the format of its clients", async (_, route) => {
    using client = connectRaw(server.koine.url);
    const head = [`POST ${pathTo(route.paths[0])} HTTP/1.1`, "Host: localhost", "Content-Length: 5000"];
    client.write(`${head.join("\r\n")}\r\n\r\n{"a`);
    const received = await drip(client, "a");
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    const [first = ""] = bodyIn(received).split("HTTP/1.1");
    expect(readErrorMessage(detectErrorFormat(route), first), received).toContain("did not arrive");
  });

  test("times out if no route reads it", async () => {
    using client = connectRaw(server.koine.url);
    client.write("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{");
    expect(await drip(client, "a")).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe("an idle connection", () => {
  const server = startWith({ idleMs: 200 });

  test("is closed", async () => {
    using client = connectRaw(server.koine.url);
    client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("a reader that does not read", () => {
  const talker = new Talker();
  const server = startWith({ stallMs: 200 }, talker.provider);

  test("is cut off, and its model call is aborted", async () => {
    using client = connectRaw(server.koine.url);
    const body = '{"model":"talk/talker","stream":true,"messages":[{"role":"user","content":"Talk."}]}';
    const head = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost", "X-Koine-Record: off"];
    client.write(`${head.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    client.socket.pause();
    await talker.stopped.promise;
    // The text so far fits into buffers: the model was not read faster than its reader.
    expect(talker.deltaCount * 20_000).toBeLessThan(30_000_000);
    expect(await isWell(server.koine)).toBe(true);
    client.socket.resume();
    await client.closed();
  });

  test("of a long export is cut off", async () => {
    // Different texts, because equal ones would be stored and exported once.
    const texts = Array.from({ length: 200 }, (_, index) => `${index} `.repeat(15_000));
    const messages = texts.map((text) => ({ role: "user", parts: [{ type: "text", text }] }));
    const created = await sendAndRead(server.koine, { method: "POST", path: "/v1/threads", body: { messages } });
    expect(created.status).toBe(201);
    using client = connectRaw(server.koine.url);
    client.write("GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.socket.pause();
    const counted = async (): Promise<string> =>
      (await sendAndRead(server.koine, { method: "GET", path: "/metrics" })).text;
    await expect.poll(counted).toMatch(/koine_streams_total\{[^}]*exportThreads[^}]*cut[^}]*\} 1/);
    client.socket.resume();
    const received = await client.closed();
    expect(received).not.toContain('"kind":"all-end"');
    expect(received.length).toBeLessThan(texts.join("").length);
  });
});
