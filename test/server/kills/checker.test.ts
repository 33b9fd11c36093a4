// The checker itself: it accepts a correct episode, and names the fault of an incorrect one. Each row tampers with a
// copy of the same episode.
import { expect, test } from "vitest";
import type { RunInfo } from "../../../src/ledger/index.ts";
import type { Part, StoredMessage } from "../../../src/model/index.ts";
import { type Effect, resultOf } from "../../agent/kills/effect-log.ts";
import { checkEvidence } from "./checker.ts";
import type {
  Conversation,
  Evidence,
  Fault,
  ReceivedEvent,
  Order,
  ReaderEvidence,
  Task,
  ThreadEvidence,
  Turn,
} from "./evidence.ts";
import { Findings, type Invariant, INVARIANTS } from "./findings.ts";
import { order, question } from "./campaign-texts.ts";

/** The type with all fields mutable. */
type Open<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer Item)[] ? Item[] : T[Name] };
interface Episode extends Omit<Open<Evidence>, "conversations" | "tasks" | "readings" | "threads" | "faults"> {
  conversations: [Open<Conversation> & { turns: [Turn, Turn] }];
  tasks: [Open<Task> & { orders: [Order, Order, Order] }];
  readings: [Open<ReaderEvidence>, Open<ReaderEvidence>];
  threads: [Open<ThreadEvidence>, Open<ThreadEvidence>];
  faults: Record<string, { looked: number; faults: Fault[] }>;
}

const text = (content: string): Part => ({ type: "text", text: content });

function message(
  id: string,
  parentMessageId: string | null,
  role: StoredMessage["role"],
  parts: Part[],
): StoredMessage {
  return { id, parentMessageId, role, parts, createdAt: "2026-01-01T00:00:00.000Z", metadata: { schemaVersion: 1 } };
}

function run(id: string, threadId: string): RunInfo {
  const createdAt = "2026-01-01T00:00:00.000Z";
  return { id, threadId, state: "committed", mode: "replace", createdAt, epoch: 1, lastSeq: 1 };
}

/** Returns a chain of messages. */
function chain(prefix: string, turns: readonly [StoredMessage["role"], ...Part[]][]): StoredMessage[] {
  return turns.map(([role, ...parts], at) =>
    message(`${prefix}${at}`, at === 0 ? null : `${prefix}${at - 1}`, role, parts),
  );
}

function copyOf(thread: ThreadEvidence): Open<ThreadEvidence> {
  return {
    ...thread,
    path: structuredClone([...thread.path]),
    tree: structuredClone([...thread.tree]),
    runs: [...thread.runs],
  };
}

const QUESTIONS = [question("c0", 0), question("c0", 1)] as const;
const ORDERS = [order("t0", 0, ["never", "safe"]), order("t0", 1, []), order("t0", 2, [])] as const;
const KEYS = { never: "t0.0.0.5", safe: "t0.0.1.5" };
const EFFECTS: Effect[] = Object.entries(KEYS).flatMap(([tool, key]) =>
  (["begin", "end"] as const).map((phase) => ({ key, tool, nonce: `${tool}-1`, phase })),
);
const result = (tool: "never" | "safe"): Part => ({
  type: "tool-result",
  toolCallId: tool,
  toolName: tool,
  isError: false,
  output: resultOf({ key: KEYS[tool], nonce: `${tool}-1` }),
});
const call = (tool: "never" | "safe"): Part => ({
  type: "tool-call",
  toolCallId: tool,
  toolName: tool,
  input: { key: KEYS[tool] },
});

const CHAT = chain("m", [
  ["user", text(QUESTIONS[0])],
  ["assistant", text("Answer 1")],
  ["user", text(QUESTIONS[1])],
  ["assistant", text("Answer 2")],
]);
const WORK = chain("w", [
  ["user", text(ORDERS[0])],
  ["assistant", call("never"), call("safe")],
  ["tool", result("never"), result("safe")],
  ["user", text(ORDERS[1])],
  ["assistant", text("One.")],
  ["user", text(ORDERS[2])],
  ["assistant", text("Two.")],
]);

const delta = (id: string, textDelta: string): ReceivedEvent => ({
  id,
  data: { type: "delta", runId: "r1", delta: { kind: "text", payload: { textDelta } } },
});
const CHAT_EVENTS: ReceivedEvent[] = [
  { id: "1", data: { type: "run", runId: "r1", run: { state: "created" } } },
  delta("2", "Ans"),
  delta("3", "wer 2"),
  { id: "4", data: { type: "message", runId: "r1", message: { id: "m3" } } },
];
const evidence = (tool: "never" | "safe"): ReceivedEvent => ({
  id: `event ${tool}`,
  data: { msg: "PostToolCall", tool_call: { id: tool }, text: resultOf({ key: KEYS[tool], nonce: `${tool}-1` }) },
});
const TASK_EVENTS: ReceivedEvent[] = [
  evidence("never"),
  evidence("safe"),
  { id: "end", data: { msg: "PostConversation" } },
];

function episode(): Episode {
  const turn = (at: 0 | 1): Turn => ({
    question: QUESTIONS[at],
    answer: `Answer ${at + 1}`,
    thread: "chat",
    run: "r1",
  });
  const evidence = (at: 0 | 1 | 2): Order => ({
    text: ORDERS[at],
    mode: "follow-up",
    tools: [],
    acknowledged: { id: `q${at}`, queued: at > 0 },
  });
  const [chat, work] = [structuredClone(CHAT), structuredClone(WORK)];
  Object.assign(chat[3]?.metadata ?? {}, { runId: "r1" });
  const reading = (
    of: ReaderEvidence["of"],
    threadId: string,
    events: readonly ReceivedEvent[],
  ): Open<ReaderEvidence> => ({
    of,
    threadId,
    received: structuredClone([...events]),
    replayed: structuredClone([...events]),
  });
  return {
    conversations: [{ name: "c0", turns: [turn(0), turn(1)] }],
    tasks: [{ name: "t0", id: "task", orders: [evidence(0), evidence(1), evidence(2)], state: "idle", waiting: 0 }],
    readings: [reading("thread", "chat", CHAT_EVENTS), reading("task", "task", TASK_EVENTS)],
    threads: [
      copyOf({ id: "chat", path: chat, tree: chat, runs: [run("r1", "chat")] }),
      copyOf({ id: "task", path: work, tree: work, runs: [run("r2", "task")] }),
    ],
    effects: structuredClone(EFFECTS),
    isRecent: true,
    faults: {
      served: { looked: 3, faults: [] },
      alive: { looked: 2, faults: [] },
      restored: { looked: 4, faults: [] },
    },
  };
}

function look(evidence: Evidence): Findings {
  const findings = new Findings();
  checkEvidence(evidence, findings);
  return findings;
}

test("a correct episode has no findings, and every invariant is checked", () => {
  const { violations, unchecked } = look(episode());
  expect(violations).toStrictEqual([]);
  expect(unchecked).toStrictEqual([]);
});

test("deltas that are no longer stored need not be replayed", () => {
  const evidence = { ...episode(), isRecent: false };
  evidence.readings[0].replayed.splice(1, 2);
  expect(look(evidence).violations).toStrictEqual([]);
});

/** Adds a message to a thread, on its path or beside it. */
function put({ threads }: Episode, at: 0 | 1, added: StoredMessage, where: "path" | "tree"): void {
  threads[at].tree.push(added);
  if (where === "path") threads[at].path.push(added);
}
function setResult({ threads }: Episode, index: 0 | 1, changes: object): void {
  for (const messages of [threads[1].path, threads[1].tree]) Object.assign(messages[2]?.parts[index] ?? {}, changes);
}

const TAMPERED: [sentence: string, invariant: Invariant, tamper: (evidence: Episode) => void][] = [
  ["an acknowledged answer is off its path", "stored", ({ threads }) => threads[0].path.splice(3, 1)],
  [
    "an answer differs from the one that was read",
    "stored",
    ({ conversations }) => (conversations[0].turns[1].answer = "Answer 9"),
  ],
  [
    "a question is twice on its path",
    "stored",
    (evidence) => put(evidence, 0, message("x", "m3", "user", [text(QUESTIONS[1])]), "path"),
  ],
  ["a conversation is in two threads", "stored", ({ conversations }) => (conversations[0].turns[1].thread = "task")],
  ["two answers are in the wrong order", "stored", ({ conversations }) => conversations[0].turns.reverse()],
  [
    "a question was answered twice",
    "once",
    (evidence) => put(evidence, 0, message("x", "m2", "assistant", [text("Answer 3")]), "tree"),
  ],
  [
    "a question was answered in a second thread",
    "once",
    (evidence) => {
      put(evidence, 1, message("x", null, "user", [text(QUESTIONS[0])]), "tree");
      put(evidence, 1, message("y", "x", "assistant", [text("Answer 7")]), "tree");
    },
  ],
  [
    "the model did not receive its thinking",
    "restored",
    ({ faults }) => faults["restored"]?.faults.push({ where: "", what: "" }),
  ],
  ["an acknowledged order was never delivered", "delivered", ({ threads }) => threads[1].path.splice(5, 2)],
  [
    "an order was delivered twice",
    "delivered",
    (evidence) => put(evidence, 1, message("x", "w6", "user", [text(ORDERS[1])]), "path"),
  ],
  [
    "an unacknowledged order was delivered twice",
    "delivered",
    (evidence) => {
      const [, , last] = evidence.tasks[0].orders;
      delete last.acknowledged;
      put(evidence, 1, message("x", "w4", "user", [text(ORDERS[2])]), "tree");
    },
  ],
  [
    "queued orders were delivered in the wrong order",
    "ordered",
    ({ tasks }) => {
      const [first, second, third] = tasks[0].orders;
      tasks[0].orders = [first, third, second];
    },
  ],
  ["a tool that must not be repeated ran twice", "ran", ({ effects }) => effects.push(...EFFECTS.slice(0, 2))],
  ["a tool has a result without an execution", "ran", ({ effects }) => effects.splice(0, 2)],
  ["a result has no matching execution", "true", (evidence) => setResult(evidence, 1, { output: "It was done." })],
  [
    "a repeatable tool was abandoned",
    "true",
    (evidence) => setResult(evidence, 1, { isError: true, output: "The call was interrupted." }),
  ],
  [
    "a result that readers received is missing",
    "true",
    (evidence) => setResult(evidence, 0, { isError: true, output: "The call was interrupted." }),
  ],
  [
    "an execution has no call",
    "known",
    ({ effects }) => effects.push({ key: "t0.9.9.9", tool: "safe", nonce: "n", phase: "begin" }),
  ],
  [
    "a reader received an event twice",
    "resumed",
    ({ readings }) => readings[0].received.push(...readings[0].received.slice(-1)),
  ],
  ["a reader missed an event", "resumed", ({ readings }) => readings[0].received.splice(0, 1)],
  ["a reader received an event at another position", "resumed", ({ readings }) => readings[1].received.reverse()],
  [
    "a reader received another event",
    "resumed",
    ({ readings }) => (readings[1].received[2] = { id: "end", data: { msg: "Cancelled" } }),
  ],
  [
    "a run ended in another state",
    "resumed",
    ({ readings }) =>
      (readings[0].received[0] = { id: "1", data: { type: "run", runId: "r1", run: { state: "failed" } } }),
  ],
  [
    "a part of an answer is missing everywhere",
    "drawn",
    ({ readings }) => {
      readings[0].received.splice(2, 1);
      readings[0].replayed.splice(2, 1);
    },
  ],
  [
    "a run is unfinished",
    "settled",
    ({ threads }) => (threads[0].runs[0] = { ...run("r1", "chat"), state: "streaming" }),
  ],
  ["a task is running", "settled", ({ tasks }) => (tasks[0].state = "running")],
  ["something waits", "settled", ({ tasks }) => (tasks[0].waiting = 1)],
  ["a call has no result", "legal", ({ threads }) => threads[1].path[2]?.parts.pop()],
  ["a client was not served", "served", ({ faults }) => faults["served"]?.faults.push({ where: "", what: "" })],
  ["a task has failed", "served", ({ readings }) => readings[1].received.push({ id: "f", data: { msg: "Failed" } })],
  ["an instance has died", "alive", ({ faults }) => faults["alive"]?.faults.push({ where: "", what: "" })],
];

test.each(TAMPERED)("detects that %s", (_sentence, invariant, tamper) => {
  const evidence = episode();
  tamper(evidence);
  expect(look(evidence).violations.map((each) => each.invariant)).toContain(invariant);
});

test("every invariant is tampered with", () => {
  expect(new Set(TAMPERED.map(([, invariant]) => invariant))).toStrictEqual(new Set(Object.keys(INVARIANTS)));
});
