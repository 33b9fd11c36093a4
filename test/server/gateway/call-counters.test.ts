// Metrics of calls: their end, tokens and losses.
import { expect, test } from "vitest";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";
import { post, createRequest } from "./support.ts";

const ABORTED = /koine_calls_total\{[^}]*end="aborted"[^}]*\} 1/;

test.each([
  ["translated", "anthropic", true],
  ["handed on unread", "openai-chat", true],
  ["whole", "anthropic", false],
] as const)(
  "a client that disconnects during an answer that is %s ends its call, which is not counted as a provider failure",
  async (_, dialect, stream) => {
    const parts = [
      { type: "text", text: "One " },
      { type: "text", text: "two ".repeat(500) },
    ] as const;
    await using upstream = await startUpstream(dialect, () => ({ parts: [...parts], stall: stream ? 1200 : 0 }));
    await using koine = await startKoine({ providers: { up: upstream.config }, record: { enabled: false } });
    const leaving = new AbortController();
    const { path, body } = createRequest("openai-chat", `up/${upstream.model}`, stream);
    const pending = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    pending.catch(() => undefined);
    if (stream) {
      const read = await (await pending).body?.getReader().read();
      expect(new TextDecoder().decode(read?.value)).toContain("One");
    } else await expect.poll(() => upstream.requests).toHaveLength(1);
    leaving.abort();
    const metrics = async (): Promise<string> => (await fetch(`${koine.url}/metrics`)).text();
    await expect.poll(metrics).toMatch(ABORTED);
    expect(await metrics()).not.toMatch(/koine_calls_total\{[^}]*end="(?!aborted)/);
  },
);

test("calls, tokens and losses are counted by protocol and provider", async () => {
  const error = { kind: "authentication", message: "No." } as const;
  await using upstream = await startUpstream("anthropic", ({ turn }) => (turn === 0 ? "Yes." : { error }));
  await using koine = await startKoine({ providers: { up: upstream.config } });
  const { path, body } = createRequest("openai-chat", `up/${upstream.model}`, false);
  await post(koine, { path, body: { ...body, seed: 7 } });
  await post(koine, { path, body });
  const text = await (await fetch(`${koine.url}/metrics`)).text();
  expect(text).toMatch(/koine_calls_total\{[^}]*dialect="openai-chat"[^}]*provider="up"[^}]*end="ok"[^}]*\} 1/);
  expect(text).toMatch(/koine_calls_total\{[^}]*end="authentication"[^}]*\} 1/);
  expect(text).toMatch(/koine_tokens_total\{[^}]*direction="input"[^}]*\} 24/);
  expect(text).toMatch(/koine_tokens_total\{[^}]*direction="output"[^}]*\} 12/);
  expect(text).toMatch(/koine_losses_total\{[^}]*\} 1/);
});
