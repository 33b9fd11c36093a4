// Types of the client: settings need no cast, wrong settings do not compile, and answers have precise types.
// The assertions are checked by the compiler (`npm run check`); at run time they only have to run.
import { expectTypeOf, test } from "vitest";
import type { Delta, Loss, ModelRequest, ModelResponse } from "koine";
import type * as Koine from "koine/client";
import type {
  Answer,
  AnswerStream,
  CallOptions,
  ClientErrorCode,
  ClientOptions,
  HttpDialect,
  HttpProvider,
  LocalProvider,
  PresetName,
  ProviderConfig,
  Transport,
} from "koine/client";
import {
  Client,
  ClientError,
  createClient,
  defaultTransport,
  presets,
  providersFromEnv,
  TransportError,
} from "koine/client";

test("the types that stand in its signatures come with it", () => {
  expectTypeOf<Koine.Delta>().toEqualTypeOf<Delta>();
  expectTypeOf<Koine.Loss>().toEqualTypeOf<Loss>();
  expectTypeOf<Koine.Snapshot | undefined>().toEqualTypeOf<ReturnType<AnswerStream["snapshot"]>>();
  expectTypeOf<Koine.CallOutcome>().toEqualTypeOf<{ answer: Answer } | { error: unknown }>();
});

/** The whole contract in one piece. Compiled, never called. */
async function contract(request: ModelRequest, signal: AbortSignal, env: NodeJS.ProcessEnv): Promise<void> {
  const local: LocalProvider = {
    *answer({ messages }, { signal: given }) {
      expectTypeOf(given).toEqualTypeOf<AbortSignal>();
      yield { kind: "start", payload: { modelId: "m", requestId: String(messages.length) } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
  await using client = createClient({
    providers: {
      openai: { ...presets.openai, apiKey: env["OPENAI_API_KEY"], state: "previous-response", store: true },
      claude: { dialect: "anthropic", apiKey: async () => "key", headers: { "anthropic-beta": "x" } },
      bedrock: { ...presets.bedrock, region: "us-east-1", sign: ({ url, body }) => ({ authorization: url + body }) },
      local,
    },
    defaultProvider: "openai",
    timeouts: { totalMs: 1000 },
    retry: { attempts: 1 },
    transport: defaultTransport(),
    effects: { timer: (callback, ms) => (setTimeout(callback, ms), () => undefined) },
  });
  const options: CallOptions = { signal, provider: "openai", fallbacks: ["claude/m"], onBreaks: "send", repair: false };
  const answer = await client.complete(request, options);
  expectTypeOf(answer).toEqualTypeOf<Answer>();
  expectTypeOf(answer).toExtend<ModelResponse>();
  expectTypeOf(answer.losses).toEqualTypeOf<Loss[]>();
  await using stream = client.stream(request);
  for await (const delta of stream) expectTypeOf(delta).toEqualTypeOf<Delta>();
  expectTypeOf(await stream.response()).toEqualTypeOf<Answer>();
  try {
    await Client.fromEnv({ env: { ...env } }).close();
  } catch (error) {
    if (error instanceof ClientError) expectTypeOf(error.code).toEqualTypeOf<ClientErrorCode>();
    if (error instanceof TransportError) expectTypeOf(error.kind).toEqualTypeOf<"network" | "timeout">();
  }
}

test("the contract is callable as it is written", () => {
  expectTypeOf(contract).toBeFunction();
  expectTypeOf<AnswerStream>().toExtend<AsyncIterable<Delta>>();
});

test("settings may be undefined, like environment variables", () => {
  const key: string | undefined = undefined;
  const config: HttpProvider = { dialect: "openai-chat", apiKey: key, baseUrl: key, vendor: key };
  const options: ClientOptions = { providers: { config }, defaultProvider: key, transport: undefined };
  expectTypeOf(options.providers).toExtend<Readonly<Record<string, ProviderConfig>>>();
  expectTypeOf(providersFromEnv).toBeCallableWith({ OPENAI_API_KEY: key });
  expectTypeOf(process.env).toExtend<Parameters<typeof providersFromEnv>[0]>();
});

test("a mistake in the settings does not compile", () => {
  // @ts-expect-error -- no provider speaks it over HTTP
  const dialect: HttpProvider = { dialect: "ai-sdk-ui" };
  // @ts-expect-error -- it is called baseUrl
  const spelling: HttpProvider = { dialect: "openai-chat", baseURL: "http://h" };
  // @ts-expect-error -- a provider needs a dialect
  const missing: ProviderConfig = { apiKey: "k" };
  // @ts-expect-error -- there are two states
  const state: HttpProvider = { dialect: "openai-responses", state: "keep" };
  expectTypeOf([dialect, spelling, missing, state]).toBeArray();
});

test("presets are data of known names, and each is a provider without its key", () => {
  expectTypeOf(presets.groq.vendor).toEqualTypeOf<"groq">();
  expectTypeOf(presets.anthropic.dialect).toEqualTypeOf<"anthropic">();
  expectTypeOf<(typeof presets)[PresetName]>().toExtend<HttpProvider>();
  expectTypeOf<(typeof presets)[PresetName]["dialect"]>().toExtend<HttpDialect>();
});

test("internal members of the client are not accessible", () => {
  // @ts-expect-error -- a seam
  type Link = Koine.HttpLink;
  // @ts-expect-error -- a method of a client
  type Free = (typeof Koine)["generateObject"];
  expectTypeOf<[Link, Free]>().toBeArray();
});

test("headers may come as they are at hand", () => {
  expectTypeOf<Headers | Map<string, string> | [string, string][]>().toExtend<CallOptions["headers"]>();
});

test("a transport of one's own may wrap the one there is", () => {
  const inner = defaultTransport();
  const traced: Transport = { send: (request, limits) => inner.send(request, limits), close: () => inner.close() };
  expectTypeOf(createClient).toBeCallableWith({ providers: {}, transport: traced });
});
