// Tests the outbox, deliveries and starts of conversations: lost replies and closed pages lose no message and duplicate
// none.
import { describe, expect, test } from "vitest";
import { getText, user } from "../../../src/model/index.ts";
import { EMPTY_DRAFT } from "../../../ui/composer/draft/attachments.ts";
import { deliver } from "../../../ui/composer/outbox/deliver.ts";
import { DraftStore } from "../../../ui/composer/draft/drafts.ts";
import { PAGE_LEFT_MESSAGE, Outbox } from "../../../ui/composer/outbox/outbox.ts";
import { RecalledMessages } from "../../../ui/composer/outbox/recalled-messages.ts";
import {
  PendingStartStore,
  startConversation,
  type ConversationSpec,
} from "../../../ui/composer/start/start-conversation.ts";
import { ApiError } from "../../../ui/data/http.ts";
import type { ConversationState, QueueEntry, SendMessageOptions, TaskActivity } from "../../../ui/data/types.ts";
import { TestStorage } from "../support/test-storage.ts";

const LOST = new ApiError(0, "network", "The server cannot be reached.");
const REFUSED = new ApiError(503, "unavailable", "The disk is full.");

function createOutbox(storage: TestStorage): Outbox {
  let count = 0;
  return new Outbox(storage, () => `key-${storage.entries.size}-${++count}`);
}

const createContent = (text: string, stage: "waiting" | "sending" = "waiting") =>
  ({ mode: "follow-up", message: user(text), answerSettings: {}, stage }) as const;

/** Creates the bodies of a conversation that contains messages with these keys. */
function createBodies(...keys: string[]): Pick<ConversationState, "bodies"> {
  const bodies = keys.map((key) => {
    const place = { id: key, parentMessageId: null, createdAt: "" };
    return [key, { ...user("x"), ...place, metadata: { schemaVersion: 2, page: { key } } }] as const;
  });
  return { bodies: new Map(bodies) };
}

describe("the outbox", () => {
  test("keeps queued messages in order over a reload, with the same keys, until the conversation contains them", () => {
    const storage = new TestStorage();
    const box = createOutbox(storage);
    const one = box.add("t", createContent("One."));
    const two = box.add("t", { ...createContent("Two."), answerSettings: { model: "demo/koine" } });
    const after = createOutbox(storage);
    expect(after.list("t")).toStrictEqual([one, two]);
    after.removeStored("t", createBodies(one.id, "another"));
    expect(after.list("t")).toStrictEqual([two]);
    expect(after.takeWaiting("t")).toStrictEqual([two]);
    expect(storage.entries.size).toBe(0);
  });

  test("marks a message that was being sent when the page was closed as failed, and never sends it automatically", () => {
    const storage = new TestStorage();
    const box = createOutbox(storage);
    const item = box.add("t", createContent("Only once.", "sending"));
    expect(createOutbox(storage).list("t")).toStrictEqual([{ ...item, stage: "failed", error: PAGE_LEFT_MESSAGE }]);
    // In this page it is still being sent.
    expect(box.list("t")).toStrictEqual([item]);
  });

  test("a draft that is typed meanwhile does not affect the message being sent", () => {
    const storage = new TestStorage();
    const drafts = new DraftStore(storage);
    createOutbox(storage).add("t", createContent("Carefully written.", "sending"));
    drafts.set("t", { text: "x", attachments: [] });
    expect(
      createOutbox(storage)
        .list("t")
        .map(({ message }) => getText(message)),
    ).toStrictEqual(["Carefully written."]);
    expect(new DraftStore(storage).get("t").text).toBe("x");
  });

  test("names files that are too large to store, and gives their message another key", () => {
    const storage = new TestStorage(450);
    const box = createOutbox(storage);
    const image = { type: "image", mimeType: "image/png", name: "a.png", data: "x".repeat(400) } as const;
    const item = box.add("t", {
      ...createContent("Look."),
      message: { role: "user", parts: [image, ...user("Look.").parts] },
    });
    expect(box.areFilesStored("t")).toBe(false);
    const [storedItem] = createOutbox(storage).list("t");
    expect(storedItem).toMatchObject({
      stage: "failed",
      message: user("Look."),
      error: expect.stringContaining("a.png"),
    });
    expect(storedItem?.id).not.toBe(item.id);
  });
});

describe("a delivery", () => {
  async function tryDelivery(
    error: unknown,
    options: { isQueued?: boolean; onTry?: (how: SendMessageOptions) => void } = {},
  ) {
    const storage = new TestStorage();
    const [outbox, drafts] = [createOutbox(storage), new DraftStore(storage)];
    const item = outbox.add("t", createContent("Hello.", "sending"));
    const sendMessage = async (_: unknown, how: SendMessageOptions): Promise<void> => {
      // The outbox keeps it until it is stored.
      expect(createOutbox(storage).list("t")).toMatchObject([{ id: item.id }]);
      options.onTry?.(how);
      if (error !== undefined) throw error;
      how.onStored?.();
    };
    const { onTry: _, ...rest } = options;
    const refused = await deliver({ threadId: "t", sendMessage, outbox, drafts, ...rest }, item).catch(String);
    return { refused, list: outbox.list("t"), draft: drafts.get("t").text, item };
  }

  test("leaves the outbox when it is stored", async () => {
    const keys: unknown[] = [];
    const { refused, list, draft, item } = await tryDelivery(undefined, { onTry: ({ key }) => keys.push(key) });
    expect([refused, list, draft, keys]).toStrictEqual([undefined, [], "", [item.id]]);
  });

  test("keeps its key for the next attempt if the outcome is unknown", async () => {
    const { refused, list, draft, item } = await tryDelivery(LOST);
    expect([refused, draft]).toStrictEqual([undefined, ""]);
    expect(list).toMatchObject([{ id: item.id, stage: "failed", error: expect.stringContaining("may have arrived") }]);
  });

  test("returns to the draft, or stays in the queue, if the server rejects it", async () => {
    const given = await tryDelivery(REFUSED);
    expect([given.refused, given.list, given.draft]).toStrictEqual([String(REFUSED), [], "Hello."]);
    const stayed = await tryDelivery(REFUSED, { isQueued: true });
    expect(stayed.list).toMatchObject([{ stage: "failed", error: "The disk is full." }]);
    expect(stayed.draft).toBe("");
  });

  test("is not sent again if it is stored but the request for an answer failed", async () => {
    const { refused, list, draft } = await tryDelivery(REFUSED, { onTry: ({ onStored }) => onStored?.() });
    expect([refused, list, draft]).toStrictEqual([String(REFUSED), [], ""]);
  });

  test("waits for the answer if another message came first", async () => {
    const { refused, list } = await tryDelivery(new ApiError(409, "overtaken", "Another was first."));
    expect([refused, list.map(({ stage }) => stage)]).toStrictEqual([undefined, ["waiting"]]);
  });
});

describe("a message recalled from a task's queue", () => {
  const queued = (id: string): QueueEntry => ({ id, mode: "steer", message: user(`${id}.`) });
  const queue = [queued("a"), queued("b")];
  const taskWith = (waiting: readonly QueueEntry[]): TaskActivity => ({
    state: "cancelled",
    approval: "never",
    queue: waiting,
    approvals: [],
  });
  const bodiesOf = (...ids: string[]): ConversationState["bodies"] =>
    new Map(
      ids.map((id) => {
        const place = { id: `m-${id}`, parentMessageId: null, createdAt: "" };
        return [place.id, { ...user("x"), ...place, metadata: { schemaVersion: 2, queueId: id } }];
      }),
    );
  const make = (storage = new TestStorage()) => {
    const drafts = new DraftStore(storage);
    return { shelf: storage, drafts, recalled: new RecalledMessages(storage, drafts) };
  };

  test("a stop whose reply is lost returns the undelivered messages once, also after a reload", async () => {
    const { shelf: storage, recalled, drafts } = make();
    await expect(recalled.stopTask("t", { queue }, { stop: () => Promise.reject(LOST) })).rejects.toBe(LOST);
    recalled.resolvePending("t", { task: taskWith(queue), bodies: new Map() });
    expect(drafts.get("t")).toBe(EMPTY_DRAFT);
    const after = make(storage);
    // The first message was delivered before the stop.
    after.recalled.resolvePending("t", { task: taskWith([]), bodies: bodiesOf("a") });
    after.recalled.resolvePending("t", { task: taskWith([]), bodies: bodiesOf("a") });
    expect(after.drafts.get("t").text).toBe("b.");
  });

  test("a stop with a reply returns its messages, and no further ones later", async () => {
    const { recalled, drafts } = make();
    await recalled.stopTask("t", { queue }, { stop: async () => queue.map(({ message }) => message) });
    recalled.resolvePending("t", { task: taskWith([]), bodies: new Map() });
    expect(drafts.get("t").text).toBe("a.\n\nb.");
  });

  test("a second stop with an empty result does not lose the messages of the first", async () => {
    const { recalled, drafts } = make();
    await recalled.stopTask("t", { queue }, { stop: () => Promise.reject(LOST) }).catch(() => undefined);
    await recalled.stopTask("t", { queue }, { stop: async () => [] });
    recalled.resolvePending("t", { task: taskWith([]), bodies: new Map() });
    expect(drafts.get("t").text).toBe("a.\n\nb.");
  });

  test.each<[string, boolean | ApiError, string[], string]>([
    ["that still waits is returned", true, [], "a."],
    ["that was delivered at that moment is not returned", false, ["a"], ""],
    ["whose first reply was lost is returned", false, [], "a."],
    ["that the server rejects stays in the queue", REFUSED, [], ""],
  ])("%s", async (_, reply, ids, text) => {
    const { recalled, drafts } = make();
    const removeQueuedMessage = async (): Promise<boolean> => {
      if (typeof reply === "boolean") return reply;
      throw reply;
    };
    await recalled.recall("t", queued("a"), { removeQueuedMessage }).catch(() => undefined);
    recalled.resolvePending("t", { task: taskWith([]), bodies: bodiesOf(...ids) });
    expect(drafts.get("t").text).toBe(text);
  });
});

describe("starting a conversation", () => {
  const spec: ConversationSpec = {
    kind: "chat",
    model: "m",
    message: user("Hi there"),
    instructions: " Be brief.",
    approval: "ask",
  };
  const run = { id: "r", threadId: "T" };

  function createApi(replies: unknown[], runs: unknown[] = []) {
    const calls: unknown[][] = [];
    let ids = 0;
    const note =
      (name: string, reply: () => unknown) =>
      async (...given: unknown[]): Promise<never> => {
        calls.push([name, ...given]);
        const value = reply();
        if (value instanceof Error) throw value;
        // Untyped: each caller expects another reply.
        return value as never;
      };
    return {
      calls,
      newId: () => `T${++ids}`,
      newKey: () => `K${ids}`,
      createThread: note("create", () => ({ activeLeafId: "M" })),
      removeThread: note("remove", () => undefined),
      regenerate: note("ask", () => replies.shift()),
      createTask: note("task", () => replies.shift()),
      runs: note("runs", () => runs),
    };
  }

  test("creates a thread with the first message as typed, and requests an answer", async () => {
    const api = createApi(["run"]);
    expect(await startConversation(api, spec, new PendingStartStore(new TestStorage()))).toBe("T1");
    expect(api.calls).toMatchObject([
      ["create", { id: "T1", title: "Hi there", messages: [{ parts: [{ text: " Be brief." }] }, user("Hi there")] }],
      ["ask", "T1", { messageId: "M", model: "m" }, "K1", true],
    ]);
  });

  test("reuses its ids after a lost reply, over a reload, and does not request a second answer", async () => {
    const storage = new TestStorage();
    const first = createApi([LOST]);
    await expect(startConversation(first, spec, new PendingStartStore(storage))).rejects.toBe(LOST);
    expect(first.calls.map(([name]) => name)).toStrictEqual(["create", "ask"]);
    expect(new PendingStartStore(storage).get()?.stage).toBe("failed");
    const again = createApi([], [run]);
    expect(await startConversation(again, spec, new PendingStartStore(storage))).toBe("T1");
    expect(again.calls.map(([name]) => name)).toStrictEqual(["create", "runs"]);
    expect(new PendingStartStore(storage).get()).toBeUndefined();
  });

  test("is recognized after the page was closed meanwhile", () => {
    const storage = new TestStorage();
    new PendingStartStore(storage).set({ id: "T", key: "K", spec, stage: "sending" });
    expect(new PendingStartStore(storage).get()).toStrictEqual({ id: "T", key: "K", spec, stage: "left" });
  });

  test("leaves no thread behind if the model does not exist", async () => {
    const api = createApi([new ApiError(404, "not-found", "No such model.")]);
    await expect(startConversation(api, spec, new PendingStartStore(new TestStorage()))).rejects.toThrow(
      "No such model.",
    );
    expect(api.calls.at(-1)).toStrictEqual(["remove", "T1"]);
  });

  test("with other content creates another thread, and removes the unanswered one", async () => {
    const beginning = new PendingStartStore(new TestStorage());
    const api = createApi([LOST, "run"]);
    await startConversation(api, spec, beginning).catch(() => undefined);
    expect(await startConversation(api, { ...spec, message: user("Rather this.") }, beginning)).toBe("T2");
    expect(api.calls.map(([name]) => name)).toStrictEqual(["create", "ask", "runs", "remove", "create", "ask"]);
  });

  test("of a task uses one key for all attempts", async () => {
    const beginning = new PendingStartStore(new TestStorage());
    const api = createApi([LOST, { id: "X" }]);
    const task: ConversationSpec = { ...spec, kind: "task" };
    await startConversation(api, task, beginning).catch(() => undefined);
    expect(await startConversation(api, task, beginning)).toBe("X");
    expect(api.calls.map(([, , key]) => key)).toStrictEqual(["K1", "K1"]);
  });
});
