// The life of an agent and of its runs: who reads them, what is kept for later readers, and what closing means.
import { expect, test } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { agentOn, call, echo, eventsOf, gate, kinds, makes, says } from "./support/scripted.ts";

test("deltas are not kept for readers that may never come; all other events are", async () => {
  const { agent } = agentOn([makes(call("1", "echo")), says("Done.")], { tools: [echo()] });
  const run = agent.run("Go.");
  await run.result();
  const events = await eventsOf(run);
  expect(events.some(({ type }) => type === "delta")).toBe(false);
  expect(kinds(events).join(" ")).toBe(
    "message step-start tool-start tool-end message message step-end step-start message step-end end",
  );
});

test("who left the loop is not told of deltas any more, until there is a reader again", async () => {
  const goOn = [gate(), gate()] as const;
  const script = [
    async function* first() {
      yield* says("One.").slice(0, 1);
      await goOn[0].opened;
      yield* says("One.").slice(1);
    },
    async function* second() {
      await goOn[1].opened;
      yield* says("Two.");
    },
  ];
  const { agent } = agentOn(script);
  const run = agent.run("Go.");
  run.followUp("And?");
  const answers = new Set<string>();
  for await (const event of run) if (event.type === "delta") break;
  goOn[0].open();
  for await (const event of run) {
    if (event.type === "delta") answers.add(event.runId);
    // From here on somebody reads again.
    if (event.type === "step-end") goOn[1].open();
  }
  const { steps } = await run.result();
  expect(answers).toContain(steps[1]?.runId);
});

test("an agent that was closed takes no more work, and says so", async () => {
  const { agent } = agentOn([says("A."), says("B.")]);
  const { threadId } = await agent.run("Go.").result();
  const closing = agent.close();
  const refused = expect.objectContaining({ name: "AgentError", code: "closed" }) as Error;
  expect(() => agent.run("More.", { threadId })).toThrow(refused);
  expect(() => agent.resume(threadId)).toThrow(refused);
  await closing;
  await agent.close();
  expect(() => agent.run("More.")).toThrow(refused);
});

test("everything is closed, whatever becomes of the rest, and what could not be is told", async () => {
  const closed: string[] = [];
  const source = (name: string, close: () => Promise<void>) => ({ name, tools: () => [], close });
  const { agent } = agentOn([says("A.")], {
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

test("a ledger that was given stays open", async () => {
  const ledger = await openLedger("memory:");
  const { agent } = agentOn([says("A.")], { ledger });
  const { threadId } = await agent.run("Go.").result();
  await agent.close();
  expect(await ledger.transcript(threadId)).toHaveLength(2);
});
