// Checks the tasks of an episode: their orders, the tools that ran, and the results.
import { getText } from "../../../src/index.ts";
import type { StoredMessage, ToolCallPart, ToolResultPart } from "../../../src/model/index.ts";
import { type Effect, resultOf } from "../../agent/kills/effect-log.ts";
import type { Evidence, ReceivedEvent, Order, Task, ThreadEvidence } from "./evidence.ts";
import type { Findings } from "./findings.ts";
import { taskOf } from "./campaign-texts.ts";

/** A tool call on a task's path. */
interface Call {
  key: string;
  tool: string;
  result: ToolResultPart | undefined;
}

export function checkTasks(
  { tasks, effects, readings }: Evidence,
  threads: ReadonlyMap<string, ThreadEvidence>,
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
  for (const { of, threadId, received } of readings)
    if (of === "task") checkReaderEvents(threadId, received, calls, findings);
}

function checkOrders(
  { name, orders }: Task,
  path: readonly StoredMessage[],
  tree: readonly StoredMessage[],
  findings: Findings,
): void {
  const positions = (text: string): number[] =>
    path.flatMap((message, at) => (message.role === "user" && getText(message) === text ? [at] : []));
  for (const { text, acknowledged } of orders) {
    const times = positions(text).length;
    const everywhere = tree.filter((message) => message.role === "user" && getText(message) === text).length;
    const holds = everywhere <= 1 && (acknowledged === undefined || times === 1);
    findings.expect(
      "delivered",
      holds,
      `${name}: ${text}`,
      () => `stands ${times} times on the path, ${everywhere} in the tree`,
    );
  }
  for (const mode of ["steer", "follow-up"] as const) {
    const waited = (order: Order): boolean => order.mode === mode && order.acknowledged?.queued === true;
    const firstPositions = orders.filter(waited).map(({ text }) => positions(text)[0] ?? -1);
    const isOrdered = firstPositions.every((position, at) => at === 0 || position > (firstPositions[at - 1] ?? -1));
    findings.expect("ordered", isOrdered, `${name}, ${mode}`, () => `were delivered at ${firstPositions.join()}`);
  }
}

function callsOn(path: readonly StoredMessage[]): Map<string, Call> {
  const parts = path.flatMap((message) => message.parts);
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part]] : [])));
  const toolCalls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  return new Map(
    toolCalls.map(({ toolCallId, toolName, input }) => {
      // The campaign's model calls tools with this input only.
      const { key } = input as { key: string };
      return [toolCallId, { key, tool: toolName, result: results.get(toolCallId) }];
    }),
  );
}

const INTERRUPTED = /interrupted/;
const textOfResult = ({ output }: ToolResultPart): string => JSON.stringify(output ?? null);

/** Checks the result of a call against the retry rule of its tool. */
function checkCall({ key, tool, result }: Call, effects: readonly Effect[], findings: Findings): void {
  const own = effects.filter((effect) => effect.key === key);
  const times = own.filter(({ phase }) => phase === "begin").length;
  const resultText = result === undefined ? "nothing" : textOfResult(result);
  const isBrokenOff = result?.isError === true && INTERRUPTED.test(resultText);
  const detail = (): string => `of ${tool} ran ${times} times, and has the result ${resultText}`;
  if (tool === "never") findings.expect("ran", times <= 1 && (isBrokenOff || times === 1), key, detail);
  if (tool === "never" && isBrokenOff) return;
  const isTrue = own.some((effect) => effect.phase === "end" && resultText.includes(resultOf(effect)));
  findings.expect("true", isTrue && result?.isError === false, key, detail);
}

/** Checks that the readers' tool events match the stored ones, and that no task fails. */
function checkReaderEvents(
  threadId: string,
  received: readonly ReceivedEvent[],
  calls: ReadonlyMap<string, Call>,
  findings: Findings,
): void {
  for (const { data } of received) {
    if (data["msg"] === "Failed") findings.expect("served", false, threadId, () => JSON.stringify(data));
    if (data["msg"] !== "PostToolCall") continue;
    // The fields of a tool event.
    const { tool_call: call, text } = data as { tool_call: { id: string }; text: string };
    const result = calls.get(call.id)?.result;
    const isStored = result !== undefined && textOfResult(result).includes(JSON.stringify(text).slice(1, -1));
    findings.expect(
      "true",
      isStored,
      call.id,
      () => `readers received ${text}, and stored is ${result && textOfResult(result)}`,
    );
  }
}
