// A process that runs an agent until it is killed or its story ends. It kills itself at the planned point.
import { writeSync } from "node:fs";
import { type AgentTool, createAgent, type McpServer, mcpServer, tool } from "../../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../../src/index.ts";
import { openStore, openCampaignLedger } from "../../ledger/crash/campaign/target.ts";
import { work } from "./effect-log.ts";
import { illegal } from "./check-history.ts";
import type { Line, WorkerPlan } from "./journal.ts";
import { answer, faultsOf, QUESTION, STORIES } from "./scripted-story.ts";

const plan = JSON.parse(process.argv[2] ?? "") as WorkerPlan;
const story = STORIES[plan.story];
const seen = new Map<string, number>();
let phase = "open";

function send(line: Line): void {
  // Written synchronously to the pipe, so that it arrives before a kill.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** A point of the agent's execution, at which the process may kill itself. */
function pass(what: string): void {
  const point = `${phase}/${what}`;
  const times = (seen.get(point) ?? 0) + 1;
  seen.set(point, times);
  if (plan.kill?.point !== point || plan.kill.occurrence !== times) return;
  send({ at: "kill", point });
  process.kill(process.pid, "SIGKILL");
}

const model: LocalProvider = {
  async *answer(request: ModelRequest): AsyncGenerator<Delta> {
    phase = "answer";
    for (const what of [...faultsOf(story, request.messages), ...illegal(request.messages)])
      send({ at: "fault", what });
    for (const delta of answer(story, request, `${plan.life}`)) {
      pass(delta.kind);
      // No reader continues after the last delta.
      if (delta.kind === "done") phase = "tools";
      yield delta;
      // Deltas arrive one after the other, as from a provider.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
};

const input = { type: "object", properties: { key: { type: "string" } }, required: ["key"] };
const effect = (name: string, retry: "safe" | "never"): AgentTool =>
  tool({ name, retry, input, run: (_, { toolName, toolCallId }) => work(plan.record, toolName, toolCallId, pass) });
const local: AgentTool[] = [
  effect("local_safe", "safe"),
  effect("local_never", "never"),
  effect("local_strict", "never"),
  tool({
    name: "local_throws",
    input,
    async run(_, { toolCallId }) {
      throw new Error(await work(plan.record, "local_throws", toolCallId, pass));
    },
  }),
];

async function servers(): Promise<McpServer[]> {
  if (plan.servers === undefined) return [];
  const { program, url } = plan.servers;
  const args = [program, plan.record, "stdio_"];
  return Promise.all([
    mcpServer({ name: "stdio", prefix: "stdio_", command: process.execPath, args, retry: { safe: "safe" } }),
    mcpServer({ name: "http", prefix: "http_", url, retry: { safe: "safe" } }),
  ]);
}

const [store, remote] = await Promise.all([openStore(plan.target, pass), servers()]);
const ledger = openCampaignLedger(store, { deltaRetentionMs: 60_000 });
const agent = createAgent({
  client: createClient({ providers: { story: model } }),
  model: "story/story-1",
  tools: [...local, ...remote],
  ledger,
  maxParallel: plan.maxParallel,
});
send({ at: "ready" });
phase = plan.life === 0 ? "begin" : "resume";
const known = await ledger.threads();
if (known.length === 0) await ledger.createThread({ id: plan.threadId });
const hasQuestion = (await ledger.transcript(plan.threadId)).length > 0;
const run = hasQuestion
  ? agent.resume(plan.threadId, { force: true })
  : agent.run(QUESTION, { threadId: plan.threadId, idempotencyKey: "question" });
for await (const event of run) {
  if (event.type === "tool-end") send({ at: "acknowledged", toolCallId: event.call.toolCallId });
  if (event.type !== "delta") pass(`event ${event.type}`);
}
const { reason, text } = await run.result();
phase = "close";
await agent.close();
await ledger.close();
send({ at: "end", reason, text, points: [...seen.keys()] });
