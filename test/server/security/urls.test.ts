// No SSRF: the server calls only the URLs of its settings. URLs in requests, conversations and provider replies are
// never fetched.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { httpReply, PROTOCOLS, rawUpstream, type RawUpstream } from "./raw-upstream.ts";
import { jsonOf, type SentRequest, sendAndRead, textAt } from "./support.ts";
import { replySeeds } from "./wire-seeds.ts";

/** All requests to the trap. */
const hits: string[] = [];
const server = createServer((request, response) => {
  hits.push(`${request.method} ${request.url}`);
  response.writeHead(200, { "content-type": "image/png" }).end("caught");
});
let trap = "";
let koine: KoineServer;
let upstream: RawUpstream;
const REPLIES = new Map(PROTOCOLS.map((dialect) => [dialect, JSON.stringify(replySeeds(dialect)[0]?.whole)]));

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  trap = `http://127.0.0.1:${(server.address() as AddressInfo).port}/trap`; // it listens on a port
  upstream = await rawUpstream(({ path, body }) => {
    if (body.includes("redirect me"))
      return { bytes: httpReply(307, { location: trap, refresh: `0; url=${trap}` }, "") };
    const dialect = PROTOCOLS.find((each) => path.startsWith(`/${each}/`)) ?? "anthropic";
    // A provider's answer may contain URLs too.
    const text = (REPLIES.get(dialect) ?? "").replaceAll("It is 24 °C in Sparta.", `![a](${trap}/link) ${trap}/link`);
    return { bytes: httpReply(200, { "content-type": "application/json", link: `<${trap}>; rel=next` }, text) };
  });
  const providers = Object.fromEntries(PROTOCOLS.map((dialect) => [dialect, upstream.provider(dialect)]));
  koine = await startKoine({ providers: { demo: demo(), ...providers } });
});
afterAll(async () => {
  await koine.close();
  await upstream[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
});

/** Requests with URLs in every position of each protocol. */
const ADDRESSED: readonly [string, (model: string, url: string) => SentRequest][] = [
  [
    "Chat",
    (model, url) => ({
      method: "POST",
      path: "/v1/chat/completions",
      body: {
        model,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: `Look at ${url}` },
              { type: "image_url", image_url: { url: `${url}/image.png`, detail: "high" } },
              { type: "file", file: { file_id: url, filename: url } },
            ],
          },
        ],
        tools: [{ type: "function", function: { name: "f", parameters: { $ref: `${url}/schema.json` } } }],
        response_format: { type: "json_schema", json_schema: { name: "s", schema: { $schema: url, $ref: url } } },
        base_url: url,
        api_base: url,
      },
    }),
  ],
  [
    "Responses",
    (model, url) => ({
      method: "POST",
      path: "/v1/responses",
      body: {
        model,
        input: [
          {
            role: "user",
            content: [
              { type: "input_image", image_url: `${url}/image.png` },
              { type: "input_file", file_url: `${url}/file.pdf` },
            ],
          },
        ],
        tools: [
          { type: "mcp", server_label: "s", server_url: `${url}/mcp` },
          { type: "web_search", filters: { allowed_domains: [url] } },
        ],
        prompt: { id: url },
      },
    }),
  ],
  [
    "Messages",
    (model, url) => ({
      method: "POST",
      path: "/v1/messages",
      body: {
        model,
        max_tokens: 9,
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "url", url: `${url}/image.png` } },
              { type: "document", source: { type: "url", url: `${url}/file.pdf` }, title: url },
              { type: "text", text: "Look." },
            ],
          },
        ],
        mcp_servers: [{ type: "url", name: "s", url: `${url}/mcp` }],
      },
    }),
  ],
  [
    "generateContent",
    (model, url) => ({
      method: "POST",
      path: `/v1beta/models/${model}:generateContent`,
      body: {
        contents: [
          { role: "user", parts: [{ fileData: { fileUri: `${url}/file.pdf`, mimeType: "application/pdf" } }] },
        ],
        tools: [{ urlContext: {} }, { functionDeclarations: [{ name: "f", parametersJsonSchema: { $ref: url } }] }],
      },
    }),
  ],
  [
    "useChat",
    (model, url) => ({
      method: "POST",
      path: "/v1/chat",
      body: {
        id: `chat-${model}`,
        model,
        messages: [
          { id: "u", role: "user", parts: [{ type: "file", mediaType: "image/png", url: `${url}/image.png` }] },
        ],
      },
    }),
  ],
  [
    "a task",
    (model, url) => ({
      method: "POST",
      path: "/v1/task",
      body: {
        model,
        message: { role: "user", content: [{ type: "image_url", image_url: { url: `${url}/image.png` } }] },
      },
    }),
  ],
  [
    "translation",
    (_, url) => ({
      method: "POST",
      path: "/v1/translate",
      body: {
        from: "openai-chat",
        to: "anthropic",
        payload: { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] },
      },
    }),
  ],
];
const MODELS = ["demo/koine", ...PROTOCOLS.map((dialect) => `${dialect}/m`)];

describe("a URL in a client's request", () => {
  test.each(ADDRESSED)("is only forwarded: %s", async (_, question) => {
    for (const model of MODELS) {
      const sent = question(model, trap);
      const reply = await sendAndRead(koine, { ...sent, headers: { "x-koine-on-breaks": "send" } });
      expect([200, 201, 400, 502], reply.text).toContain(reply.status);
    }
    expect(hits).toStrictEqual([]);
  });

  test("is forwarded to providers, so that there was something to fetch", () => {
    expect(upstream.questions.filter(({ body }) => body.includes(trap)).length).toBeGreaterThan(10);
  });

  test("in a thread is not fetched when the thread is regenerated, read in a dialect, exported or imported", async () => {
    const parts = [
      { type: "image", url: `${trap}/image.png` },
      { type: "document", url: `${trap}/file.pdf`, mimeType: "application/pdf" },
      { type: "image", path: "/etc/hostname" },
    ];
    const created = await sendAndRead(koine, {
      method: "POST",
      path: "/v1/threads",
      body: { messages: [{ role: "user", parts }] },
    });
    const id = textAt(jsonOf(created), "id");
    for (const model of MODELS) {
      await sendAndRead(koine, { method: "POST", path: `/v1/threads/${id}/regenerate`, body: { model } });
    }
    for (const query of ["", "?dialect=anthropic", "?dialect=gemini", "?dialect=openai-responses", "?blobs=inline"]) {
      const { text } = await sendAndRead(koine, { method: "GET", path: `/v1/threads/${id}/messages${query}` });
      expect(text).not.toContain("caught");
    }
    const { text } = await sendAndRead(koine, { method: "GET", path: `/v1/export?thread=${id}` });
    await sendAndRead(koine, { method: "POST", path: "/v1/import", body: text.replaceAll(id, `${id}2`) });
    expect(hits).toStrictEqual([]);
    // Files of this machine are not read either.
    const { readFileSync } = await import("node:fs");
    const name = Buffer.from(readFileSync("/etc/hostname")).toString("base64");
    expect(upstream.questions.some(({ body }) => body.includes(name))).toBe(false);
  });
});

/** Headers and fields by which other gateways and proxies select a target. */
const ELSEWHERE = [
  "x-portkey-custom-host",
  "x-portkey-provider",
  "x-koine-base-url",
  "x-koine-upstream",
  "x-koine-provider",
  "x-koine-host",
  "x-base-url",
  "x-upstream-url",
  "x-target-url",
  "x-forwarded-host",
  "x-forwarded-server",
  "x-original-url",
  "x-rewrite-url",
  "x-proxy-url",
  "openai-base-url",
  "anthropic-base-url",
  "helicone-target-url",
  "cf-aig-endpoint",
  "api-base",
  "location",
  "referer",
  "proxy",
  "via",
  "x-openai-organization",
];

const OWN_PATHS =
  /^\/(?:anthropic\/v1\/messages|gemini\/v1beta\/models\/(?!(?:.*\/)?\.\.?[/:])[^?#]*:generateContent)$/;

describe("a URL outside of the request body", () => {
  test.each(["demo/koine", ...PROTOCOLS.map((dialect) => `${dialect}/plain`)])(
    "does not lead %s elsewhere",
    async (model) => {
      const upstreamRequests = (): RawUpstream["questions"] =>
        upstream.questions.filter((each) => /plain/.test(each.path + each.body));
      const before = upstreamRequests().length;
      const headers = Object.fromEntries(ELSEWHERE.map((name) => [name, trap]));
      const query = "?base_url=%&baseUrl=%&api_base=%&host=%&url=%&endpoint=%".replaceAll(
        "%",
        encodeURIComponent(trap),
      );
      const body = { model, messages: [{ role: "user", content: "Hello" }], max_tokens: 9 };
      for (const path of ["/v1/chat/completions", "/v1/messages"]) {
        expect((await sendAndRead(koine, { method: "POST", path: path + query, headers, body })).status).toBe(200);
      }
      expect(upstreamRequests().length - before).toBe(model.startsWith("demo") ? 0 : 2);
      // They are not forwarded either.
      for (const { head } of upstreamRequests().slice(before)) expect(head).not.toContain(trap);
      expect(hits).toStrictEqual([]);
    },
  );

  test("as a model name is an unknown model", async () => {
    for (const name of [
      "%",
      "%/m",
      "anthropic/../../%",
      "anthropic@%/m",
      "//%",
      "anthropic/%",
      "gemini/../%",
      "gemini/%?x=",
      "gemini/a/../../b",
      "gemini/..",
    ]) {
      const model = name.replaceAll("%", trap);
      const before = upstream.questions.length;
      const body = { model, messages: [{ role: "user", content: "by its name" }], max_tokens: 9 };
      await sendAndRead(koine, { method: "POST", path: "/v1/messages", body });
      const path = `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
      await sendAndRead(koine, {
        method: "POST",
        path,
        body: { contents: [{ role: "user", parts: [{ text: "by its name" }] }] },
      });
      // Only the provider's own paths are called, for every model name.
      for (const upstreamRequests of upstream.questions.slice(before)) {
        if (upstreamRequests.body.includes("by its name")) expect(upstreamRequests.path).toMatch(OWN_PATHS);
      }
    }
    expect(hits).toStrictEqual([]);
  });

  test("as the target of the request does not make the server a proxy", async () => {
    for (const line of ["GET % HTTP/1.1", "POST % HTTP/1.1", "CONNECT ! HTTP/1.1"]) {
      using client = connectRaw(koine.url);
      const text = line.replace("%", trap).replace("!", new URL(trap).host);
      client.write(`${text}\r\nHost: ${new URL(trap).host}\r\nConnection: close\r\n\r\n`);
      expect(await client.closed()).not.toMatch(/^HTTP\/1\.1 2/);
    }
    expect(hits).toStrictEqual([]);
  });
});

describe("a URL in a provider's reply", () => {
  test.each(PROTOCOLS)("is not followed: a redirect of %s is an error", async (dialect) => {
    const body = { model: `${dialect}/m`, messages: [{ role: "user", content: "redirect me" }], max_tokens: 9 };
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const reply = await sendAndRead(koine, { method: "POST", path, body });
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(reply.headers["location"]).toBeUndefined();
    }
    expect(hits).toStrictEqual([]);
  });

  test("the trap works", async () => {
    await fetch(trap);
    expect(hits.splice(0)).toStrictEqual(["GET /trap"]);
  });
});
