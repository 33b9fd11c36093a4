// Both HTTP adapters, the socket and the fetch handler: slow readers, replies that cannot be sent, and errors in the
// format of the route's clients.
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { createSseReply } from "../../../src/server/http/sse.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { createServer } from "../../../src/server/server.ts";
import type { ServerReply, Route, Services } from "../../../src/server/types.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine, startRoutes } from "../support/start-koine.ts";
import { json, route } from "../support/test-routes.ts";

type Send = (server: KoineServer, path: string, init?: RequestInit) => Promise<Response>;

const ADAPTERS: [adapter: string, send: Send][] = [
  ["the socket", (server, path, init) => fetch(server.url + path, init)],
  ["the fetch handler", (server, path, init) => server.fetch(new Request(`http://localhost${path}`, init))],
];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Names of the bodies that were run. */
const ended: string[] = [];

/** More bytes than socket buffers contain. */
const EVENTS = 150;
const LARGE = "x".repeat(100_000);

async function startEvents(input: ConfigInput): Promise<Awaited<ReturnType<typeof startRoutes>>> {
  const events: Route = route("GET", "/events", (request) =>
    createSseReply(services(), request, async function* () {
      for (let id = 0; id < EVENTS; id++) yield { id: String(id), data: LARGE };
    }),
  );
  const services = (): Services => server.services;
  const server = await startRoutes([events], input);
  return server;
}

describe.each(ADAPTERS)("through %s", (_adapter, send) => {
  test("a reader that pauses longer than a heartbeat receives everything, and no queued heartbeats", async () => {
    await using server = await startEvents({ heartbeatMs: 5 });
    const reply = await send(server, "/events");
    await pause(60);
    const text = await reply.text();
    expect(text.match(/^id: /gm)).toHaveLength(EVENTS);
    expect(text).not.toContain("keep-alive");
  });

  test("a model's stream continues after such a pause", async () => {
    const providers = { demo: demo({ delayMs: 1 }) };
    await using server = await startKoine({ heartbeatMs: 5, providers });
    const body = JSON.stringify({ model: "demo/koine", stream: true, messages: [{ role: "user", content: "help" }] });
    const reply = await send(server, "/v1/chat/completions", { method: "POST", body });
    await pause(40);
    expect(await reply.text()).toContain("data: [DONE]");
  });

  test("a stalled reader is cut off", async () => {
    const ended = Promise.withResolvers<boolean>();
    const endless = route("GET", "/endless", ({ signal }) => ({
      status: 200,
      headers: {},
      async body(sink) {
        while (!sink.closed) await sink.write(LARGE);
        ended.resolve(signal.aborted);
      },
    }));
    await using server = await startRoutes([endless], { limits: { stallMs: 50 } });
    const reply = await send(server, "/endless");
    expect(await ended.promise).toBe(true);
    await expect(reply.text()).rejects.toThrow();
  });

  test.each<[string, string, ServerReply["body"]]>([
    ["whole", "a\nb", "x"],
    ["streamed", "日本", async () => void ended.push("body")],
  ])("a %s reply whose head cannot be sent is an error, and its body is ended", async (what, bad, body) => {
    ended.length = 0;
    const run = (): ServerReply => ({ status: 200, headers: { "x-bad": bad }, ...(body !== undefined && { body }) });
    const failure: Route["formatError"] = ({ code }) => json({ own: code }, 500);
    await using server = await startRoutes([route("GET", "/bad", run, { formatError: failure })]);
    const reply = await send(server, "/bad");
    expect([reply.status, reply.headers.get("x-bad"), await reply.json()]).toStrictEqual([
      500,
      null,
      { own: "internal" },
    ]);
    expect(ended).toStrictEqual(what === "streamed" ? ["body"] : []);
    const metric = 'koine_requests_total{route="GET /bad",status="500"} 1';
    await expect.poll(() => server.services.metrics.text()).toContain(metric);
  });

  test.each([false, true])(
    "a provider with any name answers, and is named in a header (stream: %s)",
    async (stream) => {
      // `completeConfig` rejects such a name; a configuration may also be created without it.
      const config = completeConfig({ port: 0, log: "silent" });
      await using server = await createServer({ ...config, providers: { aé日: demo() } });
      await server.listen();
      const body = JSON.stringify({ model: "aé日/koine", stream, messages: [{ role: "user", content: "Hi" }] });
      const reply = await send(server, "/v1/chat/completions", { method: "POST", body });
      expect([reply.status, reply.headers.get("x-koine-provider")]).toStrictEqual([200, "a%C3%A9%E6%97%A5"]);
      await reply.text();
    },
  );

  test("unauthorized requests are rejected in the format of the route's clients", async () => {
    await using server = await startKoine({ limits: { headers: 20 } });
    const body = JSON.stringify({ model: "demo/koine", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x-${index}`, "1"]));
    const rows: [Record<string, string>, number][] = [
      [{ origin: "https://evil.example" }, 403],
      [many, 431],
    ];
    for (const [headers, status] of rows) {
      const reply = await send(server, "/v1/messages", { method: "POST", body, headers });
      expect([reply.status, await reply.json()]).toMatchObject([status, { type: "error", error: {} }]);
    }
  });

  test("HEAD of a stream has the headers of GET, without a length", async () => {
    await using server = await startEvents({});
    const reply = await send(server, "/events", { method: "HEAD" });
    expect([reply.status, reply.headers.get("content-type"), reply.headers.get("content-length")]).toStrictEqual([
      200,
      "text/event-stream; charset=utf-8",
      null,
    ]);
  });
});
