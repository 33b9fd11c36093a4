// Words between the field and the record: whatever is lost on the way, and whenever the page is left, they are there, and
// are said once.
import { describe, expect, test } from "vitest";
import { textOf, user } from "../../src/model/index.ts";
import { EMPTY_DRAFT } from "../../ui/composer/attachments.ts";
import { deliver } from "../../ui/composer/deliver.ts";
import { Drafts } from "../../ui/composer/drafts.ts";
import { LEFT, Outbox } from "../../ui/composer/outbox.ts";
import { Recalled } from "../../ui/composer/recalled.ts";
import { Beginnings, start, type Wish } from "../../ui/composer/start.ts";
import { ApiError } from "../../ui/data/http.ts";
import type { ConversationState, QueuedMessage, SayHow, TaskState } from "../../ui/data/types.ts";
import { TestShelf } from "./support/test-shelf.ts";

const LOST = new ApiError(0, "network", "The server cannot be reached.");
const REFUSED = new ApiError(503, "unavailable", "The disk is full.");

function boxOn(shelf: TestShelf): Outbox {
  let count = 0;
  return new Outbox(shelf, () => `key-${shelf.kept.size}-${++count}`);
}

const words = (text: string, stage: "waiting" | "sending" = "waiting") =>
  ({ mode: "follow-up", message: user(text), ask: {}, stage }) as const;

/** Bodies of a conversation in which these keys were said. */
function said(...keys: string[]): Pick<ConversationState, "bodies"> {
  const bodies = keys.map((key) => {
    const place = { id: key, parentMessageId: null, createdAt: "" };
    return [key, { ...user("x"), ...place, metadata: { schemaVersion: 2, page: { key } } }] as const;
  });
  return { bodies: new Map(bodies) };
}

describe("the outbox", () => {
  test("keeps what waits in its order over a reload, under the same keys, until it is in the conversation", () => {
    const shelf = new TestShelf();
    const box = boxOn(shelf);
    const one = box.add("t", words("One."));
    const two = box.add("t", { ...words("Two."), ask: { model: "demo/koine" } });
    const after = boxOn(shelf);
    expect(after.list("t")).toStrictEqual([one, two]);
    after.settle("t", said(one.id, "another"));
    expect(after.list("t")).toStrictEqual([two]);
    expect(after.takeWaiting("t")).toStrictEqual([two]);
    expect(shelf.kept.size).toBe(0);
  });

  test("what was on its way when the page was left is offered, and never said by itself", () => {
    const shelf = new TestShelf();
    const box = boxOn(shelf);
    const item = box.add("t", words("Only once.", "sending"));
    expect(boxOn(shelf).list("t")).toStrictEqual([{ ...item, stage: "failed", error: LEFT }]);
    // In this page it is still on its way.
    expect(box.list("t")).toStrictEqual([item]);
  });

  test("words typed meanwhile take nothing away from what is being sent", () => {
    const shelf = new TestShelf();
    const drafts = new Drafts(shelf);
    boxOn(shelf).add("t", words("Carefully written.", "sending"));
    drafts.set("t", { text: "x", attachments: [] });
    expect(
      boxOn(shelf)
        .list("t")
        .map(({ message }) => textOf(message)),
    ).toStrictEqual(["Carefully written."]);
    expect(new Drafts(shelf).get("t").text).toBe("x");
  });

  test("files that do not fit are named, and what they belonged to has another key", () => {
    const shelf = new TestShelf(450);
    const box = boxOn(shelf);
    const image = { type: "image", mimeType: "image/png", name: "a.png", data: "x".repeat(400) } as const;
    const item = box.add("t", { ...words("Look."), message: { role: "user", parts: [image, ...user("Look.").parts] } });
    expect(box.isKept("t")).toBe(false);
    const [kept] = boxOn(shelf).list("t");
    expect(kept).toMatchObject({ stage: "failed", message: user("Look."), error: expect.stringContaining("a.png") });
    expect(kept?.id).not.toBe(item.id);
  });
});

describe("a delivery", () => {
  async function tried(error: unknown, options: { stays?: boolean; onTry?: (how: SayHow) => void } = {}) {
    const shelf = new TestShelf();
    const [outbox, drafts] = [boxOn(shelf), new Drafts(shelf)];
    const item = outbox.add("t", words("Hello.", "sending"));
    const say = async (_: unknown, how: SayHow): Promise<void> => {
      // Until it is recorded, it is kept.
      expect(boxOn(shelf).list("t")).toMatchObject([{ id: item.id }]);
      options.onTry?.(how);
      if (error !== undefined) throw error;
      how.onSaid?.();
    };
    const { onTry: _, ...rest } = options;
    const refused = await deliver({ threadId: "t", say, outbox, drafts, ...rest }, item).catch(String);
    return { refused, list: outbox.list("t"), draft: drafts.get("t").text, item };
  }

  test("leaves the outbox when it is recorded", async () => {
    const keys: unknown[] = [];
    const { refused, list, draft, item } = await tried(undefined, { onTry: ({ key }) => keys.push(key) });
    expect([refused, list, draft, keys]).toStrictEqual([undefined, [], "", [item.id]]);
  });

  test("of which nobody knows whether it has arrived keeps its key for the next try", async () => {
    const { refused, list, draft, item } = await tried(LOST);
    expect([refused, draft]).toStrictEqual([undefined, ""]);
    expect(list).toMatchObject([{ id: item.id, stage: "failed", error: expect.stringContaining("not known whether") }]);
  });

  test("that the server refuses stands in the draft again, or in its place in the queue", async () => {
    const given = await tried(REFUSED);
    expect([given.refused, given.list, given.draft]).toStrictEqual([String(REFUSED), [], "Hello."]);
    const stayed = await tried(REFUSED, { stays: true });
    expect(stayed.list).toMatchObject([{ stage: "failed", error: "The disk is full." }]);
    expect(stayed.draft).toBe("");
  });

  test("that is recorded, though nobody could be asked, is not to be said again", async () => {
    const { refused, list, draft } = await tried(REFUSED, { onTry: ({ onSaid }) => onSaid?.() });
    expect([refused, list, draft]).toStrictEqual([String(REFUSED), [], ""]);
  });

  test("that another question came before waits for its answer", async () => {
    const { refused, list } = await tried(new ApiError(409, "overtaken", "Another was first."));
    expect([refused, list.map(({ stage }) => stage)]).toStrictEqual([undefined, ["waiting"]]);
  });
});

describe("what is asked back from a task", () => {
  const queued = (id: string): QueuedMessage => ({ id, mode: "steer", message: user(`${id}.`) });
  const queue = [queued("a"), queued("b")];
  const taskWith = (waiting: readonly QueuedMessage[]): TaskState => ({
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
  const make = (shelf = new TestShelf()) => {
    const drafts = new Drafts(shelf);
    return { shelf, drafts, recalled: new Recalled(shelf, drafts) };
  };

  test("a stop whose reply is lost gives back what was not said, once, also after a reload", async () => {
    const { shelf, recalled, drafts } = make();
    await expect(recalled.stop("t", { queue }, { stop: () => Promise.reject(LOST) })).rejects.toBe(LOST);
    recalled.settle("t", { task: taskWith(queue), bodies: new Map() });
    expect(drafts.get("t")).toBe(EMPTY_DRAFT);
    const after = make(shelf);
    // The first was said before the stop arrived.
    after.recalled.settle("t", { task: taskWith([]), bodies: bodiesOf("a") });
    after.recalled.settle("t", { task: taskWith([]), bodies: bodiesOf("a") });
    expect(after.drafts.get("t").text).toBe("b.");
  });

  test("a stop that is answered gives back what it says, and the conversation nothing more", async () => {
    const { recalled, drafts } = make();
    await recalled.stop("t", { queue }, { stop: async () => queue.map(({ message }) => message) });
    recalled.settle("t", { task: taskWith([]), bodies: new Map() });
    expect(drafts.get("t").text).toBe("a.\n\nb.");
  });

  test("a second stop, which finds nothing, loses nothing of the first", async () => {
    const { recalled, drafts } = make();
    await recalled.stop("t", { queue }, { stop: () => Promise.reject(LOST) }).catch(() => undefined);
    await recalled.stop("t", { queue }, { stop: async () => [] });
    recalled.settle("t", { task: taskWith([]), bodies: new Map() });
    expect(drafts.get("t").text).toBe("a.\n\nb.");
  });

  test.each<[string, boolean | ApiError, string[], string]>([
    ["that still waits comes back", true, [], "a."],
    ["that was said in this moment does not", false, ["a"], ""],
    ["whose first reply was lost comes back", false, [], "a."],
    ["that the server refuses goes on waiting", REFUSED, [], ""],
  ])("one %s", async (_, reply, ids, text) => {
    const { recalled, drafts } = make();
    const takeBack = async (): Promise<boolean> => {
      if (typeof reply === "boolean") return reply;
      throw reply;
    };
    await recalled.takeBack("t", queued("a"), { takeBack }).catch(() => undefined);
    recalled.settle("t", { task: taskWith([]), bodies: bodiesOf(...ids) });
    expect(drafts.get("t").text).toBe(text);
  });
});

describe("a beginning", () => {
  const wish: Wish = {
    kind: "chat",
    model: "m",
    message: user("Hi there"),
    instructions: " Be brief.",
    approval: "ask",
  };
  const run = { id: "r", threadId: "T" };

  function apiOf(replies: unknown[], runs: unknown[] = []) {
    const calls: unknown[][] = [];
    let ids = 0;
    const note =
      (name: string, reply: () => unknown) =>
      async (...given: unknown[]): Promise<never> => {
        calls.push([name, ...given]);
        const value = reply();
        if (value instanceof Error) throw value;
        // Whatever the caller wants of it.
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

  test("is a thread with its first words as they were typed, and an answer asked for", async () => {
    const api = apiOf(["run"]);
    expect(await start(api, wish, new Beginnings(new TestShelf()))).toBe("T1");
    expect(api.calls).toMatchObject([
      ["create", { id: "T1", title: "Hi there", messages: [{ parts: [{ text: " Be brief." }] }, user("Hi there")] }],
      ["ask", "T1", { messageId: "M", model: "m" }, "K1", true],
    ]);
  });

  test("whose reply is lost is the same at every try, over a reload, and is not asked again where somebody is", async () => {
    const shelf = new TestShelf();
    const first = apiOf([LOST]);
    await expect(start(first, wish, new Beginnings(shelf))).rejects.toBe(LOST);
    expect(first.calls.map(([name]) => name)).toStrictEqual(["create", "ask"]);
    expect(new Beginnings(shelf).get()?.stage).toBe("failed");
    const again = apiOf([], [run]);
    expect(await start(again, wish, new Beginnings(shelf))).toBe("T1");
    expect(again.calls.map(([name]) => name)).toStrictEqual(["create", "runs"]);
    expect(new Beginnings(shelf).get()).toBeUndefined();
  });

  test("that the page was left in is known as such", () => {
    const shelf = new TestShelf();
    new Beginnings(shelf).set({ id: "T", key: "K", wish, stage: "sending" });
    expect(new Beginnings(shelf).get()).toStrictEqual({ id: "T", key: "K", wish, stage: "left" });
  });

  test("with a model that nobody has leaves no thread behind", async () => {
    const api = apiOf([new ApiError(404, "not-found", "No such model.")]);
    await expect(start(api, wish, new Beginnings(new TestShelf()))).rejects.toThrow("No such model.");
    expect(api.calls.at(-1)).toStrictEqual(["remove", "T1"]);
  });

  test("with other words is another one; what nobody was asked in is not left behind", async () => {
    const beginning = new Beginnings(new TestShelf());
    const api = apiOf([LOST, "run"]);
    await start(api, wish, beginning).catch(() => undefined);
    expect(await start(api, { ...wish, message: user("Rather this.") }, beginning)).toBe("T2");
    expect(api.calls.map(([name]) => name)).toStrictEqual(["create", "ask", "runs", "remove", "create", "ask"]);
  });

  test("of a task has one key", async () => {
    const beginning = new Beginnings(new TestShelf());
    const api = apiOf([LOST, { id: "X" }]);
    const task: Wish = { ...wish, kind: "task" };
    await start(api, task, beginning).catch(() => undefined);
    expect(await start(api, task, beginning)).toBe("X");
    expect(api.calls.map(([, , key]) => key)).toStrictEqual(["K1", "K1"]);
  });
});
