// Queues: "steer" messages are delivered after the tool round, "follow-up" messages after the answer.
import { expect, test } from "vitest";
import { AgentError, type AgentRun, type QueuedMessage, tool } from "../../src/agent/index.ts";
import { createLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { createView } from "../ledger/support/stores.ts";
import { assistant, user } from "../../src/model/index.ts";
import { agentOn, call, eventsOf, kinds, callAnswer, textAnswer, short } from "./support/scripted-provider.ts";

/** A tool during which a message is queued. */
function during(step: (run: AgentRun) => unknown): { tool: ReturnType<typeof tool>; watch(run: AgentRun): AgentRun } {
  let running: AgentRun | undefined;
  return {
    tool: tool({ name: "work", run: () => void (running !== undefined && step(running)) }),
    watch: (run) => (running = run),
  };
}
const works = (id: string) => callAnswer(call(id, "work"));

test("all steer messages are delivered together after the running tools, before the next request", async () => {
  const meanwhile = during((run) => {
    run.steer("Stop that.");
    run.steer(user("Do this."));
  });
  const { agent, requests } = agentOn([works("1"), textAnswer("Ok.")], { tools: [meanwhile.tool] });
  const run = meanwhile.watch(agent.run("Go."));
  const events = await eventsOf(run);
  expect(short(requests[1]?.messages ?? [])).toStrictEqual([
    "user: Go.",
    "assistant: work#1",
    "tool: =1",
    "user: Stop that.",
    "user: Do this.",
  ]);
  expect(kinds(events).join(" ")).toBe(
    "message step-start tool-start queued queued tool-end message message step-end " +
      "unqueued unqueued message message step-start message step-end end",
  );
  expect(await run.result()).toMatchObject({ reason: "done", text: "Ok.", pending: [] });
});

test("a steer message that arrives during the last answer follows it", async () => {
  const script = [
    () => {
      run.steer("One thing more.");
      return textAnswer("Done.");
    },
    textAnswer("That, too."),
  ];
  const { agent, requests } = agentOn(script);
  const run: AgentRun = agent.run("Go.");
  expect(await run.result()).toMatchObject({ text: "That, too." });
  expect(short(requests[1]?.messages ?? [])).toStrictEqual(["user: Go.", "assistant: Done.", "user: One thing more."]);
});

test("follow-ups wait until the answer is complete, and each gets its own answer", async () => {
  const meanwhile = during((run) => {
    run.followUp("And then?");
    run.followUp("And after that?");
    run.steer("Quick.");
  });
  const { agent, requests } = agentOn([works("1"), textAnswer("A."), textAnswer("B."), textAnswer("C.")], {
    tools: [meanwhile.tool],
  });
  const result = await meanwhile.watch(agent.run("Go.")).result();
  expect(result).toMatchObject({ reason: "done", text: "C.", pending: [] });
  expect(short(requests[3]?.messages ?? []).slice(3)).toStrictEqual([
    "user: Quick.",
    "assistant: A.",
    "user: And then?",
    "assistant: B.",
    "user: And after that?",
  ]);
});

test("a cut-off answer is continued if a message waits in the queue", async () => {
  const { agent } = agentOn([textAnswer("It is a long", "length"), textAnswer("story.")]);
  const run = agent.run("Tell me.");
  run.followUp("Go on.");
  expect(await run.result()).toMatchObject({ reason: "done", text: "story." });
});

test.each([0, 1, 3, 20])("a message that a reader queues %i ticks after the answer is delivered", async (moments) => {
  for (const type of ["message", "step-end"]) {
    const { agent } = agentOn([textAnswer("A."), textAnswer("B.")]);
    const run = agent.run("Go.");
    let isQueued = false;
    for await (const event of run) {
      const isAnswer = event.type === type && (event.type !== "message" || event.message.role === "assistant");
      if (!isAnswer || isQueued) continue;
      isQueued = true;
      for (let moment = 0; moment < moments; moment++) await Promise.resolve();
      run.followUp("And?");
    }
    expect(await run.result()).toMatchObject({ reason: "done", text: "B.", pending: [] });
  }
});

test("a queued message is delivered or returned, however the run ends", async () => {
  const { agent } = agentOn([textAnswer("A.")], { maxSteps: 1 });
  const run = agent.run("Go.");
  const queued = run.followUp("More.");
  expect(await run.result()).toMatchObject({ reason: "max-steps", pending: [queued] });
  expect(await run.cancel()).toStrictEqual([queued]);
  const failing = agentOn([]).agent.run("Go.");
  const waiting = failing.followUp("More.");
  await expect(failing.result()).rejects.toThrow("The script has no more answers.");
  expect(await failing.cancel()).toStrictEqual([waiting]);
});

test("queued messages can be listed and removed", async () => {
  const { agent, requests } = agentOn([textAnswer("A."), textAnswer("B.")]);
  const run = agent.run("Go.");
  const [first, second] = [run.followUp("One."), run.followUp("Two.")];
  expect(run.queue).toStrictEqual([first, second]);
  expect(first).toMatchObject({ kind: "follow-up", message: user("One.") });
  expect(run.unqueue(first.id)).toBe(true);
  expect(run.unqueue(first.id)).toBe(false);
  expect(run.queue).toStrictEqual([second]);
  const events = await eventsOf(run);
  expect(short(requests[1]?.messages ?? []).at(-1)).toBe("user: Two.");
  expect(run.unqueue(second.id)).toBe(false);
  expect(
    events.flatMap((event) => (event.type === "unqueued" ? [[event.queued.id, event.delivered]] : [])),
  ).toStrictEqual([
    [first.id, false],
    [second.id, true],
  ]);
});

test.each([
  ["max-steps", { maxSteps: 1 }],
  ["stopped", { stopWhen: () => true }],
])("undelivered messages are returned: %s", async (reason, options) => {
  const queued: QueuedMessage[] = [];
  const script = () => {
    queued.push(run.steer("One."), run.followUp("Two."));
    return textAnswer("A.");
  };
  const { agent, requests } = agentOn([script], options);
  const run: AgentRun = agent.run("Go.");
  expect(await run.result()).toMatchObject({ reason, pending: queued });
  expect(requests).toHaveLength(1);
});

test("a run that has ended rejects further messages; the undelivered messages of a failed run can be read", async () => {
  const { agent } = agentOn([textAnswer("A.")]);
  const run = agent.run("Go.");
  await run.result();
  expect(() => run.steer("Late.")).toThrow(AgentError);
  expect(() => run.followUp("Late.")).toThrow(expect.objectContaining({ code: "ended" }) as Error);
  const failing = agentOn([]).agent.run("Go.");
  const queued = failing.followUp("Then this.");
  await expect(failing.result()).rejects.toThrow("The script has no more answers.");
  expect(failing.queue).toStrictEqual([queued]);
  expect(() => failing.steer("Late.")).toThrow(expect.objectContaining({ code: "ended" }) as Error);
});

test("an invalid message is rejected when it is queued", () => {
  const run = agentOn([textAnswer("A.")]).agent.run("Go.");
  expect(() => run.steer("")).toThrow(expect.objectContaining({ code: "invalid-input" }) as Error);
  expect(() => run.followUp({ role: "unknown", parts: [] } as never)).toThrow(
    expect.objectContaining({ code: "invalid-input", path: "/message/role" }) as Error,
  );
  for (const invalidMessage of [[user("One."), user("Two.")], assistant("I said"), { role: "tool", parts: [] }]) {
    expect(() => run.steer(invalidMessage as never)).toThrow(
      expect.objectContaining({ code: "invalid-input" }) as Error,
    );
  }
  expect(run.queue).toStrictEqual([]);
});

test("messages that the ledger rejected are queued again", async () => {
  const store = memoryStore();
  let fails = false;
  const ledger = createLedger({
    ...createView(store),
    write: (work) => (fails ? Promise.reject(new Error("The disk is gone.")) : store.write(work)),
  });
  const { agent } = agentOn([textAnswer("A.")], { ledger, stopWhen: () => void (fails = true) as never });
  const run = agent.run("Go.");
  const queued = [run.followUp("One."), run.followUp("Two.")];
  await expect(run.result()).rejects.toThrow("The disk is gone.");
  expect(run.queue).toStrictEqual(queued);
});
