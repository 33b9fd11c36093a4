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

const text = (words: string): Delta => delta("text", { textDelta: words });
const search = delta("part", {
  value: { type: "tool-call", toolCallId: "s1", toolName: "web_search", input: {}, executor: "provider" },
});
const pauses = (words: string): Delta[] => answer("pause", text(words), search);

describe("what is said while an answer is on its way", () => {
  test("is told to the model after that answer, and answered", async () => {
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

  test("is answered by a later resume where the process died with the answer", async () => {
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

  test("runs of others may begin before their question: their order is as it is", async () => {
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

describe("an answer that paused", () => {
  test("goes on before anything is said: steer waits for its end", async () => {
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

  test("and that the run did not see to its end goes on before a new question, and its text is whole", async () => {
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

describe("where a thread stands is the same for who brought it there and who comes later", () => {
  test.each<[string, Delta[], string]>([
    ["refusal", textAnswer("No.", "refusal"), "cut-off"],
    ["length", textAnswer("It is a long", "length"), "cut-off"],
    ["filter with a call", answer("content-filter", text("So"), ...call("1", "echo")), "cut-off"],
    ["stop", textAnswer("Yes."), "done"],
  ])("%s", async (_, said, reason) => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    const { agent, requests } = agentOn([said], { ledger, tools: [echo()] });
    const options = { threadId, idempotencyKey: "k" };
    const first = await agent.run("Go.", options).result();
    expect(first.reason).toBe(reason);
    for (const later of [() => agent.resume(threadId), () => agent.run("Go.", options)]) {
      expect(await later().result()).toMatchObject({ reason, text: first.text, steps: [] });
    }
    expect(requests).toHaveLength(1);
  });

  test("calls that came from elsewhere and that nobody answered get a result that says so, and do not run", async () => {
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

  test("instructions alone are nothing to answer, unless they are said", async () => {
    const ledger = await openLedger("memory:");
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [system("Be brief."), user("Hi."), assistant("Hi."), system("In Greek.")]);
    const { agent, requests } = agentOn([textAnswer("Χαῖρε.")], { ledger });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Hi.", steps: [] });
    expect(requests).toStrictEqual([]);
    expect(await agent.run(system("In Attic Greek."), { threadId }).result()).toMatchObject({ text: "Χαῖρε." });
  });
});

describe("a key that was used", () => {
  test("leads to the answer that followed, though the thread has gone on", async () => {
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

  test("leads to an error where what was said is on another branch", async () => {
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

test("a key that was used for something else is told", async () => {
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

test("a conversation from elsewhere may be brought along, if it ends with something to answer", async () => {
  const { agent, requests } = agentOn([textAnswer("Fine.")]);
  await agent.run([system("Be brief."), user("Hi."), assistant("Hello."), user("How are you?")]).result();
  expect(requests[0]?.messages).toHaveLength(4);
});

test("what is said is as it was when it was said", async () => {
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

test("a limit that is smaller than a round leaves the question and the round, not nothing", async () => {
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
