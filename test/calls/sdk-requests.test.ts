// The same calls through the official SDKs and through the client, against the same upstream: the received requests are equal,
// from method to body, except for the listed differences; and the upstream accepts both.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { user } from "../../src/index.ts";
import type { ReceivedRequest } from "../../src/testkit/index.ts";
import type { Upstream, UpstreamDialect } from "../support/upstreams/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../support/upstreams/index.ts";
import type { Differences, Row } from "./sdk-requests/calls.ts";
import { MESSAGE_ROWS } from "./sdk-requests/messages.ts";
import { SETTING_ROWS } from "./sdk-requests/settings.ts";
import { TOOL_ROWS } from "./sdk-requests/tools.ts";

const ROWS: Readonly<Record<string, Row>> = { ...MESSAGE_ROWS, ...TOOL_ROWS, ...SETTING_ROWS };

/** The differences of every request, with reasons. */
const ALWAYS: Readonly<Partial<Record<UpstreamDialect, Differences>>> = {
  anthropic: {
    "/headers/anthropic-version": "The newer version has no sampling settings; a header of the caller selects it.",
    "/headers/x-api-key": "Both versions take the key here.",
    "/headers/authorization": "The key is in the other header.",
  },
  gemini: {
    "/headers/accept":
      "The SDK sends the default of fetch, which accepts any type; the API replies with JSON and events anyway.",
  },
};

interface Target {
  upstream: Upstream;
  model: string;
  isStream: boolean;
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

function requireCall<Call>(call: Call | undefined): Call {
  if (call === undefined) throw new Error("The row has no such call.");
  return call;
}

const SDKS: Readonly<Record<UpstreamDialect, (row: Row, target: Target) => Promise<unknown>>> = {
  async "openai-chat"(row, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { completions } = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 }).chat;
    const call = { ...requireCall(row["openai-chat"]), model };
    return isStream ? drain(await completions.create({ ...call, stream: true })) : completions.create(call);
  },
  async "openai-responses"(row, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { responses } = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 });
    const call = { ...requireCall(row["openai-responses"]), model };
    return isStream ? drain(await responses.create({ ...call, stream: true })) : responses.create(call);
  },
  async anthropic(row, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { messages } = new Anthropic({ apiKey, baseURL: baseUrl, maxRetries: 0 });
    const call = { ...requireCall(row.anthropic), model };
    return isStream ? drain(await messages.create({ ...call, stream: true })) : messages.create(call);
  },
  async gemini(row, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
    const call = { ...requireCall(row.gemini), model };
    return isStream ? drain(await models.generateContentStream(call)) : models.generateContent(call);
  },
};

async function askKoine({ request, config }: Row, { upstream, model, isStream }: Target): Promise<unknown> {
  await using client = createClient({ providers: { up: { ...upstream.config, ...config } }, retry: { attempts: 1 } });
  const withModel = { ...request, model: `up/${model}` };
  return isStream ? client.stream(withModel).response() : client.complete(withModel);
}

/** Headers that providers read. Others describe the sending program. */
const HEADERS =
  /^(?:accept|content-type|authorization|x-api-key|x-goog-api-key|anthropic-(?:version|beta)|openai-(?:organization|project|beta))$/;

function shown({ method, path, query, headers, body }: ReceivedRequest): unknown {
  const providerHeaders = Object.entries(headers).filter(([name]) => HEADERS.test(name));
  return { method, path, query, headers: Object.fromEntries(providerHeaders), body };
}

/** Returns the JSON pointers of differing values, as deep as possible. */
function differing(one: unknown, other: unknown, path = ""): string[] {
  if (isTree(one) && isTree(other) && Array.isArray(one) === Array.isArray(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].flatMap((key) => differing(one[key], other[key], `${path}/${key}`));
  }
  return one === other ? [] : [path];
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

describe.each(UPSTREAM_DIALECTS)("%s", (id) => {
  const rows = Object.entries(ROWS).filter(([, row]) => row[id] !== undefined);

  test.each(rows)("the same request: %s", async (_, row) => {
    await using upstream = await startUpstream(id, () => "Yes.");
    const target = { upstream, model: row.models?.[id] ?? upstream.model, isStream: row.isStream === true };
    await SDKS[id](row, target);
    await askKoine(row, target);
    expect(upstream.rejections.map(({ message }) => message)).toStrictEqual([]);
    const [sdk, koine] = upstream.requests.map(shown);
    // Listed differences that no longer exist are reported, too.
    const named = Object.keys({ ...ALWAYS[id], ...row.differences?.[id] });
    expect(differing(sdk, koine).sort()).toStrictEqual(named.sort());
  });
});

// OpenAI accepts metadata only with `store`, which the request does not have, so the metadata is dropped with a loss.
test("OpenAI accepts a request whose metadata was dropped", async () => {
  await using upstream = await startUpstream("openai-chat", () => "Yes.");
  const request = { messages: [user("Rain?")], metadata: { user_id: "u-1" } };
  await askKoine({ request, config: { vendor: "openai" } }, { upstream, model: upstream.model, isStream: false });
});
