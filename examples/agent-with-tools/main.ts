// An agent with two tools: it asks for approval, is told more while it works, is cut off in the middle of a tool, and goes
// on afterwards where it was. The model is the demo provider, so that no key is needed.
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

// A schema says what the model may ask for; what does not match never reaches the function. Zod and others do, too.
const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  retry: "safe", // reading may be repeated after a crash
  run: (input) => ({ ...(input as { city: string }), degrees: 24 }),
});
let booked = 0;
const book = tool({
  name: "book",
  description: "Books a table.",
  run: () => `Booked, number ${++booked}.`,
});

// One question: the model calls both tools side by side, and gets their results in the order of its calls.
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
  // Somebody thinks of something while it works: the model hears it after its answer.
  if (event.type === "tool-start" && event.call.toolName === "book") run.followUp("call book");
}
const { text, threadId, steps, usage } = await run.result();
console.log(text);
assert.equal(booked, 1, "the second table was not approved");
assert.equal(steps.length, 4);
assert(usage.totalTokens > 0);
assert.match(text, /One table is enough/);

// A process that ends in the middle of a tool: here, its agent is simply left alone and its ledger closed.
const left = createAgent({
  client,
  model: "demo/koine",
  ledger,
  tools: [weather, tool({ name: "book", run: () => new Promise(() => undefined) })],
});
const cutOff = left.run("call weather and book", { threadId });
for await (const event of cutOff) if (event.type === "tool-end") break;
await ledger.close();
await cutOff.cancel(); // comes too late to be recorded

// Whoever comes next goes on. The weather is recorded and not asked again; whether the table was booked is not known, and
// the model is told so.
const next = await openLedger(url);
let asked = 0;
const heir = createAgent({
  client,
  model: "demo/koine",
  ledger: next,
  tools: [{ ...weather, run: () => ++asked }, book],
});
const result = await heir.resume(threadId).result();
console.log(result.text);
assert.equal(asked, 0);
assert.equal(booked, 1);
assert.match(result.text, /interrupted/);

await next.close();
await client.close();
rmSync(folder, { recursive: true });
