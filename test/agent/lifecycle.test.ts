// The life cycle of an agent and its runs: readers, buffered events, and closing.
import { expect, test } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import type { Delta } from "../../src/model/index.ts";
import { agentOn, call, echo, eventsOf, gate, kinds, callAnswer, textAnswer } from "./support/scripted-provider.ts";

test("deltas are not buffered without a reader; all other events are", async () => {
  const { agent } = agentOn([callAnswer(call("1", "echo")), textAnswer("Done.")], { tools: [echo()] });
  const run = agent.run("Go.");
  await run.result();
  const events = await eventsOf(run);
  expect(events.some(({ type }) => type === "delta")).toBe(false);
  expect(kinds(events).join(" ")).toBe(
    "message step-start tool-start tool-end message message step-end step-start message step-end end",
  );
});

test("deltas are not buffered after the reader left; a new reader gets later deltas", async () => {
  const goOn = [gate(), gate()] as const;
  const after = (index: 0 | 1, content: string) =>
    async function* answer(): AsyncGenerator<Delta> {
      await goOn[index].opened;
      yield* textAnswer(content);
    };
  const { agent } = agentOn([after(0, "One."), after(1, "Two.")]);
  const run = agent.run("Go.");
  run.followUp("And?");
  for await (const event of run) if (event.type === "step-start") break;
  goOn[0].open();
  await expect.poll(() => run.queue).toStrictEqual([]);
  const types: string[] = [];
  for await (const event of run) {
    if (event.type === "delta" && event.delta.kind === "text") types.push(event.delta.payload.textDelta);
    if (event.type === "step-start") goOn[1].open();
  }
  expect(types).toStrictEqual(["Two."]);
});

test('a closed agent rejects new runs with the code "closed"', async () => {
  const { agent } = agentOn([textAnswer("A."), textAnswer("B.")]);
  const { threadId } = await agent.run("Go.").result();
  const closing = agent.close();
  const refused = expect.objectContaining({ name: "AgentError", code: "closed" }) as Error;
  expect(() => agent.run("More.", { threadId })).toThrow(refused);
  expect(() => agent.resume(threadId)).toThrow(refused);
  await closing;
  await agent.close();
  expect(() => agent.run("More.")).toThrow(refused);
});

test("every resource is closed even if one of them fails, and the failures are reported", async () => {
  const closed: string[] = [];
  const source = (name: string, close: () => Promise<void>) => ({ name, tools: () => [], close });
  const { agent } = agentOn([textAnswer("A.")], {
    tools: [
      source("first", () => Promise.reject(new Error("It is stuck."))),
      source("second", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        closed.push("second");
      }),
    ],
  });
  await agent.run("Go.").result();
  await expect(agent.close()).rejects.toMatchObject({
    name: "AgentError",
    code: "source-failed",
    path: "/tools",
    message: expect.stringContaining("It is stuck.") as string,
    cause: { message: "It is stuck." },
  });
  expect(closed).toStrictEqual(["second"]);
});

test("a ledger that the caller gave stays open", async () => {
  const ledger = await openLedger("memory:");
  const { agent } = agentOn([textAnswer("A.")], { ledger });
  const { threadId } = await agent.run("Go.").result();
  await agent.close();
  expect(await ledger.transcript(threadId)).toHaveLength(2);
});
