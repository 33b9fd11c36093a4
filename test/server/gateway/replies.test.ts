// What replies say beside the answer: times, ids, what was asked, who answered and where it is recorded.
import { describe, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/koine.ts";
import { CLIENTS, eventsOf, post, question, startGateway } from "./support.ts";

const SECONDS = 1_000_000_000;

test.each([false, true])("an answer of a provider that gives no time is dated, stream: %s", async (stream) => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const chat = await post(koine, question("openai-chat", "demo/koine", stream));
  const responses = await post(koine, question("openai-responses", "demo/koine", stream));
  const times = [...`${chat.text}${responses.text}`.matchAll(/"created(?:_at)?":(\d+)/g)].map(([, time]) =>
    Number(time),
  );
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(times.every((time) => time > SECONDS)).toBe(true);
});

test.each(CLIENTS)("%s: equal answers of a local provider have ids of their own", async (client) => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const ids: (string | undefined)[] = [];
  for (const stream of [false, true, false]) {
    const { text } = await post(koine, question(client, "demo/koine", stream, "say Hello."));
    ids.push(/"(?:id|responseId)":"([^"]+)"/.exec(text)?.[1]);
  }
  expect(new Set(ids).size).toBe(3);
});

test.each([false, true])("Responses say what was asked, whoever answers, stream: %s", async (stream) => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  await using koine = await startKoine({ providers: { up: upstream.config } });
  const tools = [{ type: "function", name: "look", parameters: { type: "object" }, strict: false }];
  const more = { instructions: "Be kind.", tools, metadata: { a: "b" }, temperature: 0.5 };
  const { path, body } = question("openai-responses", `up/${upstream.model}`, stream);
  const heard = await post(koine, { path, body: { ...body, ...more } });
  const said = stream
    ? eventsOf(heard.text).flatMap(({ data }) => JSON.parse(data).response ?? [])
    : [JSON.parse(heard.text)];
  expect(said.length).toBe(stream ? 3 : 1);
  for (const each of said) expect(each).toMatchObject({ ...more, store: true });
  const got = await fetch(`${koine.url}/v1/responses/${said[0].id}`);
  const stored = await got.json();
  expect(stored).toMatchObject(more);
  expect(stored.created_at).toBeGreaterThan(SECONDS);
});

test("Responses do not repeat the keys of tool servers, not even to whoever sent them", async () => {
  await using koine = await startKoine({ providers: { demo: demo() } });
  const tools = [{ type: "mcp", server_label: "s", server_url: "https://x.test", authorization: "tool-key-1" }];
  for (const stream of [false, true]) {
    const { path, body } = question("openai-responses", "demo/koine", stream);
    const heard = await post(koine, { path, body: { ...body, tools } }, { "x-koine-on-breaks": "send" });
    expect(heard.text).toContain("https://x.test");
    expect(heard.text).not.toContain("tool-key-1");
  }
});

test("what is not to be stored still goes on from what is", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  await using koine = await startKoine({ providers: { up: upstream.config } });
  const { path, body } = question("openai-responses", `up/${upstream.model}`, false, "First?");
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

test("Anthropic's clients find the id of a request where they look for it, also that of one that fails", async () => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  for (const model of ["demo/koine", "nobody/m"]) {
    const heard = await post(koine, question("anthropic", model, false));
    expect(heard.headers.get("request-id")).toBe(heard.headers.get("x-request-id"));
  }
});

test.each([404, 405, 501])("a provider that does not count (%d) is estimated for", async (status) => {
  const refusal = { type: "error", error: { type: "not_found_error", message: "No." } };
  await using upstream = await replayServer({ "*": { status, body: refusal } });
  const up = { dialect: "anthropic", baseUrl: upstream.url, apiKey: "k", retry: { attempts: 1 } } as const;
  await using koine = await startGateway({ providers: { up } });
  const { body } = question("anthropic", "up/m", false);
  const heard = await post(koine, { path: "/v1/messages/count_tokens", body });
  expect([heard.status, heard.headers.get("x-koine-estimated")]).toEqual([200, "true"]);
});

describe("B95: an answer that is given again as a stream", () => {
  test.each(["anthropic", "gemini"] as const)("%s: says what it cost as the first time", async (client) => {
    await using upstream = await startUpstream("anthropic", () => "Yes.");
    await using koine = await startKoine({ providers: { up: upstream.config } });
    const usages: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const asked = question(client, `up/${upstream.model}`, true);
      const { text } = await post(koine, asked, { "idempotency-key": "k" });
      usages.push(/"(?:input_tokens|promptTokenCount)":\d+/.exec(eventsOf(text)[0]?.data ?? "")?.[0] ?? "none");
    }
    expect(usages[1]).toBe(usages[0]);
    expect(usages[1]).not.toMatch(/:0$|none/);
    expect(upstream.requests).toHaveLength(1);
  });
});

test("a head that cannot wait does not say who answers", async () => {
  const failing: LocalProvider = {
    models: ["m"],
    retry: { attempts: 1 },
    async *answer() {
      await new Promise((resolve) => setTimeout(resolve, 40));
      yield* [];
      throw Object.assign(new Error("No."), { kind: "overloaded" });
    },
  };
  const models = [{ pattern: "both", targets: ["failing/m", "demo/koine"] as [string, string] }];
  await using koine = await startKoine({ providers: { failing, demo: demo() }, models, heartbeatMs: 10 });
  const heard = await post(koine, question("openai-chat", "both", true, "say Hello."));
  expect(heard.text).toContain("Hello");
  expect(heard.headers.get("x-koine-run")).not.toBeNull();
  expect([heard.headers.get("x-koine-provider"), heard.headers.get("x-koine-losses")]).toEqual([null, null]);
});

test.each([false, true])("a call that failed says where it is recorded, stream: %s", async (stream) => {
  const error = { error: { message: "No.", type: "invalid_request_error" } };
  await using upstream = await replayServer({ "*": { status: 400, body: error } });
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: "k" } as const;
  await using koine = await startKoine({ providers: { up } });
  const heard = await post(koine, question("openai-chat", "up/m", stream));
  expect(heard.status).toBe(400);
  const run = await fetch(`${koine.url}/v1/runs/${heard.headers.get("x-koine-run")}`);
  expect(await run.json()).toMatchObject({ state: "failed", threadId: heard.headers.get("x-koine-thread") });
});

test("what a provider says of its operator's account is not passed on", async () => {
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
  const heard = await post(koine, question("openai-chat", "up/m", false));
  const passed = [...heard.headers.keys()].filter((name) => name in headers && name !== "content-type");
  expect(passed.toSorted()).toEqual(["openai-processing-ms", "x-ratelimit-remaining-requests"]);
});
