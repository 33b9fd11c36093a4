// Spans as a collector receives them: OTLP over HTTP as JSON.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { observeAgentCalls } from "../../../src/server/operations/observe-agent-calls.ts";
import type { ModelRequest } from "../../../src/index.ts";
import { startRoutes } from "../support/start-koine.ts";

interface Collected {
  path: string;
  headers: Record<string, unknown>;
  body: { resourceSpans: { resource: unknown; scopeSpans: { spans: Record<string, unknown>[] }[] }[] };
}

/** A collector that stores its requests. */
async function startCollector(status = 200): Promise<AsyncDisposable & { url: string; received: Collected[] }> {
  const received: Collected[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (more: string) => (text += more));
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Collected["body"] });
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const telemetry = (url: string): { url: string; headers: Record<string, string>; serviceName: string } => ({
  url,
  headers: { "x-collector-key": "collector-secret" },
  serviceName: "koine-test",
});
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

describe("spans", () => {
  test("reach a collector with their fields, in the client's trace", async () => {
    await using collector = await startCollector();
    let now = 1_790_000_000_123;
    const server = await startRoutes([], { telemetry: telemetry(collector.url) }, { clock: () => now, instance: "i1" });
    const fields = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.request.temperature": 0.5 };
    const span = server.services.tracer.span("chat m", fields, `00-${TRACE}-${PARENT}-01`);
    now += 250;
    span.set({ "gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"], left: undefined });
    span.end();
    span.end(new Error("twice is once"));
    await server.close();
    expect(collector.received).toHaveLength(1);
    const [{ path, headers, body }] = collector.received as [Collected];
    expect([path, headers["x-collector-key"]]).toStrictEqual(["/v1/traces", "collector-secret"]);
    expect(body).toStrictEqual({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: "service.name", value: { stringValue: "koine-test" } },
              { key: "service.instance.id", value: { stringValue: "i1" } },
            ],
          },
          scopeSpans: [
            {
              scope: { name: "koine" },
              spans: [
                {
                  traceId: TRACE,
                  spanId: expect.stringMatching(/^[\da-f]{16}$/),
                  parentSpanId: PARENT,
                  name: "chat m",
                  kind: 3,
                  startTimeUnixNano: "1790000000123000000",
                  endTimeUnixNano: "1790000000373000000",
                  attributes: [
                    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
                    { key: "gen_ai.request.model", value: { stringValue: "m" } },
                    { key: "gen_ai.request.temperature", value: { doubleValue: 0.5 } },
                    { key: "gen_ai.usage.input_tokens", value: { intValue: "7" } },
                    {
                      key: "gen_ai.response.finish_reasons",
                      value: { arrayValue: { values: [{ stringValue: "stop" }] } },
                    },
                  ],
                  status: {},
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([undefined, "nonsense", `00-${"0".repeat(32)}-${PARENT}-01`])(
    "start a new trace if the client has none: %s",
    async (parent) => {
      await using collector = await startCollector();
      const server = await startRoutes([], { telemetry: telemetry(`${collector.url}/v1/traces`) });
      server.services.tracer.span("chat m", {}, parent).end();
      await server.close();
      const span = collector.received[0]?.body.resourceSpans[0]?.scopeSpans[0]?.spans[0];
      expect(span).toMatchObject({ traceId: expect.stringMatching(/^(?!0{32})[\da-f]{32}$/) });
      expect(span).not.toHaveProperty("parentSpanId");
    },
  );

  test("of an unsampled trace are not sent", async () => {
    await using collector = await startCollector();
    const server = await startRoutes([], { telemetry: telemetry(collector.url) });
    for (const flags of ["00", "02"]) server.services.tracer.span("chat m", {}, `00-${TRACE}-${PARENT}-${flags}`).end();
    await server.close();
    expect(collector.received).toStrictEqual([]);
  });

  test("that no collector accepts delay a shutdown once, after the ledger was closed", async () => {
    // Accepts requests and never replies.
    const hung = createServer(() => undefined);
    await new Promise<void>((resolve) => hung.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(hung.address() as AddressInfo).port}`;
    const server = await startRoutes([], { telemetry: telemetry(url) });
    const { tracer, metrics, ledger } = server.services;
    for (let index = 0; index < 1100; index++) tracer.span("chat m", {}).end();
    const closed = server.close();
    await expect
      .poll(() =>
        ledger.threads().then(
          () => "open",
          () => "closed",
        ),
      )
      .toBe("closed");
    expect(metrics.text()).not.toContain("koine_spans_dropped_total 1100");
    await closed;
    expect(metrics.text()).toContain("koine_spans_dropped_total 1100");
    hung.closeAllConnections();
    hung.close();
  });

  test("that failed have the error kind, never its message", async () => {
    await using collector = await startCollector();
    const server = await startRoutes([], { telemetry: telemetry(collector.url) });
    server.services.tracer.span("chat m", {}).end({ kind: "rate-limit", message: "private content" });
    await server.close();
    const span = collector.received[0]?.body.resourceSpans[0]?.scopeSpans[0]?.spans[0];
    expect(span).toMatchObject({
      status: { code: 2, message: "rate-limit" },
      attributes: [{ key: "error.type", value: { stringValue: "rate-limit" } }],
    });
  });

  test("are sent in batches", async () => {
    await using collector = await startCollector();
    const server = await startRoutes([], { telemetry: telemetry(collector.url) });
    for (let index = 0; index < 1100; index++) server.services.tracer.span("chat m", {}).end();
    await server.close();
    const sizes = collector.received.map(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans.length ?? 0);
    expect(sizes.reduce((a, b) => a + b)).toBe(1100);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
  });

  test.each<[string, (url: string) => string]>([
    ["refuses", (url) => url],
    ["is not there", () => "http://127.0.0.1:1"],
  ])("are dropped, counted and logged once if the collector %s", async (_what, urlOf) => {
    await using collector = await startCollector(503);
    let log = "";
    const server = await startRoutes(
      [],
      { telemetry: telemetry(urlOf(collector.url)), log: { level: "info", format: "json" } },
      { write: (more) => (log += more) },
    );
    for (let index = 0; index < 1100; index++) server.services.tracer.span("chat m", {}).end();
    const { metrics } = server.services;
    await server.close();
    expect(metrics.text()).toContain("koine_spans_dropped_total 1100");
    expect(log.match(/telemetry not sent/g)).toHaveLength(1);
    expect(log).not.toContain("collector-secret");
  });

  test("have no effect without a collector", async () => {
    await using server = await startRoutes([]);
    const { tracer } = server.services;
    expect(tracer.span("a", {})).toBe(tracer.span("b", {}));
  });
});

describe("model calls of agents", () => {
  test("have spans and are counted, whether whole, streamed or failed", async () => {
    await using collector = await startCollector();
    const server = await startRoutes([], { telemetry: telemetry(collector.url) });
    const { clientContext, metrics, tracer } = server.services;
    const middleware = [observeAgentCalls(metrics, tracer)];
    const client = createClient({ ...clientContext.options, middleware });
    const messages: ModelRequest["messages"] = [{ role: "user", parts: [{ type: "text", text: "hello" }] }];
    const request: ModelRequest = { model: "demo/koine", messages };
    await client.complete(request);
    await client.stream(request).response();
    await expect(client.complete({ ...request, model: "demo/none" })).rejects.toThrow();
    await server.close();
    const spans = collector.received.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
    const spanFields = spans.map(({ name, attributes, status }) => [name, attributes, status]);
    const provider = { key: "gen_ai.provider.name", value: { stringValue: "demo" } };
    const tokens = { key: "gen_ai.usage.output_tokens", value: { intValue: expect.stringMatching(/^\d+$/) } };
    expect(spanFields).toMatchObject([
      ["chat demo/koine", expect.arrayContaining([provider, tokens]), {}],
      ["chat demo/koine", expect.arrayContaining([provider, tokens]), {}],
      ["chat demo/none", expect.arrayContaining([provider]), { code: 2 }],
    ]);
    expect(JSON.stringify(spans)).not.toContain("hello");
    expect(metrics.text()).toContain('koine_calls_total{dialect="agent",provider="demo",end="ok"} 2');
    expect(metrics.text()).toMatch(/koine_tokens_total\{provider="demo",direction="output"\} [1-9]/);
  });
});
