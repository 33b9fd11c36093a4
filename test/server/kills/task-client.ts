// A client of tasks: it makes one, tells it what to do while it is at work or at rest, and follows its events. Where a
// reply breaks off, it says the same with the same key.
import { setTimeout as pause } from "node:timers/promises";
import type { Seeded } from "../../ledger/crash/seeded.ts";
import type { Heard, Order, Task } from "./evidence.ts";
import type { Network } from "./network.ts";
import { Reader } from "./reader.ts";
import { order, TOOLS } from "./talk.ts";

export interface TaskOptions {
  network: Network;
  random: Seeded;
  name: string;
  /** Whether it is time to say farewell. */
  isOver: () => boolean;
}
export interface TaskTold {
  task: Task;
  reader: Reader;
  /** The same events from their beginning on. */
  replay: () => Promise<readonly Heard[]>;
}

const LONGEST_PAUSE_MS = 900;
const MOST_TOOLS = 3;

/** undefined: the task could not be made. */
export async function command({ network, random, name, isOver }: TaskOptions): Promise<TaskTold | undefined> {
  const id = await network.ask(`making ${name}`, async (url, signal) => {
    const reply = await network.post(`${url}/v1/task`, { name, model: "campaign/campaign" }, signal);
    // As the server's documentation has it; so below.
    const { task } = (await reply.json()) as { task: { id: string } };
    return task.id;
  });
  if (id === undefined) return undefined;
  const path = `/v1/task/${id}`;
  const orders: Order[] = [];
  let farewell = "";
  const listener = (): Reader =>
    new Reader(
      network,
      `${path}/events`,
      endsAfter(() => farewell),
    );
  const reader = listener();
  const reading = reader.read();
  const say = async (given: Omit<Order, "acknowledged">): Promise<void> => {
    const key = `${name}-${orders.length}`;
    const acknowledged = await network.ask(given.text, async (url, signal) => {
      const body = { message: given.text, mode: given.mode };
      const reply = await network.post(`${url}${path}/message`, body, signal, { "idempotency-key": key });
      return (await reply.json()) as { id: string; queued: boolean };
    });
    orders.push(acknowledged === undefined ? given : { ...given, acknowledged });
  };
  while (!isOver()) {
    // At least one order with every tool.
    const tools =
      orders.length === 0 ? TOOLS : Array.from({ length: random.below(MOST_TOOLS + 1) }, () => random.pick(TOOLS));
    await say({ text: order(name, orders.length, tools), mode: random.pick(["steer", "follow-up"]), tools });
    await pause(random.below(LONGEST_PAUSE_MS));
  }
  farewell = order(name, orders.length, []);
  await say({ text: farewell, mode: "follow-up", tools: [] });
  if (orders.at(-1)?.acknowledged === undefined) reader.stop();
  await reading;
  const replay = async (): Promise<readonly Heard[]> => {
    const again = listener();
    await again.read();
    return again.heard;
  };
  return { task: { name, id, orders, ...(await stateOf(network, path)) }, reader, replay };
}

async function stateOf(network: Network, path: string): Promise<Pick<Task, "state" | "waiting">> {
  const shown = await network.ask(`the state of ${path}`, async (url, signal) => {
    const reply = await network.fetch(url + path, { signal });
    return (await reply.json()) as { task: { state: string; queued_messages: unknown[] } };
  });
  return { state: shown?.task.state ?? "unknown", waiting: shown?.task.queued_messages.length ?? 0 };
}

/** The conversation in which the last order was said is over. */
function endsAfter(last: () => string): (event: Heard) => boolean {
  let isSaid = false;
  return ({ data }) => {
    if (data["msg"] === "MessageAdded" && last() !== "") isSaid ||= JSON.stringify(data["message"]).includes(last());
    return isSaid && data["msg"] === "PostConversation";
  };
}
