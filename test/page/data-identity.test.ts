// What did not change is the same object, while answers stream and whatever else comes; and readers hear of it once a frame.
import { describe, expect, test } from "vitest";
import { assistant, type MessageDelta, stamp, type StoredMessage, user } from "../../src/index.ts";
import type { Delta, Message } from "../../src/index.ts";
import type { Outline } from "../../ui/data/api.ts";
import { ConversationFold } from "../../ui/data/conversation/fold.ts";
import { nodeOf } from "../../ui/data/conversation/nodes.ts";
import { Store } from "../../ui/data/store.ts";
import type { Run } from "../../ui/data/types.ts";
import { World } from "./support/page-data.ts";

const THREAD = { id: "T", title: null, scope: null, kind: null, metadata: {}, createdAt: "", activeLeafId: null };
const idOf = (place: number): string => `01${String(place).padStart(24, "0")}`;

function stored(place: number, message: Message, parent = place - 1): StoredMessage {
  const parentMessageId = parent < 1 ? null : idOf(parent);
  return {
    ...message,
    id: idOf(place),
    parentMessageId,
    createdAt: "",
    metadata: { schemaVersion: 2, ...message.metadata },
  };
}

function run(id: string, state: Run["state"], more: Partial<Run> = {}): Run {
  return { id, threadId: "T", state, mode: "replace", createdAt: "", losses: [], attempts: [], metadata: {}, ...more };
}

function outlined(messages: readonly StoredMessage[], runs: Run[] = []): Outline {
  const activeLeafId = messages.at(-1)?.id ?? null;
  return {
    thread: { ...THREAD, activeLeafId },
    cursor: null,
    activeLeafId,
    messages: messages.map((each) => nodeOf(each)),
    runs,
  };
}

/** A fold of these messages, whose bodies are there. */
function folded(...messages: StoredMessage[]): ConversationFold {
  const fold = new ConversationFold();
  fold.load(outlined(messages));
  fold.putBodies(messages);
  return fold;
}

const usage: Delta = { kind: "usage", payload: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
const start = (requestId: string): Delta => ({ kind: "start", payload: { modelId: "m", requestId } });
const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });

/** An answer that thinks, speaks and calls a tool, its result, and the answer after that. */
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
  test("everything that has settled is the same object after every delta", () => {
    const fold = folded(stored(1, user("Look.")));
    const runId = idOf(2);
    fold.apply({ cursor: runId, type: "run", runId, run: run(runId, "streaming", { forkFromMessageId: idOf(1) }) });
    const stamped = stamp(runId, () => 0);
    const before = fold.view();
    const seen: [messages: readonly Message[], states: string][] = [];
    for (const delta of ROUNDS) {
      fold.apply({ cursor: "", type: "delta", runId, delta: stamped(delta) });
      const { nodes, path, bodies, failures, thread, live } = fold.view();
      // Nothing but the answer changes.
      expect(
        [nodes, path, bodies, failures, thread].map((each, at) => each === Object.values({ ...pick(before) })[at]),
      ).not.toContain(false);
      const [answer] = live;
      seen.push([answer?.messages ?? [], answer?.state ?? ""]);
    }
    const last = seen.at(-1)?.[0] ?? [];
    // Of every message, the object from the delta on that changed it last; and so of every part.
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
    expect(fold.view().live[0]?.usage).toStrictEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10 });
  });

  test("another one stays as it is, and a state in which nothing changed is the same throughout", () => {
    const fold = folded(stored(1, user("Look.")));
    for (const id of [idOf(2), idOf(3)]) {
      fold.apply({ cursor: id, type: "run", runId: id, run: run(id, "streaming", { forkFromMessageId: idOf(1) }) });
    }
    const [one, two] = [idOf(2), idOf(3)].map((id) => stamp(id, () => 0)) as [
      ReturnType<typeof stamp>,
      ReturnType<typeof stamp>,
    ];
    const push = (runId: string, delta: MessageDelta): void => fold.apply({ cursor: "", type: "delta", runId, delta });
    push(idOf(2), one(start("one")));
    push(idOf(3), two(start("two")));
    push(idOf(2), one(text("A")));
    const [first] = fold.view().live;
    push(idOf(3), two(text("B")));
    const now = fold.view();
    expect(now.live[0]).toBe(first);
    expect(Object.values(fold.view())).toStrictEqual(Object.values(now));
    expect(fold.view().live).toBe(now.live);
  });

  test("its recorded messages take its place at once, and in no other way than together", () => {
    const fold = folded(stored(1, user("Look.")));
    const runId = idOf(2);
    const begun = run(runId, "streaming", { forkFromMessageId: idOf(1) });
    fold.apply({ cursor: runId, type: "run", runId, run: begun });
    fold.apply({ cursor: "", type: "delta", runId, delta: stamp(runId, () => 0)(start("one")) });
    const [answer, result] = [stored(3, assistant("A"), 1), stored(4, assistant("B"))];
    const before = fold.view();
    for (const message of [answer, result]) fold.apply({ cursor: message.id, type: "message", runId, message });
    expect(Object.values(fold.view())).toStrictEqual(Object.values(before));
    fold.apply({ cursor: idOf(5), type: "run", runId, run: { ...begun, state: "committed" } });
    const { path, live, bodies, nodes } = fold.view();
    expect([path, live]).toStrictEqual([[idOf(1), answer.id, result.id], []]);
    expect([bodies.get(answer.id), bodies.get(idOf(1))]).toStrictEqual([answer, before.bodies.get(idOf(1))]);
    expect(nodes.get(idOf(1))).toBe(before.nodes.get(idOf(1)));
  });
});

test("what an outline says again stays the same object, and what is told again happens once", () => {
  const messages = [stored(1, user("Look.")), stored(2, assistant("I do."))];
  const fold = folded(...messages);
  const before = fold.view();
  fold.load(outlined(structuredClone(messages)));
  for (const message of messages)
    fold.apply({ cursor: message.id, type: "message", message: structuredClone(message) });
  expect(fold.view()).toStrictEqual(before);
  for (const name of ["nodes", "path", "bodies", "thread", "live"] as const)
    expect(fold.view()[name]).toBe(before[name]);
});

interface Row {
  title: string;
  happens: (fold: ConversationFold) => void;
  leaf: number;
}

/** A question, and two answers of which the second is shown. */
const FORKED = [stored(1, user("Q")), stored(2, assistant("A1")), stored(3, assistant("A2"), 1)];
const answerOf =
  (place: number, runPlace: number, message: Message, more: Partial<Run>) => (fold: ConversationFold) => {
    const runId = idOf(runPlace);
    fold.apply({ cursor: "", type: "message", runId, message: stored(place, message, 1) });
    fold.apply({
      cursor: "",
      type: "run",
      runId,
      run: run(runId, "committed", { forkFromMessageId: idOf(1), ...more }),
    });
  };

const ROWS: Row[] = [
  {
    title: "goes on with what is appended, wherever",
    happens: (fold) => fold.apply({ cursor: "", type: "message", message: stored(4, user("Q2"), 2) }),
    leaf: 4,
  },
  { title: "goes on with an answer that replaces", happens: answerOf(5, 4, assistant("A3"), {}), leaf: 5 },
  {
    title: "stays, beside an answer that only branches",
    happens: answerOf(5, 4, assistant("A3"), { mode: "branch" }),
    leaf: 3,
  },
  {
    title: "stays, beside an answer that was broken off",
    happens: answerOf(5, 4, { ...assistant("A"), metadata: { interrupted: true } }, { state: "failed" }),
    leaf: 3,
  },
  {
    title: "is the one that is chosen, though an older message is heard of later",
    happens: (fold) => {
      fold.apply({ cursor: "", type: "message", message: stored(6, user("Q3"), 3) });
      fold.apply({ cursor: "", type: "message", message: stored(4, user("Q2"), 2) });
    },
    leaf: 6,
  },
  {
    title: "is one that is told of before its message is",
    happens: (fold) => {
      fold.tree.select(idOf(7));
      fold.apply({ cursor: "", type: "message", runId: idOf(4), message: stored(7, assistant("A3"), 1) });
      fold.apply({ cursor: "", type: "run", runId: idOf(4), run: run(idOf(4), "committed", { mode: "branch" }) });
    },
    leaf: 7,
  },
];

test.each(ROWS)("the path $title", ({ happens, leaf }) => {
  const fold = folded(...FORKED);
  fold.apply({
    cursor: "",
    type: "run",
    runId: idOf(4),
    run: run(idOf(4), "streaming", { forkFromMessageId: idOf(1) }),
  });
  happens(fold);
  const { path, thread } = fold.view();
  expect([path.at(-1), thread?.activeLeafId]).toStrictEqual([idOf(leaf), idOf(leaf)]);
  expect(path[0]).toBe(idOf(1));
});

test("readers hear of any number of changes once a frame, and not at all where there was none", async () => {
  class Counter extends Store<number> {
    #count = 0;
    protected override start(): void {}
    protected override stop(): void {}
    protected override forget(): void {}
    protected override view(): number {
      return this.#count;
    }
    add(by: number): void {
      this.#count += by;
      this.changed();
    }
  }
  const world = new World();
  const store = new Counter(world, 0);
  const heard: number[] = [];
  store.subscribe(() => heard.push(store.getSnapshot()));
  const frame = (): Promise<void> => new Promise((resolve) => world.frame(resolve));
  for (let times = 0; times < 1000; times++) store.add(1);
  expect(store.getSnapshot()).toBe(0);
  await frame();
  store.add(0);
  await frame();
  expect(heard).toStrictEqual([1000]);
});

function pick({ nodes, path, bodies, failures, thread }: ReturnType<ConversationFold["view"]>): object {
  return { nodes, path, bodies, failures, thread };
}
