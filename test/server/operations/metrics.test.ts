// Metrics in Prometheus' text format, and the metrics of every exchange.
import { describe, expect, test, vi } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { createMetrics } from "../../../src/server/operations/prometheus.ts";
import { startRoutes } from "../support/start-koine.ts";
import { json, route } from "../support/test-routes.ts";

describe("metrics", () => {
  test("are written in the exposition format", () => {
    const metrics = createMetrics();
    metrics.counter("calls_total", "Calls.").add(2, { kind: 'a "b"\\\n', end: "ok" });
    metrics.counter("calls_total", "Calls.").add();
    metrics.gauge("open", "Open.").set(3);
    metrics.gauge("open", "Open.").add(-1);
    const times = metrics.histogram("seconds", "Times.", [1, 0.1]);
    for (const each of [0.05, 0.1, 0.5, 7]) times.observe(each, { route: "x" });
    expect(metrics.text()).toBe(
      [
        "# HELP calls_total Calls.",
        "# TYPE calls_total counter",
        String.raw`calls_total{kind="a \"b\"\\\n",end="ok"} 2`,
        "calls_total 1",
        "# HELP open Open.",
        "# TYPE open gauge",
        "open 2",
        "# HELP seconds Times.",
        "# TYPE seconds histogram",
        'seconds_bucket{route="x",le="0.1"} 2',
        'seconds_bucket{route="x",le="1"} 3',
        'seconds_bucket{route="x",le="+Inf"} 4',
        'seconds_sum{route="x"} 7.65',
        'seconds_count{route="x"} 4',
        "",
      ].join("\n"),
    );
  });

  test("with one name have one kind", () => {
    const metrics = createMetrics();
    metrics.counter("calls", "Calls.");
    expect(() => metrics.gauge("calls", "Calls.")).toThrow("The metric calls is a counter already.");
  });

  test("with many labels stay bounded and lose no counts", () => {
    const metrics = createMetrics();
    const calls = metrics.counter("calls", "Calls.");
    for (let index = 0; index < 5000; index++) calls.add(1, { model: `m${index}` });
    const values = metrics
      .text()
      .split("\n")
      .filter((line) => line.startsWith("calls{"));
    expect(values.length).toBeLessThan(2100);
    expect(values.map((line) => Number(line.split(" ").at(-1))).reduce((a, b) => a + b)).toBe(5000);
  });
});

describe("the server counts", () => {
  test("requests by route and status, streams and open calls, and never by path values", async () => {
    const stream = route(
      "GET",
      "/stream",
      () => ({ status: 200, headers: {}, body: async (sink) => void sink.write("x") }),
      {
        countsAsOpenCall: true,
      },
    );
    await using server = await startRoutes([route("GET", "/things/:id", () => json({})), stream]);
    for (const path of ["/things/secret-id", "/things/other", "/nothing", "/stream"]) {
      await (await fetch(server.url + path)).text();
    }
    const reply = await fetch(`${server.url}/metrics`);
    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await reply.text();
    for (const line of [
      'koine_requests_total{route="GET /things/:id",status="200"} 2',
      'koine_requests_total{route="none",status="404"} 1',
      'koine_request_seconds_count{route="GET /stream"} 1',
      'koine_streams_total{route="GET /stream",end="whole"} 1',
      "koine_open_calls 0",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).not.toContain("secret-id");
  });
});

describe("readiness", () => {
  test("fails if the ledger does not respond", async () => {
    await using server = await startRoutes([]);
    await server.ledger.close();
    const reply = await fetch(`${server.url}/readyz`);
    expect([reply.status, await reply.json()]).toStrictEqual([
      503,
      { status: "unavailable", reason: "the ledger does not answer" },
    ]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("queries the ledger once for concurrent requests, and logs changes of its state", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const inner = await openLedger("memory:");
      let queryCount = 0;
      let fault: Error | undefined;
      const threads: Ledger["threads"] = async (options) => {
        queryCount++;
        if (fault !== undefined) throw fault;
        return inner.threads(options);
      };
      const ledger = new Proxy(inner, {
        get: (target, name) => {
          if (name === "threads") return threads;
          // Methods are bound to the ledger itself.
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      let log = "";
      const settings = { log: { level: "info", format: "json" } as const };
      const server = await startRoutes([], settings, { ledger, write: (lines) => (log += lines) });
      const ready = async (times: number): Promise<number[]> => {
        const request = (): Request => new Request("http://localhost/readyz");
        const replies = await Promise.all(Array.from({ length: times }, () => server.fetch(request())));
        return [...new Set(replies.map(({ status }) => status))];
      };
      expect([await ready(5), queryCount]).toStrictEqual([[200], 1]);
      fault = new Error("away");
      expect([await ready(1), queryCount]).toStrictEqual([[200], 1]);
      for (let round = 0; round < 3; round++) {
        vi.advanceTimersByTime(1000);
        expect(await ready(2)).toStrictEqual([503]);
      }
      fault = undefined;
      vi.advanceTimersByTime(1000);
      expect([await ready(2), queryCount]).toStrictEqual([[200], 5]);
      vi.useRealTimers();
      await server.close();
      expect(log.match(/"ledger unavailable"/g)).toHaveLength(1);
      expect(log.match(/"ledger available"/g)).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("threads from before tenants were configured", () => {
  test.each<[string, string[], boolean, boolean]>([
    ["are logged as a warning if no tenant can reach them", ["acme"], true, true],
    ["are ignored if a tenant has that name", ["acme", "default"], true, false],
    ["are ignored if there are none", ["acme"], false, false],
    ["are ignored without tenants", [], true, false],
  ])("%s", async (_what, names, isThere, isReported) => {
    const ledger = await openLedger("memory:");
    if (isThere) await ledger.createThread();
    let log = "";
    const tenants = Object.fromEntries(
      names.map((name, index) => [name, { tokens: [{ hash: `sha256:${`${index}`.repeat(64)}`, name }] }]),
    );
    const settings = { tenants, log: { level: "info", format: "json" } as const };
    const server = await startRoutes([], settings, { ledger, write: (lines) => (log += lines) });
    await server.close();
    expect(log.includes('belong to \\"default\\"')).toBe(isReported);
  });
});
