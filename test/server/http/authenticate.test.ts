// Authentication by token, and no listening beyond loopback without one.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { createServer } from "../../../src/server/server.ts";
import { startRoutes } from "../support/start-koine.ts";
import { json, route, whoami } from "../support/test-routes.ts";

const sha256 = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const tenants: NonNullable<ConfigInput["tenants"]> = {
  acme: {
    tokens: [
      { hash: sha256("koine_one"), name: "ann" },
      { hash: sha256("koine_two").toUpperCase().replace("SHA", "sha"), name: "bob" },
    ],
  },
  umbrella: { tokens: [{ hash: sha256("koine_three"), name: "cat" }], maxOpen: 1 },
};
const ann = { tenant: "acme", scope: "ann", ledger: "acme" };

describe("with tenants", () => {
  test.each<[string, Record<string, string>, string, object]>([
    ["a bearer token", { authorization: "Bearer koine_one" }, "", ann],
    ["a bearer token in small letters", { authorization: "bearer  koine_one" }, "", ann],
    ["Anthropic's header", { "x-api-key": "koine_two" }, "", { tenant: "acme", scope: "bob", ledger: "acme" }],
    [
      "Gemini's header",
      { "x-goog-api-key": "koine_three" },
      "",
      { tenant: "umbrella", scope: "cat", ledger: "umbrella" },
    ],
    ["Gemini's query", {}, "?key=koine_one", ann],
    ["one good token of several", { authorization: "Bearer wrong", "x-api-key": "koine_one" }, "", ann],
  ])("%s identifies the caller", async (_what, headers, query, who) => {
    await using server = await startRoutes([whoami], { tenants });
    expect(await (await fetch(`${server.url}/whoami${query}`, { headers })).json()).toStrictEqual(who);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ["no token", {}, /^The token is missing/],
    ["an unknown token", { authorization: "Bearer koine_four" }, /^The token is unknown/],
    ["an empty token", { authorization: "Bearer " }, /^The token is unknown/],
    [
      "the hash of a token",
      { authorization: `Bearer ${sha256("koine_one").replace("sha256:", "")}` },
      /^The token is unknown/,
    ],
  ])("%s is rejected", async (_what, headers, message) => {
    await using server = await startRoutes([whoami], { tenants });
    const reply = await fetch(`${server.url}/whoami`, { headers });
    expect([reply.status, reply.headers.get("www-authenticate")]).toStrictEqual([401, 'Bearer realm="koine"']);
    const body = await reply.text();
    expect(JSON.parse(body)).toMatchObject({
      error: { code: "unauthorized", message: expect.stringMatching(message) },
    });
    expect(body).not.toContain("koine_four");
  });

  test("health needs no token, metrics do, and unknown paths reveal nothing", async () => {
    await using server = await startRoutes([], { tenants });
    const statuses = ["/healthz", "/readyz", "/metrics"].map(async (path) => (await fetch(server.url + path)).status);
    expect(await Promise.all(statuses)).toStrictEqual([200, 200, 401]);
  });

  test("a tenant's limit applies to it alone", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = route("GET", "/slow", () => gate.promise.then(() => json({})), { countsAsOpenCall: true });
    await using server = await startRoutes([slow], { tenants });
    const request = (token: string): Promise<Response> =>
      fetch(`${server.url}/slow`, { headers: { authorization: `Bearer ${token}` } });
    const first = request("koine_three");
    await expect.poll(async () => (await Promise.race([request("koine_three"), first])).status).toBe(429);
    const others = [request("koine_one"), request("koine_two")];
    gate.resolve();
    expect((await Promise.all([first, ...others])).map(({ status }) => status)).toStrictEqual([200, 200, 200]);
  });

  test("a token that is not a digest is rejected at the start", async () => {
    const config = {
      ...completeConfig(),
      tenants: new Map([["acme", { tokens: [{ hash: "koine_one", name: "ann" }] }]]),
    };
    await expect(createServer(config)).rejects.toMatchObject({ code: "configuration", path: "/tenants/acme/tokens" });
  });

  test("a rejection has the format of the route", async () => {
    const worded = route("GET", "/worded", () => json({}), {
      formatError: ({ status, message }) => json({ type: "error", message }, status),
    });
    await using server = await startRoutes([worded], { tenants });
    const reply = await fetch(`${server.url}/worded`);
    expect([reply.status, await reply.json()]).toMatchObject([401, { type: "error" }]);
  });
});

describe("without tenants", () => {
  test("every caller is the default tenant, with any key", async () => {
    await using server = await startRoutes([whoami]);
    const reply = await fetch(`${server.url}/whoami`, { headers: { authorization: "Bearer sk-anything" } });
    expect(await reply.json()).toStrictEqual({ tenant: "default", scope: "local", ledger: "default" });
  });

  test.each<[string, ConfigInput, boolean]>([
    ["it does not listen beyond loopback", { host: "0.0.0.0" }, false],
    ["it does if the configuration allows it", { host: "0.0.0.0", unprotected: true }, true],
    ["with tenants it does", { host: "0.0.0.0", tenants }, true],
  ])("%s", async (_what, config, listens) => {
    const log = { level: "silent", format: "json" } as const;
    // A missing folder: opening the ledger would fail with another error.
    const ledger = listens ? {} : { url: "sqlite:/nowhere/koine.db" };
    const started = createServer(completeConfig({ port: 0, lameDuckMs: 0, log, ledger, ...config }));
    if (listens) {
      await using server = await started;
      await server.listen();
      return;
    }
    await expect(started).rejects.toMatchObject({
      code: "configuration",
      path: "/host",
      message: expect.stringContaining("koine token create"),
      mistakes: [{ path: "/host" }],
    });
  });

  test("a port in use is one clear message", async () => {
    await using first = await startRoutes([]);
    const port = Number(new URL(first.url).port);
    await expect(startRoutes([], { port })).rejects.toMatchObject({
      code: "configuration",
      path: "/port",
      message: `Port ${port} on 127.0.0.1 is in use: stop the process that uses it, or choose another port (--port).`,
    });
  });
});
