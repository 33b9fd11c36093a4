// Failures in the client's protocol: an error status if nothing was sent, otherwise the protocol's error event (B86,
// B88).
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { ProviderErrorKind } from "../../../src/index.ts";
import { text } from "../../../src/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../../support/upstreams/index.ts";
import type { ClientDialect } from "./support.ts";
import { CLIENTS, eventsOf, post, createRequest, startGateway } from "./support.ts";

const ONCE = { attempts: 1 };

/** Returns the error message of any protocol. */
function readMessage(json: unknown): unknown {
  const { error } = json as { error: { message: string } };
  return error.message;
}

describe.each(CLIENTS)("%s: a failure before the first delta has its status", (client) => {
  test.each<[ProviderErrorKind, statuses: Partial<Record<ClientDialect, number>> & { all: number }]>([
    ["authentication", { all: 401 }],
    ["permission", { all: 403 }],
    ["not-found", { all: 404 }],
    ["invalid-request", { all: 400 }],
    ["rate-limit", { all: 429 }],
    ["overloaded", { all: 503, anthropic: 529 }],
    ["server", { all: 500 }],
  ])("%s", async (kind, statuses) => {
    for (const dialect of UPSTREAM_DIALECTS) {
      const error = { kind, message: `No: ${kind}.`, ...(kind === "rate-limit" && { retryAfterMs: 7000 }) };
      await using upstream = await startUpstream(dialect, () => ({ error, ...headersOf(kind) }));
      await using koine = await startGateway({ providers: { up: { ...upstream.config, retry: ONCE } } });
      for (const stream of [false, true]) {
        const received = await post(koine, createRequest(client, `up/${upstream.model}`, stream));
        expect([dialect, stream, received.status]).toEqual([dialect, stream, statuses[client] ?? statuses.all]);
        expect(readMessage(received.json)).toContain(error.message);
        expect(received.headers.get("content-type")).toContain("application/json");
        expect(received.headers.get("retry-after")).toBe(kind === "rate-limit" ? "7" : null);
      }
    }
  });
});

function headersOf(kind: ProviderErrorKind): { headers?: Record<string, string> } {
  return kind === "rate-limit" ? { headers: { "retry-after": "7" } } : {};
}

test.each<[sentence: string, reply: object, status: number]>([
  ["no JSON", { body: "Hello", headers: { "content-type": "text/plain" } }, 502],
  ["half an answer", { body: '{"id":"x","cho', headers: { "content-type": "application/json" } }, 502],
  ["a page", { body: "<html><title>Sign in</title></html>", headers: { "content-type": "text/html" } }, 502],
  ["an empty reply", { body: "" }, 502],
  ["a redirect", { status: 302, headers: { location: "http://10.0.0.1/" }, body: "" }, 502],
  ["a connection that breaks", { reset: "headers" }, 502],
  ["silence", { stall: "headers" }, 504],
])("an upstream that sends %s is a bad gateway", async (_, reply, status) => {
  await using upstream = await replayServer({ "*": reply });
  // Only the 504 case has a time limit, because a busy machine may be slow.
  const timeouts = status === 504 ? { totalMs: 300 } : {};
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, retry: ONCE, timeouts } as const;
  await using koine = await startGateway({ providers: { up } });
  const received = await post(koine, createRequest("anthropic", "up/m", false));
  expect([received.status, received.text]).toEqual([status, expect.stringContaining('"type":"error"')]);
});

test.each(CLIENTS.flatMap((client) => [307, 409, 418].map((status) => [client, status] as const)))(
  "%s: an upstream error with status %i is a bad gateway, unless the reply is forwarded unchanged",
  async (client, status) => {
    const text = { error: { message: "Elsewhere.", type: "server_error", param: null, code: "internal_error" } };
    const headers = { "content-type": "application/json", ...(status < 400 && { location: "http://10.0.0.1/" }) };
    await using upstream = await replayServer({ "*": { status, headers, body: JSON.stringify(text) } });
    const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, retry: ONCE } as const;
    await using koine = await startGateway({ providers: { up } });
    const received = await post(koine, createRequest(client, "up/m", false));
    const isHandedOn = status >= 400 && client.startsWith("openai-");
    expect(received.status).toBe(isHandedOn ? status : 502);
    expect(readMessage(received.json)).toContain(status < 400 ? "redirects to" : "Elsewhere.");
  },
);

test.each([
  ["a text", { error: "Too many." }],
  ["a detail", { detail: "Too many." }],
  ["the fields alone", { object: "error", message: "Too many.", type: "rate_limit_error", code: 429 }],
  ["another's envelope", { type: 0, error: { type: "rate_limit_error", message: "Too many." } }],
])("an upstream error as %s has the client's envelope", async (_, text) => {
  const headers = { "content-type": "application/json" };
  await using upstream = await replayServer({ "*": { status: 429, headers, body: JSON.stringify(text) } });
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, retry: ONCE } as const;
  await using koine = await startGateway({ providers: { up } });
  const error = { message: "Too many.", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" };
  for (const client of ["openai-chat", "openai-responses"] as const) {
    const received = await post(koine, createRequest(client, "up/m", false));
    expect([received.status, received.json]).toEqual([429, { error }]);
  }
});

test("an unreachable upstream is a bad gateway", async () => {
  const up = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", retry: ONCE } as const;
  await using koine = await startGateway({ providers: { up } });
  expect((await post(koine, createRequest("gemini", "up/m", true))).status).toBe(502);
});

describe("a failure in the middle of a stream ends it with the protocol's own event (B86)", () => {
  /** Reads the reply with the official SDK: the text so far, and whether it threw. */
  const read: Record<ClientDialect, (url: string, model: string) => Promise<{ text: string; error: unknown }>> = {
    "openai-chat": (url, model) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });
      return collect(
        client.chat.completions.create({ model, stream: true, messages: [{ role: "user", content: "?" }] }),
        (chunk) => chunk.choices[0]?.delta.content,
      );
    },
    "openai-responses": (url, model) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });
      return collect(client.responses.create({ model, stream: true, input: "?" }), (event) => {
        if (event.type === "response.failed") throw new Error(event.response.error?.message);
        return event.type === "response.output_text.delta" ? event.delta : "";
      });
    },
    anthropic: (url, model) => {
      const client = new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });
      const request = { model, max_tokens: 90, messages: [{ role: "user", content: "?" }] } as const;
      return collect(client.messages.create({ ...request, messages: [...request.messages], stream: true }), (event) =>
        event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "",
      );
    },
    gemini: (url, model) => {
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } });
      return collect(client.models.generateContentStream({ model, contents: "?" }), (chunk) => chunk.text);
    },
  };

  async function collect<T>(
    stream: PromiseLike<AsyncIterable<T>>,
    textOf: (event: T) => string | null | undefined,
  ): Promise<{ text: string; error: unknown }> {
    let text = "";
    try {
      for await (const event of await stream) text += textOf(event) ?? "";
      return { text, error: undefined };
    } catch (error) {
      return { text, error };
    }
  }

  test.each(CLIENTS.flatMap((client) => UPSTREAM_DIALECTS.map((dialect) => [client, dialect] as const)))(
    "%s on %s: an error of the provider",
    async (client, dialect) => {
      const parts = [text("One "), text("two ")];
      const error = { kind: "overloaded", message: "Too much to do." } as const;
      await using upstream = await startUpstream(dialect, () => ({ parts, error, errorAfter: 1 }));
      await using koine = await startGateway({ providers: { up: upstream.config } });
      const received = await read[client](koine.url, `up/${upstream.model}`);
      expect(received.text).toBe("One ");
      expect(String(received.error)).toContain("Too much to do.");
    },
  );

  test.each(CLIENTS.flatMap((client) => UPSTREAM_DIALECTS.map((dialect) => [client, dialect] as const)))(
    "%s on %s: the connection breaks within an event",
    async (client, dialect) => {
      await using upstream = await startUpstream(dialect, () => ({ parts: [text("One two three four five")] }));
      const { path, body } = createRequest(dialect, upstream.model, true);
      const headers = {
        authorization: `Bearer ${upstream.apiKey}`,
        "x-api-key": upstream.apiKey,
        "x-goog-api-key": upstream.apiKey,
      };
      const whole = await post(
        { url: upstream.url },
        { path, body },
        { ...headers, "anthropic-version": "2023-06-01" },
      );
      const at = whole.text.indexOf("four") - 3;
      await using broken = await startUpstream(dialect, () => ({
        parts: [text("One two three four five")],
        reset: at,
      }));
      await using koine = await startGateway({ providers: { up: broken.config } });
      const received = await read[client](koine.url, `up/${broken.model}`);
      expect(received.text.trimEnd()).toBe("One two three");
      expect(received.error).toBeInstanceOf(Error);
      expect(String(received.error)).not.toContain("JSON");
    },
  );

  test("a Chat stream that broke off has no [DONE]", async () => {
    const error = { kind: "server", message: "Broken." } as const;
    await using upstream = await startUpstream("anthropic", () => ({
      parts: [text("One"), text("two")],
      error,
      errorAfter: 1,
    }));
    await using koine = await startGateway({ providers: { up: upstream.config } });
    const received = await post(koine, createRequest("openai-chat", `up/${upstream.model}`, true));
    const events = eventsOf(received.text);
    expect(events.some(({ data }) => data === "[DONE]")).toBe(false);
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ error: { message: "Broken." } });
  });

  test.each(UPSTREAM_DIALECTS)("%s: a truncated stream is not a complete answer (B73)", async (dialect) => {
    await using upstream = await startUpstream(dialect, () => "One two three four five");
    const { path, body } = createRequest(dialect, upstream.model, true);
    const keys = {
      authorization: `Bearer ${upstream.apiKey}`,
      "x-api-key": upstream.apiKey,
      "x-goog-api-key": upstream.apiKey,
    };
    const whole = await post({ url: upstream.url }, { path, body }, { ...keys, "anthropic-version": "2023-06-01" });
    const half = whole.text.slice(0, whole.text.indexOf("\n\n", whole.text.indexOf("three")) + 2);
    await using cut = await replayServer({ "*": { chunks: [half], headers: { "content-type": "text/event-stream" } } });
    await using koine = await startGateway({ providers: { up: { ...upstream.config, baseUrl: cut.url } } });
    const received = await post(koine, createRequest(dialect, "up/m", true));
    expect(received.text.startsWith(half)).toBe(true);
    expect(received.text.slice(half.length)).toContain("before its answer did");
  });
});

describe("errors of Koine itself", () => {
  test.each(CLIENTS)("%s: an unknown model", async (client) => {
    await using koine = await startGateway({ providers: { demo: demo() } });
    const received = await post(koine, createRequest(client, "unknown/model", false));
    expect(received.status).toBe(404);
    expect(readMessage(received.json)).toContain("Available: demo/koine");
  });

  test.each<[sentence: string, path: string, body: unknown, status: number, fragment: string]>([
    ["no JSON", "/v1/chat/completions", "{", 400, "line 1"],
    ["a list", "/v1/messages", [], 400, "must be a JSON object"],
    ["a model that is no string", "/v1/chat/completions", { model: 7 }, 400, "must be a string"],
    ["no model", "/v1/responses", { input: "?" }, 400, "The request has no model"],
    ["no messages", "/v1/chat/completions", { model: "demo/koine" }, 400, "messages"],
    ["messages of the wrong kind", "/v1/messages", { model: "demo/koine", messages: 5 }, 400, "/messages"],
    ["no contents", "/v1beta/models/koine:generateContent", {}, 400, "contents"],
    ["a run in the background", "/v1/responses", { model: "koine", input: "?", background: true }, 501, "background"],
  ])("%s", async (_, path, body, status, fragment) => {
    await using koine = await startGateway({ providers: { demo: demo() } });
    const received = await post(koine, { path, body });
    expect([received.status, received.text]).toEqual([status, expect.stringContaining(fragment)]);
  });

  test.each<[sentence: string, client: ClientDialect, more: object, path: string]>([
    ["an unknown response", "openai-responses", { previous_response_id: "resp_1" }, "previous_response_id"],
    ["a conversation that another service stores", "openai-responses", { conversation: "conv_1" }, "conversation"],
    ["a prompt that another service stores", "openai-responses", { prompt: { id: "pmpt_1" } }, "prompt"],
    [
      "an item that another service stores",
      "openai-responses",
      { input: [{ type: "item_reference", id: "msg_1" }] },
      "/messages/0",
    ],
    ["a cache of another provider", "gemini", { cachedContent: "cachedContents/1" }, "cachedContent"],
  ])("%s is rejected unless the client allows losses", async (_, client, more, path) => {
    await using upstream = await startUpstream("anthropic", () => "Yes.");
    await using koine = await startGateway({ providers: { up: upstream.config } });
    const request = createRequest(client, `up/${upstream.model}`, false);
    const body = { ...request.body, ...more };
    const refused = await post(koine, { ...request, body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(path)]);
    expect(refused.text).toContain("x-koine-on-breaks: send");
    expect(upstream.requests).toHaveLength(0);
    if (path === "/messages/0") return;
    const sent = await post(koine, { ...request, body }, { "x-koine-on-breaks": "send" });
    expect(sent.status).toBe(200);
    expect(Number(sent.headers.get("x-koine-losses"))).toBeGreaterThan(0);
  });

  test("OpenAI's clients receive the field and a code", async () => {
    await using upstream = await startUpstream("anthropic", () => "Yes.");
    await using koine = await startGateway({ providers: { up: upstream.config } });
    const { path, body } = createRequest("openai-responses", `up/${upstream.model}`, false);
    const received = await post(koine, { path, body: { ...body, previous_response_id: "resp_1" } });
    const param = "/extra/openai-responses/previous_response_id";
    expect(received.json).toMatchObject({ error: { type: "invalid_request_error", param, code: "untranslatable" } });
  });

  test("errors of the server itself have the protocol's format", async () => {
    await using koine = await startGateway({ providers: { demo: demo() }, limits: { bodyBytes: 20 } });
    const received = await post(koine, createRequest("anthropic", "demo/koine", false));
    expect(received.status).toBe(413);
    expect(received.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });

  test("no key of a provider is in an error", async () => {
    const key = "upstream-secret-0123456789";
    const echo = { error: { message: `The key ${key} is wrong.`, type: "authentication_error" }, type: "error" };
    await using upstream = await replayServer({ "*": { status: 401, body: echo } });
    const up = { dialect: "anthropic", baseUrl: upstream.url, apiKey: key } as const;
    await using koine = await startGateway({ providers: { up } });
    for (const client of CLIENTS) {
      const received = await post(koine, createRequest(client, "up/m", true));
      expect([received.status, received.text]).toEqual([401, expect.not.stringContaining(key)]);
    }
  });
});

test("a fallback answers instead of a failed provider, and the reply names it", async () => {
  const error = { kind: "overloaded", message: "Too much." } as const;
  await using first = await startUpstream("anthropic", () => ({ error }));
  await using second = await startUpstream("gemini", () => "Here.");
  const to = [`a/${first.model}`, `b/${second.model}`];
  const models = { fast: { to, retry: { attempts: 1 } } };
  await using koine = await startGateway({ providers: { a: first.config, b: second.config }, models });
  for (const client of CLIENTS) {
    for (const stream of [false, true]) {
      const received = await post(koine, createRequest(client, "fast", stream));
      expect([received.status, received.headers.get("x-koine-provider")]).toEqual([200, "b"]);
      expect(received.text).toContain("Here.");
    }
  }
});

test("a route has its own timeouts", async () => {
  await using slow = await replayServer({ "*": { stall: "headers" } });
  const up = { dialect: "openai-chat", baseUrl: `${slow.url}/v1` } as const;
  const models = { quick: { to: "up/m", timeouts: { totalMs: 100 } } };
  await using koine = await startGateway({ providers: { up }, models });
  expect((await post(koine, createRequest("openai-chat", "quick", false))).status).toBe(504);
});
