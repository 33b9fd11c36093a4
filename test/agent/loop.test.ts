// The loop: the model is called, tools run, and results are sent back until no call is left. Every step is recorded.
import { describe, expect, test } from "vitest";
import { createAgent, tool } from "../../src/agent/index.ts";
import { createClient, demo } from "../../src/client/index.ts";
import { type Ledger, openLedger } from "../../src/ledger/index.ts";
import { assistant, image, system, text, user } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { shareLedger } from "./support/shared-ledger.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  eventsOf,
  kinds,
  LEDGERS,
  callAnswer,
  repairs,
  textAnswer,
  scripted,
  short,
  slowly,
  transcript,
} from "./support/scripted-provider.ts";

describe.each(LEDGERS)("on $name", (store) => {
  let ledger: Ledger;
  shareLedger(store, (opened) => ({ ledger } = opened));

  test("an answer without calls is one step, and the thread has the question and the answer", async () => {
    const { agent, requests } = agentOn([textAnswer("Clear.")], { ledger });
    const run = agent.run("How is the weather?");
    expect(kinds(await eventsOf(run))).toStrictEqual(["message", "step-start", "message", "step-end", "end"]);
    const result = await run.result();
    expect(result).toMatchObject({ reason: "done", text: "Clear.", threadId: await run.threadId, pending: [] });
    expect(result.usage).toStrictEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    expect(result.message?.metadata).toMatchObject({
      provider: "local",
      model: "scripted-1",
      finishReason: { unified: "stop" },
      usage: { totalTokens: 15 },
    });
    expect(await transcript(ledger, result.threadId)).toStrictEqual(["user: How is the weather?", "assistant: Clear."]);
    expect(requests[0]?.tools).toBeUndefined();
    const [only, ...others] = await ledger.runs(result.threadId);
    expect(others).toStrictEqual([]);
    expect(only).toMatchObject({ state: "committed", metadata: { agent: true, provider: "local", step: 0 } });
    expect(result.steps).toMatchObject([{ index: 0, runId: only?.id, usage: { totalTokens: 15 } }]);
  });

  test("results are sent back until no call is left, and each step is one run", async () => {
    const adds = echo("add");
    const { agent, requests } = agentOn(
      [callAnswer(call("1", "add", { a: 1 })), callAnswer(call("2", "add", { a: 2 })), textAnswer("Three.")],
      { ledger, tools: [adds], instructions: "Be brief." },
    );
    const run = agent.run([user("Add."), user("Please.")]);
    const { threadId, steps, usage, text: finalText } = await run.result();
    expect(adds.inputs).toStrictEqual([{ a: 1 }, { a: 2 }]);
    expect(finalText).toBe("Three.");
    expect(steps.map(({ index, messages }) => [index, ...short(messages)])).toStrictEqual([
      [0, "assistant: add#1", "tool: =1"],
      [1, "assistant: add#2", "tool: =2"],
      [2, "assistant: Three."],
    ]);
    expect(usage.totalTokens).toBe(45);
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Add.",
      "user: Please.",
      ...steps.flatMap(({ messages }) => short(messages)),
    ]);
    // Instructions are the first message of every request and not part of the thread.
    expect(requests.map(({ messages }) => messages.length)).toStrictEqual([3, 5, 7]);
    expect(requests.map(({ messages }) => short(messages)[0])).toStrictEqual(Array(3).fill("system: Be brief."));
    expect(requests[0]?.tools).toMatchObject([{ type: "function", name: "add" }]);
    expect((await ledger.runs(threadId)).map(({ state }) => state)).toStrictEqual(Array(3).fill("committed"));
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("a run continues a thread, and messages that others append between two steps are sent", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("Hello."), assistant("Hello!")]);
    const intrude = tool({
      name: "intrude",
      run: async () => void (await ledger.append(threadId, [user("By the way.")])),
    });
    const { agent, requests } = agentOn([callAnswer(call("1", "intrude")), textAnswer("Yes.")], {
      ledger,
      tools: [intrude],
    });
    await agent.run("Go on.", { threadId }).result();
    expect(short(requests[1]?.messages ?? [])).toStrictEqual([
      "user: Hello.",
      "assistant: Hello!",
      "user: Go on.",
      "assistant: intrude#1",
      "tool: =1",
      "user: By the way.",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("a repeated key appends no second message and returns the first answer", async () => {
    const { id: threadId } = await ledger.createThread();
    const { agent, requests } = agentOn([textAnswer("Once.")], { ledger });
    const options = { threadId, idempotencyKey: "k" };
    await agent.run("Hello.", options).result();
    const again = await agent.run("Hello.", options).result();
    expect(again).toMatchObject({ reason: "done", text: "Once.", steps: [] });
    expect(requests).toHaveLength(1);
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Hello.", "assistant: Once."]);
    await expect(agent.run("Another question.", options).result()).rejects.toMatchObject({ code: "conflict" });
  });

  test("a repeated key calls the model if the first process died before that", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("Hello.")], { idempotencyKey: "k" });
    const { agent } = agentOn([textAnswer("There you are.")], { ledger });
    const result = await agent.run("Hello.", { threadId, idempotencyKey: "k" }).result();
    expect(result.text).toBe("There you are.");
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Hello.", "assistant: There you are."]);
  });

  test("a provider error ends the run; the thread stays valid and can be resumed", async () => {
    const broken = [
      ...answer("stop", delta("text", { textDelta: "Half of" })).slice(0, 2),
      delta("error", { errorCode: "overloaded", message: "Try later." }),
    ];
    const { agent } = agentOn([callAnswer(call("1", "echo")), () => slowly(broken), textAnswer("Now.")], {
      ledger,
      tools: [echo()],
    });
    const run = agent.run("Go.");
    const threadId = await run.threadId;
    await expect(run.result()).rejects.toMatchObject({ name: "ClientError", code: "overloaded" });
    await expect(eventsOf(run)).rejects.toMatchObject({ code: "overloaded" });
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Go.", "assistant: echo#1", "tool: =1"]);
    const failed = (await ledger.runs(threadId)).at(-1);
    expect(failed).toMatchObject({ state: "failed", error: { kind: "overloaded" } });
    const partial = (await ledger.tree(threadId)).messages.find(({ metadata }) => metadata.runId === failed?.id);
    expect(partial).toMatchObject({ parts: [{ text: "Half of" }], metadata: { interrupted: true } });
    expect((await agent.resume(threadId).result()).text).toBe("Now.");
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });
});

test("the request contains the agent's settings and parts, and the thread up to its context limit", async () => {
  const { agent, requests } = agentOn([textAnswer("One."), textAnswer("Two.")], {
    request: { sampling: { temperature: 0 }, toolChoice: "auto" },
    instructions: [text("Be brief.", { cache: {} })],
    maxMessages: 2,
  });
  const picture = image({ url: "https://example.com/a.png" });
  const { threadId } = await agent.run(user([text("What is this?"), picture])).result();
  await agent.run("And now?", { threadId }).result();
  expect(requests[0]).toMatchObject({
    model: "m",
    sampling: { temperature: 0 },
    toolChoice: "auto",
    messages: [system([text("Be brief.", { cache: {} })]), { role: "user", parts: [{ type: "text" }, picture] }],
  });
  expect(short(requests[1]?.messages ?? [])).toStrictEqual(["system: Be brief.", "user: And now?"]);
});

test("a run continues without a reader, and a second reader continues after the first", async () => {
  const { agent } = agentOn([callAnswer(call("1", "echo")), textAnswer("Done.")], { tools: [echo()] });
  const run = agent.run("Go.");
  const seen: string[] = [];
  for await (const event of run) {
    seen.push(event.type);
    if (event.type === "tool-start") break;
  }
  expect((await run.result()).text).toBe("Done.");
  seen.push(...(await eventsOf(run)).map(({ type }) => type));
  expect(seen.filter((type) => type !== "delta").join(" ")).toBe(
    "message step-start tool-start tool-end message message step-end step-start message step-end end",
  );
});

test("delta events equal the answer's deltas", async () => {
  const streamed = textAnswer("Hello.");
  const { agent } = agentOn([streamed]);
  const deltas = (await eventsOf(agent.run("Hi."))).flatMap((event) => (event.type === "delta" ? [event.delta] : []));
  expect(deltas).toMatchObject(streamed);
});

test("the record has the provider, every attempt and the losses", async () => {
  const ledger = await openLedger("memory:");
  const seal = delta("seal", { seal: { dialect: "local", provider: "first", kind: "signature", value: "s" } });
  const sealed = answer("stop", delta("thinking", { textDelta: "Hm." }), seal, delta("text", { textDelta: "A." }));
  const [first, second] = [scripted(sealed), scripted(textAnswer("B."))];
  const client = createClient({
    providers: { first: first.provider, second: second.provider },
    retry: { attempts: 1 },
  });
  const agent = createAgent({ client, model: "first/m", ledger, call: { fallbacks: ["second/m"] } });
  const { threadId, message } = await agent.run("One.").result();
  expect(message?.parts[0]?.seals).toHaveLength(1);
  // The first provider has no more answers; the second one must not receive its seal.
  const result = await agent.run("Two.", { threadId }).result();
  expect(result).toMatchObject({ text: "B.", message: { metadata: { provider: "second" } } });
  expect(second.requests[0]?.messages[1]?.parts[0]?.seals).toBeUndefined();
  const [before, after] = await ledger.runs(threadId);
  expect(before?.metadata).toStrictEqual({ agent: true, step: 0, model: "scripted-1", provider: "first" });
  expect(after?.metadata).toMatchObject({
    provider: "second",
    attempts: [{ provider: "first", error: {} }, { provider: "second" }],
    losses: [{ path: expect.stringMatching(/^\/messages\/1\//) as string }],
  });
});

test("the demo model calls a tool", async () => {
  const client = createClient({ providers: { demo: demo() } });
  const weather = tool({
    name: "weather",
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: (input) => ({ asked: input, degrees: 24 }),
  });
  const agent = createAgent({ client, model: "demo/koine", tools: [weather] });
  const { reason, text: finalText, steps } = await agent.run("call weather").result();
  expect({ reason, steps: steps.length }).toStrictEqual({ reason: "done", steps: 2 });
  expect(finalText).toContain("24");
  await agent.close();
});

test("invalid input is rejected before any side effect", async () => {
  const { agent, requests } = agentOn([]);
  const bad = [
    [() => agent.run(""), "/input"],
    [() => agent.run([]), "/input"],
    [() => agent.run(null as never), "/input"],
    [() => agent.run({ role: "user" } as never), "/input/parts"],
    [() => agent.run({ role: "user", parts: [1] } as never), "/input/parts/0"],
    [() => agent.run([user("Hi."), { role: "user", parts: [1] } as never]), "/input/1/parts/0"],
    [() => agent.run(assistant("Hi.")), "/input/role"],
    [() => agent.run([user("Hi."), assistant("Hello.")]), "/input/1/role"],
    [() => agent.run("Hi.", { idempotencyKey: "k" }), "/idempotencyKey"],
    [() => agent.run("Hi.", { threadId: "" }), "/threadId"],
    [() => agent.run("Hi.", { thread: "t" } as never), "/thread"],
    [() => agent.resume(""), "/threadId"],
    [() => agent.resume("t", { "for/ce": true } as never), "/for~1ce"],
  ] as const;
  for (const [step, path] of bad) {
    expect(step).toThrow(expect.objectContaining({ name: "AgentError", code: "invalid-input", path }) as Error);
  }
  // A message in a provider's own format: the error has advice.
  expect(() => agent.run({ role: "user", content: "Hi." } as never)).toThrow(/decodeMessages/);
  await expect(agent.resume("nowhere").result()).rejects.toMatchObject({ code: "unknown-thread" });
  expect(requests).toStrictEqual([]);
});

test.each([
  [{ client: undefined }, "/client"],
  [{ model: "" }, "/model"],
  [{ maxSteps: 0 }, "/maxSteps"],
  [{ maxParallel: 1.5 }, "/maxParallel"],
  [{ maxMessages: -1 }, "/maxMessages"],
  [{ toolTimeoutMs: "1" }, "/toolTimeoutMs"],
  [{ stopWhen: 3 }, "/stopWhen"],
  [{ approve: "yes" }, "/approve"],
  [{ onProblem: true }, "/onProblem"],
  [{ maxstep: 3 }, "/maxstep"],
])("an invalid option is reported: %j", (options, path) => {
  expect(() => agentOn([], options as never)).toThrow(
    expect.objectContaining({ name: "AgentError", code: "invalid-input", path }) as Error,
  );
});
