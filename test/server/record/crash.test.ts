// A server that is killed during a stream, and its successor.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { spawnKoine, startKoine } from "../support/start-koine.ts";
import { lineOf } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("B90: the partial answer of a killed server is stored, marked interrupted, and the conversation continues", async () => {
  await using upstream = await startUpstream("openai-chat", [
    "Hello.",
    // Long enough for its start to be written, and without an end.
    { parts: [{ type: "text", text: "word ".repeat(400) }], stall: 20_000 },
    "Again.",
  ]);
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, flushMs: 1 };
  const { baseUrl, apiKey } = upstream;
  const first = await spawnKoine({ ledger, providers: { up: { dialect: "openai-chat", baseUrl, apiKey } } });
  const complete = (url: string, messages: readonly object[], stream: boolean): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: `up/${upstream.model}`, messages, stream }),
    });
  const history: object[] = [{ role: "user", content: "Hi" }];
  const hello = await complete(first.url, history, false);
  const threadId = hello.headers.get("x-koine-thread") ?? "";
  expect(await hello.json()).toMatchObject({ choices: [{ message: { content: "Hello." } }] });
  history.push({ role: "assistant", content: "Hello." }, { role: "user", content: "Go on" });

  const stream = await complete(first.url, history, true);
  expect(stream.headers.get("x-koine-thread")).toBe(threadId);
  const runId = stream.headers.get("x-koine-run") ?? "";
  let received = "";
  const decoder = new TextDecoder();
  const reader = stream.body?.getReader();
  while (received.split("word").length < 50)
    received += decoder.decode((await reader?.read())?.value, { stream: true });
  await untilWritten(ledger.url, runId);
  await first.kill();

  // By this clock, the lease of the killed server has expired, so that its run is recovered at the start.
  const clock = (): number => Date.now() + 3_600_000;
  await using second = await startKoine({ ledger, providers: { up: upstream.config } }, { clock });
  const own = await openLedger(ledger.url);
  while ((await own.run(runId)).state !== "failed") await new Promise((resolve) => setTimeout(resolve, 20));
  const { messages, activeLeafId } = await own.tree(threadId);
  const partial = messages.at(-1);
  expect(partial?.metadata).toMatchObject({ interrupted: true, runId });
  expect(partial && lineOf(partial)).toMatch(/^assistant: word word/);
  expect(messages.map(lineOf).slice(0, 3)).toEqual(["user: Hi", "assistant: Hello.", "user: Go on"]);
  expect(activeLeafId).toBe(messages[2]?.id);

  const again = await complete(second.url, history, false);
  expect(again.headers.get("x-koine-thread")).toBe(threadId);
  expect(await again.json()).toMatchObject({ choices: [{ message: { content: "Again." } }] });
  expect((await own.transcript(threadId)).map(lineOf)).toEqual([
    "user: Hi",
    "assistant: Hello.",
    "user: Go on",
    "assistant: Again.",
  ]);
  await own.close();
});

/** Waits until deltas of the run are on disk. */
async function untilWritten(url: string, runId: string): Promise<void> {
  const ledger = await openLedger(url);
  while ((await ledger.run(runId)).lastSeq < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  await ledger.close();
}
