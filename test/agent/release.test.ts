// A run that is released instead of cancelled: no call is recorded as cancelled, and another process can resume it.
import { describe, expect, test } from "vitest";
import { AgentError, createAgent, tool } from "../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../src/client/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { call, callAnswer, repairs, results, textAnswer } from "./support/scripted-provider.ts";

const NAMES = ["a", "b", "c"];
const model: LocalProvider = {
  answer: ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? textAnswer("Done.")
      : callAnswer(...NAMES.map((name, index) => call(String(index + 1), name))),
};

/** A run that is released when its second tool has started, one tool at a time, and its resumption. */
async function left(
  retry: "safe" | "never",
): Promise<{ error: unknown; states: string[]; ran: string[]; outputs: unknown[] }> {
  const ledger = await openLedger("memory:");
  const leaving = new AbortController();
  const ran: string[] = [];
  const tools = NAMES.map((name) =>
    tool({
      name,
      retry,
      run: (_, { isRerun: again }) => {
        ran.push(again ? `${name} again` : name);
        if (name !== "b" || again) return "ok";
        leaving.abort(new AgentError("released", "Elsewhere."));
        return new Promise(() => undefined);
      },
    }),
  );
  const client = createClient({ providers: { local: model } });
  const agent = createAgent({ client, model: "local/m", ledger, tools, maxParallel: 1 });
  const { id: threadId } = await ledger.createThread();
  const run = agent.run("Go.", { threadId, signal: leaving.signal });
  const error: unknown = await run.result().catch((reason: unknown) => reason);
  const states = (await ledger.runs(threadId)).map(({ state }) => state);
  expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Done." });
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
  const outputs = results(await ledger.transcript(threadId)).map(({ output }) => output);
  return { error, states, ran, outputs };
}

describe("a run that is released while a tool runs", () => {
  test("runs unstarted and repeatable calls when it is resumed", async () => {
    const { error, states, ran, outputs } = await left("safe");
    expect(error).toMatchObject({ code: "released" });
    expect(states).toStrictEqual(["streaming"]);
    expect(ran).toStrictEqual(["a", "b", "b again", "c"]);
    expect(outputs).toStrictEqual(["ok", "ok", "ok"]);
  });

  test("reports interrupted calls that may not be repeated to the model", async () => {
    const { ran, outputs } = await left("never");
    expect(ran).toStrictEqual(["a", "b", "c"]);
    expect(outputs).toStrictEqual(["ok", expect.stringContaining("interrupted"), "ok"]);
  });
});
