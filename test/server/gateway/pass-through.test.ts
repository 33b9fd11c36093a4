// The same dialect on both sides: the client's body is forwarded except for the model name, and the reply has the
// upstream's bytes.
import { expect, test } from "vitest";
import { replayServer } from "../../../src/testkit/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../../support/upstreams/index.ts";
import type { ClientDialect } from "./support.ts";
import { CLIENTS, post, createRequest, startGateway } from "./support.ts";

const ODD: Record<ClientDialect, string> = {
  "openai-chat":
    '{"model":"up/m-1",  "messages":[{"role":"user","content":"?"}],"seed":12345678901234567890,"x":[1.0]}',
  "openai-responses": '{"input":"?","model":"up/m-1","top_p":0.10000000000000000001}',
  anthropic: '{"model":"up/m-1","max_tokens":5,"messages":[{"role":"user","content":"?"}],"unknown":{"b":1,"a":2}}',
  gemini: '{"contents":[{"parts":[{"text":"?"}]}],  "odd":1e400}',
};
const SENT: Record<ClientDialect, string> = {
  "openai-chat": '{"model":"m-1","messages":[{"role":"user","content":"?"}],"seed":12345678901234567890,"x":[1]}',
  "openai-responses": '{"input":"?","model":"m-1","top_p":0.10000000000000000001}',
  anthropic: '{"model":"m-1","max_tokens":5,"messages":[{"role":"user","content":"?"}],"unknown":{"b":1,"a":2}}',
  // The model is in the path, so the body stays unchanged.
  gemini: ODD.gemini,
};
const PATHS: Record<ClientDialect, string> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/up/m-1:generateContent",
};

/** A server with a fixed reply that stores the request bodies. */
const REPLY = '{"what":  "no answer at all", "n": 12345678901234567890}';

test.each(CLIENTS)("%s: the request is forwarded unchanged except for the model name", async (client) => {
  const texts: string[] = [];
  await using upstream = await rawServer(texts, REPLY);
  const config = { dialect: client, baseUrl: upstream.url, apiKey: "upstream-key" };
  await using koine = await startGateway({ providers: { up: config }, record: { enabled: false } });
  const received = await post(koine, { path: PATHS[client], body: ODD[client] });
  expect(received.status).toBe(200);
  expect(texts).toEqual([SENT[client]]);
  expect(received.text).toBe(REPLY);
  expect(received.headers.get("x-koine-provider")).toBe("up");
});

test("if the model name stays, the bytes are forwarded unchanged", async () => {
  const texts: string[] = [];
  await using upstream = await rawServer(texts, REPLY);
  const config = { dialect: "openai-chat", baseUrl: upstream.url, apiKey: "upstream-key" } as const;
  await using koine = await startGateway({ providers: { up: config } });
  const body = '{ "messages" : [ {"role":"user","content":"?"} ] , "model":"m-1" }';
  await post(koine, { path: PATHS["openai-chat"], body });
  expect(texts).toEqual([body]);
});

test.each(UPSTREAM_DIALECTS)(
  "%s: a stream's bytes are forwarded, with the headers about limits and ids",
  async (dialect) => {
    const ids = {
      "request-id": "req_1",
      "x-request-id": "req_2",
      "x-ratelimit-remaining-requests": "7",
      "set-cookie": "a=b",
    };
    await using upstream = await startUpstream(dialect, () => ({
      parts: [{ type: "text", text: "Ἀθῆναι and Korinthos" }],
      pieces: 7,
      headers: ids,
    }));
    await using koine = await startGateway({ providers: { up: upstream.config } });
    const key: Record<string, string> = {
      authorization: `Bearer ${upstream.apiKey}`,
      "x-api-key": upstream.apiKey,
      "x-goog-api-key": upstream.apiKey,
      "anthropic-version": "2023-06-01",
    };
    const straight = await post({ url: upstream.url }, createRequest(dialect, upstream.model, true), key);
    const received = await post(koine, createRequest(dialect, `up/${upstream.model}`, true));
    expect(received.status).toBe(200);
    expect(withoutIds(received.text)).toBe(withoutIds(straight.text));
    expect(received.headers.get("content-type")).toContain("text/event-stream");
    expect(received.headers.get("request-id")).toBe("req_1");
    expect(received.headers.get("x-koine-upstream-request-id")).toBe("req_2");
    expect(received.headers.get("x-ratelimit-remaining-requests")).toBe("7");
    expect(received.headers.get("set-cookie")).toBeNull();
  },
);

/** Ids differ in every answer. */
function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{24}/g, "id");
}

test("only relevant headers are forwarded, and never the client's token", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  await using koine = await startGateway({ providers: { up: upstream.config } });
  const headers = {
    authorization: "Bearer koine-token",
    "x-api-key": "koine-token",
    "anthropic-beta": "context-1m-2025-08-07",
    "x-koine-record": "off",
    cookie: "a=b",
    "x-forwarded-for": "10.0.0.1",
  };
  const received = await post(koine, createRequest("anthropic", `up/${upstream.model}`, false), headers);
  expect(received.status).toBe(200);
  const [request] = upstream.requests;
  expect(request?.headers).toMatchObject({ "x-api-key": upstream.apiKey, "anthropic-beta": "context-1m-2025-08-07" });
  for (const name of ["authorization", "cookie", "x-forwarded-for", "x-koine-record"]) {
    expect(request?.headers[name]).toBeUndefined();
  }
});

test("a beta header reaches the provider even if the request is translated", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  const both = { to: ["dead/x", `up/${upstream.model}`], retry: { attempts: 1 } };
  const dead = { dialect: "gemini", baseUrl: "http://127.0.0.1:9", apiKey: "k" } as const;
  const config = { providers: { dead, up: upstream.config }, models: { both } };
  await using koine = await startGateway(config);
  const received = await post(koine, createRequest("anthropic", "both", false), {
    "anthropic-beta": "context-1m-2025-08-07",
  });
  expect(received.status).toBe(200);
  expect(received.headers.get("x-koine-provider")).toBe("up");
  expect(upstream.requests[0]?.headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
});

test("a provider with a store setting does not receive the forwarded body", async () => {
  await using upstream = await startUpstream("openai-responses", () => "Yes.");
  await using koine = await startGateway({ providers: { up: { ...upstream.config, store: false } } });
  await post(koine, createRequest("openai-responses", `up/${upstream.model}`, false));
  expect(upstream.requests[0]?.body).toMatchObject({ store: false });
});

test("B74: a whole reply to a stream request becomes a stream", async () => {
  const answer = { id: "c", object: "chat.completion", created: 1, model: "m" };
  const choices = [{ index: 0, message: { role: "assistant", content: "All." }, finish_reason: "stop" }];
  await using upstream = await replayServer({ "*": { body: { ...answer, choices } } });
  const config = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1` } as const;
  await using koine = await startGateway({ providers: { up: config } });
  const received = await post(koine, createRequest("openai-chat", "up/m", true));
  expect(received.headers.get("content-type")).toContain("text/event-stream");
  expect(received.text).toContain('"content":"All."');
  expect(received.text.trimEnd().endsWith("data: [DONE]")).toBe(true);
});

test("unsigned reasoning of another provider is not forwarded to Anthropic", async () => {
  const texts: string[] = [];
  await using upstream = await rawServer(texts, REPLY);
  const config = { dialect: "anthropic", baseUrl: upstream.url, apiKey: "upstream-key" } as const;
  await using koine = await startGateway({ providers: { up: config }, record: { enabled: false } });
  const content = [
    { type: "thinking", thinking: "Foreign.", signature: "" },
    { type: "text", text: "Yes." },
  ];
  const messages = [
    { role: "user", content: "?" },
    { role: "assistant", content },
    { role: "user", content: "And?" },
  ];
  await post(koine, { path: PATHS.anthropic, body: { model: "up/m-1", max_tokens: 5, messages } });
  expect(texts[0]).toContain("Yes.");
  expect(texts[0]).not.toContain("thinking");
});

/** The testkit's server parses bodies; this test needs their text. */
async function rawServer(texts: string[], reply: string): Promise<AsyncDisposable & { url: string }> {
  const { createServer } = await import("node:http");
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk));
    incoming.on("end", () => {
      texts.push(text);
      outgoing.writeHead(200, { "content-type": "application/json" }).end(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
