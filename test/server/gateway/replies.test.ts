// Fields of replies besides the answer: times, ids, echoed settings, provider and record.
import { describe, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";
import { CLIENTS, eventsOf, post, createRequest, startGateway } from "./support.ts";

const SECONDS = 1_000_000_000;

test.each([false, true])("an answer without a creation time gets one, stream: %s", async (stream) => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const chat = await post(koine, createRequest("openai-chat", "demo/koine", stream));
  const responses = await post(koine, createRequest("openai-responses", "demo/koine", stream));
  const times = [...`${chat.text}${responses.text}`.matchAll(/"created(?:_at)?":(\d+)/g)].map(([, time]) =>
    Number(time),
  );
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(times.every((time) => time > SECONDS)).toBe(true);
});

test.each(CLIENTS)("%s: equal answers of a local provider have different ids", async (client) => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const ids: (string | undefined)[] = [];
  for (const stream of [false, true, false]) {
    const { text } = await post(koine, createRequest(client, "demo/koine", stream, "say Hello."));
    ids.push(/"(?:id|responseId)":"([^"]+)"/.exec(text)?.[1]);
  }
  expect(new Set(ids).size).toBe(3);
});

test.each([false, true])(
  "Responses echo the settings of the request for every provider, stream: %s",
  async (stream) => {
    await using upstream = await startUpstream("anthropic", () => "Yes.");
    await using koine = await startKoine({ providers: { up: upstream.config } });
    const tools = [{ type: "function", name: "look", parameters: { type: "object" }, strict: false }];
    const more = { instructions: "Be kind.", tools, metadata: { a: "b" }, temperature: 0.5 };
    const { path, body } = createRequest("openai-responses", `up/${upstream.model}`, stream);
    const received = await post(koine, { path, body: { ...body, ...more } });
    const responses = stream
      ? eventsOf(received.text).flatMap(({ data }) => JSON.parse(data).response ?? [])
      : [JSON.parse(received.text)];
    expect(responses.length).toBe(stream ? 3 : 1);
    for (const each of responses) expect(each).toMatchObject({ ...more, store: true });
    const reply = await fetch(`${koine.url}/v1/responses/${responses[0].id}`);
    const stored = await reply.json();
    expect(stored).toMatchObject(more);
    expect(stored.created_at).toBeGreaterThan(SECONDS);
  },
);

test("Responses do not echo the keys of MCP servers", async () => {
  await using koine = await startKoine({ providers: { demo: demo() } });
  const tools = [{ type: "mcp", server_label: "s", server_url: "https://x.test", authorization: "tool-key-1" }];
  for (const stream of [false, true]) {
    const { path, body } = createRequest("openai-responses", "demo/koine", stream);
    const received = await post(koine, { path, body: { ...body, tools } }, { "x-koine-on-breaks": "send" });
    expect(received.text).toContain("https://x.test");
    expect(received.text).not.toContain("tool-key-1");
  }
});

test("an unrecorded call can continue a recorded response", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  await using koine = await startKoine({ providers: { up: upstream.config } });
  const { path, body } = createRequest("openai-responses", `up/${upstream.model}`, false, "First?");
  const first = await post(koine, { path, body });
  const { id } = JSON.parse(first.text);
  const next = { ...body, input: "And?", previous_response_id: id, store: false };
  const second = await post(koine, { path, body: next });
  expect([second.status, second.headers.get("x-koine-run")]).toEqual([200, null]);
  expect(JSON.stringify(upstream.requests[1]?.body)).toMatch(/First\?.*Yes\..*And\?/);
  expect(JSON.parse(second.text)).toMatchObject({ store: false, previous_response_id: id });
  const thread = first.headers.get("x-koine-thread");
  const { messages } = await (await fetch(`${koine.url}/v1/threads/${thread}/messages`)).json();
  expect(messages).toHaveLength(2);
});

test("Anthropic's clients receive the request id in their header, even for failures", async () => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  for (const model of ["demo/koine", "unknown/m"]) {
    const received = await post(koine, createRequest("anthropic", model, false));
    expect(received.headers.get("request-id")).toBe(received.headers.get("x-request-id"));
  }
});

test.each([404, 405, 501])("a provider without token counting (%d) is estimated", async (status) => {
  const refusal = { type: "error", error: { type: "not_found_error", message: "No." } };
  await using upstream = await replayServer({ "*": { status, body: refusal } });
  const up = { dialect: "anthropic", baseUrl: upstream.url, apiKey: "k", retry: { attempts: 1 } } as const;
  await using koine = await startGateway({ providers: { up } });
  const { body } = createRequest("anthropic", "up/m", false);
  const received = await post(koine, { path: "/v1/messages/count_tokens", body });
  expect([received.status, received.headers.get("x-koine-estimated")]).toEqual([200, "true"]);
});

describe("B95: an answer that is replayed as a stream", () => {
  test.each(["anthropic", "gemini"] as const)("%s: has the same usage as the first time", async (client) => {
    await using upstream = await startUpstream("anthropic", () => "Yes.");
    await using koine = await startKoine({ providers: { up: upstream.config } });
    const usages: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const request = createRequest(client, `up/${upstream.model}`, true);
      const { text } = await post(koine, request, { "idempotency-key": "k" });
      usages.push(/"(?:input_tokens|promptTokenCount)":\d+/.exec(eventsOf(text)[0]?.data ?? "")?.[0] ?? "none");
    }
    expect(usages[1]).toBe(usages[0]);
    expect(usages[1]).not.toMatch(/:0$|none/);
    expect(upstream.requests).toHaveLength(1);
  });
});

test("an early head does not name the provider", async () => {
  const headArrived = Promise.withResolvers<void>();
  const failing: LocalProvider = {
    models: ["m"],
    retry: { attempts: 1 },
    async *answer() {
      await headArrived.promise;
      yield* [];
      throw Object.assign(new Error("No."), { kind: "overloaded" });
    },
  };
  const models = { both: ["failing/m", "demo/koine"] };
  await using koine = await startKoine({ providers: { failing, demo: demo() }, models, heartbeatMs: 10 });
  const { path, body } = createRequest("openai-chat", "both", true, "say Hello.");
  const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  const { headers } = reply;
  headArrived.resolve();
  expect(await reply.text()).toContain("Hello");
  expect(headers.get("x-koine-run")).not.toBeNull();
  expect([headers.get("x-koine-provider"), headers.get("x-koine-losses")]).toEqual([null, null]);
});

test.each([false, true])("a failed call names its record, stream: %s", async (stream) => {
  const error = { error: { message: "No.", type: "invalid_request_error" } };
  await using upstream = await replayServer({ "*": { status: 400, body: error } });
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: "k" } as const;
  await using koine = await startKoine({ providers: { up } });
  const received = await post(koine, createRequest("openai-chat", "up/m", stream));
  expect(received.status).toBe(400);
  const run = await fetch(`${koine.url}/v1/runs/${received.headers.get("x-koine-run")}`);
  expect(await run.json()).toMatchObject({ state: "failed", threadId: received.headers.get("x-koine-thread") });
});

test("headers about the operator's account are not forwarded", async () => {
  const headers = {
    "content-type": "application/json",
    "openai-organization": "org-operator",
    "openai-project": "proj-operator",
    "anthropic-organization-id": "org-operator",
    "x-ratelimit-remaining-requests": "99",
    "openai-processing-ms": "12",
  };
  const choices = [{ index: 0, message: { role: "assistant", content: "All." }, finish_reason: "stop" }];
  await using upstream = await replayServer({ "*": { headers, body: { id: "c", model: "m", choices } } });
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: "k" } as const;
  await using koine = await startGateway({ providers: { up } });
  const received = await post(koine, createRequest("openai-chat", "up/m", false));
  const passed = [...received.headers.keys()].filter((name) => name in headers && name !== "content-type");
  expect(passed.toSorted()).toEqual(["openai-processing-ms", "x-ratelimit-remaining-requests"]);
});
