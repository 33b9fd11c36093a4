// Tests the simulated providers: the official SDKs can read and continue their answers, whole and streamed, and
// rejections have the provider's own status and message.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { ProviderErrorKind } from "../../../src/index.ts";
import { dialect, PROVIDER_ERROR_KINDS, reasoning, text, toolCall } from "../../../src/index.ts";
import type { Script, Upstream, UpstreamDialect } from "./index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "./index.ts";
import { REJECTIONS } from "./rejection.rows.ts";
import { VALID_REQUESTS } from "./valid-requests.ts";

const SCRIPT: Script = [
  {
    parts: [
      reasoning("Two cities, two calls."),
      text("I look."),
      toolCall("", "look", { at: "Ἀθῆναι" }),
      toolCall("", "look", { at: "Roma" }),
    ],
    pieces: 70,
  },
  "Sunny in both.",
];

/** Asks, answers the calls with the SDK's own means, and gives the last text. */
type Talk = (upstream: Upstream, isStream: boolean) => Promise<{ calls: unknown[]; text: string }>;

const SCHEMA = {
  type: "object",
  properties: { at: { type: "string" } },
  required: ["at"],
  additionalProperties: false,
};

const chat: Talk = async ({ apiKey, baseUrl, model }, isStream) => {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
  const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "look", parameters: SCHEMA } }];
  const ask = async (): Promise<OpenAI.ChatCompletionMessage> => {
    const body = { model, messages, tools };
    const whole = isStream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const message = whole.choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    // The SDK adds its own fields.
    const { role, content, refusal, tool_calls: calls } = message;
    return { role, content, refusal, ...(calls !== undefined && { tool_calls: calls.map(plainCall) }) };
  };
  const first = await ask();
  messages.push(first);
  const calls = (first.tool_calls ?? []).filter((call) => call.type === "function");
  for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: "sunny" });
  const { content } = await ask();
  return { calls: calls.map((call): unknown => JSON.parse(call.function.arguments)), text: content ?? "" };
};

function plainCall(call: OpenAI.ChatCompletionMessageToolCall): OpenAI.ChatCompletionMessageToolCall {
  if (call.type !== "function") return call;
  const { name, arguments: text } = call.function;
  return { id: call.id, type: "function", function: { name, arguments: text } };
}

const responses: Talk = async ({ apiKey, baseUrl, model }, isStream) => {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Weather?" }];
  const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: "look", parameters: SCHEMA, strict: true }];
  const include: OpenAI.Responses.ResponseIncludable[] = ["reasoning.encrypted_content"];
  const ask = async (): Promise<OpenAI.Responses.Response> => {
    const body = { model, input, tools, include, store: false };
    return isStream ? client.responses.stream(body).finalResponse() : client.responses.create(body);
  };
  const first = await ask();
  // Fields that the SDK adds are not sent back.
  const plain = JSON.stringify(first.output, (key, value: unknown) => (key.startsWith("parsed") ? undefined : value));
  input.push(...(JSON.parse(plain) as OpenAI.Responses.ResponseInputItem[]));
  const calls = first.output.filter((item) => item.type === "function_call");
  for (const { call_id: id } of calls) input.push({ type: "function_call_output", call_id: id, output: "sunny" });
  const last = await ask();
  return { calls: calls.map((call): unknown => JSON.parse(call.arguments)), text: last.output_text };
};

const anthropic: Talk = async ({ apiKey, baseUrl, model }, isStream) => {
  const client = new Anthropic({ apiKey, baseURL: baseUrl, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Weather?" }];
  const tools: Anthropic.Tool[] = [{ name: "look", input_schema: { ...SCHEMA, type: "object" } }];
  const ask = async (): Promise<Anthropic.Message> => {
    const body = { model, messages, tools, max_tokens: 4000, thinking: { type: "adaptive" as const } };
    return isStream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
  };
  const first = await ask();
  messages.push({ role: "assistant", content: first.content });
  const calls = first.content.filter((block) => block.type === "tool_use");
  messages.push({
    role: "user",
    content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "sunny" })),
  });
  const last = await ask();
  return {
    calls: calls.map((call) => call.input),
    text: last.content.map((it) => (it.type === "text" ? it.text : "")).join(""),
  };
};

const gemini: Talk = async ({ apiKey, baseUrl, model }, isStream) => {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
  const config = { tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: SCHEMA }] }] };
  const session = client.chats.create({ model, config });
  const ask = async (message: NonNullable<Parameters<typeof session.sendMessage>[0]["message"]>): Promise<void> => {
    if (!isStream) await session.sendMessage({ message });
    else for await (const _ of await session.sendMessageStream({ message }));
  };
  await ask("Weather?");
  const calls = session.getHistory().flatMap(({ parts }) => (parts ?? []).flatMap((part) => part.functionCall ?? []));
  await ask(calls.map(({ id = "", name = "" }) => ({ functionResponse: { id, name, response: { output: "sunny" } } })));
  const history = session.getHistory();
  const parts = history.slice(history.findLastIndex(({ role }) => role === "user") + 1).flatMap((it) => it.parts ?? []);
  return { calls: calls.map(({ args }) => args), text: parts.map((part) => part.text ?? "").join("") };
};

const TALKS: Readonly<Record<UpstreamDialect, Talk>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
};

test.each(UPSTREAM_DIALECTS.flatMap((id) => [[id, "a stream", true] as const, [id, "a whole body", false] as const]))(
  "the official SDK of %s reads %s and can continue it",
  async (id, _, isStream) => {
    await using upstream = await startUpstream(id, SCRIPT);
    const { calls, text: finalText } = await TALKS[id](upstream, isStream);
    expect(upstream.rejections.map(({ message }) => message)).toStrictEqual([]);
    expect(calls).toStrictEqual([{ at: "Ἀθῆναι" }, { at: "Roma" }]);
    expect(finalText).toBe("Sunny in both.");
    expect(upstream.answered).toBe(2);
  },
);

describe.each(UPSTREAM_DIALECTS)("%s", (id) => {
  const { readContent, continueWith: goOn, send } = VALID_REQUESTS[id];

  test("accepts a conversation that continues from its answer", async () => {
    await using upstream = await startUpstream(id, SCRIPT);
    const first = readContent(await (await send(upstream)).json());
    const reply = await send(upstream, goOn(first));
    expect(upstream.rejections.map(({ message }) => message)).toStrictEqual([]);
    expect(reply.status).toBe(200);
  });

  test.each(REJECTIONS[id])("rejects %s", async (_, change, status, message) => {
    await using upstream = await startUpstream(id, SCRIPT);
    const first = readContent(await (await send(upstream)).json());
    const { headers, ...body } = change(first, goOn(first));
    const reply = await send(upstream, body, false, headers as Record<string, string>);
    const error = dialect(id).decodeError(await reply.json(), reply.status);
    expect(error.message).toContain(message);
    expect(reply.status).toBe(status);
    expect(upstream.rejections.map(({ message }) => message)).toStrictEqual([error.message]);
    expect(upstream.answered).toBe(1);
  });
});

/** Error kinds without a message of their own in a provider, and the message that it uses. */
const VAGUE: Readonly<Partial<Record<UpstreamDialect, readonly ProviderErrorKind[]>>> = {
  gemini: ["quota"],
};
const NEVER_SAID: ReadonlySet<ProviderErrorKind> = new Set(["timeout", "network", "truncated", "unknown"]);
const MESSAGES: Readonly<Partial<Record<ProviderErrorKind, string>>> = {
  "context-length": "The prompt is too long: it exceeds the maximum context length.",
  "content-filter": "Output blocked by content filtering policy.",
  quota: "Your credit balance is too low.",
};

test.each(UPSTREAM_DIALECTS)("errors of a script have the error body of %s", async (id) => {
  const kinds = PROVIDER_ERROR_KINDS.filter((kind) => !NEVER_SAID.has(kind) && VAGUE[id]?.includes(kind) !== true);
  const script = kinds.map((kind) => ({ error: { kind, message: MESSAGES[kind] ?? "No.", retryAfterMs: 2000 } }));
  await using upstream = await startUpstream(id, script);
  const problems: string[] = [];
  for (const _ of kinds) {
    const reply = await VALID_REQUESTS[id].send(upstream);
    const error = dialect(id).decodeError(await reply.json(), reply.status);
    problems.push(error.kind);
  }
  expect(problems).toStrictEqual(kinds);
});

test.each(UPSTREAM_DIALECTS)("an answer of %s can fail after some parts", async (id) => {
  const parts = [text("One."), text("Two.")];
  const error = { kind: "overloaded", message: "Overloaded" } as const;
  await using upstream = await startUpstream(id, [{ parts, error, errorAfter: 1 }]);
  const reply = await VALID_REQUESTS[id].send(upstream, undefined, true);
  const responseText = await reply.text();
  expect(reply.status).toBe(200);
  expect(responseText).toContain("One.");
  expect(responseText).not.toContain("Two.");
  expect(responseText).toContain("Overloaded");
});

test("a request after the end of the script fails with an explanation", async () => {
  await using upstream = await startUpstream("anthropic", []);
  const reply = await VALID_REQUESTS.anthropic.send(upstream);
  expect(reply.status).toBe(500);
  expect(await reply.text()).toContain("The script has 0 answers");
});

test.each([
  ["as it came", (it: object) => it, 200],
  ["with another text", (it: object) => ({ ...it, text: "So." }), 400],
  ["with another signature", (it: object) => ({ ...it, signature: "no" }), 400],
] as const)("a router accepts returned reasoning %s: %#", async (_, change, status) => {
  await using upstream = await startUpstream("openai-chat", SCRIPT, { vendor: "openrouter" });
  const { readContent, continueWith: goOn, send } = VALID_REQUESTS["openai-chat"];
  const [message = {}] = readContent(await (await send(upstream)).json());
  const details = message["reasoning_details"] as object[];
  const reply = await send(upstream, goOn([{ ...message, reasoning_details: details.map(change) }]));
  expect(reply.status).toBe(status);
  expect(upstream.seals.length).toBe(1);
});

test("upstreams of one dialect reject each other's seals", async () => {
  const script: Script = [{ parts: [reasoning("Hm."), text("So.")] }, "Fine."];
  await using one = await startUpstream("anthropic", script, { name: "one" });
  await using other = await startUpstream("anthropic", ["Fine."], { name: "other" });
  const first = (await (await VALID_REQUESTS.anthropic.send(one)).json()) as Anthropic.Message;
  const messages = [
    { role: "user", content: "?" },
    { role: "assistant", content: first.content },
    { role: "user", content: "?" },
  ];
  expect((await VALID_REQUESTS.anthropic.send(one, { messages })).status).toBe(200);
  expect((await VALID_REQUESTS.anthropic.send(other, { messages })).status).toBe(400);
  expect(other.rejections[0]?.message).toContain("Invalid `signature` in `thinking` block");
});
