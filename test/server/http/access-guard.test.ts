// Allowed hosts and origins, and the headers for browsers.
import { describe, expect, test } from "vitest";
import { createAccessGuard } from "../../../src/server/http/access-guard.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { startRoutes } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { echo, json, route } from "../support/test-routes.ts";

const routes = [echo(), route("GET", "/thing", () => json({ thing: 1 }))];

/** Sends headers that `fetch` does not allow a page to set. */
async function request(
  url: string,
  lines: string,
  method = "GET",
  path = "/thing",
): Promise<{ status: number; text: string }> {
  using client = connectRaw(url);
  client.write(`${method} ${path} HTTP/1.1\r\nConnection: close\r\n${lines}\r\n\r\n`);
  const text = await client.closed();
  return { status: Number(text.slice(9, 12)), text };
}

describe("the Host header", () => {
  test.each<[string, Pick<ConfigInput, "host" | "hosts">, string, boolean]>([
    ["localhost is known", {}, "localhost:4141", true],
    ["a subdomain of localhost is accepted", {}, "koine.localhost", true],
    ["the listening address is accepted", {}, "127.0.0.1:4141", true],
    ["the other loopback address is accepted", {}, "[::1]:4141", true],
    ["the case is ignored", {}, "LocalHost:80", true],
    ["a rebound name is rejected", {}, "evil.example:4141", false],
    ["a name that only starts with an accepted name is rejected", {}, "localhost.evil.example", false],
    ["a name that starts with an address is rejected", {}, "127.evil.example", false],
    ["an address of another machine is rejected on loopback", {}, "192.0.2.7:4141", false],
    ["any address is accepted beyond loopback", { host: "0.0.0.0" }, "192.0.2.7:4141", true],
    ["no other name is accepted beyond loopback", { host: "0.0.0.0" }, "evil.example", false],
    ["a configured name is accepted", { hosts: ["koine.example"] }, "koine.example:443", true],
    ["the configured listening name is accepted", { host: "box.lan" }, "box.lan:4141", true],
    ["every host is allowed if the configuration allows it", { hosts: ["*"] }, "any.example", true],
    ["an empty name is rejected", {}, "", false],
  ])("%s", (_what, config, host, isKnown) => {
    const guard = createAccessGuard({ host: "127.0.0.1", hosts: [], origins: [], ...config });
    const check = (): unknown => guard.check("GET", { host });
    if (isKnown) expect(check()).toBeUndefined();
    else expect(check).toThrow(/^The host .* is not allowed: .*"hosts"/);
  });

  test("is checked before anything else, even if the target names the host", async () => {
    await using server = await startRoutes(routes);
    const rebound = await request(server.url, "Host: evil.example");
    expect(rebound.status).toBe(403);
    expect(rebound.text).toContain('"code":"forbidden"');
    expect(rebound.text).toContain('\\"hosts\\" in koine.config.json');
    expect((await request(server.url, "Host: localhost", "GET", "http://evil.example/thing")).status).toBe(403);
    expect((await request(server.url, "Host: localhost", "GET", "http://localhost/thing")).status).toBe(200);
    expect((await request(server.url, "Host: localhost")).status).toBe(200);
  });
});

describe("a page that calls the server", () => {
  test.each<[string, readonly string[], Record<string, string>, boolean]>([
    ["of the server itself is served", [], { origin: "http://localhost:4141" }, true],
    ["of an allowed origin is served", ["https://app.example"], { origin: "https://app.example" }, true],
    ["of any origin is allowed if the configuration allows it", ["*"], { origin: "https://app.example" }, true],
    ["of another origin is rejected", [], { origin: "https://evil.example" }, false],
    ["of another port is rejected", [], { origin: "http://localhost:3000" }, false],
    ["with an opaque origin is rejected", [], { origin: "null" }, false],
    ["that embeds a resource is rejected", [], { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, false],
    ["that links to the server is served", [], { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, true],
    [
      "that a user enters in the address bar is served",
      [],
      { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
      true,
    ],
  ])("%s", (_what, origins, headers, isAllowed) => {
    const guard = createAccessGuard({ host: "127.0.0.1", hosts: [], origins });
    const check = (): unknown => guard.check("GET", { host: "localhost:4141", ...headers });
    if (isAllowed) expect(check).not.toThrow();
    else expect(check).toThrow(/^The origin .* is not allowed: add it to "origins"/);
  });

  test("gets a preflight reply with its permissions", async () => {
    await using server = await startRoutes(routes, { origins: ["https://app.example"] });
    const preflight = await fetch(`${server.url}/echo`, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, x-koine-thread",
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "authorization, x-koine-thread",
      vary: expect.stringContaining("origin"),
    });
    const reply = await fetch(`${server.url}/echo`, {
      method: "POST",
      body: "{",
      headers: { origin: "https://app.example" },
    });
    // Error replies can be read too.
    expect(reply.status).toBe(400);
    expect(reply.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(reply.headers.get("access-control-expose-headers")).toContain("x-koine-thread");
  });

  test("of an origin that is not allowed receives nothing", async () => {
    await using server = await startRoutes(routes);
    const preflight = await fetch(`${server.url}/echo`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect(preflight.status).toBe(403);
    expect([...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))).toStrictEqual([]);
  });
});

describe("every reply", () => {
  test("is marked as data, not a page, and has an id", async () => {
    await using server = await startRoutes(routes);
    const replies = [await fetch(`${server.url}/thing`), await fetch(`${server.url}/nothing`)];
    for (const reply of replies) {
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
        "cross-origin-resource-policy": "same-origin",
      });
    }
    const ids = replies.map((reply) => reply.headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(2);
  });

  test("to HEAD equals that to GET without its body", async () => {
    await using server = await startRoutes(routes);
    const reply = await fetch(`${server.url}/thing`, { method: "HEAD" });
    expect([reply.status, reply.headers.get("content-length"), await reply.text()]).toStrictEqual([200, "11", ""]);
  });

  test("to OPTIONS names the methods", async () => {
    await using server = await startRoutes(routes);
    const reply = await fetch(`${server.url}/thing`, { method: "OPTIONS" });
    expect([reply.status, reply.headers.get("allow")]).toStrictEqual([204, "GET, HEAD, OPTIONS"]);
  });
});
