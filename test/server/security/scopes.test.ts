// Two tokens of one tenant share its threads, but a conversation that only looks the same is not the other's: what the
// model thought is put back for whoever it was said to, and idempotency keys are each token's own.
import { describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startUpstream, type Upstream, type UpstreamDialect } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/koine.ts";
import type { Sent } from "./support.ts";
import { jsonOf, tell, tenantsOf, textAt, type Told } from "./support.ts";

const CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
type Client = (typeof CLIENTS)[number];
const SEALING: readonly UpstreamDialect[] = ["anthropic", "gemini", "openai-responses"];

/** A conversation as clients of each protocol send it: the user's and the model's words in turns. */
function conversation(client: Client, model: string, texts: readonly string[]): Sent {
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

/** What was sent for a question, as one text. */
async function sentFor(upstream: Upstream, asked: () => Promise<Told>): Promise<string> {
  const before = upstream.requests.length;
  const told = await asked();
  expect(told.status, told.text).toBe(200);
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

describe.each(SEALING)("what a model of %s thought", (dialect) => {
  test.each(CLIENTS)("is put back for the token it answered, and for no other (%s)", async (client) => {
    await using upstream = await answering(dialect);
    await using koine = await start(upstream);
    const model = `up/${upstream.model}`;
    const ask = (token: string, ...texts: string[]) => tell(koine, conversation(client, model, texts), token);
    expect((await ask("ann", "What is it?")).status).toBe(200);
    const [seal = "none"] = upstream.seals;
    const history = ["What is it?", ANSWER, "Are you sure?"];
    const isTold = (sent: string): boolean => sent.includes(THOUGHT) || sent.includes(seal);
    const told: Record<string, boolean> = {};
    // Each twice: what one of them is told must not become the other's by having been said.
    for (const token of ["bob", "eve", "ann", "bob", "eve"]) {
      told[token] = isTold(await sentFor(upstream, () => ask(token, ...history)));
    }
    expect(told).toStrictEqual({ ann: true, bob: false, eve: false });
  });
});

describe("an idempotency key", () => {
  test("is each token's own: the same key and request of another one is asked anew", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    const sent = {
      ...conversation("openai-chat", `up/${upstream.model}`, ["Once"]),
      headers: { "idempotency-key": "k" },
    };
    const runs: Record<string, string> = {};
    for (const token of ["ann", "bob", "eve", "ann", "bob"]) {
      const { headers } = await tell(koine, sent, token);
      runs[token] ??= textAt(headers, "x-koine-run");
      expect(headers["x-koine-run"]).toBe(runs[token]);
    }
    expect(new Set(Object.values(runs)).size).toBe(3);
    expect(upstream.answered).toBe(3);
  });
});

describe("threads of one tenant", () => {
  test("can be gone on with by whoever of its tokens names them, and by no other tenant's", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    const ask = (token: string, texts: string[], headers: Record<string, string> = {}): Promise<Told> =>
      tell(koine, { ...conversation("openai-chat", `up/${upstream.model}`, texts), headers }, token);
    const first = await ask("ann", ["What is it?"]);
    const headers = { "x-koine-thread": textAt(first.headers, "x-koine-thread") };
    const told: Record<string, boolean> = {};
    for (const token of ["bob", "eve"]) {
      const sent = await sentFor(upstream, () => ask(token, ["What is it?", ANSWER, "Are you sure?"], headers));
      told[token] = sent.includes(THOUGHT);
    }
    expect(told).toStrictEqual({ bob: true, eve: false });
  });

  test("are listed for all of its tokens, with the name of the one that made them", async () => {
    await using upstream = await answering("anthropic");
    await using koine = await start(upstream);
    await tell(koine, conversation("anthropic", `up/${upstream.model}`, ["Hello"]), "ann");
    const seen = jsonOf(await tell(koine, { method: "GET", path: "/v1/threads" }, "bob"));
    expect(seen["threads"]).toMatchObject([{ scope: "ann" }]);
    const elsewhere = jsonOf(await tell(koine, { method: "GET", path: "/v1/threads" }, "eve"));
    expect(elsewhere["threads"]).toStrictEqual([]);
  });
});
