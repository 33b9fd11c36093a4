// Tests when the page reads the active leaf of a thread, with a clock and replies that the test controls.
import { expect, test } from "vitest";
import { type StoredMessage, user } from "../../../src/model/index.ts";
import { ActiveLeafReader } from "../../../ui/data/conversation/active-leaf.ts";
import { ConversationReducer } from "../../../ui/data/conversation/conversation-reducer.ts";
import { ApiError } from "../../../ui/data/http.ts";
import type { ThreadJson } from "../../../ui/data/types.ts";

type Reply = PromiseWithResolvers<ThreadJson>;

/** A reader whose delays end with `runDelays`, and whose reads end when the test resolves their reply. */
function createReader() {
  const reducer = new ConversationReducer();
  const replies: Reply[] = [];
  const failures: ApiError[] = [];
  const delays = new Set<() => void>();
  const reader = new ActiveLeafReader({
    read: () => {
      const reply: Reply = Promise.withResolvers();
      replies.push(reply);
      return reply.promise;
    },
    reducer,
    effects: {
      delay: (callback) => {
        delays.add(callback);
        return () => void delays.delete(callback);
      },
    },
    onChange: () => undefined,
    onFailed: (error) => failures.push(error),
  });
  const runDelays = async (): Promise<void> => {
    // A callback may add a delay, which ends with the next call.
    const due = [...delays];
    for (const callback of due) if (delays.delete(callback)) callback();
    await settle();
  };
  return { reader, reducer, replies, failures, runDelays };
}

/** Lets all pending promise callbacks run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const CREATED_AT = "2026-01-01T00:00:00.000Z";

function thread(activeLeafId: string | null): ThreadJson {
  return { id: "thread", title: null, scope: null, kind: null, metadata: {}, createdAt: CREATED_AT, activeLeafId };
}

function rootMessage(id: string): StoredMessage {
  return { ...user("Hello."), id, parentMessageId: null, createdAt: CREATED_AT, metadata: { schemaVersion: 1 } };
}

test("a read that became outdated is repeated after a pause, but not after the reader was stopped", async () => {
  for (const isStopped of [false, true]) {
    const { reader, reducer, replies, runDelays } = createReader();
    reader.scheduleCheck();
    await runDelays();
    reducer.appendMessages([rootMessage("1")]);
    replies[0]?.resolve(thread(null));
    await settle();
    if (isStopped) reader.stop();
    await runDelays();
    expect(replies).toHaveLength(isStopped ? 1 : 2);
  }
});

test("a scheduled read that waits for another read is not sent after the reader was stopped", async () => {
  for (const isStopped of [false, true]) {
    const { reader, replies, runDelays } = createReader();
    reader.scheduleCheck();
    await runDelays();
    reader.scheduleCheck();
    await runDelays();
    expect(replies).toHaveLength(1);
    if (isStopped) reader.stop();
    replies[0]?.resolve(thread(null));
    await settle();
    expect(replies).toHaveLength(isStopped ? 1 : 2);
  }
});

test("the reply of a stopped read is ignored, also after the reader was started again", async () => {
  const { reader, reducer, replies, failures, runDelays } = createReader();
  reducer.appendMessages([rootMessage("1")]);
  for (const settleReply of [
    (reply?: Reply) => reply?.resolve(thread(null)),
    (reply?: Reply) => reply?.reject(new ApiError(404, "not-found", "There is no such thread.")),
  ]) {
    reader.scheduleCheck();
    await runDelays();
    reader.stop();
    reader.scheduleCheck();
    settleReply(replies.at(-1));
    await settle();
    expect([reducer.tree.leaf, failures]).toStrictEqual(["1", []]);
    reader.stop();
  }
});

test("an action's read is sent although the reader was stopped", async () => {
  const { reader, reducer, replies } = createReader();
  reducer.appendMessages([rootMessage("1")]);
  const reading = reader.readNow();
  reader.stop();
  await settle();
  replies[0]?.resolve(thread(null));
  await reading;
  expect(reducer.tree.leaf).toBeNull();
});
