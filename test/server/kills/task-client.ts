// A client of tasks: it creates one, posts orders while it works or is idle, and follows its events. If a reply breaks
// off, it repeats the request with the same key.
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import type { ReceivedEvent, Order, Task } from "./evidence.ts";
import type { Network } from "./network.ts";
import { Reader } from "./event-reader.ts";
import { order, TOOLS } from "./campaign-texts.ts";

export interface TaskOptions {
  network: Network;
  random: SeededRandom;
  name: string;
  /** True if it is time to end. */
  isOver: () => boolean;
}
export interface TaskResult {
  task: Task;
  reader: Reader;
  /** Returns the events from their start. */
  replay: () => Promise<readonly ReceivedEvent[]>;
}

const LONGEST_PAUSE_MS = 900;
const MOST_TOOLS = 3;

/** undefined: the task could not be created. */
export async function command({ network, random, name, isOver }: TaskOptions): Promise<TaskResult | undefined> {
  const id = await network.repeatUntilServed(`making ${name}`, async (url, signal) => {
    const reply = await network.post(`${url}/v1/task`, { name, model: "campaign/campaign" }, signal);
    // The fields of the reply, here and below.
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
  const postOrder = async (order: Omit<Order, "acknowledged">): Promise<void> => {
    const key = `${name}-${orders.length}`;
    const acknowledged = await network.repeatUntilServed(order.text, async (url, signal) => {
      const body = { message: order.text, mode: order.mode };
      const reply = await network.post(`${url}${path}/message`, body, signal, { "idempotency-key": key });
      return (await reply.json()) as { id: string; queued: boolean };
    });
    orders.push(acknowledged === undefined ? order : { ...order, acknowledged });
  };
  while (!isOver()) {
    // At least one order with every tool.
    const tools =
      orders.length === 0 ? TOOLS : Array.from({ length: random.below(MOST_TOOLS + 1) }, () => random.pick(TOOLS));
    await postOrder({ text: order(name, orders.length, tools), mode: random.pick(["steer", "follow-up"]), tools });
    await pause(random.below(LONGEST_PAUSE_MS));
  }
  farewell = order(name, orders.length, []);
  await postOrder({ text: farewell, mode: "follow-up", tools: [] });
  if (orders.at(-1)?.acknowledged === undefined) reader.stop();
  await reading;
  const replay = async (): Promise<readonly ReceivedEvent[]> => {
    const again = listener();
    await again.read();
    return again.received;
  };
  return { task: { name, id, orders, ...(await stateOf(network, path)) }, reader, replay };
}

async function stateOf(network: Network, path: string): Promise<Pick<Task, "state" | "waiting">> {
  const shown = await network.repeatUntilServed(`the state of ${path}`, async (url, signal) => {
    const reply = await network.fetch(url + path, { signal });
    return (await reply.json()) as { task: { state: string; queued_messages: unknown[] } };
  });
  return { state: shown?.task.state ?? "unknown", waiting: shown?.task.queued_messages.length ?? 0 };
}

/** Returns a test for the end of the work on the last order. */
function endsAfter(last: () => string): (event: ReceivedEvent) => boolean {
  let isDelivered = false;
  return ({ data }) => {
    if (data["msg"] === "MessageAdded" && last() !== "")
      isDelivered ||= JSON.stringify(data["message"]).includes(last());
    return isDelivered && data["msg"] === "PostConversation";
  };
}
