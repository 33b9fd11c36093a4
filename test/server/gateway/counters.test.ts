// What is counted of calls: how they ended, what they took, and what was lost.
import { expect, test } from "vitest";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/koine.ts";
import { post, question } from "./support.ts";

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
