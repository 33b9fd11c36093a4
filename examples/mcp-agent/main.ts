// An agent with the tools of an MCP server: tool calls, rejected arguments, and a server that crashes during a call and
// is restarted. The model is the demo provider, so no key is needed.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createAgent, mcpServer } from "koine/agent";
import { createClient, demo } from "koine/client";

// The server is started with a command; use `{ url, headers }` for HTTP. The prefix makes the tool names of several
// servers unique.
const notes = await mcpServer({
  name: "notes",
  prefix: "notes_",
  command: process.execPath,
  args: [fileURLToPath(new URL("notes-server.ts", import.meta.url))],
  trustHints: true, // Tools with the read-only hint can be repeated after a crash of this process.
  onProblem: ({ message }) => console.log(`(${message})`),
});
for (const { name, description, retry } of await notes.tools()) console.log(`${name}: ${description} [${retry}]`);

const client = createClient({ providers: { demo: demo() } });
const agent = createAgent({ client, model: "demo/koine", tools: [notes] });

/** Sends a message and prints the tool results. */
async function send(
  text: string,
  threadId?: string,
): Promise<{ threadId: string; outputs: unknown[]; errors: number }> {
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

// Two calls in sequence. Structured content of the server arrives as data.
const first = await send('call notes_add {"text":"Water the olive tree."} then notes_list {}');
assert.deepEqual(first.outputs, ["That is note 1.", { notes: ["Water the olive tree."] }]);

// The server validates arguments with its own schema; its error is the tool result for the model.
const wrong = await send('call notes_add {"text":"x"}', first.threadId);
assert.equal(wrong.errors, 1);
assert.match(String(wrong.outputs[0]), /text/);

// If the server ends during a call, the tool result is an error, and the next call starts the server again. The notes
// were in the server's memory and are lost; the transcript still contains them.
const afterCrash = await send("call notes_crash {} then notes_list {}", first.threadId);
assert.equal(afterCrash.errors, 1);
assert.match(String(afterCrash.outputs[0]), /whether the tool took effect is unknown/);
assert.deepEqual(afterCrash.outputs[1], { notes: [] });

await agent.close(); // Closing the agent also closes the MCP server.
await client.close();
