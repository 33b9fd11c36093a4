// The tasks of an episode: what they were told, which tools ran for them, and what became of both.
import { textOf } from "../../../src/index.ts";
import type { StoredMessage, ToolCallPart, ToolResultPart } from "../../../src/model/index.ts";
import { type Effect, resultOf } from "../../agent/kills/effects.ts";
import type { Evidence, Heard, Order, Task, ThreadFacts } from "./evidence.ts";
import type { Findings } from "./findings.ts";
import { taskOf } from "./talk.ts";

/** A call on a task's path. */
interface Call {
  key: string;
  tool: string;
  result: ToolResultPart | undefined;
}

export function checkTasks(
  { tasks, effects, readings }: Evidence,
  threads: ReadonlyMap<string, ThreadFacts>,
  findings: Findings,
): void {
  const calls = new Map<string, Call>();
  for (const task of tasks) {
    const { path = [], tree = [] } = threads.get(task.id) ?? {};
    checkOrders(task, path, tree, findings);
    const isAtRest = task.state === "idle" && task.waiting === 0;
    findings.expect("settled", isAtRest, task.name, () => `is ${task.state}, and ${task.waiting} messages wait`);
    for (const [id, call] of callsOn(path)) {
      calls.set(id, call);
      checkCall(call, effects, findings);
    }
  }
  const keys = new Set([...calls.values()].map(({ key }) => key));
  for (const key of new Set(effects.map((effect) => effect.key))) {
    const detail = (): string => `ran, and ${taskOf(key)} has no such call on its path`;
    findings.expect("known", keys.has(key), key, detail);
  }
  for (const { of, threadId, heard } of readings) if (of === "task") checkTold(threadId, heard, calls, findings);
}

function checkOrders(
  { name, orders }: Task,
  path: readonly StoredMessage[],
  tree: readonly StoredMessage[],
  findings: Findings,
): void {
  const places = (text: string): number[] =>
    path.flatMap((message, at) => (message.role === "user" && textOf(message) === text ? [at] : []));
  for (const { text, acknowledged } of orders) {
    const times = places(text).length;
    const everywhere = tree.filter((message) => message.role === "user" && textOf(message) === text).length;
    const holds = everywhere <= 1 && (acknowledged === undefined || times === 1);
    findings.expect(
      "said",
      holds,
      `${name}: ${text}`,
      () => `stands ${times} times on the path, ${everywhere} in the tree`,
    );
  }
  for (const mode of ["steer", "follow-up"] as const) {
    const waited = (order: Order): boolean => order.mode === mode && order.acknowledged?.queued === true;
    const found = orders.filter(waited).map(({ text }) => places(text)[0] ?? -1);
    const isOrdered = found.every((place, at) => at === 0 || place > (found[at - 1] ?? -1));
    findings.expect("ordered", isOrdered, `${name}, ${mode}`, () => `were said at ${found.join()}`);
  }
}

function callsOn(path: readonly StoredMessage[]): Map<string, Call> {
  const parts = path.flatMap((message) => message.parts);
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part]] : [])));
  const made = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  return new Map(
    made.map(({ toolCallId, toolName, input }) => {
      // The model of the campaign calls with nothing else.
      const { key } = input as { key: string };
      return [toolCallId, { key, tool: toolName, result: results.get(toolCallId) }];
    }),
  );
}

const INTERRUPTED = /interrupted/;
const wordsOf = ({ output }: ToolResultPart): string => JSON.stringify(output ?? null);

/** A call on the path: what became of it, by its tool's rule. */
function checkCall({ key, tool, result }: Call, effects: readonly Effect[], findings: Findings): void {
  const own = effects.filter((effect) => effect.key === key);
  const times = own.filter(({ phase }) => phase === "begin").length;
  const words = result === undefined ? "nothing" : wordsOf(result);
  const isBrokenOff = result?.isError === true && INTERRUPTED.test(words);
  const detail = (): string => `of ${tool} ran ${times} times, and says ${words}`;
  if (tool === "never") findings.expect("ran", times <= 1 && (isBrokenOff || times === 1), key, detail);
  if (tool === "never" && isBrokenOff) return;
  const isTrue = own.some((effect) => effect.phase === "end" && words.includes(resultOf(effect)));
  findings.expect("true", isTrue && result?.isError === false, key, detail);
}

/** What readers were told of tools is what is kept; and no task fails. */
function checkTold(
  threadId: string,
  heard: readonly Heard[],
  calls: ReadonlyMap<string, Call>,
  findings: Findings,
): void {
  for (const { data } of heard) {
    if (data["msg"] === "Failed") findings.expect("served", false, threadId, () => JSON.stringify(data));
    if (data["msg"] !== "PostToolCall") continue;
    // As the seed's shape of events has it.
    const { tool_call: call, text } = data as { tool_call: { id: string }; text: string };
    const result = calls.get(call.id)?.result;
    const isKept = result !== undefined && wordsOf(result).includes(JSON.stringify(text).slice(1, -1));
    findings.expect(
      "true",
      isKept,
      call.id,
      () => `readers were told ${text}, and kept is ${result && wordsOf(result)}`,
    );
  }
}
