// Every protocol in front of every dialect, and the stream and path rules of each protocol.
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../../support/upstreams/index.ts";
import type { ClientDialect, ReadReply } from "./support.ts";
import { CLIENTS, eventsOf, post, createRequest, startGateway } from "./support.ts";

const PAIRS = CLIENTS.flatMap((client) => UPSTREAM_DIALECTS.map((upstream) => [client, upstream] as const));

async function postThrough(
  client: ClientDialect,
  dialect: UpstreamDialect,
  stream: boolean,
  more = {},
): Promise<ReadReply> {
  await using upstream = await startUpstream(dialect, () => "One two three.");
  await using koine = await startGateway({ providers: { up: upstream.config } });
  const { path, body } = createRequest(client, `up/${upstream.model}`, stream);
  return await post(koine, { path, body: { ...body, ...more } });
}

describe.each(PAIRS)("%s in front of %s", (client, dialect) => {
  test.each([false, true])("answers, stream: %s", async (stream) => {
    const { status, text, headers } = await postThrough(client, dialect, stream);
    expect(status).toBe(200);
    for (const fragment of ["One", "two", "three."]) expect(text).toContain(fragment);
    expect(headers.get("content-type")).toContain(stream ? "text/event-stream" : "application/json");
    expect(headers.get("x-koine-provider")).toBe("up");
    expect(headers.get("x-koine-losses")).toMatch(/^\d+$/);
    expect(headers.get("x-koine-thread")).toBeNull();
  });
});

test.each(UPSTREAM_DIALECTS)("B81, B82: Anthropic's stream on %s starts with the input usage", async (dialect) => {
  const { text } = await postThrough("anthropic", dialect, true);
  const events = eventsOf(text);
  expect(events[0]?.event).toBe("message_start");
  const start: unknown = JSON.parse(events[0]?.data ?? "");
  expect(start).toMatchObject({ message: { usage: { input_tokens: expect.toSatisfy((n: number) => n > 0) } } });
  expect(events.filter(({ event }) => event === "message_start")).toHaveLength(1);
  expect(events.at(-1)?.event).toBe("message_stop");
  const end: unknown = JSON.parse(events.findLast(({ event }) => event === "message_delta")?.data ?? "");
  expect(end).toMatchObject({ usage: { output_tokens: 12 } });
  if (dialect !== "anthropic") expect(end).toMatchObject({ usage: { input_tokens: 24 } });
});

test.each(UPSTREAM_DIALECTS)("B83: a Responses stream on %s counts its events and ends once", async (dialect) => {
  const { text } = await postThrough("openai-responses", dialect, true);
  const data = eventsOf(text).map((event): Record<string, unknown> => JSON.parse(event.data));
  expect(data[0]?.["type"]).toBe("response.created");
  expect(data.map((each) => each["sequence_number"])).toEqual(data.map((_, index) => index));
  expect(data.filter(({ type }) => type === "response.completed")).toHaveLength(1);
  expect(data.at(-1)).toMatchObject({ response: { output: [{ type: "message" }] } });
});

test.each(UPSTREAM_DIALECTS)("B84: a Chat stream on %s has usage only if requested", async (dialect) => {
  const plain = eventsOf((await postThrough("openai-chat", dialect, true)).text);
  expect(plain.filter(({ data }) => data.includes('"prompt_tokens"'))).toEqual([]);
  expect(plain.at(-1)?.data).toBe("[DONE]");
  const more = { stream_options: { include_usage: true } };
  const withUsage = eventsOf((await postThrough("openai-chat", dialect, true, more)).text);
  const usage: unknown = JSON.parse(withUsage.at(-2)?.data ?? "");
  expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 24, completion_tokens: 12 } });
});

test.each(UPSTREAM_DIALECTS)("B85: a Gemini stream on %s has a candidate in every event", async (dialect) => {
  const data = eventsOf((await postThrough("gemini", dialect, true)).text).map((event): unknown =>
    JSON.parse(event.data),
  );
  expect(data.length).toBeGreaterThan(1);
  for (const each of data) expect(each).toHaveProperty("candidates.0");
  expect(data.at(-1)).toHaveProperty("candidates.0.finishReason", "STOP");
});

test.each(UPSTREAM_DIALECTS)("a Gemini stream on %s without alt=sse is one list", async (dialect) => {
  await using upstream = await startUpstream(dialect, () => "One two three.");
  await using koine = await startGateway({ providers: { up: upstream.config } });
  const { path, body } = createRequest("gemini", `up/${upstream.model}`, true);
  const received = await post(koine, { path: path.replace("?alt=sse", ""), body });
  expect(received.headers.get("content-type")).toContain("application/json");
  const texts = (received.json as { candidates: { content: { parts: { text?: string }[] } }[] }[]).map(
    ({ candidates }) => candidates[0]?.content.parts[0]?.text ?? "",
  );
  expect(texts.join("")).toBe("One two three.");
});

test("the answer has the provider's model name", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  const models = { fast: `up/${upstream.model}` };
  await using koine = await startGateway({ providers: { up: upstream.config }, models });
  const received = await post(koine, createRequest("openai-chat", "fast", false));
  expect(received.json).toMatchObject({ model: upstream.model });
});

test.each<[client: ClientDialect, path: string]>([
  ["openai-chat", "/chat/completions"],
  ["openai-chat", "/v1/v1/chat/completions"],
  ["openai-chat", "//v1/chat/completions"],
  ["openai-responses", "/responses"],
  ["openai-responses", "/v1/v1/responses"],
  ["anthropic", "/messages"],
  ["anthropic", "/v1/v1/messages"],
  ["gemini", "/models/demo/koine:generateContent"],
  ["gemini", "/v1/models/demo/koine:generateContent"],
  ["gemini", "/v1alpha/models/demo/koine:generateContent"],
  ["gemini", "/v1beta/models/demo%2Fkoine:generateContent"],
  ["gemini", "/v1beta/v1beta/models/koine:generateContent"],
  ["gemini", "/v1beta/demo/koine:generateContent"],
  ["gemini", "/v1/demo/koine:generateContent"],
  ["gemini", "/demo/koine:generateContent"],
])("%s answers at %s", async (client, path) => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const { body } = createRequest(client, "demo/koine", false, "say Chaire.");
  const received = await post(koine, { path, body });
  expect([received.status, received.text]).toEqual([200, expect.stringContaining("Chaire.")]);
});
