// Ownership: tools, approvals, readers of events and schemas receive copies and cannot change recorded data.
import { expect, test } from "vitest";
import type { AgentEvent, AgentTool } from "../../src/agent/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import type { Delta } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { agentOn, answer, call, echo, callAnswer, results, textAnswer, short } from "./support/scripted-provider.ts";

type Loose = Record<string, unknown>;
const run = (vandal: (input: Loose) => void) => (input: unknown) => {
  vandal(input as Loose);
  return "ok";
};
const change = (input: Loose): void => {
  input["x"] = "changed";
  delete input["a"];
};

test.each<[string, Partial<AgentTool>]>([
  ["without a schema", { run: run(change) }],
  ["with a JSON Schema", { input: { type: "object" }, run: run(change) }],
  ["with an input that it makes circular", { run: run((input) => (input["self"] = input)) }],
  [
    "with a schema that changes it",
    {
      input: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value: unknown) => {
            change(value as Loose);
            return { value };
          },
          jsonSchema: { input: () => ({}), output: () => ({}) },
        },
      },
    },
  ],
])("a tool that changes its input does not change the recorded call: %s", async (_, more) => {
  const ledger = await openLedger("memory:");
  const { agent, requests } = agentOn([callAnswer(call("1", "t", { a: { b: 1 } })), textAnswer("Ok.")], {
    ledger,
    tools: [echo("t", more)],
  });
  const { threadId, steps } = await agent.run("Go.").result();
  const expectedCall = { type: "tool-call", toolCallId: "1", input: { a: { b: 1 } } };
  for (const messages of [await ledger.transcript(threadId), requests[1]?.messages.slice(0) ?? []]) {
    expect(messages[1]?.parts).toMatchObject([expectedCall]);
    const inputs = messages.flatMap(({ parts }) => parts.flatMap((part) => ("input" in part ? [part.input] : [])));
    expect(inputs).toStrictEqual([{ a: { b: 1 } }]);
  }
  expect(steps[0]?.messages[0]?.parts).toMatchObject([expectedCall]);
});

test("an approval that changes the call changes only its copy", async () => {
  const echoTool = echo("t");
  const { agent, requests } = agentOn([callAnswer(call("1", "t", { a: 1 })), textAnswer("Ok.")], {
    tools: [echoTool],
    approve: (part) => {
      Object.assign(part, { toolCallId: "9", toolName: "other" });
      change(part.input as Loose);
      return true;
    },
  });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Ok." });
  expect(echoTool.inputs).toStrictEqual([{ a: 1 }]);
  expect(short(requests[1]?.messages ?? []).slice(1)).toStrictEqual(["assistant: t#1", "tool: =1"]);
});

/** Removes all fields it finds. */
function wreck(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    wreck(each);
    if (key !== "type" && key !== "kind") Reflect.set(value, key, Array.isArray(each) ? [] : "wrecked");
  }
}

test("a reader that changes every event changes neither the record nor the request", async () => {
  const ledger = await openLedger("memory:");
  const picture = { type: "image", data: "aGk=", mimeType: "image/png", extra: { x: { y: 1 } } } as const;
  const slowly = async function* (deltas: Delta[]): AsyncGenerator<Delta> {
    for (const each of deltas) {
      yield each;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const first = answer("tool-calls", delta("text", { textDelta: "So" }), ...call("1", "t", { a: [1] }));
  first.splice(2, 0, delta("part", { value: structuredClone(picture) }));
  const { agent, requests } = agentOn([() => slowly(first), textAnswer("Ok.")], { ledger, tools: [echo("t")] });
  const events = agent.run("Go.");
  let seen = 0;
  for await (const event of events) {
    seen++;
    // The caller receives the step itself in the result.
    if (event.type !== "end") wreck({ ...event } satisfies AgentEvent);
  }
  expect(seen).toBeGreaterThan(12);
  const { threadId, reason } = await events.result();
  expect(reason).toBe("done");
  const [, withCalls, answered, last] = await ledger.transcript(threadId);
  expect(withCalls?.parts).toMatchObject([{ text: "So" }, picture, { toolCallId: "1", input: { a: [1] } }]);
  expect(answered?.parts).toMatchObject([{ toolCallId: "1", output: { a: [1] }, isError: false }]);
  expect(last?.parts).toMatchObject([{ text: "Ok." }]);
  expect(short(requests[1]?.messages.slice(1) ?? [])).toStrictEqual(["assistant: So image t#1", "tool: =1"]);
  expect(results(requests[1]?.messages ?? [])[0]?.output).toStrictEqual({ a: [1] });
});

test("a tool may change its returned value afterwards", async () => {
  const sharedValue = { list: [1] };
  const keeper = echo("t", { run: () => sharedValue });
  const { agent, requests } = agentOn([callAnswer(call("1", "t"), call("2", "t")), textAnswer("Ok.")], {
    tools: [keeper],
  });
  const events = agent.run("Go.");
  for await (const event of events) if (event.type === "tool-end") sharedValue.list.push(2);
  expect(results(requests[1]?.messages ?? [])[0]?.output).toStrictEqual({ list: [1] });
});
