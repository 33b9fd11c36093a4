// The beginning of a run in a thread that another process left: unfinished, paused, with open calls, or continued.
import { describe, expect, test } from "vitest";
import type { AgentRun } from "../../src/agent/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, type Delta, system, user } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { Fate, mortalLedger } from "./support/simulated-crash.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  gate,
  callAnswer,
  repairs,
  results,
  textAnswer,
  short,
  slowly,
  transcript,
} from "./support/scripted-provider.ts";

const text = (textDelta: string): Delta => delta("text", { textDelta: textDelta });
const search = delta("part", {
  value: { type: "tool-call", toolCallId: "s1", toolName: "web_search", input: {}, executor: "provider" },
});
const pauses = (content: string): Delta[] => answer("pause", text(content), search);

describe("a message that is appended while an answer streams", () => {
  test("follows that answer in the history and is answered", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    async function* interrupted(): AsyncGenerator<Delta> {
      yield* textAnswer("Wait for it.").slice(0, 2);
      await ledger.append(threadId, [user("Not that!")]);
      yield* textAnswer("Wait for it.").slice(2);
    }
    const { agent, requests } = agentOn([interrupted, textAnswer("Something else, then."), textAnswer("Yes.")], {
      ledger,
    });
    const result = await agent.run("Go.", { threadId }).result();
    expect(result).toMatchObject({ reason: "done", text: "Something else, then." });
    const expected = ["user: Go.", "assistant: Wait for it.", "user: Not that!"];
    expect(short(requests[1]?.messages ?? [])).toStrictEqual(expected);
    // The order stays the same afterwards, so that earlier requests are prefixes of later ones (B44).
    await agent.run("Sure?", { threadId }).result();
    const later = ["assistant: Something else, then.", "user: Sure?"];
    expect(short(requests[2]?.messages ?? [])).toStrictEqual([...expected, ...later]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("is answered by a later resume if the process died with the answer", async () => {
    const ledger = await openLedger("memory:");
    const fate = new Fate(3, "before");
    const first = agentOn([() => slowly(textAnswer("One."))], { ledger: mortalLedger(ledger, fate) }).agent.run("Go.");
    const threadId = await first.threadId;
    await fate.died;
    await ledger.append(threadId, [user("And two?")]);
    const [step] = await ledger.runs(threadId);
    await (await ledger.resumeRun(step?.id ?? "", { force: true })).commit([assistant("One.")]);
    const { agent, requests } = agentOn([textAnswer("Two.")], { ledger });
    expect(await agent.resume(threadId).result()).toMatchObject({ text: "Two." });
    expect(short(requests[0]?.messages ?? [])).toStrictEqual(["user: Go.", "assistant: One.", "user: And two?"]);
  });

  test("runs of other writers may precede their question, and their order is unchanged", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("One.")]);
    const other = await ledger.beginRun({ threadId });
    await ledger.append(threadId, [user("Two.")]);
    await other.commit([assistant("To both.")]);
    const { agent, requests } = agentOn([textAnswer("Ok.")], { ledger });
    expect(await agent.resume(threadId).result()).toMatchObject({ text: "To both.", steps: [] });
    await agent.run("Three.", { threadId }).result();
    expect(short(requests[0]?.messages ?? [])).toStrictEqual([
      "user: One.",
      "user: Two.",
      "assistant: To both.",
      "user: Three.",
    ]);
  });
});

describe("a paused answer", () => {
  test("continues before queued messages are delivered", async () => {
    const ledger = await openLedger("memory:");
    const script = [
      () => {
        run.steer("Hurry.");
        return pauses("One, ");
      },
      pauses("two, "),
      textAnswer("three."),
      textAnswer("Done."),
    ];
    const { agent, requests } = agentOn(script, { ledger });
    const run: AgentRun = agent.run("Count.");
    expect(await run.result()).toMatchObject({ reason: "done", text: "Done." });
    expect(requests.map(({ messages }) => short(messages).at(-1))).toStrictEqual([
      "user: Count.",
      "assistant: One,  web_search#s1",
      "assistant: two,  web_search#s1",
      "user: Hurry.",
    ]);
  });

  test("that an earlier run left continues before a new question, and its text is complete", async () => {
    const ledger = await openLedger("memory:");
    const { agent, requests } = agentOn([pauses("One, "), textAnswer("two."), textAnswer("Three.")], {
      ledger,
      maxSteps: 1,
    });
    const { threadId, reason } = await agent.run("Count.").result();
    expect(reason).toBe("max-steps");
    const again = agent.run("And then?", { threadId });
    const stopped = await again.result();
    expect(stopped).toMatchObject({
      reason: "max-steps",
      text: "One, two.",
      pending: [{ message: user("And then?") }],
    });
    expect(await agent.run("And then?", { threadId }).result()).toMatchObject({ reason: "done", text: "Three." });
    expect(requests.map(({ messages }) => short(messages).at(-1))).toStrictEqual([
      "user: Count.",
      "assistant: One,  web_search#s1",
      "user: And then?",
    ]);
    expect(await transcript(ledger, threadId)).toHaveLength(5);
  });
});

describe("the state of a thread is the same for its writer and for a later process", () => {
  test.each<[string, Delta[], string]>([
    ["refusal", textAnswer("No.", "refusal"), "cut-off"],
    ["length", textAnswer("It is a long", "length"), "cut-off"],
    ["filter with a call", answer("content-filter", text("So"), ...call("1", "echo")), "cut-off"],
    ["stop", textAnswer("Yes."), "done"],
  ])("%s", async (_, unfinished, reason) => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    const { agent, requests } = agentOn([unfinished], { ledger, tools: [echo()] });
    const options = { threadId, idempotencyKey: "k" };
    const first = await agent.run("Go.", options).result();
    expect(first.reason).toBe(reason);
    for (const later of [() => agent.resume(threadId), () => agent.run("Go.", options)]) {
      expect(await later().result()).toMatchObject({ reason, text: first.text, steps: [] });
    }
    expect(requests).toHaveLength(1);
  });

  test("open calls of an imported history get a result that states it, and do not run", async () => {
    const ledger = await openLedger("memory:");
    const open = { role: "assistant", parts: [{ type: "tool-call", toolCallId: "q", toolName: "echo", input: {} }] };
    for (const begin of ["resume", "run"] as const) {
      const { id: threadId } = await ledger.createThread();
      await ledger.append(threadId, [user("Go."), open as never]);
      const echoTool = echo();
      const { agent, requests } = agentOn([textAnswer("Ok.")], { ledger, tools: [echoTool] });
      const run = begin === "run" ? agent.run("Well?", { threadId }) : agent.resume(threadId);
      expect(await run.result()).toMatchObject({ reason: "done", text: "Ok." });
      expect(echoTool.inputs).toStrictEqual([]);
      expect(results(requests[0]?.messages ?? [])).toMatchObject([{ toolCallId: "q", isError: true }]);
      expect(await repairs(ledger, threadId)).toStrictEqual([]);
    }
  });

  test("instructions alone need no answer, unless they are in the thread", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [system("Be brief."), user("Hi."), assistant("Hi."), system("In Greek.")]);
    const { agent, requests } = agentOn([textAnswer("Χαῖρε.")], { ledger });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Hi.", steps: [] });
    expect(requests).toStrictEqual([]);
    expect(await agent.run(system("In Attic Greek."), { threadId }).result()).toMatchObject({ text: "Χαῖρε." });
  });
});

describe("a key that was used before", () => {
  test("leads to its answer even if the thread has continued", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    const script = [callAnswer(call("1", "echo")), textAnswer("To A."), textAnswer("To B.")];
    const { agent, requests } = agentOn(script, { ledger, tools: [echo()] });
    await agent.run("A", { threadId, idempotencyKey: "k" }).result();
    await agent.run("B", { threadId }).result();
    const again = await agent.run("A", { threadId, idempotencyKey: "k" }).result();
    expect(again).toMatchObject({ reason: "done", text: "To A.", steps: [], message: { role: "assistant" } });
    expect(requests).toHaveLength(3);
  });

  test("is an error if its message is on another branch", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    const [root] = await ledger.append(threadId, [user("Hello."), assistant("Hello!")]);
    const { agent } = agentOn([textAnswer("To A.")], { ledger });
    await agent.run("A", { threadId, idempotencyKey: "k" }).result();
    await ledger.select(threadId, root?.id ?? null);
    await expect(agent.run("A", { threadId, idempotencyKey: "k" }).result()).rejects.toMatchObject({
      name: "AgentError",
      code: "conflict",
      path: "/idempotencyKey",
    });
  });
});

test("is an error if its message differs", async () => {
  const ledger = await openLedger("memory:");
  const { id: threadId } = await ledger.createThread();
  const { agent, requests } = agentOn([textAnswer("To A.")], { ledger });
  await agent.run("A", { threadId, idempotencyKey: "k" }).result();
  await expect(agent.run("B", { threadId, idempotencyKey: "k" }).result()).rejects.toMatchObject({
    name: "AgentError",
    code: "conflict",
    path: "/idempotencyKey",
  });
  expect(requests).toHaveLength(1);
});

test("an imported history is accepted if it ends with a message to answer", async () => {
  const { agent, requests } = agentOn([textAnswer("Fine.")]);
  await agent.run([system("Be brief."), user("Hi."), assistant("Hello."), user("How are you?")]).result();
  expect(requests[0]?.messages).toHaveLength(4);
});

test("a message is copied when it is appended", async () => {
  const ledger = await openLedger("memory:");
  const { opened, open } = gate();
  const first = user("One.");
  const second = user("Two.");
  async function* later(): AsyncGenerator<Delta> {
    await opened;
    yield* textAnswer("A.");
  }
  const { agent } = agentOn([later, textAnswer("B.")], { ledger });
  const run = agent.run(first);
  const queued = run.followUp(second);
  for (const { parts } of [first, second, queued.message]) parts[0] = { type: "text", text: "Something else." };
  open();
  const { threadId } = await run.result();
  expect(await transcript(ledger, threadId)).toStrictEqual([
    "user: One.",
    "assistant: A.",
    "user: Two.",
    "assistant: B.",
  ]);
});

test("a context limit below one round still sends the question and the round", async () => {
  for (const maxMessages of [1, 2]) {
    const { agent, requests } = agentOn([callAnswer(call("1", "echo")), textAnswer("Ok.")], {
      tools: [echo()],
      maxMessages,
    });
    const { threadId } = await agent.run("Go.").result();
    expect(short(requests[1]?.messages ?? [])).toStrictEqual(["user: Go.", "assistant: echo#1", "tool: =1"]);
    expect(threadId).not.toBe("");
  }
});
