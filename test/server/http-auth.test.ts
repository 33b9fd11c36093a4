// Who is asking, by the token; and that nobody listens beyond loopback without one.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { completeConfig } from "../../src/server/config/defaults.ts";
import type { ConfigInput } from "../../src/server/config/defaults.ts";
import { createServer } from "../../src/server/server.ts";
import { startRoutes } from "./support/koine.ts";
import { json, route, whoami } from "./support/routes.ts";

const sha256 = (token: string): string => createHash("sha256").update(token).digest("hex");
const tenants: NonNullable<ConfigInput["tenants"]> = new Map([
  [
    "acme",
    {
      tokens: [
        { hash: sha256("koine_one"), name: "ann" },
        { hash: `sha256:${sha256("koine_two")}`, name: "bob" },
      ],
    },
  ],
  ["umbrella", { tokens: [{ hash: sha256("koine_three"), name: "cat" }], maxOpen: 1 }],
]);
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
  ])("%s says who is asking", async (_what, headers, query, who) => {
    await using server = await startRoutes([whoami], { tenants });
    expect(await (await fetch(`${server.url}/whoami${query}`, { headers })).json()).toStrictEqual(who);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ["no token", {}, /^A token is missing/],
    ["an unknown token", { authorization: "Bearer koine_four" }, /^The token is not known/],
    ["an empty token", { authorization: "Bearer " }, /^The token is not known/],
    ["the hash of a token", { authorization: `Bearer ${sha256("koine_one")}` }, /^The token is not known/],
  ])("%s is refused", async (_what, headers, message) => {
    await using server = await startRoutes([whoami], { tenants });
    const reply = await fetch(`${server.url}/whoami`, { headers });
    expect([reply.status, reply.headers.get("www-authenticate")]).toStrictEqual([401, 'Bearer realm="koine"']);
    const body = await reply.text();
    expect(JSON.parse(body)).toMatchObject({
      error: { code: "unauthorized", message: expect.stringMatching(message) },
    });
    expect(body).not.toContain("koine_four");
  });

  test("health needs no token, metrics do, and paths that nobody has tell nothing", async () => {
    await using server = await startRoutes([], { tenants });
    const statuses = ["/healthz", "/readyz", "/metrics"].map(async (path) => (await fetch(server.url + path)).status);
    expect(await Promise.all(statuses)).toStrictEqual([200, 200, 401]);
  });

  test("a tenant's own limit holds for it alone", async () => {
    const hold = Promise.withResolvers<void>();
    const slow = route("GET", "/slow", () => hold.promise.then(() => json({})), { countsAsOpenCall: true });
    await using server = await startRoutes([slow], { tenants });
    const ask = (token: string): Promise<Response> =>
      fetch(`${server.url}/slow`, { headers: { authorization: `Bearer ${token}` } });
    const first = ask("koine_three");
    await expect.poll(async () => (await Promise.race([ask("koine_three"), first])).status).toBe(429);
    const others = [ask("koine_one"), ask("koine_two")];
    hold.resolve();
    expect((await Promise.all([first, ...others])).map(({ status }) => status)).toStrictEqual([200, 200, 200]);
  });

  test("a token that is not given by its digest is refused at the start", async () => {
    const config = { tenants: new Map([["acme", { tokens: [{ hash: "koine_one", name: "ann" }] }]]) };
    await expect(startRoutes([], config)).rejects.toMatchObject({
      code: "configuration",
      path: "/tenants/acme/tokens",
    });
  });

  test("a route's own words are used for a refusal", async () => {
    const worded = route("GET", "/worded", () => json({}), {
      formatError: ({ status, message }) => json({ type: "error", message }, status),
    });
    await using server = await startRoutes([worded], { tenants });
    const reply = await fetch(`${server.url}/worded`);
    expect([reply.status, await reply.json()]).toMatchObject([401, { type: "error" }]);
  });
});

describe("without tenants", () => {
  test("whoever can reach it is the default tenant, whatever key they send", async () => {
    await using server = await startRoutes([whoami]);
    const reply = await fetch(`${server.url}/whoami`, { headers: { authorization: "Bearer sk-anything" } });
    expect(await reply.json()).toStrictEqual({ tenant: "default", scope: "local", ledger: "default" });
  });

  test.each<[string, ConfigInput, boolean]>([
    ["it does not listen beyond loopback", { host: "0.0.0.0" }, false],
    ["it does where the configuration says so", { host: "0.0.0.0", unprotected: true }, true],
    ["with tenants it does", { host: "0.0.0.0", tenants }, true],
  ])("%s", async (_what, config, listens) => {
    const log = { level: "silent", format: "json" } as const;
    // A folder that is not there: whoever opens the ledger fails with another error.
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

  test("a port that is taken is one clear sentence", async () => {
    await using first = await startRoutes([]);
    const port = Number(new URL(first.url).port);
    await expect(startRoutes([], { port })).rejects.toMatchObject({
      code: "configuration",
      path: "/port",
      message: `Port ${port} on 127.0.0.1 is taken: stop what listens there, or use another one (--port).`,
    });
  });
});
