// Clients that take their time: with their headers, with their bodies, or with reading. Each is let go after the time
// that the settings give it, and the others notice nothing.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import type { Delta } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/koine.ts";
import { connectRaw, type RawClient } from "../support/raw.ts";
import { messageIn, pathTo, ROUTES, titled, wordsOf } from "./routes.ts";
import { tell } from "./support.ts";

/** Says a lot, for as long as somebody listens. */
class Talker {
  pieces = 0;
  readonly stopped = Promise.withResolvers<void>();
  readonly provider: LocalProvider = { models: ["talker"], answer: (_, { signal }) => this.#talk(signal) };

  async *#talk(signal: AbortSignal): AsyncGenerator<Delta> {
    signal.addEventListener("abort", () => this.stopped.resolve(), { once: true });
    yield { kind: "start", payload: { modelId: "talker", requestId: "r", contractVersion: 1 } };
    while (!signal.aborted) {
      this.pieces++;
      yield { kind: "text", payload: { textDelta: "word ".repeat(4000), part: 0 } };
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const LIMITS = { headersMs: 200, requestMs: 200, idleMs: 200, stallMs: 200 };
let koine: KoineServer;
let talker: Talker;
beforeAll(async () => {
  talker = new Talker();
  koine = await startKoine({ limits: LIMITS, providers: { demo: demo(), talk: talker.provider } });
});
afterAll(() => koine.close());

const isWell = async (): Promise<boolean> => (await tell(koine, { method: "GET", path: "/v1/threads" })).status === 200;
const bodyIn = (heard: string): string => heard.slice(heard.indexOf("\r\n\r\n") + 4);

/** Writes a letter now and then, until the connection is closed. */
async function drip(client: RawClient, letter: string): Promise<string> {
  const timer = setInterval(() => client.write(letter), 40);
  try {
    return await client.closed();
  } finally {
    clearInterval(timer);
  }
}

describe("headers that come a letter at a time", () => {
  test("are not waited for, however many clients send them", async () => {
    const clients = Array.from({ length: 50 }, () => connectRaw(koine.url));
    const heard = Promise.all(
      clients.map((client) => {
        client.write("GET /v1/threads HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        return drip(client, "a");
      }),
    );
    expect(await isWell()).toBe(true);
    for (const text of await heard) expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"timeout"/);
  });

  test("are not waited for where nothing comes at all", async () => {
    const clients = Array.from({ length: 20 }, () => connectRaw(koine.url));
    await Promise.all(clients.map((client) => client.closed()));
    expect(await isWell()).toBe(true);
  });
});

// Each lingers for a while after its refusal, so that its client can hear it: all of them at once.
describe.concurrent("a body that comes a letter at a time", () => {
  const reading = ROUTES.filter(({ method, operation }) => method === "POST" && operation.body !== undefined);
  const known = reading.filter(({ paths }) => !paths[0].startsWith("/v1/task/"));

  test.each(titled(known))("is not waited for by %s, which says so in the words of its clients", async (_, route) => {
    using client = connectRaw(koine.url);
    const head = [`POST ${pathTo(route.paths[0])} HTTP/1.1`, "Host: localhost", "Content-Length: 5000"];
    client.write(`${head.join("\r\n")}\r\n\r\n{"a`);
    const heard = await drip(client, "a");
    expect(heard).toMatch(/^HTTP\/1\.1 408 /);
    const [first = ""] = bodyIn(heard).split("HTTP/1.1");
    expect(messageIn(wordsOf(route), first), heard).toContain("did not arrive");
  });

  test("is not waited for where nobody reads it", async () => {
    using client = connectRaw(koine.url);
    client.write("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{");
    expect(await drip(client, "a")).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe("a connection that asks nothing more", () => {
  test("is closed", async () => {
    using client = connectRaw(koine.url);
    client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("a reader that does not read", () => {
  test("is let go, and the model that nobody listens to is stopped", async () => {
    using client = connectRaw(koine.url);
    const body = '{"model":"talk/talker","stream":true,"messages":[{"role":"user","content":"Talk."}]}';
    const head = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost", "X-Koine-Record: off"];
    client.write(`${head.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    client.socket.pause();
    await talker.stopped.promise;
    // What was said meanwhile fits into buffers: the model was not read faster than its reader.
    expect(talker.pieces * 20_000).toBeLessThan(30_000_000);
    expect(await isWell()).toBe(true);
    client.socket.resume();
    await client.closed();
  });

  test("of a long export is let go", async () => {
    // Each text its own: the same one would be kept, and exported, once.
    const texts = Array.from({ length: 200 }, (_, index) => `${index} `.repeat(15_000));
    const messages = texts.map((text) => ({ role: "user", parts: [{ type: "text", text }] }));
    const made = await tell(koine, { method: "POST", path: "/v1/threads", body: { messages } });
    expect(made.status).toBe(201);
    using client = connectRaw(koine.url);
    client.write("GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.socket.pause();
    const counted = async (): Promise<string> => (await tell(koine, { method: "GET", path: "/metrics" })).text;
    await expect.poll(counted, { timeout: 5000 }).toMatch(/koine_streams_total\{[^}]*exportThreads[^}]*cut[^}]*\} 1/);
    client.socket.resume();
    const heard = await client.closed();
    expect(heard).not.toContain('"kind":"all-end"');
    expect(heard.length).toBeLessThan(texts.join("").length);
  });
});
