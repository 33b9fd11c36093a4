// Provider configurations: invalid ones and their errors, keys that stay secret, the provider of a model, and the requests of
// local providers.
import { describe, expect, test } from "vitest";
import type { HttpProvider, LocalProvider, ProviderConfig } from "../../../src/client/index.ts";
import { ClientError, demo, presets } from "../../../src/client/index.ts";
import { createProviderAdapter, resolveModel } from "../../../src/calls/index.ts";
import type { HttpAdapter, ProviderAdapter } from "../../../src/calls/types.ts";
import type { Part, ModelRequest } from "../../../src/index.ts";
import { assistant, dialects, reasoning, text, user } from "../../../src/index.ts";
import { requireError } from "../../support/require-error.ts";
import { caught } from "../support/byte-requests.ts";

const hello: ModelRequest = { messages: [user("Hello")] };
const chat = { dialect: "openai-chat", apiKey: "k" } as const;
const here: LocalProvider = { answer: () => [] };

function httpLink(config: HttpProvider, name = "it"): HttpAdapter {
  const link = createProviderAdapter(name, config);
  return link.kind === "http" ? link : expect.unreachable("It is no provider over HTTP.");
}

describe("an invalid setting is reported with its path and a hint", () => {
  // Callers without static types may pass anything.
  const rows: [field: string, config: unknown, message: string][] = [
    ["", "openai", "must be an object"],
    ["", null, "must be an object"],
    ["/dialect", { apiKey: "k" }, "is missing; it must be one of openai-chat"],
    ["/dialect", { dialect: "openai", apiKey: "k" }, "must be one of openai-chat"],
    ["/baseURL", { ...chat, baseURL: "http://h" }, "it is called baseUrl"],
    ["/api_key", { dialect: "openai-chat", api_key: "k" }, "it is called apiKey"],
    ["/colour", { ...chat, colour: "red" }, "the settings are dialect, baseUrl"],
    ["/baseUrl", { ...chat, baseUrl: "localhost:11434" }, "begins with https:// or http://"],
    ["/baseUrl", { ...chat, baseUrl: "api.example.com/v1" }, "begins with https:// or http://"],
    ["/baseUrl", { ...chat, baseUrl: 5 }, "must be a URL"],
    ["/baseUrl", { ...chat, baseUrl: "https://me:pass@h/" }, "put them into headers"],
    ["/baseUrl", { ...chat, vendor: "my-own" }, 'the vendor "my-own" has no known URL'],
    ["/baseUrl", { ...chat, baseUrl: "https://h/v1/responses" }, "an endpoint of openai-responses, not of openai-chat"],
    [
      "/baseUrl",
      { ...chat, dialect: "openai-responses", baseUrl: "https://h/v1/chat/completions/" },
      "an endpoint of openai-chat",
    ],
    ["/baseUrl", { ...chat, baseUrl: "https://h/v1/messages" }, "an endpoint of anthropic"],
    [
      "/baseUrl",
      { ...chat, dialect: "anthropic", baseUrl: "https://h/v1beta/models/m:generateContent" },
      "an endpoint of gemini",
    ],
    ["/baseUrl", { ...chat, dialect: "gemini", baseUrl: "https://h/v1beta/openai/" }, "an endpoint of openai-chat"],
    ["/apiKey", { dialect: "openai-chat" }, "is missing; set it. Check that its environment variable is set"],
    ["/apiKey", { dialect: "openai-chat", apiKey: undefined }, "is missing"],
    ["/apiKey", { dialect: "openai-chat", baseUrl: "https://api.openai.com/v1" }, "is missing"],
    ["/apiKey", { ...presets.groq }, "is missing"],
    ["/apiKey", { dialect: "bedrock", region: "us-east-1" }, "set it, or set `sign` to a function. Check"],
    ["/apiKey", { ...chat, apiKey: " " }, "is empty"],
    ["/apiKey", { ...chat, apiKey: 5 }, "must be a string, or a function"],
    ["/apiKey", { ...chat, apiKey: "k\n" }, "such as a line break"],
    ["/vendor", { ...chat, vendor: "" }, "must be a string"],
    ["/issuer", { ...chat, issuer: 1 }, "must be a string"],
    ["/sign", { dialect: "bedrock", region: "us-east-1", sign: "no" }, "must be a function"],
    ["/region", { dialect: "bedrock", apiKey: "k" }, "is missing"],
    ["/region", { dialect: "bedrock", apiKey: "k", region: "evil.example/" }, "must be a region"],
    ["/region", { ...chat, region: "us-east-1" }, "a setting of bedrock only"],
    ["/state", { dialect: "openai-responses", apiKey: "k", state: "keep" }, "must be one of resend"],
    ["/state", { ...chat, state: "resend" }, "a setting of openai-responses only"],
    ["/state", { ...chat, dialect: "openai-responses", state: "previous-response", store: false }, "store is false"],
    ["/store", { dialect: "openai-responses", apiKey: "k", store: "no" }, "must be true or false"],
    ["/headers", { ...chat, headers: "x: y" }, "must be an object of strings"],
    ["/headers/x-a", { ...chat, headers: { "x-a": 1 } }, "must be a string"],
    ["/headers/x-a", { ...chat, headers: { "x-a": "a\r\nb: c" } }, "cannot be sent"],
    ["/headers/a b", { ...chat, headers: { "a b": "x" } }, "not a valid header name"],
    ["/headers/x-a", { ...chat, headers: new Map([["x-a", 1]]) }, "must be a string"],
    ["/headers/1", { ...chat, headers: [["x-a", "1"], ["x-b"]] }, "must be a pair of strings"],
    ["/headers", { ...chat, headers: new Map([["x-a", "1"]]).entries() }, "an iterator can be read only once"],
    ["/query", { ...chat, query: new URLSearchParams("v=1") }, "must be an object of strings"],
    ["/query/v", { ...chat, query: { v: 1 } }, "must be a string"],
    ["/timeouts/totalMs", { ...chat, timeouts: { totalMs: 0 } }, "above 0"],
    ["/timeouts/total", { ...chat, timeouts: { total: 1 } }, "the settings are connectMs"],
    ["/retry/attempts", { ...chat, retry: { attempts: 1.5 } }, "whole number"],
    ["/retry/maxMs", { ...chat, retry: { maxMs: Number.NaN } }, "0 or above"],
    ["/answer", { answer: "yes" }, "must be a function"],
    ["/models", { ...here, models: "m" }, "list of strings"],
    ["/retry", { ...here, retry: 3 }, "must be an object"],
  ];
  test.each(rows)("%s %j", (field, config, message) => {
    const error = requireError(ClientError, () => createProviderAdapter("it", config as ProviderConfig));
    expect(error).toMatchObject({ code: "configuration", path: `/providers/it${field}` });
    expect(error.message).toContain(message);
  });

  test.each(["", "a/b"])("a provider name that is empty or has a slash: %j", (name) => {
    expect(() => createProviderAdapter(name, chat)).toThrow(expect.objectContaining({ code: "configuration" }));
  });

  test("undefined settings count as missing, and a local provider may have other fields", () => {
    expect(createProviderAdapter("it", { ...chat, baseUrl: undefined, retry: undefined }).kind).toBe("http");
    class Own implements LocalProvider {
      readonly #texts = ["a"];
      answer(): never[] {
        return this.#texts.slice(1) as never[];
      }
    }
    expect(createProviderAdapter("it", new Own()).kind).toBe("local");
  });
});

test.each<[what: string, config: HttpProvider]>([
  ["a self-hosted server", { dialect: "openai-chat", baseUrl: "http://127.0.0.1:1" }],
  ["Ollama", presets.ollama],
  ["who signs", { dialect: "bedrock", region: "us-east-1", sign: () => ({}) }],
  ["a provider with an authorization header", { dialect: "anthropic", headers: { Authorization: "Bearer x" } }],
  ["a provider with a key in the query", { dialect: "gemini", query: { key: "x" } }],
  ["who fetches it", { dialect: "openai-chat", apiKey: () => Promise.resolve("x") }],
])("no key is required for %s", (_, config) => {
  expect(createProviderAdapter("it", config).kind).toBe("http");
});

test("every preset needs only a key or a region", () => {
  for (const [name, preset] of Object.entries(presets)) {
    const region = name === "bedrock" ? { region: "us-east-1" } : {};
    const { url } = httpLink({ ...preset, ...region, apiKey: "k" }, name).prepare(hello, "m", false, {}).request;
    expect(new URL(url).pathname.length).toBeGreaterThan(1);
    expect(dialects).toContain(preset.dialect);
  }
});

describe("keys", () => {
  const secret = "sk-very-secret";

  test("are in the sent request but not in the prepared one", async () => {
    const link = httpLink({ dialect: "anthropic", apiKey: secret, headers: { "X-Gateway-Key": secret, "x-a": "1" } });
    const { request } = link.prepare(hello, "m", false, {});
    expect(JSON.stringify(request)).not.toContain(secret);
    expect(request.headers["x-a"]).toBe("1");
    const sent = await link.authorize(request);
    expect(sent.headers).toMatchObject({ "x-api-key": secret, "x-gateway-key": secret, "x-a": "1" });
    expect(JSON.stringify(request)).not.toContain(secret);
  });

  test("are fetched for each attempt", async () => {
    let count = 0;
    const link = httpLink({ dialect: "openai-chat", apiKey: () => `key-${++count}` });
    const { request } = link.prepare(hello, "m", false, {});
    expect((await link.authorize(request)).headers["authorization"]).toBe("Bearer key-1");
    expect((await link.authorize(request)).headers["authorization"]).toBe("Bearer key-2");
  });

  test.each<[what: string, config: HttpProvider, path: string]>([
    ["fetching one throws", { ...chat, apiKey: () => Promise.reject(new Error(secret)) }, "/providers/it/apiKey"],
    ["the fetched key is empty", { ...chat, apiKey: () => "" }, "/providers/it/apiKey"],
    ["the fetched key has a line break", { ...chat, apiKey: () => `${secret}\n` }, "/providers/it/apiKey"],
    ["signing throws", { ...chat, sign: () => Promise.reject(new Error(secret)) }, "/providers/it/sign"],
    [
      "a signature cannot be sent",
      { ...chat, sign: () => ({ authorization: `${secret}\n` }) },
      "/providers/it/sign/authorization",
    ],
  ])("are not in the error message if %s", async (_, config, path) => {
    const link = httpLink(config);
    const error = await caught(Promise.resolve(link.authorize(link.prepare(hello, "m", false, {}).request)));
    expect(error).toMatchObject({ code: "configuration", path, provider: "it" });
    expect(String(error)).not.toContain(secret);
  });

  test("a signer receives the complete request, and its headers win", async () => {
    const link = httpLink({
      dialect: "bedrock",
      region: "us-east-1",
      headers: { "x-a": "1" },
      sign: ({ method, url, headers, body }) => ({
        Authorization: `AWS4 ${method} ${url} ${headers["x-a"]} ${body.length}`,
      }),
    });
    const { request } = link.prepare(hello, "m:0", true, {});
    const { headers } = await link.authorize(request);
    const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m%3A0/converse-stream";
    expect(headers["authorization"]).toBe(`AWS4 POST ${url} 1 ${request.body.length}`);
  });
});

test("OpenAI's settings apply at OpenAI's URL only", () => {
  const request = { ...hello, metadata: { user: "u-1" } };
  const codes = (config: HttpProvider): string[] =>
    httpLink(config)
      .prepare(request, "m", false, {})
      .losses.map(({ code }) => code);
  expect(codes(chat)).toStrictEqual(["metadata-requires-store"]);
  expect(codes({ ...chat, baseUrl: "http://127.0.0.1:8000/v1" })).toStrictEqual([]);
});

test("the error for an invalid header of a call does not contain its value", () => {
  const error = requireError(ClientError, () =>
    httpLink(chat).prepare(hello, "m", false, { headers: { "x-a": "se\ncret" } }),
  );
  expect(error).toMatchObject({ code: "configuration", path: "/headers/x-a" });
  expect(error.message).not.toContain("cret");
});

describe("a model belongs to", () => {
  const links = new Map<string, ProviderAdapter>();
  for (const name of ["openai", "router"]) links.set(name, createProviderAdapter(name, chat));
  links.set("demo", createProviderAdapter("demo", demo()));
  const router = { defaultProvider: "router" };
  const one = new Map([...links].slice(0, 1));

  test.each<[what: string, named: Parameters<typeof resolveModel>, expected: string]>([
    ["the provider before the first slash", [links, {}, "openai/gpt-5"], "openai gpt-5"],
    ["that provider even if there is a default", [links, router, "openai/gpt-5"], "openai gpt-5"],
    ["that provider, and may contain slashes", [links, {}, "router/meta/llama/70b"], "router meta/llama/70b"],
    ["the default provider without a slash", [links, router, "gpt-5"], "router gpt-5"],
    ["the default provider if no provider has the prefix", [links, router, "meta/llama"], "router meta/llama"],
    ["the only provider", [one, {}, "gpt-5"], "openai gpt-5"],
    ["the only provider, with a slash", [one, {}, "meta/llama"], "openai meta/llama"],
    [
      "the provider that the call names, with the model unchanged",
      [links, {}, "openai/gpt-5", { provider: "router" }],
      "router openai/gpt-5",
    ],
    ["the default provider if the name starts with a slash", [links, router, "/x"], "router /x"],
  ])("%s", (_, named, expected) => {
    const { adapter: link, model } = resolveModel(...named);
    expect(`${link.name} ${model}`).toBe(expected);
  });

  test.each<[what: string, named: Parameters<typeof resolveModel>, code: string, path: string]>([
    ["no default", [links, {}, "gpt-5"], "unknown-provider", "/model"],
    ["an unknown name and no default", [links, {}, "mistral/large"], "unknown-provider", "/model"],
    [
      "a call that names an unknown provider",
      [links, {}, "m", { provider: "mistral" }],
      "unknown-provider",
      "/provider",
    ],
    ["an unknown default", [links, { defaultProvider: "x" }, "m"], "unknown-provider", "/defaultProvider"],
    ["a fallback", [links, {}, "x/m", {}, "/fallbacks/0"], "unknown-provider", "/fallbacks/0"],
    ["no model", [links, router, undefined], "configuration", "/model"],
    ["a blank model", [links, router, " "], "configuration", "/model"],
    ["a provider with a blank model", [links, router, "openai/ "], "configuration", "/model"],
    ["an empty model", [links, router, ""], "configuration", "/model"],
    ["a provider without a model", [links, {}, "openai/"], "configuration", "/model"],
  ])("no provider, and the error lists the providers: %s", (_, named, code, path) => {
    const error = requireError(ClientError, () => resolveModel(...named));
    expect(error).toMatchObject({ code, path });
    expect(error.message).toContain("Registered: openai, router, demo/koine.");
  });

  test("no provider if none is configured", () => {
    const error = requireError(ClientError, () => resolveModel(new Map(), {}, "m"));
    expect(error.message).toContain("No provider is registered.");
  });
});

describe("B5: a local provider receives", () => {
  const seal = (dialect: string, provider?: string) => ({
    dialect,
    kind: "signature",
    value: `of ${provider ?? dialect}`,
    ...(provider && { provider }),
  });
  const parts: Part[] = [
    reasoning("hm", { seals: [seal("anthropic", "claude"), seal("own", "mine")] }),
    text("answer", {
      annotations: [
        { kind: "url", seals: [seal("gemini")] },
        { kind: "other", seals: [seal("mine")] },
      ],
    }),
    { type: "opaque", dialect: "openai-responses", value: { type: "compaction" } },
    { type: "opaque", dialect: "mine", value: 1 },
    {
      type: "tool-result",
      toolCallId: "1",
      toolName: "t",
      isError: false,
      content: [text("in", { seals: [seal("x")] })],
    },
  ];

  test("its own seals and blocks; foreign ones are dropped and reported", () => {
    const link = createProviderAdapter("mine", here);
    if (link.kind !== "local") return expect.unreachable();
    const request: ModelRequest = { messages: [user("a"), assistant(parts)] };
    const before = structuredClone(request);
    const prepared = link.prepare(request, "m");
    expect(prepared.request.model).toBe("m");
    expect(prepared.request.messages[1]?.parts).toStrictEqual([
      reasoning("hm", { seals: [seal("own", "mine")] }),
      text("answer", { annotations: [{ kind: "url" }, { kind: "other", seals: [seal("mine")] }] }),
      parts[3],
      { ...parts[4], content: [text("in")] },
    ]);
    expect(prepared.losses.map(({ path, code }) => [path, code])).toStrictEqual([
      ["/messages/1/parts/0/seals/0", "seal-not-portable"],
      ["/messages/1/parts/1/annotations/0/seals/0", "seal-not-portable"],
      ["/messages/1/parts/2", "opaque-not-portable"],
      ["/messages/1/parts/4/content/0/seals/0", "seal-not-portable"],
    ]);
    expect(request).toStrictEqual(before);
    expect(prepared.request.messages[0]).toBe(request.messages[0]);
  });

  test("the seals that it issued under its own issuer name", () => {
    const link = createProviderAdapter("registered", { ...here, issuer: "claude" });
    if (link.kind !== "local") return expect.unreachable();
    const { request } = link.prepare({ messages: [assistant(parts.slice(0, 1))] }, "m");
    expect(request.messages[0]?.parts[0]?.seals).toStrictEqual([seal("anthropic", "claude")]);
  });
});

test("B5: the seals of an HTTP provider are sent to that provider only", () => {
  const seals = [{ dialect: "anthropic", provider: "first", kind: "signature", value: "sig" }];
  const request: ModelRequest = {
    messages: [user("a"), assistant([reasoning("hm", { seals }), text("b")]), user("c")],
  };
  const sent = (config: Partial<HttpProvider>, name: string): string =>
    httpLink({ dialect: "anthropic", apiKey: "k", ...config }, name).prepare(request, "claude-sonnet-4-5", false, {})
      .request.body;
  expect(sent({}, "first")).toContain('"signature":"sig"');
  expect(sent({ issuer: "first" }, "another")).toContain('"signature":"sig"');
  expect(sent({}, "another")).not.toContain("sig");
});
