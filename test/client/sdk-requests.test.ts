// The same calls through the official SDKs and through the client, against the same upstream: what arrives there is the
// same, method to body, but for the differences that are named; and the upstream takes both.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { ReceivedRequest } from "../../src/testkit/index.ts";
import type { Upstream, UpstreamDialect } from "../support/upstreams/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../support/upstreams/index.ts";
import type { Row, SdkCalls } from "./sdk-requests-rows.ts";
import { ROWS } from "./sdk-requests-rows.ts";

interface Target {
  upstream: Upstream;
  model: string;
  isStream: boolean;
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const SDKS: { [Id in UpstreamDialect]: (call: SdkCalls[Id], target: Target) => Promise<unknown> } = {
  async "openai-chat"(call, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { completions } = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 }).chat;
    if (isStream) return drain(await completions.create({ ...call, model, stream: true }));
    return completions.create({ ...call, model });
  },
  async "openai-responses"(call, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { responses } = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 });
    if (isStream) return drain(await responses.create({ ...call, model, stream: true }));
    return responses.create({ ...call, model });
  },
  async anthropic(call, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { messages } = new Anthropic({ apiKey, baseURL: baseUrl, maxRetries: 0 });
    if (isStream) return drain(await messages.create({ ...call, model, stream: true }));
    return messages.create({ ...call, model });
  },
  async gemini(call, { upstream: { apiKey, baseUrl }, model, isStream }) {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
    if (isStream) return drain(await models.generateContentStream({ ...call, model }));
    return models.generateContent({ ...call, model });
  },
};

async function askKoine({ request }: Row, { upstream, model, isStream }: Target): Promise<unknown> {
  await using client = createClient({ providers: { up: upstream.config }, retry: { attempts: 1 } });
  const asked = { ...request, model: `up/${model}` };
  return isStream ? client.stream(asked).response() : client.complete(asked);
}

/** Headers that a provider reads. Others tell of the program that sends them. */
const HEADERS =
  /^(?:accept|content-type|authorization|x-api-key|x-goog-api-key|anthropic-(?:version|beta)|openai-(?:organization|project|beta))$/;

function shown({ method, path, query, headers, body }: ReceivedRequest): unknown {
  const told = Object.entries(headers).filter(([name]) => HEADERS.test(name));
  return { method, path, query, headers: Object.fromEntries(told), body };
}

/** Where two values differ, as JSON pointers, as deep as can be said. */
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
    await callSdk(id, row, target);
    await askKoine(row, target);
    expect(upstream.refusals.map(({ message }) => message)).toStrictEqual([]);
    const [sdk, koine] = upstream.requests.map(shown);
    expect(differing(sdk, koine)).toStrictEqual([]);
  });
});

async function callSdk<Id extends UpstreamDialect>(id: Id, row: Row, target: Target): Promise<void> {
  const call = row[id];
  if (call === undefined) throw new Error(`${id} has no such call.`);
  await SDKS[id](call, target);
}
