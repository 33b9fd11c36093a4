// What is counted of calls: how they ended, what they took, and what was lost.
import { expect, test, vi } from "vitest";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/koine.ts";
import { post, question } from "./support.ts";

const ABORTED = /koine_calls_total\{[^}]*end="aborted"[^}]*\} 1/;

test.each([
  ["translated", "anthropic", true],
  ["handed on unread", "openai-chat", true],
  ["whole", "anthropic", false],
] as const)(
  "a client that leaves an answer that is %s ends its call, and no provider failed",
  async (_, dialect, stream) => {
    const parts = [
      { type: "text", text: "One " },
      { type: "text", text: "two ".repeat(500) },
    ] as const;
    await using upstream = await startUpstream(dialect, () => ({ parts: [...parts], stall: stream ? 1200 : 0 }));
    await using koine = await startKoine({ providers: { up: upstream.config }, record: { enabled: false } });
    const leaving = new AbortController();
    const { path, body } = question("openai-chat", `up/${upstream.model}`, stream);
    const asked = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    asked.catch(() => undefined);
    if (stream) {
      const read = await (await asked).body?.getReader().read();
      expect(new TextDecoder().decode(read?.value)).toContain("One");
    } else await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
    leaving.abort();
    const metrics = async (): Promise<string> => (await fetch(`${koine.url}/metrics`)).text();
    await vi.waitFor(async () => expect(await metrics()).toMatch(ABORTED), { timeout: 4000 });
    expect(await metrics()).not.toMatch(/koine_calls_total\{[^}]*end="(?!aborted)/);
  },
);

test("calls, tokens and losses are counted by protocol and provider", async () => {
  const error = { kind: "authentication", message: "No." } as const;
  await using upstream = await startUpstream("anthropic", ({ turn }) => (turn === 0 ? "Yes." : { error }));
  await using koine = await startKoine({ providers: { up: upstream.config } });
  const { path, body } = question("openai-chat", `up/${upstream.model}`, false);
  await post(koine, { path, body: { ...body, seed: 7 } });
  await post(koine, { path, body });
  const text = await (await fetch(`${koine.url}/metrics`)).text();
  expect(text).toMatch(/koine_calls_total\{[^}]*dialect="openai-chat"[^}]*provider="up"[^}]*end="ok"[^}]*\} 1/);
  expect(text).toMatch(/koine_calls_total\{[^}]*end="authentication"[^}]*\} 1/);
  expect(text).toMatch(/koine_tokens_total\{[^}]*direction="input"[^}]*\} 24/);
  expect(text).toMatch(/koine_tokens_total\{[^}]*direction="output"[^}]*\} 12/);
  expect(text).toMatch(/koine_losses_total\{[^}]*\} 1/);
});
