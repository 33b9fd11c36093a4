// An agent with two tools: a tool call needs approval, a follow-up message arrives during the run, and a run that is
// interrupted in a tool is resumed. The model is the demo provider, so no key is needed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, tool } from "koine/agent";
import { createClient, demo } from "koine/client";
import { openLedger } from "koine/ledger";

const folder = mkdtempSync(join(tmpdir(), "koine-example-"));
const url = `sqlite:${join(folder, "koine.db")}`;
const ledger = await openLedger(url);
const client = createClient({ providers: { demo: demo() } });

// The schema describes the tool's input; a call that does not match never reaches the function. Zod schemas work too.
const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  retry: "safe", // A tool that only reads can be repeated after a crash.
  run: (input) => ({ ...(input as { city: string }), degrees: 24 }),
});
let booked = 0;
const book = tool({
  name: "book",
  description: "Books a table.",
  run: () => `Booked, number ${++booked}.`,
});

// The model calls both tools in parallel for one question and gets the results in the order of its calls.
const agent = createAgent({
  client,
  model: "demo/koine",
  ledger,
  tools: [weather, book],
  approve: ({ toolName }) => toolName !== "book" || booked === 0 || "One table is enough.",
});
const run = agent.run("call weather and book");
for await (const event of run) {
  if (event.type === "tool-start") console.log(`→ ${event.call.toolName}`);
  if (event.type === "tool-end") console.log(`← ${JSON.stringify(event.result.output)}`);
  // A follow-up message that is sent during the run is delivered to the model after its answer.
  if (event.type === "tool-start" && event.call.toolName === "book") run.followUp("call book");
}
const { text, threadId, steps, usage } = await run.result();
console.log(text);
assert.equal(booked, 1, "the second table was not approved");
assert.equal(steps.length, 4);
assert(usage.totalTokens > 0);
assert.match(text, /One table is enough/);

// To simulate a process that ends during a tool call, the agent is abandoned and its ledger is closed.
const abandonedAgent = createAgent({
  client,
  model: "demo/koine",
  ledger,
  tools: [weather, tool({ name: "book", run: () => new Promise(() => undefined) })],
});
const interruptedRun = abandonedAgent.run("call weather and book", { threadId });
for await (const event of interruptedRun) if (event.type === "tool-end") break;
await ledger.close();
await interruptedRun.cancel(); // The ledger is closed, so the cancellation is not recorded.

// Another process resumes the run. The weather tool is not called again, because its result is recorded. The result of
// the booking is not known, and the tool result for the model states this.
const reopenedLedger = await openLedger(url);
let weatherCalls = 0;
const resumingAgent = createAgent({
  client,
  model: "demo/koine",
  ledger: reopenedLedger,
  tools: [{ ...weather, run: () => ++weatherCalls }, book],
});
const result = await resumingAgent.resume(threadId).result();
console.log(result.text);
assert.equal(weatherCalls, 0);
assert.equal(booked, 1);
assert.match(result.text, /interrupted/);

await reopenedLedger.close();
await client.close();
rmSync(folder, { recursive: true });
