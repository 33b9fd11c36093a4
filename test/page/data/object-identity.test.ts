// Tests that unchanged values keep their identity while answers stream, and that listeners are notified once per frame.
import { describe, expect, test } from "vitest";
import { assistant, type MessageDelta, stampDeltas, type StoredMessage, user } from "../../../src/index.ts";
import type { Delta, Message } from "../../../src/index.ts";
import type { ThreadOutline } from "../../../ui/data/api.ts";
import { ConversationReducer } from "../../../ui/data/conversation/conversation-reducer.ts";
import { toOutlineNode } from "../../../ui/data/conversation/message-tree.ts";
import { Store } from "../../../ui/data/store.ts";
import type { RunJson } from "../../../ui/data/types.ts";
import { TestEffects } from "../support/page-data.ts";

const THREAD = { id: "T", title: null, scope: null, kind: null, metadata: {}, createdAt: "", activeLeafId: null };
const toId = (place: number): string => `01${String(place).padStart(24, "0")}`;

function createStored(place: number, message: Message, parent = place - 1): StoredMessage {
  const parentMessageId = parent < 1 ? null : toId(parent);
  return {
    ...message,
    id: toId(place),
    parentMessageId,
    createdAt: "",
    metadata: { schemaVersion: 2, ...message.metadata },
  };
}

function createRun(id: string, state: RunJson["state"], more: Partial<RunJson> = {}): RunJson {
  return { id, threadId: "T", state, mode: "replace", createdAt: "", losses: [], attempts: [], metadata: {}, ...more };
}

function createOutline(messages: readonly StoredMessage[], runs: RunJson[] = []): ThreadOutline {
  const activeLeafId = messages.at(-1)?.id ?? null;
  return {
    thread: { ...THREAD, activeLeafId },
    cursor: null,
    activeLeafId,
    messages: messages.map((each) => toOutlineNode(each)),
    runs,
  };
}

/** Creates a reducer with these messages and their bodies. */
function createReducer(...messages: StoredMessage[]): ConversationReducer {
  const reducer = new ConversationReducer();
  reducer.load(createOutline(messages));
  reducer.putBodies(messages);
  return reducer;
}

const usage: Delta = { kind: "usage", payload: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
const start = (requestId: string): Delta => ({ kind: "start", payload: { modelId: "m", requestId } });
const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });

/** An answer with reasoning, text and a tool call; its result; and the next answer. */
const ROUNDS: Delta[] = [
  start("one"),
  { kind: "thinking", payload: { textDelta: "Hm" } },
  { kind: "thinking", payload: { textDelta: "…" } },
  text("Let me "),
  text("look."),
  { kind: "tool_call_start", payload: { toolCallId: "c", toolName: "look" } },
  { kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: '{"at":' } },
  { kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: "1}" } },
  { kind: "tool_call_end", payload: { toolCallId: "c" } },
  usage,
  { kind: "done", payload: { finishReason: "tool-calls" } },
  {
    kind: "part",
    payload: {
      role: "tool",
      value: { type: "tool-result", toolCallId: "c", toolName: "look", isError: false, output: "x" },
    },
  },
  start("two"),
  text("It "),
  text("is "),
  text("x."),
  usage,
  { kind: "done", payload: { finishReason: "stop" } },
];

describe("B100: while an answer streams", () => {
  test("everything settled keeps its identity after every delta", () => {
    const reducer = createReducer(createStored(1, user("Look.")));
    const runId = toId(2);
    reducer.apply({
      cursor: runId,
      type: "run",
      runId,
      run: createRun(runId, "streaming", { forkFromMessageId: toId(1) }),
    });
    const stamped = stampDeltas(runId, () => 0);
    const before = reducer.computeState();
    const seen: [messages: readonly Message[], states: string][] = [];
    for (const delta of ROUNDS) {
      reducer.apply({ cursor: "", type: "delta", runId, delta: stamped(delta) });
      const { nodes, path, bodies, failures, thread, liveRuns } = reducer.computeState();
      // Only the live run changes.
      expect(
        [nodes, path, bodies, failures, thread].map((each, at) => each === Object.values({ ...pick(before) })[at]),
      ).not.toContain(false);
      const [answer] = liveRuns;
      seen.push([answer?.messages ?? [], answer?.state ?? ""]);
    }
    const last = seen.at(-1)?.[0] ?? [];
    // Index of the delta that last changed each message, and each part.
    expect(last.map((message) => seen.findIndex(([messages]) => messages.includes(message)))).toStrictEqual([
      8, 11, 15,
    ]);
    const parts = last[0]?.parts ?? [];
    expect(parts.map((part) => seen.findIndex(([[first]]) => first?.parts.includes(part)))).toStrictEqual([2, 4, 8]);
    expect(seen.map(([, state]) => state)).toStrictEqual([
      "waiting",
      ...Array.from({ length: 16 }, () => "streaming"),
      "ended",
    ]);
    expect(reducer.computeState().liveRuns[0]?.usage).toStrictEqual({
      inputTokens: 6,
      outputTokens: 4,
      totalTokens: 10,
    });
  });

  test("other runs keep their identity, and an unchanged state is the same object", () => {
    const reducer = createReducer(createStored(1, user("Look.")));
    for (const id of [toId(2), toId(3)]) {
      reducer.apply({
        cursor: id,
        type: "run",
        runId: id,
        run: createRun(id, "streaming", { forkFromMessageId: toId(1) }),
      });
    }
    const [one, two] = [toId(2), toId(3)].map((id) => stampDeltas(id, () => 0)) as [
      ReturnType<typeof stampDeltas>,
      ReturnType<typeof stampDeltas>,
    ];
    const push = (runId: string, delta: MessageDelta): void =>
      reducer.apply({ cursor: "", type: "delta", runId, delta });
    push(toId(2), one(start("one")));
    push(toId(3), two(start("two")));
    push(toId(2), one(text("A")));
    const [first] = reducer.computeState().liveRuns;
    push(toId(3), two(text("B")));
    const now = reducer.computeState();
    expect(now.liveRuns[0]).toBe(first);
    expect(Object.values(reducer.computeState())).toStrictEqual(Object.values(now));
    expect(reducer.computeState().liveRuns).toBe(now.liveRuns);
  });

  test("its stored messages replace it together, at once", () => {
    const reducer = createReducer(createStored(1, user("Look.")));
    const runId = toId(2);
    const begun = createRun(runId, "streaming", { forkFromMessageId: toId(1) });
    reducer.apply({ cursor: runId, type: "run", runId, run: begun });
    reducer.apply({ cursor: "", type: "delta", runId, delta: stampDeltas(runId, () => 0)(start("one")) });
    const [answer, result] = [createStored(3, assistant("A"), 1), createStored(4, assistant("B"))];
    const before = reducer.computeState();
    for (const message of [answer, result]) reducer.apply({ cursor: message.id, type: "message", runId, message });
    expect(Object.values(reducer.computeState())).toStrictEqual(Object.values(before));
    reducer.apply({ cursor: toId(5), type: "run", runId, run: { ...begun, state: "committed" } });
    const { path, liveRuns, bodies, nodes } = reducer.computeState();
    expect([path, liveRuns]).toStrictEqual([[toId(1), answer.id, result.id], []]);
    expect([bodies.get(answer.id), bodies.get(toId(1))]).toStrictEqual([answer, before.bodies.get(toId(1))]);
    expect(nodes.get(toId(1))).toBe(before.nodes.get(toId(1)));
  });
});

test("a repeated outline keeps object identity, and repeated events have no effect", () => {
  const messages = [createStored(1, user("Look.")), createStored(2, assistant("I do."))];
  const reducer = createReducer(...messages);
  const before = reducer.computeState();
  reducer.load(createOutline(structuredClone(messages)));
  for (const message of messages)
    reducer.apply({ cursor: message.id, type: "message", message: structuredClone(message) });
  expect(reducer.computeState()).toStrictEqual(before);
  for (const name of ["nodes", "path", "bodies", "thread", "liveRuns"] as const)
    expect(reducer.computeState()[name]).toBe(before[name]);
});

interface LeafMoveRow {
  title: string;
  happens: (reducer: ConversationReducer) => void;
  leaf: number;
}

/** A user message with two answers; the second is active. */
const FORKED = [createStored(1, user("Q")), createStored(2, assistant("A1")), createStored(3, assistant("A2"), 1)];
const applyAnswer =
  (place: number, runPlace: number, message: Message, more: Partial<RunJson>) => (reducer: ConversationReducer) => {
    const runId = toId(runPlace);
    reducer.apply({ cursor: "", type: "message", runId, message: createStored(place, message, 1) });
    reducer.apply({
      cursor: "",
      type: "run",
      runId,
      run: createRun(runId, "committed", { forkFromMessageId: toId(1), ...more }),
    });
  };

const ROWS: LeafMoveRow[] = [
  {
    title: "moves to an appended message, on any branch",
    happens: (reducer) => reducer.apply({ cursor: "", type: "message", message: createStored(4, user("Q2"), 2) }),
    leaf: 4,
  },
  { title: "moves to an answer that replaces another one", happens: applyAnswer(5, 4, assistant("A3"), {}), leaf: 5 },
  {
    title: 'stays beside an answer with mode "branch"',
    happens: applyAnswer(5, 4, assistant("A3"), { mode: "branch" }),
    leaf: 3,
  },
  {
    title: "stays beside an interrupted answer",
    happens: applyAnswer(5, 4, { ...assistant("A"), metadata: { interrupted: true } }, { state: "failed" }),
    leaf: 3,
  },
  {
    title: "stays at the newest message, even if an older one arrives later",
    happens: (reducer) => {
      reducer.apply({ cursor: "", type: "message", message: createStored(6, user("Q3"), 3) });
      reducer.apply({ cursor: "", type: "message", message: createStored(4, user("Q2"), 2) });
    },
    leaf: 6,
  },
  {
    title: "moves to a selected leaf whose message arrives later",
    happens: (reducer) => {
      reducer.tree.select(toId(7));
      reducer.apply({ cursor: "", type: "message", runId: toId(4), message: createStored(7, assistant("A3"), 1) });
      reducer.apply({
        cursor: "",
        type: "run",
        runId: toId(4),
        run: createRun(toId(4), "committed", { mode: "branch" }),
      });
    },
    leaf: 7,
  },
];

test.each(ROWS)("the path $title", ({ happens, leaf }) => {
  const reducer = createReducer(...FORKED);
  reducer.apply({
    cursor: "",
    type: "run",
    runId: toId(4),
    run: createRun(toId(4), "streaming", { forkFromMessageId: toId(1) }),
  });
  happens(reducer);
  const { path, thread } = reducer.computeState();
  expect([path.at(-1), thread?.activeLeafId]).toStrictEqual([toId(leaf), toId(leaf)]);
  expect(path[0]).toBe(toId(1));
});

test("listeners are notified once per frame for any number of changes, and not without a change", async () => {
  class Counter extends Store<number> {
    #count = 0;
    protected override start(): void {}
    protected override stop(): void {}
    protected override reset(): void {}
    protected override computeState(): number {
      return this.#count;
    }
    add(by: number): void {
      this.#count += by;
      this.scheduleUpdate();
    }
  }
  const world = new TestEffects();
  const store = new Counter(world, 0);
  const notifications: number[] = [];
  store.subscribe(() => notifications.push(store.getSnapshot()));
  const frame = (): Promise<void> => new Promise((resolve) => world.frame(resolve));
  for (let times = 0; times < 1000; times++) store.add(1);
  expect(store.getSnapshot()).toBe(0);
  await frame();
  store.add(0);
  await frame();
  expect(notifications).toStrictEqual([1000]);
});

function pick({ nodes, path, bodies, failures, thread }: ReturnType<ConversationReducer["computeState"]>): object {
  return { nodes, path, bodies, failures, thread };
}
