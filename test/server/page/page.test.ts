// The page's files over HTTP: content, caching and encoding.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import { pageModule } from "../../../src/server/page/index.ts";
import { serveModules } from "../../../src/server/serve-modules.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { createServices } from "../../../src/server/services.ts";
import { startKoine } from "../support/start-koine.ts";

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ tenants: { acme: { tokens: [{ hash: `sha256:${"0".repeat(64)}`, name: "a" }] } } });
});
afterAll(() => koine.close());

interface RawReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Returns the encoded bytes; `fetch` would decode them. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<RawReply> {
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
    "%s serves it without a token",
    async (path) => {
      const { status, headers, body } = await get(path);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(body.toString()).toContain("<title>Koine</title>");
    },
  );

  test("its policy allows only scripts, resources and connections of the server", async () => {
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

  test("is revalidated each time, and not sent again if unchanged", async () => {
    const { headers } = await get("/");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await get("/", { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.body.length]).toStrictEqual([304, 0]);
    expect((await get("/", { "if-none-match": '"another"' })).status).toBe(200);
  });
});

describe("a file", () => {
  test("is cached forever", async () => {
    const { headers } = await get(await firstAsset());
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  test("has the best encoding that the client accepts", async () => {
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

  test("HEAD has its length and no body", async () => {
    const path = await firstAsset();
    const { headers, body } = await get(path, {}, "HEAD");
    expect(body.length).toBe(0);
    expect(Number(headers["content-length"])).toBe((await get(path)).body.length);
  });

  test.each(["/assets/none.js", "/assets/..%2F..%2F..%2Fpackage.json", "/assets/%2e%2e", "/assets/index.html"])(
    "%s is not a file of the page",
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
  ])("shows one %s, without scripts and with its own origin", async (kind, element) => {
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
    "rejects %j",
    async (url) => {
      expect((await get(`/remote?url=${encodeURIComponent(url)}`)).status).toBe(400);
    },
  );

  test("a URL cannot break out of its attribute", async () => {
    const { body } = await get(`/remote?url=${encodeURIComponent(`https://e.com/"'><script>alert(1)</script>`)}`);
    expect(body.toString()).not.toContain("<script");
    expect(body.toString().match(/<img [^>]*>/)?.[0]).toMatch(/^<img src="[^"'<>]*" alt="Remote image">$/);
  });
});

describe("if the page was not built", () => {
  test("the error names the command, and the page is served once it exists", async () => {
    const folder = mkdtempSync(join(tmpdir(), "koine-no-page-"));
    const services = await createServices(completeConfig({ port: 0, log: { level: "silent", format: "json" } }), {});
    const server = serveModules(services, [pageModule(pathToFileURL(`${folder}/`))]);
    try {
      const missing = await server.fetch(new Request("http://127.0.0.1/"));
      expect([missing.status, await missing.text()]).toStrictEqual([
        404,
        expect.stringContaining("npm run build:page"),
      ]);
      // An incomplete build without its document.
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

  test("an unreadable folder is read again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "koine-no-page-"));
    const pageFolder = join(folder, "page");
    writeFileSync(pageFolder, "This is no folder.");
    const services = await createServices(completeConfig({ port: 0, log: { level: "silent", format: "json" } }), {});
    const server = serveModules(services, [pageModule(pathToFileURL(`${pageFolder}/`))]);
    try {
      expect((await server.fetch(new Request("http://127.0.0.1/"))).status).toBe(500);
      rmSync(pageFolder);
      mkdirSync(pageFolder);
      writeFileSync(join(pageFolder, "index.html"), "<title>Here</title>");
      expect((await server.fetch(new Request("http://127.0.0.1/"))).status).toBe(200);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
