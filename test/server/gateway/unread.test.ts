// Streams in the client's own dialect: bytes that are handed on unread, but for what must be noticed in them: a failure
// before the first word, an end that is none, and keys that a provider repeats.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { endIn } from "../../../src/server/gateway/stream-ends.ts";
import { DOORS } from "../../../src/server/gateway/doors.ts";
import { startKoine } from "../support/koine.ts";
import type { ClientDialect } from "./support.ts";
import { post, question, startGateway } from "./support.ts";

type Said = (reply: ServerResponse, authorization: string) => void;

async function streaming(say: Said): Promise<AsyncDisposable & { url: string; asked(): number }> {
  let asked = 0;
  const server = createServer((request, reply) => {
    asked += 1;
    request.resume();
    reply.writeHead(200, { "content-type": "text/event-stream" });
    say(reply, request.headers.authorization ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
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

describe("a stream that nobody records", () => {
  test.each<[sentence: string, said: string]>([
    ["says nothing at all", ""],
    ["fails before its first word", FAILED],
    ["ends before its first word", chunk("")],
  ])("is asked for elsewhere where it %s, and else fails with a status", async (_, said) => {
    await using upstream = await streaming((reply) => reply.end(said));
    const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: KEY, retry: { attempts: 1 } } as const;
    const models = [{ pattern: "both", targets: ["up/m", "demo/koine"] as [string, string] }];
    await using koine = await startGateway({ providers: { up, demo: demo() }, models });
    const alone = await post(koine, question("openai-chat", "up/m", true), UNREAD);
    expect(alone.status).toBeGreaterThanOrEqual(500);
    const both = await post(koine, question("openai-chat", "both", true, "say Hello."), UNREAD);
    expect([both.status, both.headers.get("x-koine-provider")]).toEqual([200, "demo"]);
    expect(both.text).toContain("Hello");
    expect(upstream.asked()).toBe(2);
  });

  test("is not whole because its words say so", async () => {
    await using upstream = await streaming((reply) => reply.end(chunk('data: [DONE] "finish_reason":"stop"')));
    const up = { dialect: "openai-chat", baseUrl: `${upstream.url}/v1`, apiKey: KEY } as const;
    await using koine = await startGateway({ providers: { up } });
    const { text } = await post(koine, question("openai-chat", "up/m", true), UNREAD);
    expect(text).toContain("ended before its answer did");
  });
});

test.each<[ClientDialect, said: string, end: string | undefined]>([
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
])("%s: the end of a stream is an event of its own: %j", (client, said, end) => {
  expect(endIn([Buffer.from(said)], DOORS[client].detectEnd)).toBe(end);
});

test.each(["on", "off"])("a key that an upstream repeats in a failure is not told, recorded: %s", async (word) => {
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
  const heard = await post(koine, question("openai-chat", "up/m", true), { "x-koine-record": word });
  expect(heard.text).toContain("The quota of");
  expect(heard.text).not.toContain(KEY);
});
