// Two tokens of one tenant share its threads, but equal conversations are separate: reasoning is restored only for its
// own scope, and idempotency keys are per token.
import { describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startUpstream, type Upstream, type UpstreamDialect } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";
import type { SentRequest } from "./support.ts";
import { jsonOf, sendAndRead, tenantsOf, textAt, type ReadReply } from "./support.ts";

const CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
type Client = (typeof CLIENTS)[number];
const SEALING: readonly UpstreamDialect[] = ["anthropic", "gemini", "openai-responses"];

/** Returns a conversation in the format of each protocol. */
function conversation(client: Client, model: string, texts: readonly string[]): SentRequest {
  const roles = (assistant: string): string[] => texts.map((_, index) => (index % 2 === 0 ? "user" : assistant));
  const messages = roles("assistant").map((role, index) => ({ role, content: texts[index] }));
  switch (client) {
    case "openai-chat":
      return { method: "POST", path: "/v1/chat/completions", body: { model, messages } };
    case "openai-responses":
      return { method: "POST", path: "/v1/responses", body: { model, input: messages } };
    case "anthropic":
      return { method: "POST", path: "/v1/messages", body: { model, max_tokens: 4000, messages } };
    case "gemini": {
      const contents = roles("model").map((role, index) => ({ role, parts: [{ text: texts[index] }] }));
      return { method: "POST", path: `/v1beta/models/${model}:generateContent`, body: { contents } };
    }
  }
}

const THOUGHT = "Nobody but Ann may have this thought.";
const ANSWER = "Forty-two.";

/** Returns the upstream request of a call as one text. */
async function sentFor(upstream: Upstream, sendRequest: () => Promise<ReadReply>): Promise<string> {
  const before = upstream.requests.length;
  const results = await sendRequest();
  expect(results.status, results.text).toBe(200);
  return upstream.requests
    .slice(before)
    .map((request) => JSON.stringify(request.body))
    .join("\n");
}

async function start(upstream: Upstream): Promise<KoineServer> {
  return startKoine({
    providers: { up: upstream.config },
    tenants: tenantsOf({ acme: ["ann", "bob"], other: ["eve"] }),
  });
}

const answering = (dialect: UpstreamDialect): Promise<Upstream> =>
  startUpstream(dialect, () => ({
    parts: [
      { type: "reasoning", text: THOUGHT },
      { type: "text", text: ANSWER },
    ],
  }));

describe.each(SEALING)("reasoning of a model of %s", (dialect) => {
  test.each(CLIENTS)("is restored for its own token, and for no other (%s)", async (client) => {
    await using upstream = await answering(dialect);
    await using koine = await start(upstream);
    const model = `up/${upstream.model}`;
    const sendAs = (token: string, ...texts: string[]) => sendAndRead(koine, conversation(client, model, texts), token);
    expect((await sendAs("ann", "What is it?")).status).toBe(200);
    const [seal = "none"] = upstream.seals;
    const history = ["What is it?", ANSWER, "Are you sure?"];
    const isRestored = (sent: string): boolean => sent.includes(THOUGHT) || sent.includes(seal);
    const results: Record<string, boolean> = {};
    // Each twice, so that a token's own call cannot leak to the other one later.
    for (const token of ["bob", "eve", "ann", "bob", "eve"]) {
      results[token] = isRestored(await sentFor(upstream, () => sendAs(token, ...history)));
    }
    expect(results).toStrictEqual({ ann: true, bob: false, eve: false });
  });
});

describe("an idempotency key", () => {
  test("belongs to one token: the same key and request of another token is sent again", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    const sent = {
      ...conversation("openai-chat", `up/${upstream.model}`, ["Once"]),
      headers: { "idempotency-key": "k" },
    };
    const runs: Record<string, string> = {};
    for (const token of ["ann", "bob", "eve", "ann", "bob"]) {
      const { headers } = await sendAndRead(koine, sent, token);
      runs[token] ??= textAt(headers, "x-koine-run");
      expect(headers["x-koine-run"]).toBe(runs[token]);
    }
    expect(new Set(Object.values(runs)).size).toBe(3);
    expect(upstream.answered).toBe(3);
  });
});

describe("threads of one tenant", () => {
  test("can be continued by all of its tokens, and by no other tenant's", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    const sendAs = (token: string, texts: string[], headers: Record<string, string> = {}): Promise<ReadReply> =>
      sendAndRead(koine, { ...conversation("openai-chat", `up/${upstream.model}`, texts), headers }, token);
    const first = await sendAs("ann", ["What is it?"]);
    const headers = { "x-koine-thread": textAt(first.headers, "x-koine-thread") };
    const results: Record<string, boolean> = {};
    for (const token of ["bob", "eve"]) {
      const sent = await sentFor(upstream, () => sendAs(token, ["What is it?", ANSWER, "Are you sure?"], headers));
      results[token] = sent.includes(THOUGHT);
    }
    expect(results).toStrictEqual({ bob: true, eve: false });
  });

  test("are listed for all of its tokens, with the name of the creator", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    await sendAndRead(koine, conversation("anthropic", `up/${upstream.model}`, ["Hello"]), "ann");
    const seen = jsonOf(await sendAndRead(koine, { method: "GET", path: "/v1/threads" }, "bob"));
    expect(seen["threads"]).toMatchObject([{ scope: "ann" }]);
    const elsewhere = jsonOf(await sendAndRead(koine, { method: "GET", path: "/v1/threads" }, "eve"));
    expect(elsewhere["threads"]).toStrictEqual([]);
  });
});
