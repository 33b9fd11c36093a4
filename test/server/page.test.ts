// The page's files over HTTP: the right ones, under names that may be kept, in the form that the client takes.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeConfig } from "../../src/server/config/defaults.ts";
import { pagePart } from "../../src/server/page/index.ts";
import { serveParts } from "../../src/server/serve-parts.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { makeServices } from "../../src/server/services.ts";
import { startKoine } from "./support/koine.ts";

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({
    tenants: new Map([["acme", { tokens: [{ hash: `sha256:${"0".repeat(64)}`, name: "a" }] }]]),
  });
});
afterAll(() => koine.close());

interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** As it came: fetch would undo the encoding. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(koine.url, { path, method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject).end();
  });
}

async function firstAsset(): Promise<string> {
  const { body } = await get("/");
  const [, path = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(body.toString()) ?? [];
  expect(path).toMatch(/^\/assets\/.+-[\w-]{8}\.js$/);
  return path;
}

describe("the document", () => {
  test.each(["/", "/new", "/t/01ABC", "/t/an%20id/inspect", "/translate"])(
    "%s answers it without a token",
    async (path) => {
      const { status, headers, body } = await get(path);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(body.toString()).toContain("<title>Koine</title>");
    },
  );

  test("its policy lets nothing run, load or call but what is the server's own", async () => {
    const { headers } = await get("/");
    const policy = Object.fromEntries(
      String(headers["content-security-policy"])
        .split("; ")
        .map((each) => [each.split(" ")[0], each.split(" ").slice(1).join(" ")]),
    );
    expect(policy).toMatchObject({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
    });
    expect(JSON.stringify(policy)).not.toMatch(/unsafe|https?:|\*/);
  });

  test("is asked for again each time, and not sent again where it is the same", async () => {
    const { headers } = await get("/");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await get("/", { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.body.length]).toStrictEqual([304, 0]);
    expect((await get("/", { "if-none-match": '"another"' })).status).toBe(200);
  });
});

describe("a file", () => {
  test("is kept for good", async () => {
    const { headers } = await get(await firstAsset());
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  test("comes compressed in the best way that the client takes", async () => {
    const path = await firstAsset();
    const plain = await get(path);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const br = await get(path, { "accept-encoding": "gzip, deflate, br" });
    expect(br.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    const gzip = await get(path, { "accept-encoding": "gzip;q=1.0, br;q=0" });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(br.headers["vary"]).toBe("accept-encoding");
  });

  test("HEAD says how long it is, and nothing more", async () => {
    const path = await firstAsset();
    const { headers, body } = await get(path, {}, "HEAD");
    expect(body.length).toBe(0);
    expect(Number(headers["content-length"])).toBe((await get(path)).body.length);
  });

  test.each(["/assets/none.js", "/assets/..%2F..%2F..%2Fpackage.json", "/assets/%2e%2e", "/assets/index.html"])(
    "%s is none of the page's",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe("the frame for remote media", () => {
  test.each([
    ["image", "img"],
    ["audio", "audio"],
    ["video", "video"],
  ])("shows one %s, without scripts and in an origin of its own", async (kind, element) => {
    const { status, headers, body } = await get(
      `/remote?kind=${kind}&url=${encodeURIComponent("https://example.com/a?b=1&c")}`,
    );
    expect(status).toBe(200);
    expect(body.toString()).toContain(`<${element} src="https://example.com/a?b=1&#38;c"`);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).toMatch(/; sandbox$/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  test.each(["", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com/x", "https://"])(
    "refuses %j",
    async (url) => {
      expect((await get(`/remote?url=${encodeURIComponent(url)}`)).status).toBe(400);
    },
  );

  test("an address cannot leave its attribute", async () => {
    const { body } = await get(`/remote?url=${encodeURIComponent(`https://e.com/"'><script>alert(1)</script>`)}`);
    expect(body.toString()).not.toContain("<script");
    expect(body.toString().match(/<img [^>]*>/)?.[0]).toMatch(/^<img src="[^"'<>]*" alt="Remote image">$/);
  });
});

describe("where the page was not built", () => {
  test("the server says how to, and serves it once it is there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "koine-no-page-"));
    const services = await makeServices(completeConfig({ port: 0, log: { level: "silent", format: "json" } }), {});
    const server = serveParts(services, [pagePart(pathToFileURL(`${folder}/`))]);
    try {
      const missing = await server.fetch(new Request("http://127.0.0.1/"));
      expect([missing.status, await missing.text()]).toStrictEqual([
        404,
        expect.stringContaining("npm run build:page"),
      ]);
      // Half of it is there: its document is not.
      mkdirSync(join(folder, "assets"));
      writeFileSync(join(folder, "assets", "a.js"), "1");
      expect((await server.fetch(new Request("http://127.0.0.1/"))).status).toBe(404);
      writeFileSync(join(folder, "index.html"), "<title>Here</title>");
      expect(await (await server.fetch(new Request("http://127.0.0.1/"))).text()).toBe("<title>Here</title>");
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });

  test("a folder that could not be read is read again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "koine-no-page-"));
    const place = join(folder, "page");
    writeFileSync(place, "This is no folder.");
    const services = await makeServices(completeConfig({ port: 0, log: { level: "silent", format: "json" } }), {});
    const server = serveParts(services, [pagePart(pathToFileURL(`${place}/`))]);
    try {
      expect((await server.fetch(new Request("http://127.0.0.1/"))).status).toBe(500);
      rmSync(place);
      mkdirSync(place);
      writeFileSync(join(place, "index.html"), "<title>Here</title>");
      expect((await server.fetch(new Request("http://127.0.0.1/"))).status).toBe(200);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
