// URLs and headers of requests over real HTTP: one table for every dialect and base URL.
import { expect, test } from "vitest";
import { createProviderAdapter } from "../../../src/calls/index.ts";
import { defaultTransport } from "../../../src/calls/transport/undici.ts";
import type { CallOptions, HeadersInput, HttpAdapter, HttpProvider } from "../../../src/calls/types.ts";
import { dialect } from "../../../src/dialects/index.ts";
import type { ModelRequest } from "../../../src/model/index.ts";
import { parseJson, user } from "../../../src/model/index.ts";
import type { ReceivedRequest } from "../../../src/testkit/replay-server.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";

const hello: ModelRequest = { messages: [user("Hello")] };

function httpAdapter(config: HttpProvider): HttpAdapter {
  const adapter = createProviderAdapter("it", config);
  return adapter.kind === "http" ? adapter : expect.unreachable("It is no provider over HTTP.");
}

function urlOf(config: HttpProvider, model = "m", stream = false): string {
  return httpAdapter({ apiKey: "k", ...config }).prepare(hello, model, stream, {}).request.url;
}

interface Ask {
  model?: string;
  stream?: boolean;
  request?: ModelRequest;
  options?: CallOptions;
}

/** Returns the request that a provider at the given path of a real server receives. */
async function sendTo(
  config: HttpProvider,
  { model = "m", stream = false, request = hello, options = {} }: Ask = {},
): Promise<ReceivedRequest> {
  await using server = await replayServer({ "*": { body: {} } });
  const transport = defaultTransport();
  const link = httpAdapter({ ...config, baseUrl: server.url + (config.baseUrl ?? "") });
  const prepared = link.prepare(request, model, stream, options);
  const limits = { signal: new AbortController().signal, connectMs: 5000 };
  const reply = await transport.send(await link.authorize(prepared.request), limits);
  reply.discard();
  await transport.close();
  return server.requests[0] ?? expect.unreachable("Nothing arrived.");
}

test.each<[what: string, config: HttpProvider, url: string]>([
  ["OpenAI's own, Chat", { dialect: "openai-chat" }, "https://api.openai.com/v1/chat/completions"],
  ["OpenAI's own, Responses", { dialect: "openai-responses" }, "https://api.openai.com/v1/responses"],
  [
    "OpenAI's URL with the vendor set",
    { dialect: "openai-chat", vendor: "openai" },
    "https://api.openai.com/v1/chat/completions",
  ],
  ["Anthropic's own", { dialect: "anthropic" }, "https://api.anthropic.com/v1/messages"],
  ["Gemini's own", { dialect: "gemini" }, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"],
  [
    "Bedrock, by region",
    { dialect: "bedrock", region: "eu-west-1" },
    "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse",
  ],
  [
    "Bedrock in China",
    { dialect: "bedrock", region: "cn-north-1" },
    "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse",
  ],
  ["a vendor's own", { dialect: "openai-chat", vendor: "groq" }, "https://api.groq.com/openai/v1/chat/completions"],
  ["a bare host", { dialect: "openai-chat", baseUrl: "http://h:1" }, "http://h:1/v1/chat/completions"],
  ["a bare host with a slash", { dialect: "openai-responses", baseUrl: "http://h:1/" }, "http://h:1/v1/responses"],
  ["a version", { dialect: "openai-chat", baseUrl: "http://h:1/v1" }, "http://h:1/v1/chat/completions"],
  ["a version with slashes", { dialect: "openai-chat", baseUrl: "http://h:1/v1//" }, "http://h:1/v1/chat/completions"],
  [
    "another path",
    { dialect: "openai-chat", baseUrl: "http://h:1/inference" },
    "http://h:1/inference/chat/completions",
  ],
  [
    "a complete endpoint URL",
    { dialect: "openai-chat", baseUrl: "http://h:1/api/chat/completions" },
    "http://h:1/api/chat/completions",
  ],
  [
    "a complete endpoint URL of Anthropic",
    { dialect: "anthropic", baseUrl: "http://h:1/v1/messages" },
    "http://h:1/v1/messages",
  ],
  ["Anthropic with a version", { dialect: "anthropic", baseUrl: "http://h:1/v1" }, "http://h:1/v1/messages"],
  [
    "Anthropic below a path",
    { dialect: "anthropic", baseUrl: "http://h:1/anthropic" },
    "http://h:1/anthropic/v1/messages",
  ],
  [
    "Anthropic behind a gateway with its own version",
    { dialect: "anthropic", baseUrl: "http://h:1/v1/acct/gw/anthropic" },
    "http://h:1/v1/acct/gw/anthropic/v1/messages",
  ],
  [
    "Gemini with another version",
    { dialect: "gemini", baseUrl: "http://h:1/v1alpha" },
    "http://h:1/v1alpha/models/m:generateContent",
  ],
  [
    "Gemini on Vertex",
    { dialect: "gemini", baseUrl: "http://h:1/v1/projects/p/locations/l/publishers/google" },
    "http://h:1/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
  ],
  [
    "a complete endpoint URL of a bare host",
    { dialect: "openai-chat", baseUrl: "http://h:1/chat/completions" },
    "http://h:1/chat/completions",
  ],
  [
    "a complete endpoint URL of Anthropic on a bare host",
    { dialect: "anthropic", baseUrl: "http://h:1/messages" },
    "http://h:1/messages",
  ],
  [
    "a path that ends in /models",
    { dialect: "openai-chat", baseUrl: "http://h:1/models" },
    "http://h:1/models/chat/completions",
  ],
  [
    "Gemini's models URL",
    { dialect: "gemini", baseUrl: "http://h:1/v1beta/models" },
    "http://h:1/v1beta/models/m:generateContent",
  ],
  [
    "Gemini's models URL without a version",
    { dialect: "gemini", baseUrl: "http://h:1/models/" },
    "http://h:1/v1beta/models/m:generateContent",
  ],
  [
    "a complete endpoint URL of Gemini",
    { dialect: "gemini", baseUrl: "http://h:1/v1beta/models/x:streamGenerateContent?alt=sse&k=1" },
    "http://h:1/v1beta/models/m:generateContent?k=1",
  ],
  [
    "a complete model URL on Vertex",
    { dialect: "gemini", baseUrl: "http://h:1/v1/projects/p/locations/l/publishers/google/models/x:generateContent" },
    "http://h:1/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
  ],
  [
    "a project URL on Vertex",
    { dialect: "gemini", baseUrl: "http://h:1/v1/projects/p/locations/l" },
    "http://h:1/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
  ],
  [
    "Gemini behind a gateway with its own version",
    { dialect: "gemini", baseUrl: "http://h:1/v1/acct/gw/google-ai-studio" },
    "http://h:1/v1/acct/gw/google-ai-studio/v1beta/models/m:generateContent",
  ],
  [
    "a complete endpoint URL of Bedrock",
    { dialect: "bedrock", baseUrl: "http://h:1/aws/model/x%3A0/converse-stream" },
    "http://h:1/aws/model/m/converse",
  ],
  ["Bedrock behind a proxy", { dialect: "bedrock", baseUrl: "http://h:1/aws/" }, "http://h:1/aws/model/m/converse"],
  [
    "a URL with a query",
    {
      dialect: "openai-chat",
      vendor: "azure",
      baseUrl: "http://h:1/openai/v1?a=1",
      query: { "api-version": "preview" },
    },
    "http://h:1/openai/v1/chat/completions?a=1&api-version=preview",
  ],
])("a base URL is accepted with and without its version: %s", (_, config, url) => {
  expect(urlOf(config)).toBe(url);
});

test.each<[what: string, config: HttpProvider, model: string, stream: boolean, path: string]>([
  [
    "a stream of Gemini",
    { dialect: "gemini" },
    "gemini-x",
    true,
    "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
  ],
  [
    "a stream of Gemini with a query",
    { dialect: "gemini", query: { key: "v" } },
    "x",
    true,
    "/v1beta/models/x:streamGenerateContent?alt=sse&key=v",
  ],
  [
    "a resource of Gemini",
    { dialect: "gemini" },
    "tunedModels/a b",
    false,
    "/v1beta/tunedModels/a%20b:generateContent",
  ],
  ["a name with its prefix", { dialect: "gemini" }, "models/x", false, "/v1beta/models/x:generateContent"],
  [
    "a model on Vertex",
    { dialect: "gemini", baseUrl: "http://h:1/v1/projects/p/locations/l" },
    "publishers/google/models/x",
    false,
    "/v1/projects/p/locations/l/publishers/google/models/x:generateContent",
  ],
  [
    "an endpoint on Vertex",
    { dialect: "gemini", baseUrl: "http://h:1/v1/projects/p/locations/l" },
    "endpoints/77",
    true,
    "/v1/projects/p/locations/l/endpoints/77:streamGenerateContent?alt=sse",
  ],
  ["a name with URL delimiters", { dialect: "gemini" }, "x?y#z", false, "/v1beta/models/x%3Fy%23z:generateContent"],
  ["a stream of Bedrock", { dialect: "bedrock" }, "a.b-v2:0", true, "/model/a.b-v2%3A0/converse-stream"],
  [
    "an ARN",
    { dialect: "bedrock" },
    "arn:aws:bedrock:r:1:p/x",
    false,
    "/model/arn%3Aaws%3Abedrock%3Ar%3A1%3Ap%2Fx/converse",
  ],
])("the model name is escaped in the URL: %s", (_, config, model, stream, path) => {
  expect(urlOf({ baseUrl: "http://h:1", ...config }, model, stream)).toBe(`http://h:1${path}`);
});

test.each(["models/../secret", "..", "projects/./x"])("a model name cannot leave its path: %s", (model) => {
  const url = (): string => urlOf({ dialect: "gemini", baseUrl: "http://h:1/v1" }, model);
  expect(url).toThrow(expect.objectContaining({ code: "configuration", path: "/model" }));
});

test.each<[dialect: HttpProvider["dialect"], key: Record<string, string>, more: Record<string, string>]>([
  ["openai-chat", { authorization: "Bearer k-1" }, {}],
  ["openai-responses", { authorization: "Bearer k-1" }, {}],
  ["anthropic", { "x-api-key": "k-1" }, { "anthropic-version": "2023-06-01" }],
  ["gemini", { "x-goog-api-key": "k-1" }, {}],
  ["bedrock", { authorization: "Bearer k-1" }, {}],
])("the key is sent in the provider's header: %s", async (dialect, key, more) => {
  const { method, headers } = await sendTo({ dialect, apiKey: "k-1" });
  expect(method).toBe("POST");
  expect(headers).toMatchObject({ "content-type": "application/json", ...key, ...more });
});

test("Azure has its own key header", async () => {
  const { headers } = await sendTo({ dialect: "openai-chat", vendor: "azure", apiKey: "k-1", baseUrl: "/openai/v1" });
  expect(headers).toMatchObject({ "api-key": "k-1" });
  expect(headers).not.toHaveProperty("authorization");
});

test("no key header is sent without a key", async () => {
  const { headers } = await sendTo({ dialect: "openai-chat", vendor: "ollama" });
  expect(headers).not.toHaveProperty("authorization");
});

test("headers of the call win over the provider's headers, and those over Koine's", async () => {
  const { headers } = await sendTo(
    {
      dialect: "anthropic",
      apiKey: "k",
      headers: { "Anthropic-Version": "2030-01-01", "x-a": "provider", "x-b": "provider" },
    },
    { options: { headers: { "X-A": "call" } } },
  );
  expect(headers).toMatchObject({ "anthropic-version": "2030-01-01", "x-a": "call", "x-b": "provider" });
});

test.each<[what: string, headers: (pairs: [string, string][]) => HeadersInput]>([
  ["an object", (pairs) => Object.fromEntries(pairs)],
  ["Headers", (pairs) => new Headers(pairs)],
  ["a Map", (pairs) => new Map(pairs)],
  ["a list of pairs", (pairs) => pairs],
])("headers are accepted in every form: %s", async (_, form) => {
  const { headers } = await sendTo(
    {
      dialect: "openai-chat",
      headers: form([
        ["X-A", "provider"],
        ["Authorization", "Basic x"],
      ]),
      sign: () => form([["x-c", "signed"]]),
    },
    { options: { headers: form([["X-B", "call"]]) } },
  );
  expect(headers).toMatchObject({ "x-a": "provider", authorization: "Basic x", "x-b": "call", "x-c": "signed" });
});

test("beta flags of the request, the provider and the call are all sent", async () => {
  const beta = { "anthropic-beta": "one" };
  const wire = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "x" }], betas: ["two"] };
  const { headers, body } = await sendTo(
    { dialect: "anthropic", headers: { "anthropic-beta": "three, one" } },
    {
      request: dialect("anthropic").decodeRequest(wire, { address: { headers: beta } }),
      options: { headers: { "anthropic-beta": "four" } },
    },
  );
  expect(headers["anthropic-beta"]).toBe("one,two,three,four");
  expect(body).not.toHaveProperty("betas");
});

test("an authorization header replaces the key", async () => {
  const { headers } = await sendTo({ dialect: "openai-chat", apiKey: "k", headers: { Authorization: "Basic x" } });
  expect(headers["authorization"]).toBe("Basic x");
  const call = await sendTo(
    { dialect: "openai-chat", apiKey: "k" },
    { options: { headers: { Authorization: "Basic y" } } },
  );
  expect(call.headers["authorization"]).toBe("Basic y");
});

test("the stream flag is sent where the dialect expects it", async () => {
  expect((await sendTo({ dialect: "openai-chat" }, { stream: true })).body).toMatchObject({ model: "m", stream: true });
  expect((await sendTo({ dialect: "openai-chat" })).body).not.toHaveProperty("stream");
  expect((await sendTo({ dialect: "openai-chat" }, { request: { ...hello, stream: true } })).body).not.toHaveProperty(
    "stream",
  );
  const gemini = await sendTo({ dialect: "gemini" }, { stream: true });
  expect(gemini.path).toBe("/v1beta/models/m:streamGenerateContent");
  expect(gemini.query).toStrictEqual({ alt: "sse" });
  expect(gemini.body).toStrictEqual({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] });
});

test("B57: a stream of Chat Completions requests its usage, unless the vendor rejects that or the request already has it", async () => {
  const wire = { model: "m", messages: [], stream: true, stream_options: { include_usage: false } };
  const request = dialect("openai-chat").decodeRequest(wire);
  const rows: [HttpProvider, Ask, unknown][] = [
    [{ dialect: "openai-chat" }, { stream: true }, { include_usage: true }],
    [{ dialect: "openai-chat", vendor: "mistral" }, { stream: true }, undefined],
    [{ dialect: "openai-chat" }, { stream: true, request }, { include_usage: false }],
    [{ dialect: "openai-chat" }, { request }, undefined],
    [{ dialect: "anthropic" }, { stream: true }, undefined],
  ];
  for (const [config, ask, expected] of rows) {
    const { body } = await sendTo(config, ask);
    expect((body as Record<string, unknown>)["stream_options"]).toStrictEqual(expected);
  }
});

test.each<[what: string, config: HttpProvider, request: ModelRequest, body: object]>([
  [
    "Gemini's",
    { dialect: "gemini" },
    dialect("gemini").decodeRequest({
      model: "old",
      contents: "Hi",
      config: { temperature: 0.5, systemInstruction: "Be kind." },
    }),
    {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { temperature: 0.5 },
      systemInstruction: { parts: [{ text: "Be kind." }] },
    },
  ],
  [
    "Bedrock's",
    { dialect: "bedrock" },
    dialect("bedrock").decodeRequest({ modelId: "old", messages: [{ role: "user", content: [{ text: "Hi" }] }] }),
    { messages: [{ role: "user", content: [{ text: "Hi" }] }] },
  ],
  [
    "a deployment URL without a model in the body",
    { dialect: "openai-chat" },
    dialect("openai-chat").decodeRequest(
      { messages: [{ role: "user", content: "Hi" }] },
      { address: { model: "old" } },
    ),
    { model: "new", messages: [{ role: "user", content: "Hi" }] },
  ],
])(
  "a request that was decoded from SDK parameters is sent as HTTP expects it: %s",
  async (_, config, request, expected) => {
    const { body, path } = await sendTo(config, { request, model: "new" });
    expect(body).toMatchObject(expected);
    for (const field of ["modelId", "config"]) expect(body).not.toHaveProperty(field);
    if (config.dialect !== "openai-chat") expect(path).toContain("/new");
  },
);

test("the new name of a renamed tool is stored for the reply", () => {
  const tools = [{ type: "function" as const, name: "look up!", inputSchema: { type: "object" } }];
  const link = httpAdapter({ dialect: "anthropic", apiKey: "k" });
  const { renames: names, losses } = link.prepare({ ...hello, tools }, "m", false, {});
  expect(Object.values(names?.toolNames ?? {})).toStrictEqual(["look up!"]);
  expect(losses.map(({ code }) => code)).toContain("tool-renamed");
  const unrepaired = link.prepare({ ...hello, tools }, "m", false, { repair: false });
  expect(unrepaired.renames).toBeUndefined();
});

test("B44: equal requests have equal bytes", () => {
  const link = httpAdapter({ dialect: "openai-responses", apiKey: "k", store: false });
  const bodies = [1, 2].map(() => link.prepare(structuredClone(hello), "gpt-5", true, {}).request.body);
  expect(bodies[0]).toBe(bodies[1]);
});

test("B23: digits beyond the precision of a double are sent", () => {
  const text = '{"model":"m","messages":[{"role":"user","content":"x"}],"vendor_id":12345678901234567890}';
  const request = dialect("openai-chat").decodeRequest(parseJson(text));
  const { body } = httpAdapter({ dialect: "openai-chat", apiKey: "k" }).prepare(request, "m", false, {}).request;
  expect(body).toContain('"vendor_id":12345678901234567890');
});
