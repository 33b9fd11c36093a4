// Unrecorded streams in the client's dialect: forwarded without decoding, except for failures before the first content,
// cut-off streams, and keys that a provider repeats.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { findStreamEnd } from "../../../src/server/gateway/detect-stream-end.ts";
import { CLIENT_PROTOCOLS } from "../../../src/server/gateway/protocols.ts";
import { startKoine } from "../support/start-koine.ts";
import type { ClientDialect } from "./support.ts";
import { post, createRequest, startGateway } from "./support.ts";

type StreamScript = (reply: ServerResponse, authorization: string) => void;

async function streaming(stream: StreamScript): Promise<AsyncDisposable & { url: string; requestCount(): number }> {
  let requestCount = 0;
  const server = createServer((request, reply) => {
    requestCount += 1;
    request.resume();
    reply.writeHead(200, { "content-type": "text/event-stream" });
    stream(reply, request.headers.authorization ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requestCount: () => requestCount,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function data(value: unknown): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}
function chunk(content: string, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason }];
  return data({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices });
}
const FAILED = data({ error: { message: "Overloaded", type: "server_error", code: "overloaded" } });

const UNREAD = { "x-koine-record": "off" };
const KEY = "sk-upstream-key-1";

describe("an unrecorded stream", () => {
  test.each<[sentence: string, wireText: string]>([
    ["sends no bytes", ""],
    ["fails before its first delta", FAILED],
    ["ends before its first delta", chunk("")],
  ])("uses a fallback if it %s, and otherwise fails with a status", async (_, wireText) => {
    await using upstream = await streaming((reply) => reply.end(wireText));
    const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: KEY, retry: { attempts: 1 } } as const;
    const models = { both: ["up/m", "demo/koine"] };
    await using koine = await startGateway({ providers: { up, demo: demo() }, models });
    const alone = await post(koine, createRequest("openai-chat", "up/m", true), UNREAD);
    expect(alone.status).toBeGreaterThanOrEqual(500);
    const both = await post(koine, createRequest("openai-chat", "both", true, "say Hello."), UNREAD);
    expect([both.status, both.headers.get("x-koine-provider")]).toEqual([200, "demo"]);
    expect(both.text).toContain("Hello");
    expect(upstream.requestCount()).toBe(2);
  });

  test("is not complete because its text contains an end event", async () => {
    await using upstream = await streaming((reply) => reply.end(chunk('data: [DONE] "finish_reason":"stop"')));
    const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: KEY } as const;
    await using koine = await startGateway({ providers: { up } });
    const { text } = await post(koine, createRequest("openai-chat", "up/m", true), UNREAD);
    expect(text).toContain("ended before its answer did");
  });
});

test.each<[ClientDialect, wireText: string, end: string | undefined]>([
  ["openai-chat", chunk("[DONE]"), undefined],
  ["openai-chat", chunk("", "stop"), "whole"],
  ["openai-chat", data("[DONE]"), "whole"],
  ["openai-chat", FAILED + data("[DONE]"), "failed"],
  [
    "anthropic",
    `event: content_block_delta\n${data({ type: "content_block_delta", text: "message_stop" })}`,
    undefined,
  ],
  ["anthropic", "event:message_stop\ndata: {}\n\n", "whole"],
  ["anthropic", `event: error\n${data({ type: "error", error: {} })}`, "failed"],
  ["openai-responses", data({ type: "response.output_text.delta", delta: "response.completed" }), undefined],
  ["openai-responses", data({ type: "response.incomplete", response: {} }), "whole"],
  ["openai-responses", data({ type: "response.failed", response: {} }), "failed"],
  ["gemini", data({ candidates: [{ content: { parts: [{ text: '"finishReason"' }] } }] }), undefined],
  ["gemini", data({ candidates: [{ finishReason: "STOP" }] }), "whole"],
  ["gemini", data({ promptFeedback: { blockReason: "SAFETY" } }), "whole"],
  ["gemini", data({ error: { code: 503 } }), "failed"],
])("%s: the end of a stream is a separate event: %j", (client, wireText, end) => {
  expect(findStreamEnd([Buffer.from(wireText)], CLIENT_PROTOCOLS[client].detectEnd)).toBe(end);
});

test.each(["on", "off"])("a key that an upstream repeats in an error is hidden, recorded: %s", async (recordHeader) => {
  await using upstream = await streaming((reply, authorization) => {
    reply.write(chunk("One"));
    const failure = data({ error: { message: `The quota of ${authorization} is used up.`, type: "quota" } });
    setImmediate(() => {
      reply.write(failure.slice(0, 40));
      setImmediate(() => reply.end(failure.slice(40)));
    });
  });
  const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: KEY } as const;
  await using koine = await startKoine({ providers: { up } });
  const received = await post(koine, createRequest("openai-chat", "up/m", true), { "x-koine-record": recordHeader });
  expect(received.text).toContain("The quota of");
  expect(received.text).not.toContain(KEY);
});
