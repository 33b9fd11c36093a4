// An agent whose tools are those of an MCP server: it uses them, sees one refuse its arguments, loses the server in the
// middle of a call, and finds it again. The model is the demo provider, so that no key is needed.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createAgent, mcpServer } from "koine/agent";
import { createClient, demo } from "koine/client";

// Any command that starts a server, or `{ url, headers }` for one over HTTP. The prefix keeps names of servers apart.
const notes = await mcpServer({
  name: "notes",
  prefix: "notes_",
  command: process.execPath,
  args: [fileURLToPath(new URL("notes-server.ts", import.meta.url))],
  trustHints: true, // what it calls read-only may be repeated after a crash of this process
  onProblem: ({ message }) => console.log(`(${message})`),
});
for (const { name, description, retry } of await notes.tools()) console.log(`${name}: ${description} [${retry}]`);

const client = createClient({ providers: { demo: demo() } });
const agent = createAgent({ client, model: "demo/koine", tools: [notes] });

/** Says something and shows what the tools answered. */
async function say(text: string, threadId?: string): Promise<{ threadId: string; outputs: unknown[]; errors: number }> {
  const run = agent.run(text, { threadId });
  const outputs: unknown[] = [];
  let errors = 0;
  for await (const event of run) {
    if (event.type !== "tool-end") continue;
    console.log(`${event.call.toolName} → ${JSON.stringify(event.result.output)}`);
    outputs.push(event.result.output);
    if (event.result.isError) errors++;
  }
  const result = await run.result();
  assert.equal(result.reason, "done");
  return { threadId: result.threadId, outputs, errors };
}

// Two calls, one after the other. What the server means as data arrives as data.
const first = await say('call notes_add {"text":"Water the olive tree."} then notes_list {}');
assert.deepEqual(first.outputs, ["That is note 1.", { notes: ["Water the olive tree."] }]);

// The server judges arguments by its own schema; what it has against them goes back to the model.
const wrong = await say('call notes_add {"text":"x"}', first.threadId);
assert.equal(wrong.errors, 1);
assert.match(String(wrong.outputs[0]), /text/);

// A server that ends in the middle of a call: the model is told, and the next call starts it again. Its notes are gone,
// for it kept them in memory; the transcript still has them.
const lost = await say("call notes_crash {} then notes_list {}", first.threadId);
assert.equal(lost.errors, 1);
assert.match(String(lost.outputs[0]), /whether the tool did its work is not known/);
assert.deepEqual(lost.outputs[1], { notes: [] });

await agent.close(); // and with it the server
await client.close();
