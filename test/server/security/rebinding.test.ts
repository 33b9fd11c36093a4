// DNS rebinding: a web page in the browser of a user who runs the server receives nothing, whatever host name and
// origin it uses. Raw connections, because HTTP clients do not send such requests.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { pathTo, ROUTES, titled } from "./routes.ts";

let koine: KoineServer;
let port = "";
beforeAll(async () => {
  koine = await startKoine({ hosts: ["koine.example"], origins: ["https://app.example"] });
  ({ port } = new URL(koine.url));
});
afterAll(() => koine.close());

/** Returns the reply to a raw request; `%` is the server's port. */
async function sendRaw(target: string, lines: readonly string[], method = "GET", version = "1.1"): Promise<string> {
  using client = connectRaw(koine.url);
  const text = [`${method} ${target} HTTP/${version}`, ...lines, "Connection: close", "", ""].join("\r\n");
  client.write(text.replaceAll("%", port));
  return await client.closed();
}

const statusOf = (text: string): number => Number(text.slice(9, 12));

describe("a server on loopback is reached as", () => {
  test.each<[host: string, status: number]>([
    ["localhost", 200],
    ["localhost:%", 200],
    ["LOCALHOST:%", 200],
    ["127.0.0.1:%", 200],
    ["127.1.2.3", 200],
    ["[::1]:%", 200],
    ["koine.example", 200],
    ["Koine.Example:443", 200],
    ["page.localhost:%", 200],
    ["evil.example", 403],
    ["evil.example:%", 403],
    ["EVIL.example:80", 403],
    ["evil.example.", 403],
    ["koine.example.evil.example", 403],
    ["evil-koine.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["127.0.0.1.nip.io:%", 403],
    ["localhost.", 403],
    ["127.0.0.1.", 403],
    ["127.1", 403],
    ["2130706433", 403],
    ["0x7f000001", 403],
    ["0.0.0.0:%", 403],
    ["192.0.2.7:%", 403],
    ["[::ffff:192.0.2.7]:%", 403],
    ["[2001:db8::1]:%", 403],
    ["[::1].evil.example", 403],
    ["[::1]evil.example:%", 403],
    ["[localhost].evil.example", 403],
    ["[localhostx", 403],
    ["localhost:evil.example", 403],
    ["localhost:%:evil", 403],
    ["localhost@evil.example", 403],
    ["evil.example#localhost", 403],
    ["localhost/evil.example", 403],
    ["localhost, evil.example", 403],
    ["", 403],
  ])("%j: %i", async (host, status) => {
    const received = await sendRaw("/healthz", [`Host: ${host}`]);
    expect(statusOf(received), received).toBe(status);
    if (status === 403) expect(received).toContain('"code":"forbidden"');
  });

  test("a request without a host: a browser always sends one, and other clients get an error", async () => {
    expect(statusOf(await sendRaw("/healthz", []))).toBe(400);
  });

  test("two hosts at once: the first one counts", async () => {
    expect(statusOf(await sendRaw("/healthz", ["Host: evil.example", "Host: localhost"]))).toBeGreaterThanOrEqual(400);
    const received = await sendRaw("/v1/threads", [
      "Host: localhost",
      "Host: evil.example",
      "Origin: http://evil.example",
    ]);
    expect(statusOf(received)).toBeGreaterThanOrEqual(400);
  });

  test("an absolute target: its host counts, not the header", async () => {
    expect(statusOf(await sendRaw("http://localhost:%/healthz", ["Host: localhost"]))).toBe(200);
    expect(statusOf(await sendRaw("http://evil.example/healthz", ["Host: localhost:%"]))).toBe(403);
    expect(statusOf(await sendRaw("https://evil.example:%/healthz", ["Host: 127.0.0.1"]))).toBe(403);
    expect(statusOf(await sendRaw("http://localhost@evil.example/healthz", ["Host: localhost"]))).toBe(403);
    expect(statusOf(await sendRaw("HTTP://EVIL.EXAMPLE/healthz", ["Host: localhost"]))).toBe(403);
    // No redirect to another host.
    expect(statusOf(await sendRaw("evil.example:443", ["Host: localhost"], "CONNECT"))).not.toBe(200);
    expect(statusOf(await sendRaw("//evil.example/healthz", ["Host: localhost"]))).toBe(404);
  });

  test("hosts in other headers: none of them counts", async () => {
    for (const line of ["X-Forwarded-Host: localhost", "Forwarded: host=localhost", "X-Host: localhost"]) {
      expect(statusOf(await sendRaw("/healthz", ["Host: evil.example", line]))).toBe(403);
    }
  });
});

describe("a page with the origin", () => {
  test.each<[origin: string, status: number]>([
    ["http://localhost:%", 200],
    ["HTTP://LOCALHOST:%", 200],
    ["https://app.example", 200],
    ["http://evil.example", 403],
    ["http://localhost", 403],
    ["http://localhost:1", 403],
    ["http://localhost:%.evil.example", 403],
    ["http://127.0.0.1:%", 403],
    ["https://app.example.evil.example", 403],
    ["http://app.example", 403],
    ["https://app.example:444", 403],
    ["https://evil.example/https://app.example", 403],
    ["null", 403],
    ["", 403],
    ["file://", 403],
    ["chrome-extension://abcdefgh", 403],
    ["*", 403],
  ])("%j is allowed: %i", async (origin, status) => {
    const received = await sendRaw("/v1/threads", ["Host: localhost:%", `Origin: ${origin}`]);
    expect(statusOf(received), received).toBe(status);
    const allowed = /access-control-allow-origin: (.*)\r/i.exec(received)?.[1];
    expect(allowed).toBe(origin === "https://app.example" ? origin : undefined);
  });

  test.each(titled(ROUTES))(
    "of another site is rejected by %s, also in its preflight",
    async (_, { method, paths }) => {
      const lines = ["Host: localhost:%", "Origin: https://evil.example"];
      const path = pathTo(paths[0]);
      const [reply, before] = await Promise.all([
        sendRaw(path, [...lines, "Content-Length: 0"], method),
        sendRaw(path, [...lines, `Access-Control-Request-Method: ${method}`], "OPTIONS"),
      ]);
      for (const received of [reply, before]) {
        expect(statusOf(received), received).toBe(403);
        expect(received.toLowerCase()).not.toContain("access-control-allow");
      }
    },
  );

  test("that is allowed may send its request, and no other may read the reply", async () => {
    const received = await sendRaw(
      "/v1/messages",
      [
        "Host: localhost:%",
        "Origin: https://app.example",
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization, x-koine-thread",
      ],
      "OPTIONS",
    );
    expect(statusOf(received)).toBe(204);
    expect(received).toMatch(/access-control-allow-origin: https:\/\/app\.example\r/i);
    expect(received).toMatch(/vary: origin/i);
    expect(received).not.toMatch(/access-control-allow-credentials/i);
  });

  test("without an origin that embeds or posts a form from another site is rejected", async () => {
    for (const mode of ["no-cors", "cors", "navigate"]) {
      const lines = ["Host: localhost:%", "Sec-Fetch-Site: cross-site", `Sec-Fetch-Mode: ${mode}`, "Content-Length: 2"];
      expect(statusOf(await sendRaw("/v1/threads", [...lines, "", "{}"], "POST"))).toBe(403);
    }
  });
});
