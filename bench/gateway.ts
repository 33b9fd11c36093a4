// Measures the CPU time per call and the added latency of gateways: Koine, a minimal gateway and Portkey. Each gateway
// is a process, on its own core if possible; calls alternate between the gateways in one run.
//   --only whole         one of: whole, long, stream, pass, latency
//   --rounds 9
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { median, table } from "./measure.ts";
import type { Gateway } from "./gateway/contenders.ts";
import { startBare, startKoine, startPortkey, startUpstream } from "./gateway/contenders.ts";
import { chatRequest } from "./gateway/payloads.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, rounds: { type: "string", default: "9" } } });
const ROUNDS = Number(values.rounds);
const WARM_UP = 3;
const AT_ONCE = 8;

const dispatcher = new Agent({ connections: AT_ONCE, keepAliveTimeout: 60_000 });
let conversations = 0;

interface Scenario {
  title: string;
  goal: string;
  /** The wire format of the provider. */
  wire: "chat" | "messages";
  messages: number;
  stream: boolean;
  calls: number;
  /** True if the measured call continues a conversation, whose earlier turns are sent before the measurement. */
  continued?: true;
}

async function call(gateway: Gateway, wire: Scenario["wire"], body: string): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "x-portkey-provider": wire === "chat" ? "openai" : "anthropic",
    ...gateway.headers,
  };
  // A gateway without translation gets the request in the provider's format, so that all gateways get the same reply.
  const path = wire === "messages" && !gateway.translates ? "/v1/messages" : "/v1/chat/completions";
  const reply = await request(`${gateway.url}${path}`, { method: "POST", headers, body, dispatcher });
  const text = await reply.body.text();
  if (reply.statusCode !== 200 || text.length < 500) {
    throw new Error(`${gateway.name}: ${reply.statusCode} ${text.slice(0, 400)}`);
  }
}

async function callAll(gateway: Gateway, wire: Scenario["wire"], bodies: readonly string[]): Promise<void> {
  let at = 0;
  const work = async (): Promise<void> => {
    for (let body = bodies[at++]; body !== undefined; body = bodies[at++]) await call(gateway, wire, body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Makes the calls of one round and returns the CPU time of the gateway per call, in milliseconds. */
async function round(gateway: Gateway, { wire, messages, stream, calls, continued }: Scenario): Promise<number> {
  const model = gateway.model[wire];
  const seeds = Array.from({ length: calls }, () => `c${conversations++}`);
  if (continued && gateway.translates) {
    const earlier = seeds.map((seed) => chatRequest(model, messages - 2, seed, false));
    await callAll(gateway, wire, earlier);
  }
  const bodies = seeds.map((seed) => chatRequest(model, messages, seed, stream));
  const before = await gateway.cpuMs();
  await callAll(gateway, wire, bodies);
  return ((await gateway.cpuMs()) - before) / calls;
}

async function measure(gateways: readonly Gateway[], scenario: Scenario): Promise<void> {
  const times = gateways.map((): number[] => []);
  for (let turn = -WARM_UP; turn < ROUNDS; turn++) {
    for (const at of gateways.keys()) {
      const which = (turn + WARM_UP + at) % gateways.length;
      const gateway = gateways[which];
      if (gateway === undefined) continue;
      const time = await round(gateway, scenario);
      if (turn >= 0) times[which]?.push(time);
    }
  }
  const cpu = times.map(median);
  const portkey = cpu[gateways.findIndex(({ name }) => name === "Portkey")];
  const rows = gateways.map(({ name }, at) => [
    name,
    ((cpu[at] ?? 0) * 1000).toFixed(0),
    ((cpu[at] ?? 0) / (cpu[0] ?? 1)).toFixed(2),
    portkey === undefined ? "" : (portkey / (cpu[at] ?? 1)).toFixed(1),
  ]);
  table(`${scenario.title} (goal: ${scenario.goal})`, ["gateway", "CPU µs", "× bare", "Portkey ÷"], rows);
}

/** Measures the latency of a call on one connection, compared with a direct call to the provider. */
async function latency(gateways: readonly Gateway[], upstream: string): Promise<void> {
  const straight: Gateway = {
    name: "the provider itself",
    url: upstream,
    headers: {},
    translates: false,
    model: { chat: "gpt-bench", messages: "claude-bench" },
    cpuMs: async () => 0,
    [Symbol.dispose]() {},
  };
  const all = [straight, ...gateways];
  const times = all.map((): number[] => []);
  for (let turn = -100; turn < 400; turn++) {
    for (const [at, gateway] of all.entries()) {
      const body = chatRequest(gateway.model.messages, 5, `l${conversations++}`, false);
      const start = performance.now();
      await call(gateway, "messages", body);
      if (turn >= 0) times[at]?.push(performance.now() - start);
    }
  }
  const ms = times.map(median);
  const rows = all.map(({ name }, at) => [name, (ms[at] ?? 0).toFixed(2), ((ms[at] ?? 0) - (ms[0] ?? 0)).toFixed(2)]);
  table("Latency at one connection, p50 (goal: 0.5 ms added)", ["gateway", "ms", "added"], rows);
}

const upstream = await startUpstream();
const bare = await startBare("parse", upstream.url);
const pipe = await startBare("pipe", upstream.url);
const koine = [
  await startKoine("off", upstream.url),
  await startKoine("normal", upstream.url),
  await startKoine("full", upstream.url),
];
const portkey = await startPortkey(upstream.url);
if (typeof portkey === "string") console.log(`Portkey is left out: ${portkey}`);
const peers = typeof portkey === "string" ? [] : [portkey];
const translated = [bare, ...koine, ...peers];

const whole = { wire: "messages", messages: 5, stream: false, calls: 300 } as const;
const PARTS: Record<string, () => Promise<void>> = {
  whole: async () => {
    await measure(translated, { ...whole, title: "Chat → Anthropic, 2 kB, 5 messages", goal: "recorded ≤ 1.5" });
    const title = "The same, in conversations that were there before";
    await measure(translated, { ...whole, title, goal: "recorded ≤ 1.5", continued: true });
  },
  long: () =>
    measure(translated, { ...whole, messages: 100, calls: 100, title: "Chat → Anthropic, 100 messages", goal: "none" }),
  stream: () =>
    measure(translated, {
      ...whole,
      stream: true,
      calls: 60,
      title: "Chat → Anthropic, a stream of 100 chunks",
      goal: "recorded ≤ 1.2",
    }),
  pass: () =>
    measure([pipe, ...koine, ...peers], {
      ...whole,
      wire: "chat",
      stream: true,
      calls: 60,
      title: "Chat → Chat, a stream of 100 chunks passed through",
      goal: "unrecorded ≤ 1.3 × a pipe of bytes",
    }),
  latency: () => latency([bare, ...koine, ...peers], upstream.url),
};
try {
  for (const [name, run] of Object.entries(PARTS)) {
    if (values.only === undefined || values.only === name) await run();
  }
} finally {
  for (const gateway of [bare, pipe, ...koine, ...peers]) gateway[Symbol.dispose]();
  upstream.child.kill("SIGKILL");
}
process.exit(process.exitCode ?? 0);
