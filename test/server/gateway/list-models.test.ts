// The model list, as each official SDK reads it.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";
import { startGateway } from "./support.ts";

const dead = { dialect: "anthropic", baseUrl: "http://127.0.0.1:9", apiKey: "k" } as const;
const CONFIG = {
  providers: { demo: demo(), up: dead, other: dead },
  models: { fast: ["demo/koine", "up/claude-haiku"], "gpt-*": "up/*" },
};
const NAMES = ["fast", "demo/koine", "up/claude-haiku"];

test("OpenAI's clients", async () => {
  await using koine = await startGateway(CONFIG);
  const client = new OpenAI({ baseURL: `${koine.url}/v1`, apiKey: "k", maxRetries: 0 });
  const { data } = await client.models.list();
  expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
    ["fast", "demo"],
    ["demo/koine", "demo"],
    ["up/claude-haiku", "up"],
  ]);
  expect(await client.models.retrieve("demo/koine")).toMatchObject({ id: "demo/koine", object: "model" });
  expect(await client.models.retrieve("gpt-9")).toMatchObject({ id: "gpt-9", owned_by: "up" });
  await expect(client.models.retrieve("unknown/x")).rejects.toMatchObject({ status: 404 });
  await expect(client.models.retrieve("demo/x")).rejects.toMatchObject({ status: 404 });
});

test("Anthropic's clients", async () => {
  await using koine = await startGateway(CONFIG);
  const client = new Anthropic({ baseURL: koine.url, apiKey: "k", maxRetries: 0 });
  const names: string[] = [];
  for await (const { id } of client.models.list()) names.push(id);
  expect(names).toEqual(NAMES);
  expect(await client.models.retrieve("fast")).toMatchObject({ type: "model", id: "fast" });
  await expect(client.models.retrieve("unknown/x")).rejects.toMatchObject({ status: 404 });
});

test("Gemini's clients", async () => {
  await using koine = await startGateway(CONFIG);
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: koine.url } });
  const names: (string | undefined)[] = [];
  for await (const { name } of await client.models.list()) names.push(name);
  expect(names).toEqual(NAMES.map((name) => `models/${name}`));
  expect(await client.models.get({ model: "fast" })).toMatchObject({ name: "models/fast" });
});

test.each<[dialect: "openai-chat" | "openai-responses" | "anthropic" | "gemini", path: string, body: object]>([
  ["openai-chat", "/v1/models", { data: [{ id: "m-1" }, { id: "org/m-2" }, { no: "id" }] }],
  ["openai-responses", "/v1/models", { data: [{ id: "m-1" }, { id: "org/m-2" }] }],
  ["anthropic", "/v1/models", { data: [{ id: "m-1" }, { id: "org/m-2" }], has_more: false }],
  ["gemini", "/v1beta/models", { models: [{ name: "models/m-1" }, { name: "models/org/m-2" }] }],
])("models that a provider lists are in the list, and are requested once: %s", async (dialect, path, body) => {
  await using upstream = await replayServer({ [`GET ${path}`]: { body } });
  const up = { dialect, baseUrl: upstream.url, apiKey: "upstream-key" };
  await using koine = await startGateway({ providers: { demo: false, up, dead } });
  const list = async (): Promise<unknown> => (await fetch(`${koine.url}/v1/models`)).json();
  const [first] = await Promise.all([list(), list()]);
  const data = ["up/m-1", "up/org/m-2"].map((id) => ({ id, object: "model", created: 0, owned_by: "up" }));
  expect(first).toEqual({ object: "list", data });
  expect(await list()).toEqual(first);
  expect(upstream.requests).toHaveLength(1);
  expect(Object.values(upstream.requests[0]?.headers ?? {}).join(" ")).toContain("upstream-key");
});

test.each([401, 429, 503])("a list with the status %i is requested again after 30 s", async (status) => {
  const replies = new Map<string, object>([["GET /v1/models", { status, body: {} }]]);
  await using upstream = await replayServer(() => replies.get("GET /v1/models") ?? { status: 500 });
  let now = Date.parse("2026-01-01T00:00:00Z");
  const up = { dialect: "openai-chat", baseUrl: upstream.url } as const;
  await using koine = await startGateway({ providers: { demo: false, up } }, undefined, { clock: () => now });
  const list = async (): Promise<unknown> => (await fetch(`${koine.url}/v1/models`)).json();
  expect(await list()).toMatchObject({ data: [] });
  replies.set("GET /v1/models", { body: { data: [{ id: "m-1" }] } });
  expect(await list()).toMatchObject({ data: [] });
  now += 31_000;
  expect(await list()).toMatchObject({ data: [{ id: "up/m-1" }] });
});

test.each<[sentence: string, reply: object]>([
  ["refuses", { status: 403, body: { error: { message: "No." } } }],
  ["replies with another format", { body: "<html>" }],
  ["replies with an empty list", { body: [1, 2] }],
])("a provider that %s is left out of the list", async (_, reply) => {
  await using upstream = await replayServer({ "*": reply });
  const up = { dialect: "openai-chat", baseUrl: upstream.url } as const;
  await using koine = await startGateway({ providers: { demo: demo(), up } });
  const listed: unknown = await (await fetch(`${koine.url}/v1/models`)).json();
  expect(listed).toMatchObject({ data: [{ id: "demo/koine" }] });
});
