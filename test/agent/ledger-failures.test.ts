// Rounds whose ledger fails or rejects a write: calls that were not cancelled are not recorded as cancelled, calls that never
// ran do not count as started, and a result that cannot be recorded does not block the thread.
import { describe, expect, test } from "vitest";
import { type AgentTool, createAgent, tool, toolOutput } from "../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../src/client/index.ts";
import { LedgerError, createLedger, openLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { image } from "../../src/model/index.ts";
import { agentOn, call, callAnswer, repairs, results, textAnswer } from "./support/scripted-provider.ts";

const NAMES = ["a", "b", "c"];
const model: LocalProvider = {
  answer: ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? textAnswer("Done.")
      : callAnswer(...NAMES.map((name, index) => call(String(index + 1), name))),
};
const client = createClient({ providers: { local: model } });

interface Broken {
  ran: string[];
  /** The first error, or undefined. */
  error: unknown;
  outputs: unknown[];
}

/** A run in which one write fails, and its resumption; a run has about twelve writes. */
async function broken(at: number, maxParallel: number, make: (ran: string[]) => Partial<AgentTool>): Promise<Broken> {
  const store = memoryStore();
  let writes = Number.NEGATIVE_INFINITY;
  const ledger = createLedger({
    ...store,
    write: (work) => (writes++ === at ? Promise.reject(new LedgerError("unavailable", "Not now.")) : store.write(work)),
  });
  const ran: string[] = [];
  const tools = NAMES.map((name) => ({ ...tool({ name, run: () => "ok" }), ...make(ran) }));
  const agent = createAgent({ client, model: "local/m", ledger, tools, maxParallel });
  const { id: threadId } = await ledger.createThread();
  writes = 0;
  const first = agent.run("Go.", { threadId }).result();
  const error: unknown = await first.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  writes = Number.NEGATIVE_INFINITY;
  if ((await ledger.transcript(threadId)).length === 0) return { ran, error, outputs: [] };
  expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Done." });
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
  return { ran, error, outputs: results(await ledger.transcript(threadId)).map(({ output }) => output) };
}

const noted =
  (ran: string[]): AgentTool["run"] =>
  (_, { toolCallId, isRerun: again }) => {
    ran.push(again ? `${toolCallId} again` : toolCallId);
    return "ok";
  };

describe.each([1, 2, 8])("with %i tools at a time, one write fails", (maxParallel) => {
  const places = Array.from({ length: 14 }, (_, at) => at);

  test("all repeatable tools run eventually, and no result reports a cancellation", async () => {
    let failures = 0;
    for (const at of places) {
      const { error, outputs } = await broken(at, maxParallel, (ran) => ({ retry: "safe", run: noted(ran) }));
      if (error !== undefined) failures++;
      if (outputs.length > 0) expect({ at, outputs }).toStrictEqual({ at, outputs: ["ok", "ok", "ok"] });
    }
    expect(failures).toBeGreaterThan(4);
  });

  test("no tool that may not be repeated runs twice, and only started calls are recorded as interrupted", async () => {
    for (const at of places) {
      const { ran, outputs } = await broken(at, maxParallel, (list) => ({ run: noted(list) }));
      expect(new Set(ran).size).toBe(ran.length);
      outputs.forEach((output, index) => {
        const didRun = ran.includes(String(index + 1));
        if (output !== "ok") expect(output).toContain("was interrupted after the tool had started");
        else expect(didRun).toBe(true);
      });
    }
  });

  test("a tool that ends because its signal aborts does not count as failed", async () => {
    for (const at of places) {
      const { outputs } = await broken(at, maxParallel, (ran) => ({
        retry: "safe",
        run: async (input, context) => {
          noted(ran)(input, context);
          await new Promise((resolve) => setImmediate(resolve));
          context.signal.throwIfAborted();
          return "ok";
        },
      }));
      if (outputs.length > 0) expect({ at, outputs }).toStrictEqual({ at, outputs: ["ok", "ok", "ok"] });
    }
  });
});

test("a call whose start could not be recorded does not count as started", async () => {
  // The first call's start fails to be recorded once; the second call would record both.
  const ledger = await openLedger("memory:");
  let notes = 0;
  const failing = new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "beginRun") return value.bind(target) as unknown;
      return async (...given: Parameters<typeof ledger.beginRun>) => {
        const run = await ledger.beginRun(...given);
        const note = run.mergeMetadata.bind(run);
        run.mergeMetadata = (facts) =>
          notes++ === 0 ? Promise.reject(new LedgerError("unavailable", "Not now.")) : note(facts);
        return run;
      };
    },
  });
  const ran: string[] = [];
  const tools = NAMES.map((name) => tool({ name, retry: "safe", run: noted(ran) }));
  const agent = createAgent({ client, model: "local/m", ledger: failing, tools, maxParallel: 1 });
  const { id: threadId } = await ledger.createThread();
  await expect(agent.run("Go.", { threadId }).result()).rejects.toMatchObject({ code: "unavailable" });
  expect(notes).toBe(1);
  expect(ran).toStrictEqual([]);
  expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done" });
  expect(ran).toStrictEqual(["1", "2", "3"]);
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

test.each<[string, () => unknown]>([
  ["nested deeper than a result may be", () => nested(990)],
  ["a missing blob", () => toolOutput({ content: [image({ blob: `sha256-${"0".repeat(64)}` })] })],
])("a result that the ledger rejects becomes an error result, and the tool runs once: %s", async (_, value) => {
  const ledger = await openLedger("memory:");
  let count = 0;
  const deep = tool({
    name: "t",
    retry: "safe",
    run: () => {
      count++;
      return value();
    },
  });
  const { agent, requests } = agentOn([callAnswer(call("1", "t")), textAnswer("Ok.")], { ledger, tools: [deep] });
  const { threadId, reason } = await agent.run("Go.").result();
  expect({ reason, count }).toStrictEqual({ reason: "done", count: 1 });
  expect(results(requests[1]?.messages ?? [])).toMatchObject([
    {
      isError: true,
      output: expect.stringMatching(/^The tool ran, but its return value cannot be recorded: /) as string,
    },
  ]);
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
});

test("a result may name a stored blob", async () => {
  const ledger = await openLedger("memory:");
  const { blob } = await ledger.putBlob(new Uint8Array([1, 2, 3]));
  const part = image({ blob, mimeType: "image/png" });
  const { agent } = agentOn([callAnswer(call("1", "t")), textAnswer("Ok.")], {
    ledger,
    tools: [tool({ name: "t", run: () => toolOutput({ content: [part] }) })],
  });
  const { threadId } = await agent.run("Go.").result();
  const [result] = results(await ledger.transcript(threadId, { blobs: "reference" }));
  expect(result).toMatchObject({ isError: false, content: [{ type: "image" }] });
});
