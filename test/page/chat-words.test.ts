// What the composer does without a browser: files, drafts, what waits, settings, and how a chat begins.
import { describe, expect, test } from "vitest";
import { type Draft, messageForTask, messageOf, readFiles, withMessages } from "../../ui/composer/attachments.ts";
import { Drafts } from "../../ui/composer/drafts.ts";
import { answering, FollowUps, mayFollow } from "../../ui/composer/follow-ups.ts";
import { firstModel, lastModel, matchingModels } from "../../ui/composer/model-choice.ts";
import { mistakesIn, NO_SETTINGS, settingsOf } from "../../ui/composer/settings.ts";
import type { Shelf } from "../../ui/composer/shelf.ts";
import { startChat, titleOf } from "../../ui/composer/start.ts";
import type { ConversationState, LiveRun, OutlineNode } from "../../ui/data/types.ts";
import { describeTask } from "../../ui/tasks/task-words.ts";
import { user } from "../../src/model/index.ts";

function file(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): File {
  return new File([content], name, { type });
}

/** What a browser's storage would keep, and how much of it. */
class TestShelf implements Shelf {
  readonly kept = new Map<string, string>();
  readonly room: number;

  constructor(room = Infinity) {
    this.room = room;
  }

  get(name: string): unknown {
    const text = this.kept.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(name: string, value: unknown): boolean {
    if (value === undefined) return this.kept.delete(name) || true;
    const text = JSON.stringify(value);
    if (text.length > this.room) return false;
    this.kept.set(name, text);
    return true;
  }
}

describe("files", () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255);
  const rows: [string, File, object][] = [
    ["an image", file("a.png", "image/png", bytes), { type: "image", mimeType: "image/png", data: "iVBORwD/" }],
    ["audio", file("a.mp3", "audio/mpeg", bytes), { type: "audio", mimeType: "audio/mpeg", data: "iVBORwD/" }],
    ["a PDF", file("a.pdf", "application/pdf", bytes), { type: "file", mimeType: "application/pdf", data: "iVBORwD/" }],
    ["a text", file("a.md", "text/markdown", "# Ä"), { type: "file", mimeType: "text/markdown", text: "# Ä" }],
    ["a program, whatever it says it is", file("a.ts", "video2/x", "let a;"), { type: "file", text: "let a;" }],
    ["a text without a type", file("Makefile", "", "all:"), { type: "file", mimeType: "text/plain", text: "all:" }],
    ["a drawing, as its text", file("a.svg", "image/svg+xml", "<svg/>"), { type: "file", text: "<svg/>" }],
  ];
  test.each(rows)("%s becomes a part with its content and name", async (_, given, part) => {
    const { attachments, refused } = await readFiles([given]);
    expect(refused).toStrictEqual([]);
    expect(attachments).toMatchObject([{ name: given.name, size: given.size, part: { ...part, name: given.name } }]);
  });

  test("what no model reads, is empty or does not fit is refused in words, and the others are taken", async () => {
    const large = { name: "large.png", type: "image/png", size: 20_000_001, arrayBuffer: () => Promise.reject() };
    const files = [
      file("a.zip", "application/zip", bytes),
      file("empty.txt", "text/plain", ""),
      large,
      file("ok.txt", "text/plain", "ok"),
    ];
    const { attachments, refused } = await readFiles(files);
    expect(attachments.map(({ name }) => name)).toStrictEqual(["ok.txt"]);
    expect(refused).toStrictEqual([
      "“a.zip” is neither an image, audio, video or PDF nor text.",
      "“empty.txt” is empty.",
      "“large.png” is larger than 20 MB.",
    ]);
    expect((await readFiles([file("b.txt", "text/plain", "b")], 40_000_000)).refused).toHaveLength(1);
  });

  test("a message says its files before its words, and becomes the same draft again", async () => {
    const { attachments } = await readFiles([file("a.png", "image/png", bytes), file("b.txt", "text/plain", "b")]);
    const message = messageOf({ text: "  Look.\n", attachments });
    expect(message.parts.map(({ type }) => type)).toStrictEqual(["image", "file", "text"]);
    const back = withMessages({ text: "And more.", attachments: [] }, [message, user("Second.")]);
    expect(back.text).toBe("Look.\n\nSecond.\n\nAnd more.");
    expect(messageOf(back).parts.slice(0, 2)).toStrictEqual(message.parts.slice(0, 2));
    expect(back.attachments.map(({ size }) => size)).toStrictEqual([6, 1]);
  });
});

test("a task is told texts under their names, and pictures without", async () => {
  const given = [
    file("a.png", "image/png", "x"),
    file("b.txt", "text/plain", "b"),
    file("c.pdf", "application/pdf", "c"),
  ];
  const { attachments } = await readFiles(given);
  expect(messageForTask(messageOf({ text: "Look.", attachments })).parts).toStrictEqual([
    { type: "image", mimeType: "image/png", data: "eA==" },
    { type: "text", text: "b.txt:\n\nb\n" },
    { type: "file", mimeType: "application/pdf", name: "c.pdf", data: "Yw==" },
    { type: "text", text: "Look." },
  ]);
});

describe("drafts", () => {
  test("words outlive a reload until they have arrived, and nothing is lost where they have not", () => {
    const shelf = new TestShelf();
    const drafts = new Drafts(shelf);
    drafts.set("a", { text: "Hello", attachments: [] });
    const taken = drafts.take("a");
    expect([taken.text, drafts.get("a").text, new Drafts(shelf).get("a").text]).toStrictEqual(["Hello", "", "Hello"]);
    drafts.settle("a");
    expect(new Drafts(shelf).get("a").text).toBe("");
    drafts.set("a", { text: "Next", attachments: [] });
    drafts.giveBack("a", [messageOf(taken)]);
    expect(new Drafts(shelf).get("a").text).toBe("Hello\n\nNext");
    expect(drafts.get("b").text).toBe("");
  });

  test("the same draft is the same object until it changes", () => {
    const drafts = new Drafts(new TestShelf());
    const draft: Draft = drafts.get("a");
    expect(drafts.get("a")).toBe(draft);
    let told = 0;
    const leave = drafts.subscribe(() => told++);
    drafts.change("a", (now) => ({ ...now, text: "x" }));
    leave();
    drafts.change("a", (now) => ({ ...now, text: "y" }));
    expect(told).toBe(1);
  });
});

describe("what waits in a chat", () => {
  test("is kept in its order over a reload, and taken once", () => {
    const shelf = new TestShelf();
    const before = new FollowUps(shelf);
    before.add("t", user("One."), {});
    before.add("t", user("Two."), { model: "demo/koine" });
    const after = new FollowUps(shelf);
    expect(after.list("t")).toStrictEqual(before.list("t"));
    expect(after.take("t", "1")?.message).toStrictEqual(user("One."));
    expect(after.take("t", "1")).toBeUndefined();
    expect(after.takeAll("t")).toMatchObject([{ id: "2", ask: { model: "demo/koine" } }]);
    expect([...shelf.kept]).toStrictEqual([]);
  });

  test("where it does not fit, no older list is left that would be said again", () => {
    const shelf = new TestShelf(300);
    const list = new FollowUps(shelf);
    list.add("t", user("One."), {});
    list.add("t", user("x".repeat(300)), {});
    expect([list.isKept("t"), list.list("t").length, shelf.kept.size]).toStrictEqual([false, 2, 0]);
    list.take("t", "2");
    expect([list.isKept("t"), shelf.kept.size]).toStrictEqual([true, 1]);
  });

  const node = (id: string, role: OutlineNode["role"], more: Partial<OutlineNode> = {}): [string, OutlineNode] => [
    id,
    { id, role, parentMessageId: null, createdAt: "", preview: "", ...more },
  ];
  const live = (after: string | null, state: LiveRun["state"] = "streaming"): LiveRun => ({
    runId: "r",
    after,
    messages: [],
    state,
  });
  const rows: [string, Partial<ConversationState>, boolean][] = [
    ["a whole answer", {}, true],
    ["an answer that was broken off", { nodes: new Map([node("b", "assistant", { interrupted: true })]) }, false],
    ["a question without an answer", { nodes: new Map([node("b", "user")]) }, false],
    ["an answer on its way", { live: [live("b")] }, false],
    ["an answer whose messages are about to arrive", { live: [live("b", "ended")] }, false],
    ["a connection that is lost", { connection: "offline" }, false],
    ["a conversation that is still read", { status: "loading" }, false],
  ];
  test.each(rows)("after %s", (_, given, expected) => {
    const nodes = new Map([node("a", "user"), node("b", "assistant")]);
    const state = { status: "ready", connection: "live", live: [], path: ["a", "b"], nodes, ...given } as const;
    expect(mayFollow(state)).toBe(expected);
  });

  test("only answers of the shown branch are on their way in it", () => {
    const runs = [live("b"), live("elsewhere"), live(null), live("b", "ended")];
    expect(answering({ path: ["a", "b"], live: runs })).toStrictEqual([runs[0], runs[2]]);
  });

  test("the model of the last answer is the one of the shown branch", () => {
    const nodes = new Map([
      node("a", "user"),
      node("b", "assistant", { model: "one" }),
      node("c", "assistant", { model: "two" }),
    ]);
    expect([lastModel({ path: ["a", "b"], nodes }), lastModel({ path: ["a"], nodes })]).toStrictEqual([
      "one",
      undefined,
    ]);
  });
});

describe("settings", () => {
  test("only what is set is said", () => {
    expect(settingsOf(NO_SETTINGS)).toBeUndefined();
    expect(settingsOf({ temperature: "0", maxOutputTokens: " 100 ", effort: "low" })).toStrictEqual({
      sampling: { temperature: 0, maxOutputTokens: 100 },
      reasoning: { effort: "low" },
    });
  });

  test.each([
    ["0.7", "", []],
    ["-1", "", ["temperature"]],
    ["warm", "1.5", ["temperature", "maxOutputTokens"]],
    ["", "0", ["maxOutputTokens"]],
  ])("a temperature of “%s” and “%s” tokens", (temperature, maxOutputTokens, mistakes) => {
    expect(Object.keys(mistakesIn({ temperature, maxOutputTokens, effort: "" }))).toStrictEqual(mistakes);
  });
});

describe("models", () => {
  const models = ["openai/gpt-5", "demo/koine", "fast"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));
  test.each([
    ["the last one used", "openai/gpt-5", "openai/gpt-5"],
    ["one that is not listed, of a provider that is there", "openai/gpt-6", "openai/gpt-6"],
    ["the demo, where the last one's provider is gone", "gemini/flash", "demo/koine"],
    ["the demo at first", "", "demo/koine"],
  ])("begins with %s", (_, last, expected) => {
    expect(firstModel(models, last)).toBe(expected);
  });

  test("offers those that hold what was typed, and all beside one that was chosen", () => {
    const found = (typed: string): string[] => matchingModels(models, typed).map(({ id }) => id);
    expect([found("GPT"), found("koine de"), found("x"), found("fast").length]).toStrictEqual([
      ["openai/gpt-5"],
      ["demo/koine"],
      [],
      3,
    ]);
  });
});

describe("beginning", () => {
  const api = (regenerate: () => Promise<string | undefined>) => {
    const calls: unknown[] = [];
    const note = <Reply>(name: string, reply: Reply) => {
      return async (...given: unknown[]): Promise<Reply> => {
        calls.push([name, ...given]);
        return reply;
      };
    };
    const thread = { title: null, scope: null, kind: null, metadata: {}, createdAt: "", id: "T", activeLeafId: "M" };
    return {
      calls,
      newId: () => "T",
      newKey: () => "K",
      createThread: note("create", thread),
      removeThread: note("remove", undefined),
      regenerate: (...given: unknown[]) => {
        calls.push(["ask", ...given]);
        return regenerate();
      },
    };
  };
  const beginning = { model: "m", message: user("Hi there"), instructions: " Be brief. ", settings: undefined };

  test("a chat is a thread with its first words, and an answer asked for", async () => {
    const asked = api(async () => "run");
    expect(await startChat(asked, beginning)).toBe("T");
    expect(asked.calls).toMatchObject([
      ["create", { id: "T", title: "Hi there", messages: [{ role: "system" }, { role: "user" }] }],
      ["ask", "T", { messageId: "M", model: "m" }, "K"],
    ]);
  });

  test("a thread whose model nobody has is not left behind", async () => {
    const asked = api(() => Promise.reject(new Error("No such model.")));
    await expect(startChat(asked, beginning)).rejects.toThrow("No such model.");
    expect(asked.calls.at(-1)).toStrictEqual(["remove", "T"]);
  });

  test("a title is the first words on one line, never half of a character", () => {
    expect(titleOf(user("a\n b"))).toBe("a b");
    expect(titleOf(user(" "))).toBeUndefined();
    const long = titleOf(user(`${"x".repeat(78)}😀 and more`));
    expect(long).toBe(`${"x".repeat(78)}…`);
  });
});

test.each([
  ["running", {}, "Working…"],
  ["cancelled", {}, "Stopped. Say something to go on."],
  [
    "failed",
    { error: { code: "rate-limit", message: "Slow down" } },
    "Failed (rate-limit): Slow down. Say something to go on.",
  ],
  ["idle", { approval: "ask" }, "Ready. Tools will wait for your approval."],
] as const)("a task that is %s says so", (state, more, words) => {
  expect(describeTask({ state, approval: "never", queue: [], approvals: [], ...more })).toBe(words);
});
